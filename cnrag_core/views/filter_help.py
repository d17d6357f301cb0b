"""How to narrow a question, told with a field and a value that the corpus at hand has.

Enters: documents. Leaves: the examples of a label and of a range as a person would type them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from cnrag_core.corpus.document import Document, as_number
from cnrag_core.retrieval.filters import is_bound, known_fields

LOOKED_AT = 200
"""Documents that are read for an example, spread evenly."""

LONGEST_LABEL = 24
"""Characters of a value that a person would type."""

_TYPED_FIELD = re.compile(r'[^\s:"]+')
_IS_WORD = re.compile(r"\w[\w.-]*")


def filter_examples(documents: Sequence[Document]) -> tuple[str, ...]:
    """A condition on a label and one on a range of numbers, each as it is typed; only what the corpus has.

    The label is the commonest value of the field in which values repeat most; the range is of the field that most
    documents have, from its middle on.

    Examples
    --------
    >>> filter_examples([Document(str(n), {"Art": "Netz", "jahr": 2019 + n}) for n in range(3)])
    ('Art:Netz', 'jahr:2020..2021')
    """
    read = list(islice(documents, 0, None, max(1, len(documents) // LOOKED_AT)))
    labels: list[tuple[float, str, str]] = []
    ranges: list[tuple[int, str, str]] = []
    for name in sorted(known_fields(read)):
        if not _TYPED_FIELD.fullmatch(name):
            continue
        items = [item for document in read for item in document.items(name)]
        numbers = [number for number in map(as_number, items) if number is not None]
        if items and len(numbers) == len(items):
            if min(numbers) < max(numbers):
                middle, last = sorted(numbers)[len(numbers) // 2], max(numbers)
                ranges.append((-len(numbers), name, f"{middle:.15g}..{last:.15g}"))
            continue
        counts = Counter(items)
        if not items or len(counts) == len(items) or any(len(item) > LONGEST_LABEL for item in counts):
            continue
        value = min(counts, key=lambda item: (-counts[item], item))
        if '"' not in value and not is_bound(value):
            labels.append((len(counts) / len(items), name, value if _IS_WORD.fullmatch(value) else f'"{value}"'))
    best = [min(found)[1:] for found in (labels, ranges) if found]
    return tuple(f"{name}:{value}" for name, value in best)
