"""Finding a document by what is remembered of its title or id.

Enters: titles and ids. Leaves: node numbers, best match first.
"""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import fuzz, process

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
