"""How much two sets of items have in common: jaccard, dice, overlap, exact.

Enters: two field values (lists, single values, nothing) or the counts of many pairs. Leaves: a
similarity in [0, 1]. Nothing to compare is no evidence: 0.0 for every metric, so that documents without
tags are not linked by having none. Guide 000, "Attribute Similarity".
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cnrag_core.corpus.document import as_items


def jaccard(a: Any, b: Any) -> float:
    """|A ∩ B| / |A ∪ B|; a text is one item, never its characters.

    Examples
    --------
    >>> jaccard(["ml", "nlp", "transformers"], ["nlp", "transformers", "bert"])
    0.5
    >>> jaccard("nlp", "pln")
    0.0
    """
    return _of_values("jaccard", a, b)


def dice(a: Any, b: Any) -> float:
    """2 |A ∩ B| / (|A| + |B|).

    Examples
    --------
    >>> round(dice(["ml", "nlp", "transformers"], ["nlp", "transformers", "bert"]), 2)
    0.67
    """
    return _of_values("dice", a, b)


def overlap(a: Any, b: Any) -> float:
    """|A ∩ B| / min(|A|, |B|): 1 where one set contains the other.

    Examples
    --------
    >>> overlap(["nlp"], ["nlp", "transformers", "bert"])
    1.0
    """
    return _of_values("overlap", a, b)


def exact(a: Any, b: Any) -> float:
    """1.0 where both hold the same items, else 0.0.

    Examples
    --------
    >>> exact("electronics", "electronics"), exact("electronics", "books"), exact([], [])
    (1.0, 0.0, 0.0)
    """
    items_a, items_b = frozenset(as_items(a)), frozenset(as_items(b))
    return float(bool(items_a) and items_a == items_b)


def similarity_of_counts(
    metric: Literal["jaccard", "dice", "overlap"],
    shared: NDArray[np.float64],
    size_a: NDArray[np.float64],
    size_b: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The metric of many pairs of sets at once.

    Parameters
    ----------
    metric
        Which quotient.
    shared
        |A ∩ B| of each pair; any shape.
    size_a, size_b
        |A| and |B|; broadcast against `shared`.

    Returns
    -------
    numpy.ndarray
        float64 in [0, 1], in the broadcast shape; 0 where either set is empty.
    """
    if metric == "jaccard":
        whole = size_a + size_b - shared
    elif metric == "dice":
        shared, whole = 2.0 * shared, size_a + size_b
    else:
        whole = np.minimum(size_a, size_b)
    result: NDArray[np.float64] = np.divide(shared, whole, out=np.zeros(np.shape(whole + shared)), where=whole > 0)
    return result


def _of_values(metric: Literal["jaccard", "dice", "overlap"], a: Any, b: Any) -> float:
    items_a, items_b = frozenset(as_items(a)), frozenset(as_items(b))
    counts = (np.array([float(size)]) for size in (len(items_a & items_b), len(items_a), len(items_b)))
    return float(similarity_of_counts(metric, *counts)[0])
