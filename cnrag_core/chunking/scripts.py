"""Scripts that are written without spaces between words.

Counting words, cutting texts and building a vocabulary all need to know them: a page of Chinese is
not one long word.
"""

from __future__ import annotations

SPACELESS = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f"  # Burmese
    "\u1780-\u17ff"  # Khmer
    "\u3005-\u3007"  # marks that stand for a Han character
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Hiragana, Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
"""Ranges for a regular expression's character class."""
