"""What a threshold means, in figures and sentences.

Enters: a network at a threshold, its curve and a suggestion. Leaves: labelled figures, sentences, tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
import pandas as pd

from cnrag_core.corpus.wording import percent
from cnrag_core.graph.similarity_graph import SimilarityGraph
from cnrag_core.graph.threshold_changes import Orphan, ThresholdChange
from cnrag_core.graph.threshold_suggestion import ThresholdSuggestion
from cnrag_core.graph.thresholds import ThresholdCurve
from cnrag_core.topology.communities import Communities
from cnrag_core.views.traversal_steps import shortened


class NetworkView(Protocol):
    """What is read of a network."""

    @property
    def graph(self) -> SimilarityGraph: ...
    @property
    def communities(self) -> Communities: ...
    @property
    def cut_at(self) -> float | None: ...
    @property
    def curve(self) -> ThresholdCurve: ...
    def title(self, node_id: str) -> str: ...


LONGEST_TITLE = 30
"""Characters of a title in an example."""
N_EXAMPLES = 3

Figure: TypeAlias = tuple[str, str, str]
"""Name, value, explanation."""


def link_figures(graph: SimilarityGraph) -> list[Figure]:
    """The four figures that are counted at once."""
    n_isolated = int(np.count_nonzero(graph.degree == 0))
    return [
        ("Edges", f"{graph.n_edges:,}", "Pairs of documents at or above the threshold."),
        ("Density", percent(graph.density), "Share of all possible pairs that are linked."),
        ("Neighbours", f"{graph.degree.mean() if graph.n_nodes else 0:.1f}", "Mean degree: links a document has."),
        ("Isolated", f"{n_isolated:,}", "Documents that are linked to nothing."),
    ]


def piece_figures(graph: SimilarityGraph) -> list[Figure]:
    """The two figures of what hangs together."""
    sizes = graph.component_sizes
    return [
        ("Components", f"{len(sizes):,}", "Groups that no path joins, isolated documents among them."),
        ("Largest piece", f"{max(sizes, default=0):,}", "Documents in the largest group that hangs together."),
    ]


def community_figures(communities: Communities) -> list[Figure]:
    """The two figures that communities have to be found for."""
    modularity = communities.modularity
    return [
        (
            "Communities",
            f"{int(np.count_nonzero(communities.sizes >= 2)):,}",
            f"Groups of two or more, found by {communities.library}.",
        ),
        (
            "Modularity",
            "undefined" if modularity is None else f"{modularity:.3f}",
            "How much more the communities are linked inside than chance would have it; undefined without edges.",
        ),
    ]


def no_threshold_words(network: NetworkView) -> str:
    """What chose the edges of a network that no threshold cuts, and what moving the slider does."""
    return f"As built, a rule chose the edges: {network.graph.rule}. The slider puts a threshold in its place."


def interpretation(network: NetworkView, curve: ThresholdCurve, suggestion: ThresholdSuggestion) -> str:
    """One sentence about where this threshold stands."""
    graph = network.graph
    n_isolated = int(np.count_nonzero(graph.degree == 0))
    alone = f"{n_isolated:,} {'is' if n_isolated == 1 else 'are'}" if n_isolated else "none is"
    largest = max(graph.component_sizes, default=0)
    if largest < 2:
        return f"With this rule ({graph.rule}) no two documents are linked."
    whole = f"{percent(largest / graph.n_nodes)} of the documents hang together"
    where = ""
    if suggestion.percolation is not None and network.cut_at is not None:
        side = "below" if graph.threshold <= suggestion.percolation else "above"
        where = f", {side} the {suggestion.percolation:.2f} at which the largest component falls apart"
    return f"With this rule ({graph.rule}) {whole} and {alone} linked to nothing{where}."


@dataclass(frozen=True)
class StepWords:
    """One step of the threshold: what it does in a sentence, what the examples are, and a line for each."""

    headline: str
    about: str
    examples: tuple[str, ...]


def step_words(change: ThresholdChange, network: NetworkView) -> StepWords:
    """What moving on to another threshold would do, with the strongest of the edges that come or go."""
    down, n, more = change.threshold < network.graph.threshold, abs(change.edges), change.edges > 0
    as_many = "as many edges" if change.strongest_edges else "the same edges"
    edges = f"{n:,} {'more' if more else 'fewer'} edge{'' if n == 1 else 's'}" if n else as_many
    alone = f"{abs(change.isolates):,} {'fewer' if change.isolates < 0 else 'more'}" if change.isolates else "as many"
    return StepWords(
        f"{'Down' if down else 'Up'} to {change.threshold:.2f}: {edges}, {alone} isolated.",
        "" if not change.strongest_edges else "The strongest that come:" if more else "The strongest that go:",
        tuple(
            f"{weight:.4f}: {_short(a, network)} — {_short(b, network)}"
            for a, b, weight in change.strongest_edges[:N_EXAMPLES]
        ),
    )


def orphan_table(orphans: Sequence[Orphan], network: NetworkView) -> pd.DataFrame:
    """Isolated documents, the threshold that would attach each, and to which neighbour."""
    return pd.DataFrame(
        {
            "document": [network.title(orphan.node_id) for orphan in orphans],
            "attaches at": [orphan.attaches_at for orphan in orphans],
            "to": [network.title(orphan.neighbor) if orphan.neighbor else "never" for orphan in orphans],
        }
    )


def _short(node_id: str, network: NetworkView) -> str:
    return shortened(network.title(node_id), LONGEST_TITLE)
