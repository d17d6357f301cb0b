"""Combining several embeddings into one: chunks of a text, fields of a composite, roles of a chat.

Enters: rows and whose they are. Leaves: one row an owner. Guide 003, "EmbeddingAggregator"; guide
000, "Aggregation Methods".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from cnrag_core.chunking.chunker import TextChunker
from cnrag_core.config.names import AGGREGATION_ALIASES, AGGREGATIONS_WITHOUT_WEIGHTS, canonical
from cnrag_core.config.spec import AggregationMethod, ChunkingStrategy
from cnrag_core.embedding.provider import EmbeddingProvider
from cnrag_core.embedding.rows import check_finite, join_columns, row_numbers
from cnrag_core.embedding.weighting import DecayFrom, WeightedEmbeddingConfig, check_weights, decay_weights
from cnrag_core.errors import ConfigError, EmbeddingError
from cnrag_core.types import Rows

METHODS: tuple[str, ...] = get_args(AggregationMethod)


class EmbeddingAggregator:
    """Combines embeddings of one length into one vector.

    ================  ==============================================================================
    `mean`            plain average; the average by `weights` where they are given
    `weighted_avg`    the same under the name of guide 000
    `weighted_mean`   average by `weights`; without them 0.9^i, from the first or from the last
    `max_pool`        largest value of each dimension
    `sum`             sum, by `weights` where they are given
    `concat`          one after another, each times the square root of its share of the weights, so
                      that a dot product is the weighted sum of the parts' dot products; without
                      weights as they are
    `first`, `last`   that one alone
    ================  ==============================================================================

    Examples
    --------
    >>> chunks = [[0.5, 0.2, 0.8], [0.6, 0.1, 0.7], [0.4, 0.3, 0.6]]
    >>> EmbeddingAggregator().aggregate(chunks, "weighted_avg").round(2).tolist()
    [0.5, 0.20000000298023224, 0.699999988079071]
    >>> EmbeddingAggregator().aggregate(chunks, "max_pool").round(2).tolist()
    [0.6000000238418579, 0.30000001192092896, 0.800000011920929]
    """

    def aggregate(
        self,
        embeddings: Sequence[ArrayLike] | NDArray[Any],
        method: str = "mean",
        weights: Sequence[float] | None = None,
        *,
        decay_from: DecayFrom = "first",
    ) -> NDArray[np.float32]:
        """One vector, (d,) float32, or (k * d,) for `concat`; not normalised.

        Parameters
        ----------
        embeddings
            k vectors of length d, k at least 1.
        method
            One of the names above, or an alias of one.
        weights
            One a vector, any ratio; not for `max_pool`, `first` and `last`.
        decay_from
            Where `weighted_mean` without weights counts most: ``last`` for conversations.

        Raises
        ------
        ConfigError
            If the method is unknown, or the weights do not fit.
        EmbeddingError
            If there is no vector, their lengths differ, or a value is NaN or infinite.
        """
        vectors = [np.asarray(vector, dtype=np.float64) for vector in embeddings]
        if not vectors:
            raise EmbeddingError("There is no embedding to aggregate; at least one is needed.")
        lengths = {vector.shape for vector in vectors}
        if len(lengths) > 1 or vectors[0].ndim != 1:
            found = ", ".join(map(str, sorted(lengths)))
            raise EmbeddingError(f"Embeddings to aggregate should be vectors of one length, got shapes {found}.")
        rows = np.vstack(vectors)
        check_finite(rows)
        name = check_method(method)
        checked = None if weights is None else check_weights(weights, len(vectors))
        if checked is not None and name in AGGREGATIONS_WITHOUT_WEIGHTS:
            raise ConfigError(f"aggregation {name!r} takes no weights.")
        owner = np.zeros(len(vectors), dtype=np.int64)
        combined = aggregate_groups(rows, owner, 1, name, checked, decay_from=decay_from)
        vector: NDArray[np.float32] = np.asarray(combined, dtype=np.float32)[0]
        return vector

    def aggregate_roles(
        self, embeddings: Mapping[str, ArrayLike], config: WeightedEmbeddingConfig
    ) -> NDArray[np.float32]:
        """The embeddings of the roles of a conversation in one, as `config` weighs them.

        Roles that weigh 0 take no part; the others go in the sorted order of their names.

        Raises
        ------
        ConfigError
            If no role weighs anything.
        EmbeddingError
            As `aggregate`.

        Examples
        --------
        >>> rows = {"user": [1.0, 0.0], "assistant": [0.0, 1.0]}
        >>> EmbeddingAggregator().aggregate_roles(rows, WeightedEmbeddingConfig()).round(2).tolist()
        [0.6000000238418579, 0.4000000059604645]
        """
        roles = [role for role in sorted(embeddings) if config.weight_of(role) > 0]
        if embeddings and not roles:
            raise ConfigError(f"None of the roles {', '.join(sorted(embeddings))} weighs anything.")
        weights = (
            None if config.aggregation in AGGREGATIONS_WITHOUT_WEIGHTS else [config.weight_of(role) for role in roles]
        )
        return self.aggregate([embeddings[role] for role in roles], config.aggregation, weights)


def check_method(method: str) -> str:
    """The canonical name of an aggregation method.

    Raises
    ------
    ConfigError
        If there is no such method.
    """
    name = canonical(method, AGGREGATION_ALIASES)
    if name not in METHODS:
        raise ConfigError(f"aggregation: {method!r} is not known; use one of {', '.join(map(repr, sorted(METHODS)))}.")
    return str(name)


def aggregate_groups(
    rows: Rows | NDArray[np.float64],
    owner: NDArray[np.int64],
    n_owners: int,
    method: str,
    weights: NDArray[np.float64] | None = None,
    *,
    decay_from: DecayFrom = "first",
    n_slots: int | None = None,
) -> Rows | NDArray[np.float64]:
    """One row an owner from all of its rows at once.

    Parameters
    ----------
    rows
        (m, d), dense or CSR, the rows of an owner in order and together.
    owner
        (m,) non-decreasing numbers in [0, n_owners); an owner without rows gets a zero row.
    weights
        (m,), or None.
    n_slots
        For `concat`: rows an owner has room for. Missing ones are zero, further ones are left out.
        The largest number that an owner has, if absent.

    Returns
    -------
    (n_owners, d), or (n_owners, n_slots * d) for `concat`; dense float64 or CSR. Not normalised.
    """
    counts = np.bincount(owner, minlength=n_owners)
    first = np.cumsum(counts) - counts
    place = np.arange(len(owner)) - first[owner]
    if method == "max_pool":
        return _largest(rows, owner, n_owners, first, counts)
    if method == "concat":
        return _side_by_side(rows, owner, n_owners, place, weights, n_slots)
    if method == "first":
        share = (place == 0).astype(np.float64)
    elif method == "last":
        share = (place == counts[owner] - 1).astype(np.float64)
    elif method == "weighted_mean" and weights is None:
        share = decay_weights(place if decay_from == "first" else counts[owner] - 1 - place)
    else:
        share = np.ones(len(owner)) if weights is None else weights
    if method != "sum":
        share = share / _group_sums(share, owner, n_owners)[owner]
    mixing = sp.csr_matrix((share, np.arange(len(owner)), np.append(first, len(owner))), shape=(n_owners, len(owner)))
    return mixing @ rows


def _group_sums(values: NDArray[np.float64], owner: NDArray[np.int64], n_owners: int) -> NDArray[np.float64]:
    sums = np.bincount(owner, weights=values, minlength=n_owners)
    return np.where(sums > 0, sums, 1.0)


def _largest(
    rows: Rows | NDArray[np.float64],
    owner: NDArray[np.int64],
    n_owners: int,
    first: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> Rows | NDArray[np.float64]:
    used = counts > 0
    if isinstance(rows, np.ndarray):
        pooled = np.zeros((n_owners, rows.shape[1]), dtype=np.float64)
        if used.any():
            pooled[used] = np.maximum.reduceat(rows, first[used], axis=0)
        return pooled
    # sparse rows hold no negative values, so a missing one never wins
    values = sp.csr_matrix(rows)
    key = owner[row_numbers(values)] * values.shape[1] + values.indices
    order = np.lexsort((values.data, key))
    is_largest = np.append(key[order][1:] != key[order][:-1], True)[: len(order)]
    at, data = key[order][is_largest], values.data[order][is_largest]
    shape = (n_owners, values.shape[1])
    return sp.csr_matrix((data, np.divmod(at, max(values.shape[1], 1))), shape=shape)


def _side_by_side(
    rows: Rows | NDArray[np.float64],
    owner: NDArray[np.int64],
    n_owners: int,
    place: NDArray[np.int64],
    weights: NDArray[np.float64] | None,
    n_slots: int | None,
) -> Rows | NDArray[np.float64]:
    scale = np.ones(len(owner)) if weights is None else np.sqrt(weights / _group_sums(weights, owner, n_owners)[owner])
    slots = range(n_slots if n_slots is not None else int(place.max(initial=0)) + 1)
    parts = []
    for slot in slots:
        chosen = np.flatnonzero(place == slot)
        selector = sp.csr_matrix((scale[chosen], (owner[chosen], chosen)), shape=(n_owners, len(owner)))
        parts.append(selector @ rows)
    return join_columns(parts)


def chunk_and_aggregate(
    text: str,
    embedder: EmbeddingProvider,
    strategy: ChunkingStrategy,
    aggregation_method: str = "mean",
    *,
    weights: Sequence[float] | None = None,
    decay_from: DecayFrom = "first",
) -> tuple[NDArray[np.float32], list[NDArray[np.float32]]]:
    """Cut a text, embed its chunks, combine them: ``(aggregated, chunk_embeddings)``.

    A blank text has a zero vector and no chunks. Guide 003, "Example 1".

    Raises
    ------
    ConfigError, EmbeddingError
        As `EmbeddingAggregator.aggregate` and the provider raise them.
    ResourceLimitError
        If the text would be cut into too many chunks.
    """
    check_method(aggregation_method)
    chunks = TextChunker(strategy).chunk(text)
    if not chunks:
        return np.zeros(embedder.get_dimension(), dtype=np.float32), []
    embeddings = list(embedder.embed(chunks))
    aggregated = EmbeddingAggregator().aggregate(embeddings, aggregation_method, weights, decay_from=decay_from)
    return aggregated, embeddings
