"""A document and the collection it belongs to.

Enters: records that a reader found. Leaves: immutable documents with typed fields and their
provenance. Values are read through `text`, `items` and `number`, so that a field of an unexpected
kind gives its nearest sensible reading instead of an error.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from cnrag_core.config.spec import FieldKind
from cnrag_core.corpus.storable import is_storable, storable_value
from cnrag_core.corpus.wording import shown
from cnrag_core.errors import CorpusError, UnknownNameError

_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?", re.ASCII)


@dataclass(frozen=True)
class Provenance:
    """Where a document came from: file name, 1-based row or page, SHA-256 of the record's content."""

    file: str = ""
    row: int | None = None
    page: int | None = None
    sha256: str = ""

    def __str__(self) -> str:
        place = f", record {self.row}" if self.row is not None else ""
        place += f", page {self.page}" if self.page is not None else ""
        return f"{self.file or 'document'}{place}"


@dataclass(frozen=True)
class Document:
    """One record with an id and named values.

    Text that cannot be stored is cleaned, wherever the document came from; see `storable_text`.
    """

    id: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    provenance: Provenance = Provenance()

    def __post_init__(self) -> None:
        if not isinstance(self.fields, (dict, Mapping)):
            raise CorpusError(
                f"A document's fields should be a mapping of names to values, found {shown(self.fields)}."
            )
        if not isinstance(self.id, str):
            raise CorpusError(f"A document's id should be a text, found {shown(self.id)}.")
        try:
            if is_storable(self.fields) and is_storable(self.id) and is_storable(self.provenance.file):
                return
            object.__setattr__(self, "id", storable_value(self.id))
            object.__setattr__(self, "fields", storable_value(self.fields))
            file = storable_value(self.provenance.file)
            object.__setattr__(self, "provenance", replace(self.provenance, file=file))
        except RecursionError:
            raise CorpusError(f"Document {self.id!r}: the fields are nested too deeply.") from None

    def text(self, name: str) -> str:
        """The field as text: lists joined with spaces, turns of a conversation as lines, nothing as ``""``."""
        return as_text(self.fields.get(name))

    def items(self, name: str) -> tuple[str, ...]:
        """The field as a set of items, in order, without repeats; a text is one item, never its characters."""
        return as_items(self.fields.get(name))

    def number(self, name: str) -> float | None:
        """The field as a number, or None where it holds none."""
        return as_number(self.fields.get(name))

    def is_missing(self, name: str) -> bool:
        """Whether the field holds nothing to compare: absent, null, blank, an empty list or NaN."""
        value = self.fields.get(name)
        if isinstance(value, float):
            return math.isnan(value)
        return value is None or not as_text(value).strip()

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the fields, whatever the order they were written in."""
        canonical = json.dumps(self.fields, sort_keys=True, ensure_ascii=True, default=str)
        return hashlib.sha256(canonical.encode("utf-8")).hexdigest()


def as_text(value: Any) -> str:
    """The nearest sensible text of any value."""
    if isinstance(value, str):
        return value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, (list, tuple, set, frozenset)):
        if set(map(type, value)) <= {str}:  # as most lists are, and in half of the time
            return " ".join(filter(None, value))
        turns = any(isinstance(item, Mapping) and "content" in item for item in value)
        return ("\n" if turns else " ").join(filter(None, map(as_text, value)))
    if isinstance(value, Mapping):
        if "content" in value:  # a turn of a conversation
            return as_text(value["content"])
        return " ".join(filter(None, map(as_text, value.values())))
    return str(value)


def as_items(value: Any) -> tuple[str, ...]:
    """The value as set items: stripped texts without repeats, in first-seen order."""
    values = value if isinstance(value, (list, tuple, set, frozenset)) else [value]
    seen = dict.fromkeys(text for item in values if (text := as_text(item).strip()))
    return tuple(seen)


def as_number(value: Any) -> float | None:
    """The value as a finite number, or None; commas may part thousands, and nothing else.

    Examples
    --------
    >>> as_number("1,234.5"), as_number("1,5"), as_number("1e3")
    (1234.5, None, 1000.0)
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        value = value.strip()
        if _GROUPED.fullmatch(value):
            value = value.replace(",", "")
        elif "_" in value:
            return None  # Python reads 1_2 as twelve; people mean a name
    try:
        number = float(value)  # anything else is refused by float itself
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents in the order of their file, the kind of every field, and what a person should know.

    `warnings` are sentences (rows skipped, characters replaced, pages without text).
    """

    documents: tuple[Document, ...]
    kinds: Mapping[str, FieldKind] = field(default_factory=dict)
    name: str = "corpus"
    warnings: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents)

    def __getitem__(self, node_id: str) -> Document:
        try:
            return self._by_id[node_id]
        except (KeyError, TypeError):  # what cannot be looked up is no id either
            raise UnknownNameError(f"There is no document {node_id!r} in {self.name}.") from None

    @cached_property
    def _by_id(self) -> dict[str, Document]:
        return {document.id: document for document in self.documents}

    @cached_property
    def digest(self) -> str:
        """SHA-256 of ids and contents, independent of the order of the documents."""
        pairs = sorted((document.id, document.content_hash) for document in self.documents)
        return hashlib.sha256(json.dumps(pairs).encode("utf-8")).hexdigest()
