"""All pairs that are similar enough, exactly.

Enters: columns and a threshold. Leaves: `Pairs`. Every pair is compared, in blocks; nothing is
approximate and no n x n matrix is ever held. Small corpora are compared by scipy, larger ones by
compiled loops; the pairs and their weights are the same to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from cnrag_core.errors import ConfigError, ResourceLimitError
from cnrag_core.similarity.blocks import BlockScorer
from cnrag_core.similarity.components import ComponentColumn, n_rows
from cnrag_core.similarity.pairs import (
    Floor,
    Pairs,
    StrongestKept,
    canonical_pairs,
    concat_pairs,
    merge_canonical,
    next_floor,
    unique_pairs,
)
from cnrag_core.similarity.scoring import TIE_TOLERANCE, score_pairs
from cnrag_core.similarity.tiles import LOCAL, Engine, nearest_on, shards_of_search, stream_tiles
from cnrag_core.types import Progress, silent

COMPILED_FROM = 2_000
"""Fewer documents than this are compared by scipy: loading the compiled loops would take longer."""

COMPILED_FROM_COLD = 6_000
"""So many, as long as the loops have never been compiled on this machine: nobody waits for a compiler first."""

BLOCK_CELLS = 2_000_000
"""Scores of one block of rows: 16 MB."""


def pairs_above(
    columns: Sequence[ComponentColumn],
    threshold: float,
    *,
    max_pairs: int | None = None,
    n_threads: int | None = None,
    engine: Engine = LOCAL,
    progress: Progress = silent,
) -> Pairs:
    """Every pair whose combined similarity is at least the threshold, and more than 0, in canonical order.

    Parameters
    ----------
    columns
        What is compared; the weights sum to 1.
    threshold
        In [0, 1]; a similarity that meets it exactly counts, up to float noise of 1e-9.
    max_pairs
        Refuse instead of returning more.
    n_threads
        See `stream_pairs`; the result does not depend on it.
    engine
        Where tiles are compared and kept; the result does not depend on it. With a folder, memory stays
        within the result and one tile's pairs.
    progress
        Told the share of comparisons done; may raise to cancel.

    Raises
    ------
    ConfigError
        If the threshold is not a number in [0, 1].
    ResourceLimitError
        If there are more than `max_pairs`.
    """
    check_threshold(threshold)
    count = 0

    def counted(n: int) -> None:
        nonlocal count
        count += n
        if max_pairs is not None and count > max_pairs:
            raise ResourceLimitError(
                f"More than {max_pairs:,} pairs are at least {threshold:.2f} similar; raise the threshold."
            )

    if engine.folder is not None:
        tiles = shards_of_search(
            columns, threshold, counted, engine=engine, most=max_pairs, n_threads=n_threads, progress=progress
        )
        return merge_canonical(tiles)
    found = []
    stream = stream_pairs(
        columns, Floor(threshold), engine=engine, most=max_pairs, n_threads=n_threads, progress=progress
    )
    with closing(stream) as parts:
        for part in parts:
            counted(len(part))
            found.append(part)
    return canonical_pairs(concat_pairs(found))


def pairs_of_rows(columns: Sequence[ComponentColumn], rows: Sequence[int], threshold: float = 0.0) -> Pairs:
    """Every pair that has one of a few rows in it: what adding or changing these documents brings.

    In canonical order, as `pairs_above` gives them.

    Parameters
    ----------
    columns
        What is compared, the changed documents included.
    rows
        Their node numbers; a pair of two of them is returned once.
    threshold
        In [0, 1]; pairs at or above it, and above 0.

    Raises
    ------
    ConfigError
        If the threshold is not a number in [0, 1].
    """
    check_threshold(threshold)
    chosen = np.unique(np.asarray(rows, dtype=np.int64))
    found = []
    for block, scores in _score_blocks(columns, chosen):
        new = _selected(columns, block, scores, threshold)
        # Of two chosen rows, only the pair seen from the smaller one is kept.
        other_chosen = np.isin(new.right, chosen)
        keep = (new.left != new.right) & (~other_chosen | (new.left < new.right))
        left, right = new.left[keep], new.right[keep]
        found.append(Pairs(np.minimum(left, right), np.maximum(left, right), new.weight[keep]))
    return canonical_pairs(concat_pairs(found))


def score_listed(
    columns: Sequence[ComponentColumn], left: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Combined similarity of many listed pairs; the numbers of `score_pairs`, by the faster way there is."""
    if not use_compiled(n_rows(columns)):
        return score_pairs(columns, left, right)
    from cnrag_core.similarity.search import compiled_scores

    return compiled_scores(columns, left, right)


def stream_pairs(
    columns: Sequence[ComponentColumn],
    floor: Floor,
    *,
    n_threads: int | None = None,
    engine: Engine = LOCAL,
    most: int | None = None,
    progress: Progress = silent,
) -> Generator[Pairs, None, None]:
    """The pairs at or above a floor, and above 0, part by part, in no particular order.

    The floor may be raised between two parts; of what has not been looked at by then, only pairs at or above
    it are found.

    Parameters
    ----------
    n_threads
        For large corpora; by default as many as there are processors, up to four.
    engine
        Other workers than threads of this process, or a folder that keeps finished tiles; whatever the size of
        the corpus, it is then compared in tiles.
    most
        Pairs that are not among so many strongest may be left out.
    """
    n = n_rows(columns)
    if engine is not LOCAL:
        yield from stream_tiles(columns, floor, engine, most=most, n_threads=n_threads, progress=progress)
        return
    if use_compiled(n):
        from cnrag_core.similarity.search import stream_compiled

        yield from stream_compiled(columns, floor, n_threads=n_threads, progress=progress)
        return
    done = 0
    for block, scores in _score_blocks(columns, np.arange(n, dtype=np.int64)):
        upper = np.arange(n, dtype=np.int64)[None, :] > block[:, None]
        yield _selected(columns, block, np.where(upper, scores, 0.0), floor.value)
        done += len(block)
        progress("Comparing pairs", done / n)


def strongest_pairs(
    columns: Sequence[ComponentColumn],
    floor: float,
    max_pairs: int,
    *,
    engine: Engine = LOCAL,
    progress: Progress = silent,
) -> tuple[Pairs, float]:
    """The strongest pairs at or above a floor, as many as fit.

    The set is fixed by the pairs alone (descending weight, ties ascending by node numbers), whatever the
    order in which they are found; memory stays within one and a half times `max_pairs`.

    Returns
    -------
    Pairs
        At most `max_pairs`, in canonical order.
    float
        The floor at and above which these are all pairs there are: the given one, or, where some were
        dropped, the next value on a grid of 0.01 above the strongest that was.

    Raises
    ------
    ResourceLimitError
        If more than `max_pairs` have the highest similarity that there is, where no floor can help.
    """
    kept = StrongestKept(Floor(floor), max_pairs)
    parts = stream_pairs(columns, kept.floor, engine=engine, most=max_pairs, progress=progress)
    with closing(parts):
        for part in parts:
            kept.add(part)
    pairs, dropped = kept.finish()
    pairs = canonical_pairs(pairs)
    if dropped == 0.0:
        return pairs, floor
    if not len(pairs) or dropped >= float(pairs.weight[0]) - TIE_TOLERANCE:
        raise ResourceLimitError(
            f"More than {max_pairs:,} pairs of documents are equally alike ({dropped:.2f}), and none is more alike. "
            "No threshold makes a graph that fits; remove the repeats, or compare something that tells them apart."
        )
    return pairs, next_floor(dropped)


def top_neighbors(
    columns: Sequence[ComponentColumn],
    rows: NDArray[np.int64],
    k: int,
    *,
    engine: Engine = LOCAL,
    progress: Progress = silent,
) -> Pairs:
    """The k most similar other documents of each of the rows: ties by smaller number, similarity above 0.

    Returns
    -------
    Pairs
        At most ``k * len(rows)``, each pair once, ascending by (left, right).
    """
    if engine.crew is not None:
        return unique_pairs(nearest_on(columns, rows, k, engine, progress=progress))
    if use_compiled(n_rows(columns)):
        from cnrag_core.similarity.search import nearest_compiled

        return unique_pairs(nearest_compiled(columns, rows, k, progress=progress))
    found, done = [], 0
    for block, scores in _score_blocks(columns, rows):
        scores[np.arange(len(block)), block] = 0.0
        found.append(_strongest_of_block(columns, block, scores, k))
        done += len(block)
        progress("Finding nearest neighbours", done / len(rows))
    return unique_pairs(concat_pairs(found))


def use_compiled(n: int) -> bool:
    """Whether a corpus of this size is compared by the compiled loops; the pairs are the same either way."""
    if n < COMPILED_FROM:
        return False
    from cnrag_core.similarity.kernels import are_compiled

    return n >= COMPILED_FROM_COLD or are_compiled()


def check_threshold(threshold: float) -> None:
    """`ConfigError` unless the threshold is a number in [0, 1]."""
    if not (isinstance(threshold, (int, float, np.floating, np.integer)) and math.isfinite(threshold)):
        raise ConfigError(f"The threshold must be a number from 0 to 1, found {threshold!r}.")
    if not 0.0 <= threshold <= 1.0:
        raise ConfigError(f"The threshold must be from 0 to 1, found {threshold:g}.")


def _score_blocks(
    columns: Sequence[ComponentColumn], rows: NDArray[np.int64]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    scorer = BlockScorer(columns)
    size = max(1, BLOCK_CELLS // max(1, scorer.n))
    for start in range(0, len(rows), size):
        block = rows[start : start + size]
        yield block, scorer.scores(block)


def _selected(
    columns: Sequence[ComponentColumn], block: NDArray[np.int64], scores: NDArray[np.float64], threshold: float
) -> Pairs:
    """The cells of a block that reach the threshold, as (row, column) pairs with their exact scores."""
    row, column = np.nonzero((scores >= threshold - TIE_TOLERANCE) & (scores > 0.0))
    left, weight = block[row], scores[row, column]
    if not BlockScorer(columns).is_exact:
        weight = score_pairs(columns, left, column)
        keep = (weight >= threshold - TIE_TOLERANCE) & (weight > 0.0)
        left, column, weight = left[keep], column[keep], weight[keep]
    return Pairs(left.astype(np.int32), column.astype(np.int32), weight)


def _strongest_of_block(
    columns: Sequence[ComponentColumn], block: NDArray[np.int64], scores: NDArray[np.float64], k: int
) -> Pairs:
    """The k strongest cells of each row, scored exactly.

    Scores may lie a little above the exact ones, never below. The k-th best exact score among the k best
    looking cells is therefore a threshold that every true neighbour reaches.
    """
    n = scores.shape[1]
    k = min(k, n)
    best = np.argpartition(scores, n - k, axis=1)[:, n - k :]
    looked_at = _exact(columns, block, np.repeat(np.arange(len(block)), k), best.reshape(-1), scores)
    least = looked_at.reshape(len(block), k).min(axis=1)
    row, column = np.nonzero((scores >= least[:, None]) & (scores > 0.0))
    weight = _exact(columns, block, row, column, scores)
    keep = _first_k(row, column, weight, k) & (weight > 0.0)
    left, right = block[row[keep]].astype(np.int32), column[keep].astype(np.int32)
    return Pairs(np.minimum(left, right), np.maximum(left, right), weight[keep])


def _exact(
    columns: Sequence[ComponentColumn],
    block: NDArray[np.int64],
    row: NDArray[np.int64],
    column: NDArray[np.int64],
    scores: NDArray[np.float64],
) -> NDArray[np.float64]:
    if BlockScorer(columns).is_exact:
        return scores[row, column]
    exact = score_pairs(columns, block[row], column)
    exact[block[row] == column] = 0.0
    return exact


def _first_k(
    row: NDArray[np.int64], column: NDArray[np.int64], weight: NDArray[np.float64], k: int
) -> NDArray[np.bool_]:
    """Which cells are among the k strongest of their row; ties by smaller column."""
    order = np.lexsort((column, -weight, row))
    ordered_rows = row[order]
    rank = np.arange(len(row)) - np.searchsorted(ordered_rows, ordered_rows, side="left")
    keep = np.zeros(len(row), dtype=bool)
    keep[order[rank < k]] = True
    return keep
