"""A document as people read it: its fields in a sensible order, every value as plain text.

Enters: a document and the configuration. Leaves: (field, text) pairs, and the turns of a conversation.
"""

from __future__ import annotations

from collections.abc import Mapping

from cnrag_core.config.spec import PipelineConfig
from cnrag_core.corpus.document import Document, as_text
from cnrag_core.corpus.wording import count

LONGEST = 4000
"""Characters of a field shown; the rest is counted in words."""


def shown_fields(document: Document, config: PipelineConfig) -> list[tuple[str, str]]:
    """Every filled field but the title, the longest texts first among those that are compared."""
    title = config.display.title
    order = [name for name in (config.display.text, *config.text_fields, *document.fields) if name]
    shown = []
    for name in dict.fromkeys(order):
        if name == title or document.is_missing(name):
            continue
        value = document.fields[name]
        is_list = isinstance(value, (list, tuple)) and not any(isinstance(item, Mapping) for item in value)
        text = ", ".join(map(as_text, value)) if is_list else document.text(name)
        shown.append((name, shortened(text)))
    return shown


def text_fields_of(document: Document, config: PipelineConfig) -> list[str]:
    """Names of the fields that hold text, the compared ones first, then by length."""
    texts = [name for name in document.fields if isinstance(document.fields[name], str)]
    compared = [name for name in config.text_fields if not document.is_missing(name)]
    rest = sorted((name for name in texts if name not in compared), key=lambda name: -len(document.text(name)))
    return sorted(compared, key=lambda name: -len(document.text(name))) + rest


def conversation_turns(document: Document) -> list[tuple[str, str]]:
    """(speaker, text) of each turn, where a field of the document is a conversation; else nothing."""
    for value in document.fields.values():
        if isinstance(value, (list, tuple)) and value and all(isinstance(turn, Mapping) for turn in value):
            turns = [(str(turn.get("role", "")), as_text(turn.get("content"))) for turn in value if "content" in turn]
            if turns:
                return turns
    return []


def shortened(text: str) -> str:
    """A text of bearable length.

    Examples
    --------
    >>> shortened("short")
    'short'
    """
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST].rstrip()} … ({count(len(text) - LONGEST, 'more character')})"
