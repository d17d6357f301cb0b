"""What was built, as figures and tables for the home page.

Enters: a network, a corpus. Leaves: labelled figures and data frames.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
import pandas as pd

from cnrag_core.corpus.document import Corpus, as_text
from cnrag_core.corpus.wording import percent
from cnrag_core.graph.similarity_graph import SimilarityGraph
from cnrag_core.topology.communities import Communities

N_COMMUNITIES = 12
EXAMPLE_LENGTH = 60


class BuiltView(Protocol):
    """What is read of a network."""

    @property
    def graph(self) -> SimilarityGraph: ...
    @property
    def communities(self) -> Communities: ...
    @property
    def tags(self) -> Mapping[int, list[str]]: ...
    @property
    def timings(self) -> Mapping[str, float]: ...
    def title(self, node_id: str) -> str: ...


def figures_of_workspace(network: BuiltView) -> list[tuple[str, str, str]]:
    """(name, value, explanation) of six figures."""
    graph, communities = network.graph, network.communities
    modularity = communities.modularity
    return [
        ("Documents", f"{graph.n_nodes:,}", "Each is a node of the network."),
        ("Edges", f"{graph.n_edges:,}", f"Linked pairs. Rule: {graph.rule}."),
        ("Density", percent(graph.density), "Share of all possible pairs that are linked."),
        ("Communities", f"{int(np.count_nonzero(communities.sizes >= 2)):,}", "Groups of two or more documents."),
        (
            "Modularity",
            "undefined" if modularity is None else f"{modularity:.2f}",
            "How much more the communities are linked inside than chance would have it.",
        ),
        ("Isolated", f"{int(np.count_nonzero(graph.degree == 0)):,}", "Documents that are linked to nothing."),
    ]


def community_table(network: BuiltView) -> pd.DataFrame:
    """The largest communities with their tags and their best connected document."""
    communities, degree = network.communities, network.graph.degree
    rows = []
    for number in range(min(N_COMMUNITIES, len(communities.sizes))):
        if communities.sizes[number] < 2:
            break
        members = communities.members(number)
        central = max(members, key=lambda node: (degree[node], -node))
        rows.append(
            {
                "community": number,
                "documents": int(communities.sizes[number]),
                "tags": ", ".join(network.tags.get(number, [])),
                "best connected": network.title(network.graph.node_ids[central]),
            }
        )
    return pd.DataFrame(rows, columns=["community", "documents", "tags", "best connected"])


def build_table(network: BuiltView) -> pd.DataFrame:
    """Seconds of each step of the build."""
    return pd.DataFrame({"step": list(network.timings), "seconds": [round(s, 3) for s in network.timings.values()]})


def schema_table(corpus: Corpus) -> pd.DataFrame:
    """The fields of a corpus: the kind that was guessed, how many documents have it, an example."""
    rows = []
    for name, kind in corpus.kinds.items():
        filled = [document for document in corpus if not document.is_missing(name)]
        example = as_text(filled[0].fields.get(name)) if filled else ""
        short = example if len(example) <= EXAMPLE_LENGTH else example[: EXAMPLE_LENGTH - 1] + "…"
        rows.append(
            {"field": name, "kind": kind, "filled": percent(len(filled) / max(len(corpus), 1)), "example": short}
        )
    return pd.DataFrame(rows, columns=["field", "kind", "filled", "example"])
