"""Finding a document by what is remembered of its title or id.

Enters: titles and ids. Leaves: node numbers, best match first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from rapidfuzz import fuzz, process

from cnrag_core.graph.similarity_graph import SimilarityGraph

MOST_MATCHES = 50
LONGEST_TYPED = 200
"""Characters of what is typed that are looked for: no title is asked for with more."""

LEAST_SCORE = 60.0


class TitlesFound(NamedTuple):
    """What a box offers for what was typed: numbers of documents, their titles, and what is to be said of them."""

    numbers: list[int]
    titles: list[str]
    note: str


def offered_titles(typed: str, titles: Sequence[str], ids: Sequence[str], *, limit: int = MOST_MATCHES) -> TitlesFound:
    """The documents of `matching_titles`, and in words where they are not all or not what was asked for.

    Examples
    --------
    >>> offered_titles("neural", ["Deep neural nets", "Coral reefs", "Neural Turing machines"], ["a", "b", "c"])
    TitlesFound(numbers=[0, 2], titles=['Deep neural nets', 'Neural Turing machines'], note='')
    >>> offered_titles("corel", ["Deep neural nets", "Coral reefs"], ["a", "b"])
    TitlesFound(numbers=[1], titles=['Coral reefs'], note='No title has these words; this is close')
    """
    found = containing_titles(typed, titles, ids)
    if found:
        note = f"The first {limit} of {len(found):,}" if len(found) > limit else ""
    else:
        found = resembling_titles(typed, titles, limit=limit)
        close = f"; {'this is' if len(found) == 1 else 'these are'} close" if found else ""
        note = f"No title has these words{close}"
    return TitlesFound(found[:limit], [titles[number] for number in found[:limit]], note)


def matching_titles(typed: str, titles: Sequence[str], ids: Sequence[str], *, limit: int = MOST_MATCHES) -> list[int]:
    """Numbers of the documents whose title or id contains the words; where there are none, of those that resemble them.

    Examples
    --------
    >>> matching_titles("neural", ["Deep neural nets", "Coral reefs", "Neural Turing machines"], ["a", "b", "c"])
    [0, 2]
    """
    return containing_titles(typed, titles, ids)[:limit] or resembling_titles(typed, titles, limit=limit)


def containing_titles(typed: str, titles: Sequence[str], ids: Sequence[str]) -> list[int]:
    """Numbers of the documents whose title or id contains all words, first the one whose id was typed."""
    wanted = list(dict.fromkeys(typed[:LONGEST_TYPED].casefold().split()))
    if not wanted:
        return []
    exact = [number for number, node_id in enumerate(ids) if node_id == typed.strip()]
    containing = [
        number
        for number, title in enumerate(titles)
        if all(word in title.casefold() or word in ids[number].casefold() for word in wanted)
    ]
    return list(dict.fromkeys([*exact, *containing]))


def resembling_titles(typed: str, titles: Sequence[str], *, limit: int = MOST_MATCHES) -> list[int]:
    """Numbers of the documents whose title is spelt much like what was typed, best first."""
    if not typed.strip():
        return []
    close = process.extract(
        typed[:LONGEST_TYPED], titles, scorer=fuzz.WRatio, processor=str.casefold, limit=limit, score_cutoff=LEAST_SCORE
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
