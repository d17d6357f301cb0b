"""What in a question was probably meant as a filter, and how that is written.

Enters: the question as it was typed, and the names of the fields. Leaves: a sentence for each part that looks like
a condition and is read as something else: a misspelt field, another sign than ``:``, a range written otherwise. And
where no document passes: a sentence for each value that no document has, with the nearest one that some has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from rapidfuzz import fuzz, process

from cnrag_core.config.problems import did_you_mean, nearest
from cnrag_core.corpus.document import Document
from cnrag_core.corpus.wording import quoted
from cnrag_core.retrieval.filters import CONDITION, Condition, field_meant, is_bound
from cnrag_core.retrieval.terms import fold_accents

MOST_HINTS = 3
MOST_LOOKED_AT = 50
"""Conditions in a question whose field is compared with the known ones; nobody types more."""

MOST_VALUES = 3
"""Wanted values that are compared with all documents."""

MOST_CHARACTERS = 100
"""A longer value is a text and no label; nobody misspells it as a whole."""

LEAST_ALIKE = 70.0
"""Percent: one wrong letter in four is a slip of the keys, more is another word."""

_SIGN = r"(?P<sign><=|>=|==|!=|[<>=≤≥≠])"
_OTHER_SIGN = re.compile(rf'(?<!\S)(?P<field>[^\s:"<>=!≤≥≠]+){_SIGN}(?P<value>[^\s"]+)(?!\S)')
_SIGN_BEHIND = re.compile(rf"{_SIGN}(?P<value>.+)")
_LOOSE_COLON = re.compile(r'(?<!\S)(?P<field>[^\s:"]+):\s+(?P<value>[^\s"]+)')
_DOTS = re.compile(r"(?P<low>[^.…]*)(?:\.{3,}|…)(?P<high>[^.…]*)")
_DASH = re.compile(r"(?P<low>\d+)[-–—](?P<high>\d+)")


def filter_hints(query: str, fields: Collection[str], *, nothing_passes: bool = False) -> tuple[str, ...]:
    """Sentences for a person; none where every condition is understood.

    Parameters
    ----------
    nothing_passes
        Whether no document passes the conditions that were understood: then a value that looks like a range is
        told too.

    Examples
    --------
    >>> filter_hints("reefs yaer:2015", {"year", "title"})
    ("'yaer' is no field here, so 'yaer:2015' was read as words. Did you mean 'year'?",)
    >>> filter_hints("reefs at 10:30, re: corals", {"year", "title"})
    ()
    """
    found = dict.fromkeys(_hints(query, fields, nothing_passes))
    return tuple(found)[:MOST_HINTS]


def value_hints(conditions: Sequence[Condition], documents: Sequence[Document]) -> tuple[str, ...]:
    """A sentence for each wanted value that no document has and that is spelled much like one that some has.

    Numbers and dates are left out: the nearest spelling is not the nearest number.

    Examples
    --------
    >>> value_hints([Condition("who", ("Jager",))], [Document("a", {"who": "Jäger"}), Document("b", {"who": "Koch"})])
    ("No document has 'Jager' in 'who'. Did you mean 'Jäger'?",)
    """
    return tuple(islice(dict.fromkeys(_of_missing(conditions, documents)), MOST_HINTS))


def _of_missing(conditions: Sequence[Condition], documents: Sequence[Document]) -> Iterator[str]:
    spellings: dict[str, tuple[list[str], list[str]]] = {}
    wanted = ((condition, value) for condition in conditions for value in condition.values)
    for condition, value in islice(wanted, MOST_VALUES):
        name, alone = condition.field, Condition(condition.field, (value,))
        if is_bound(value) or len(value) > MOST_CHARACTERS or any(map(alone.passes, documents)):
            continue
        if name not in spellings:
            spellings[name] = _spellings(name, documents)
        written, folded = spellings[name]
        found = process.extractOne(
            fold_accents(value.strip().casefold()), folded, scorer=fuzz.ratio, score_cutoff=LEAST_ALIKE
        )
        if found:
            missing = f"No document has '{quoted(value)}' in '{quoted(name)}'."
            yield f"{missing} Did you mean '{quoted(written[found[2]])}'?"


def _spellings(name: str, documents: Sequence[Document]) -> tuple[list[str], list[str]]:
    """The values of a field and their words, the commonest first: as written, and as they are compared."""
    values = Counter(
        item for d in documents for item in d.items(name) if len(item) <= MOST_CHARACTERS and not is_bound(item)
    )
    spellings: Counter[str] = Counter()
    for value, number in values.items():
        for spelling in dict.fromkeys([value, *re.findall(r"\w+", value)]):
            spellings[spelling] += number
    ordered = sorted(spellings, key=lambda spelling: (-spellings[spelling], spelling))
    return ordered, [fold_accents(spelling.casefold()) for spelling in ordered]


def _hints(query: str, fields: Collection[str], nothing_passes: bool) -> Iterator[str]:
    for match in islice(CONDITION.finditer(query), MOST_LOOKED_AT):
        name, value = match["field"], match["quoted"] if match["quoted"] is not None else match["plain"]
        meant = field_meant(name, fields)
        if meant is None:
            # an address or a time of day is no misspelt field
            if not value.startswith("//") and not name.isdigit() and nearest(name, fields):
                yield (
                    f"'{quoted(name)}' is no field here, so '{quoted(match[0])}' was read as words."
                    f"{did_you_mean(name, fields)}"
                )
        elif match["quoted"] is None:
            yield from _of_value(meant, value, nothing_passes)
    for match in islice(_OTHER_SIGN.finditer(query), MOST_LOOKED_AT):
        if field_meant(match["field"], fields):
            yield f"'{quoted(match[0])}' was read as words; {_instead(match['field'], match['sign'], match['value'])}."
    for match in islice(_LOOSE_COLON.finditer(query), MOST_LOOKED_AT):
        if field_meant(match["field"], fields):
            yield (
                f"'{quoted(match['field'])}:' was read as a word, because a space follows; to narrow write "
                f"'{quoted(match['field'])}:{quoted(match['value'])}'."
            )


def _of_value(name: str, value: str, nothing_passes: bool) -> Iterator[str]:
    """Hints about the value of a field that exists."""
    if sign := _SIGN_BEHIND.fullmatch(value):
        written = f"'{quoted(name)}:{quoted(value)}'"
        yield f"{written} looks for that very text; {_instead(name, sign['sign'], sign['value'])}."
    elif (dots := _DOTS.fullmatch(value)) or (nothing_passes and (dots := _DASH.fullmatch(value))):
        if not dots["low"] + dots["high"]:
            return
        yield f"A range is written with two dots: '{quoted(name)}:{quoted(dots['low'])}..{quoted(dots['high'])}'."


def _instead(name: str, sign: str, value: str) -> str:
    if sign in ("!=", "≠"):
        return "a filter says what must be, and cannot say what must not"
    span = f"{value}.." if sign in (">", ">=", "≥") else f"..{value}" if sign in ("<", "<=", "≤") else value
    return f"to narrow write '{quoted(name)}:{quoted(span)}'"
