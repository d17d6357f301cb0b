"""What the fields of an unknown corpus look like: how full, how long, how often the same.

Enters: documents, through a protocol, because configuration lies below the corpus. Leaves: one `FieldProfile` a field,
the same whatever order the documents arrive in.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from cnrag_core.config.spec import FieldKind

MAX_DOCUMENTS = 2_000
"""Documents that are looked at; the profile of a field does not change much beyond."""

_MAX_CHARACTERS = 4_000
"""Characters of a value that are looked at."""

_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]{1,15}://|www\.|/[\w.-]+/|[\w.+-]+@[\w-]+\.)\S*", re.IGNORECASE)
_CODE = re.compile(r"(?=\S*\d)[\w:/.\-#?=&%+~@]+|[0-9a-f]{16,}", re.IGNORECASE | re.ASCII)
_WHOLE_NUMBER = re.compile(r"-?\d{1,3}")
_LETTERS_OR_DIGITS = re.compile(r"[^\W\d_]+|\d+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class DocumentLike(Protocol):
    """What is asked of a document."""

    @property
    def id(self) -> str:
        """Name of the document."""

    @property
    def fields(self) -> Mapping[str, Any]:
        """Its values by field name."""

    def text(self, name: str) -> str:
        """A field as text."""

    def items(self, name: str) -> tuple[str, ...]:
        """A field as a set of items."""

    def number(self, name: str) -> float | None:
        """A field as a number."""

    def is_missing(self, name: str) -> bool:
        """Whether a field holds nothing."""


class CorpusLike(Protocol):
    """What is asked of a corpus."""

    @property
    def documents(self) -> Sequence[DocumentLike]:
        """The documents, in any order."""

    @property
    def kinds(self) -> Mapping[str, FieldKind]:
        """The kind of each field, where it is known."""


@dataclass(frozen=True)
class FieldProfile:
    """Statistics of one field over the documents that were looked at.

    `words` and `items` are means over the filled documents; a word of a script without spaces counts as one and a half
    characters. `repeated` is the share of values (or items of a list) that occur in another document too, `largest`
    that of the most frequent one, `wordy` that of words among words and numbers. `contents` is the same for fields that
    hold the same, `grouping` for fields that put the same documents together.
    """

    name: str
    kind: FieldKind
    n_documents: int
    n_filled: int
    n_distinct: int
    words: float
    items: float
    one_line: bool
    repeated: float
    largest: float
    addresses: float
    codes: float
    wordy: float
    numbers: tuple[float, ...]
    contents: str
    grouping: str
    is_conversation: bool
    has_number_items: bool

    @property
    def filled(self) -> float:
        """Share of the documents in which the field holds something."""
        return self.n_filled / self.n_documents if self.n_documents else 0.0

    @property
    def distinct(self) -> float:
        """Share of different values among the filled ones."""
        return self.n_distinct / self.n_filled if self.n_filled else 0.0

    @property
    def spread(self) -> float:
        """Standard deviation of the numbers; 0 for none, infinite where they are too large to say."""
        n = len(self.numbers)
        mean = sum(number / n for number in self.numbers)
        return math.sqrt(sum((number - mean) * (number - mean) / n for number in self.numbers))

    @property
    def is_year(self) -> bool:
        """Whether the numbers are years, by their values: whole, near our time, and several of them."""
        return len(set(self.numbers)) >= 3 and all(
            number.is_integer() and 1500 <= number <= 2100 for number in self.numbers
        )

    @property
    def counts_documents(self) -> bool:
        """Whether whole numbers only number the documents: each occurs once, without a gap worth the name."""
        if len(self.numbers) < 3 or len(set(self.numbers)) < len(self.numbers):
            return False
        span = max(self.numbers) - min(self.numbers)
        return all(number.is_integer() for number in self.numbers) and span < 2 * len(self.numbers)


def profile_fields(corpus: CorpusLike) -> dict[str, FieldProfile]:
    """The profile of every field, in the order in which fields first occur, by document id."""
    sample = looked_at(corpus)
    names = dict.fromkeys(name for document in sample for name in document.fields)
    rare = {name for document in corpus.documents for name in document.fields} - names.keys()
    return {name: _profile(name, sample, corpus.kinds.get(name)) for name in (*names, *sorted(rare))}


def looked_at(corpus: CorpusLike) -> list[DocumentLike]:
    """At most 2,000 documents, evenly over their ids."""
    documents = sorted(corpus.documents, key=lambda document: document.id)
    return documents[:: max(1, math.ceil(len(documents) / MAX_DOCUMENTS))]


def _profile(name: str, documents: Sequence[DocumentLike], kind: FieldKind | None) -> FieldProfile:
    filled = [document for document in documents if not document.is_missing(name)]
    texts = [document.text(name)[:_MAX_CHARACTERS].strip() for document in filled]
    raw = [document.fields[name] for document in filled]
    kind = kind or _guessed_kind(raw)
    values = [document.items(name) for document in filled] if kind == "list" else [(text,) for text in texts]
    counts = Counter(value for group in values for value in set(group))
    n_values = sum(counts.values())
    n_words = [_n_words(text) for text in texts]
    runs = [run for text in texts for run in _LETTERS_OR_DIGITS.findall(text[:500])]
    numbers = [document.number(name) for document in filled] if kind in ("number", "category") else []
    return FieldProfile(
        name=name,
        kind=kind,
        n_documents=len(documents),
        n_filled=len(filled),
        n_distinct=len(set(texts)),
        words=_mean(n_words),
        items=_mean([len(group) for group in values]),
        one_line=sum("\n" in text for text in texts) <= 0.05 * len(texts),
        repeated=sum(count for count in counts.values() if count > 1) / n_values if n_values else 0.0,
        largest=max(counts.values(), default=0) / len(filled) if filled else 0.0,
        addresses=_share([bool(_ADDRESS.fullmatch(value)) for value in counts]),
        codes=_share([bool(_CODE.fullmatch(value)) for value in counts]),
        wordy=_share([not run[0].isdigit() for run in runs]),
        numbers=tuple(sorted(number for number in numbers if number is not None)),
        contents=_digest(texts),
        grouping=_digest(
            [f"{document.id} {first}" for document, first in zip(filled, _first_places(texts), strict=True)]
        ),
        is_conversation=any(map(_has_turns, raw)),
        has_number_items=kind == "list"
        and (any(map(_holds_numbers, raw)) or (bool(counts) and all(map(_WHOLE_NUMBER.fullmatch, counts)))),
    )


def contains(corpus: CorpusLike, whole: str, part: str) -> bool:
    """Whether a field holds nothing that another does not hold too, in nine of ten documents."""
    filled = [document for document in looked_at(corpus) if not document.is_missing(part)]
    found = sum(document.text(part).strip() in document.text(whole) for document in filled)
    return bool(filled) and found >= 0.9 * len(filled)


def _first_places(texts: Sequence[str]) -> list[int]:
    """For each text the place where it first stood: equal numbers mean equal texts, whatever they say."""
    places: dict[str, int] = {}
    return [places.setdefault(text, i) for i, text in enumerate(texts)]


def _has_turns(value: Any) -> bool:
    return _is_list(value) and any(isinstance(item, Mapping) and "content" in item for item in value)


def _holds_numbers(value: Any) -> bool:
    return _is_list(value) and any(isinstance(item, (int, float)) for item in value)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _digest(texts: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()


def _guessed_kind(values: Sequence[Any]) -> FieldKind:
    """The kind where no reader has said it; readers know better."""
    if values and all(isinstance(value, bool) for value in values):
        return "boolean"
    if values and all(isinstance(value, (int, float)) for value in values):
        return "number"
    items = [item for value in values if _is_list(value) for item in value]
    if items:
        return "text" if all(isinstance(item, Mapping) for item in items) else "list"
    texts = [str(value) for value in values]
    if texts and max(map(len, texts)) <= 60 and len(set(texts)) <= len(texts) / 2:
        return "category"
    return "text"


def _n_words(text: str) -> float:
    if text.isascii():
        return len(text.split())
    n_cjk = len(_CJK.findall(text))
    return len(_CJK.sub(" ", text).split()) + n_cjk / 1.5


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags) if flags else 0.0
