"""Finding a document by what is remembered of its title or id.

Enters: titles and ids. Leaves: node numbers, best match first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from rapidfuzz import fuzz, process

from cnrag_core.graph.similarity_graph import SimilarityGraph

MOST_MATCHES = 50
LEAST_SCORE = 60.0


def matching_titles(typed: str, titles: Sequence[str], ids: Sequence[str], *, limit: int = MOST_MATCHES) -> list[int]:
    """Numbers of the documents whose title or id contains the words, then of those that resemble them.

    Examples
    --------
    >>> matching_titles("neural", ["Deep neural nets", "Coral reefs", "Neural Turing machines"], ["a", "b", "c"])
    [0, 2]
    """
    wanted = typed.casefold().split()
    if not wanted:
        return []
    exact = [number for number, node_id in enumerate(ids) if node_id == typed.strip()]
    containing = [
        number
        for number, title in enumerate(titles)
        if all(word in title.casefold() or word in ids[number].casefold() for word in wanted)
    ]
    found = list(dict.fromkeys([*exact, *containing]))[:limit]
    if found:
        return found
    close = process.extract(
        typed, titles, scorer=fuzz.WRatio, processor=str.casefold, limit=limit, score_cutoff=LEAST_SCORE
    )
    return [number for _, _, number in close]


def best_connected(graph: SimilarityGraph) -> list[int]:
    """Numbers of all documents, those of most neighbours first, ties by number."""
    order: list[int] = np.argsort(-graph.degree, kind="stable").tolist()
    return order


def told_apart(titles: Sequence[str], ids: Sequence[str]) -> list[str]:
    """Titles, with the id where two documents have the same.

    Examples
    --------
    >>> told_apart(["Reefs", "Ice", "Ice"], ["a", "b", "c"])
    ['Reefs', 'Ice [b]', 'Ice [c]']
    """
    count = Counter(titles)
    return [title if count[title] == 1 else f"{title} [{id_}]" for title, id_ in zip(titles, ids, strict=True)]
