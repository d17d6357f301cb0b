"""How the messages of this layer name things: files, values and counts, short and harmless.

Everything that a message quotes comes from a file that a stranger may have written, so it is cut to
a length that fits a line and shown without control characters.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from rapidfuzz import process

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]+")

MOST_DIGITS = 4
"""Decimals of a share just below the whole."""


def file_label(name: str, *, length: int = 80) -> str:
    """The last part of a file name, shortened; only ever shown, never used as a path.

    Examples
    --------
    >>> file_label("../../etc/evil.csv")
    'evil.csv'
    >>> file_label("C:\\\\x\\\\y.json")
    'y.json'
    """
    last = name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return shorten(_UNPRINTABLE.sub("", last), length) or "file"


def stem(name: str) -> str:
    """A file label without its last ending: the name of a corpus."""
    label = file_label(name)
    base = label.rpartition(".")[0]
    return base or label


def shorten(text: str, length: int = 60) -> str:
    """The text, or its beginning and an ellipsis."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def shown(value: Any, *, length: int = 60) -> str:
    """A value as a message quotes it, with its kind.

    Examples
    --------
    >>> shown("ml, nlp"), shown(["a", "b"]), shown(None)
    ('the text "ml, nlp"', 'a list of 2', 'nothing')
    """
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "the boolean true" if value else "the boolean false"
    if isinstance(value, str):
        return f'the text "{quoted(value, length=length)}"'
    if isinstance(value, (int, float)):
        # a very long integer cannot even be printed
        return f"the number {value}" if not isinstance(value, int) or value.bit_length() < 400 else "a very long number"
    if isinstance(value, (list, tuple)):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return f"an object with {count(len(value), 'key')}"
    return f"a value of type {type(value).__name__}"


def quoted(text: str, *, length: int = 60) -> str:
    """The text on one line, without control characters, shortened."""
    return shorten(_UNPRINTABLE.sub(" ", text[: length * 4]).strip(), length)


def count(number: int, noun: str, plural: str | None = None) -> str:
    """``1 row``, ``12,000 rows``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def percent(share: float) -> str:
    """A share with as many digits as it needs; a part of the whole is never all of it.

    Examples
    --------
    >>> percent(0.123), percent(0.0123), percent(0.000123), percent(0.0), percent(1.0)
    ('12 %', '1.2 %', '0.012 %', '0 %', '100 %')
    >>> percent(0.996), percent(0.999), percent(0.99995)
    ('99.6 %', '99.9 %', '99.995 %')
    """
    hundred = 100 * share
    if not share:
        return "0 %"
    if hundred < 10:
        return f"{hundred:.2g} %"
    if share >= 1 or hundred < 99.5:
        return f"{hundred:.0f} %"
    digits = min(math.ceil(-math.log10(100 - hundred) - 1e-6), MOST_DIGITS)
    return f"{math.floor(hundred * 10**digits + 1e-6) / 10**digits:.{digits}f} %"


def listed(names: Iterable[str], *, at_most: int = 8) -> str:
    """Names for a sentence: ``'a', 'b' and 'c'``, the rest counted."""
    all_names = [f"'{quoted(name)}'" for name in names]
    if len(all_names) > at_most:
        return ", ".join(all_names[:at_most]) + f" and {len(all_names) - at_most:,} more"
    if len(all_names) < 2:
        return "".join(all_names)
    return ", ".join(all_names[:-1]) + " and " + all_names[-1]


def nearest(name: str, known: Sequence[str]) -> str | None:
    """The known name that a person most likely meant, or None when none is close."""
    # a letter or two stand in nearly every name, and would count as nearest
    by_folded = {choice.casefold(): choice for choice in known if 3 * len(choice) >= len(name)}
    found = process.extractOne(name.casefold(), list(by_folded), score_cutoff=60)
    return by_folded[found[0]] if found else None


def size(n_bytes: int) -> str:
    """Bytes for people: ``5 MB``, ``1.5 MB``, ``24 bytes``."""
    if n_bytes < 1000:
        return count(n_bytes, "byte")
    value, unit = (n_bytes / 2**20, "MB") if n_bytes >= 2**20 else (n_bytes / 1024, "kB")
    return f"{value:,.1f}".removesuffix(".0") + f" {unit}"
