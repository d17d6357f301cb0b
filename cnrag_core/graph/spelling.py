"""How words are written for people: names are matched without accents, and shown with them.

Enters: the words of texts. Leaves: `WrittenForms`, the commonest spelling of each key in lower case.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable

from cnrag_core.graph.names import Words, reading_of


class WrittenForms:
    """The commonest spelling of the keys of words; a key that was never read stands for itself.

    Examples
    --------
    >>> written = WrittenForms()
    >>> written.read(Words("Das Gerät steht. Gerat? Geräte, Gerät!"))
    >>> written("gerat"), written("steht")
    ('gerät', 'steht')
    """

    def __init__(self) -> None:
        self._keys: Counter[str] = Counter()
        self._accented: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._best: dict[str, str] = {}

    def read(self, words: Words) -> None:
        """Count the spellings of one text."""
        self._best.clear()
        self._keys.update(words.keys)
        if words.text.isascii():
            return
        for key, (start, end) in zip(words.keys, words.spans, strict=True):
            word = words.text[start:end]
            if not word.isascii():
                spelling = unicodedata.normalize("NFKC", word.lower().replace("’", "'").removesuffix("'s"))
                if spelling != key:
                    self._accented[key][spelling] += 1

    def __call__(self, key: str) -> str:
        if key not in self._accented:
            return key
        if key not in self._best:
            counts = self._accented[key]
            plain = self._keys[key] - counts.total()
            self._best[key] = min([(-plain, key), *((-number, spelling) for spelling, number in counts.items())])[1]
        return self._best[key]


def keys_of(words: Iterable[str]) -> frozenset[str]:
    """Words of a list as they are looked up in texts: ``für`` is the key ``fur``."""
    return frozenset(reading_of(word)[0] for word in words)
