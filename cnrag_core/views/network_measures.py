"""What a document counts as in the network: the measures that colour, size, sort and describe it.

Enters: a network. Leaves: one number a document for each measure, and how people read it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cnrag_core.topology.centrality import MAX_EXACT_WORK, N_SOURCES, weighted_degree
from cnrag_core.views.kept_with import kept_with

if TYPE_CHECKING:
    from cnrag_core.network import Network

SMALLEST_SHOWN = 0.0001

PATHS_PER_SECOND = 6e7
"""Edges that one core looks at in a second on its way from every source, roughly."""

WORTH_WAITING = 0.4
"""Seconds that a betweenness may take before it is found only when somebody asks for it."""

FEW_EDGES = 50_000
"""Edges up to which triangles are counted at once."""

CONSTANT = "constant"
"""Every document counts the same."""


@dataclass(frozen=True)
class Measure:
    """One measure of a document.

    Attributes
    ----------
    name
        As people see it.
    meaning
        One sentence for a newcomer.
    of
        (n,) float64 values of a network.
    in_words
        One value as text.
    """

    name: str
    meaning: str
    of: Callable[[Network], NDArray[np.float64]]
    in_words: Callable[[float], str]


def whole(value: float) -> str:
    """A count.

    Examples
    --------
    >>> whole(1234.0)
    '1,234'
    """
    return f"{int(value):,}"


def three_digits(value: float) -> str:
    """A number of this size as people want to read it: three digits, four decimals at most.

    Examples
    --------
    >>> three_digits(0.0), three_digits(0.01234), three_digits(12.345), three_digits(0.00001)
    ('0', '0.0123', '12.3', '<0.0001')
    """
    if not value:
        return "0"
    if 0 < value < SMALLEST_SHOWN:
        return f"<{SMALLEST_SHOWN}"
    decimals = max(0, 2 - int(np.floor(np.log10(abs(value)))))
    return f"{value:,.{min(decimals, 4)}f}"


MEASURES: dict[str, Measure] = {
    "degree": Measure(
        "degree",
        "Neighbours: documents that it is linked to.",
        lambda network: network.graph.degree.astype(np.float64),
        whole,
    ),
    "weighted degree": Measure(
        "weighted degree",
        "The similarities of its links, added up.",
        lambda network: kept_with(network, "weighted degree", lambda: weighted_degree(network.graph)),
        three_digits,
    ),
    "betweenness": Measure(
        "betweenness",
        "Share of the shortest paths between other documents that lead through it: what a bridge has much of.",
        lambda network: network.betweenness.values,
        three_digits,
    ),
    "clustering": Measure(
        "clustering",
        "Share of the pairs of its neighbours that are linked as well: high in a tight group, low in a star.",
        lambda network: network.clustering,
        three_digits,
    ),
    "participation": Measure(
        "participation",
        "How evenly its links spread over communities: 0 when all lead into one, towards 1 when into many.",
        lambda network: network.participation,
        three_digits,
    ),
}
"""By name. Each is 0 for a document that is linked to nothing."""


def measure_of(network: Network, name: str) -> NDArray[np.float64]:
    """(n,) float64 values of a measure; all 1 for ``constant``."""
    if name == CONSTANT:
        return np.ones(network.graph.n_nodes)
    return MEASURES[name].of(network)


def betweenness_seconds(network: Network) -> float:
    """About how long the betweenness of this network would take to find; 0 where it is known already."""
    if "betweenness" in vars(network):
        return 0.0
    n, edges = network.graph.n_nodes, network.graph.n_edges
    n_sources = n if n * edges <= MAX_EXACT_WORK else N_SOURCES
    return edges * n_sources / PATHS_PER_SECOND


def betweenness_at_hand(network: Network) -> bool:
    """Whether the betweenness can be shown without making anybody wait for it."""
    return betweenness_seconds(network) <= WORTH_WAITING


def measure_at_hand(network: Network, name: str) -> bool:
    """Whether a measure can be shown without making anybody wait for it."""
    if name == "betweenness":
        return betweenness_at_hand(network)
    return name != "clustering" or network.graph.n_edges <= FEW_EDGES or name in vars(network)


def betweenness_words(network: Network) -> str:
    """How the betweenness was found: ``exact``, or ``estimated from 1,000 sources``."""
    found = network.betweenness
    return "exact" if found.exact else f"estimated from {found.n_sources:,} sources"


def rank_of(values: NDArray[np.float64], node: int) -> int:
    """Place of a node by descending value, 1 the first; equals share the best place.

    Examples
    --------
    >>> rank_of(np.array([3.0, 5.0, 3.0]), 2)
    2
    """
    return int(np.count_nonzero(values > values[node])) + 1
