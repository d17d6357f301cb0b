"""Communities as cards and tables: words, centre, cohesion, stability, gaps.

Enters: a network. Leaves: cards, sentences, data frames.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd

from cnrag_core.config.spec import PipelineConfig
from cnrag_core.corpus.document import Document
from cnrag_core.corpus.wording import percent
from cnrag_core.graph.similarity_graph import SimilarityGraph
from cnrag_core.topology.cohesion import Cohesion
from cnrag_core.topology.communities import Communities
from cnrag_core.topology.gaps import gaps
from cnrag_core.topology.stability import stability
from cnrag_core.views.community_names import community_names

MOST_CARDS = 24
N_CENTRAL = 3
N_VALUES = 8
N_RUNS = 10


class CommunityView(Protocol):
    """What is read of a network."""

    @property
    def graph(self) -> SimilarityGraph: ...
    @property
    def documents(self) -> tuple[Document, ...]: ...
    @property
    def communities(self) -> Communities: ...
    @property
    def tags(self) -> Mapping[int, list[str]]: ...
    @property
    def embedded(self) -> Mapping[str, Any]: ...
    @property
    def cohesion(self) -> tuple[Cohesion, ...]: ...
    def title(self, node_id: str) -> str: ...


@dataclass(frozen=True)
class CommunityCard:
    """One community: its name, words, best connected documents and how tight it is."""

    number: int
    name: str
    size: int
    tags: str
    central: tuple[tuple[str, str], ...]
    cohesion: str


def shown_communities(network: CommunityView) -> list[int]:
    """Numbers of the largest communities of two or more documents."""
    return list(range(min(network.communities.n_grouped, MOST_CARDS)))


def topics_sentence(network: CommunityView) -> str:
    """How many communities there are, how large, and how clearly they stand apart."""
    communities = network.communities
    if not communities.n_grouped:
        if network.graph.n_nodes == 1:
            return "The only document is linked to no other."
        return f"None of the {network.graph.n_nodes:,} documents is linked to another."
    quality = communities.modularity
    words = "" if quality is None else f", modularity {quality:.2f}"
    single = communities.n_single
    alone = f"{single:,} document{'s stand' if single > 1 else ' stands'} alone" if single else "none stands alone"
    largest = int(communities.sizes[0])
    groups = (
        f"One community of {largest:,} documents"
        if communities.n_grouped == 1
        else f"{communities.n_grouped:,} communities of two or more documents, the largest of {largest:,}"
    )
    return f"{groups}; {alone}. Found by {communities.library}{words}."


def card_of(network: CommunityView, number: int) -> CommunityCard:
    """The card of one community."""
    degree, ids = network.graph.degree, network.graph.node_ids
    members = network.communities.members(number)
    central = sorted(members, key=lambda node: (-degree[node], node))[:N_CENTRAL]
    return CommunityCard(
        number,
        community_names(network).get(number, f"community {number}"),
        len(members),
        ", ".join(network.tags.get(number, [])) or "no distinctive words",
        tuple((ids[node], network.title(ids[node])) for node in central),
        _cohesion_in_words(network.cohesion[number], network),
    )


def community_frame(network: CommunityView) -> pd.DataFrame:
    """One row a community of two or more."""
    names = community_names(network)
    rows = []
    for part in network.cohesion[: network.communities.n_grouped]:
        nearest = part.strongest_neighbor
        rows.append(
            {
                "community": part.community,
                "documents": part.size,
                "tags": ", ".join(network.tags.get(part.community, [])),
                "density inside": round(part.density, 4),
                "mean similarity inside": None if part.mean_weight is None else round(part.mean_weight, 4),
                "weight that stays inside": None if part.inside_share is None else round(part.inside_share, 4),
                "nearest community": "" if nearest is None else names.get(nearest, ""),
            }
        )
    return pd.DataFrame(rows)


def member_table(network: CommunityView, number: int) -> pd.DataFrame:
    """The documents of a community, best connected first."""
    graph = network.graph
    members = sorted(network.communities.members(number), key=lambda node: (-graph.degree[node], node))
    return pd.DataFrame(
        {
            "document": [network.title(graph.node_ids[node]) for node in members],
            "neighbours": [int(graph.degree[node]) for node in members],
        }
    )


def field_breakdown(network: CommunityView, config: PipelineConfig, number: int) -> pd.DataFrame | None:
    """Values of the field that documents are coloured by: their share here and among all documents."""
    name = config.display.color
    if name is None:
        return None
    everywhere = Counter(value for document in network.documents for value in document.items(name))
    here = Counter(
        value for node in network.communities.members(number) for value in network.documents[node].items(name)
    )
    size, n = int(network.communities.sizes[number]), max(len(network.documents), 1)
    rows = [
        {name: value, "here": percent(count / size), "everywhere": percent(everywhere[value] / n)}
        for value, count in sorted(here.items(), key=lambda entry: (-entry[1], entry[0]))[:N_VALUES]
    ]
    return pd.DataFrame(rows, columns=[name, "here", "everywhere"]) if rows else None


def gap_table(network: CommunityView) -> pd.DataFrame:
    """Pairs of communities that use the same words and hardly link, widest first."""
    names = community_names(network)
    part = next(iter(network.embedded.values()), None)
    found = () if part is None else gaps(network.graph, network.communities.labels, part.rows, terms=part.terms())
    rows = [
        {
            "one": names.get(gap.first, str(gap.first)),
            "other": names.get(gap.second, str(gap.second)),
            "words in common": ", ".join(gap.shared_terms),
            "edges": gap.n_edges,
            "resemblance": round(gap.similarity, 3),
        }
        for gap in found
    ]
    return pd.DataFrame(rows, columns=["one", "other", "words in common", "edges", "resemblance"])


def stability_sentence(network: CommunityView) -> str:
    """How far ten searches with different random states agree."""
    communities = network.communities
    found = stability(
        network.graph,
        n_runs=N_RUNS,
        algorithm=communities.algorithm,
        resolution=communities.resolution,
        random_state=communities.random_state,
    )
    low, high = min(found.n_communities), max(found.n_communities)
    count = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    unsure = int(np.count_nonzero(found.node_ambiguity > 0.5))
    verdict = (
        "very stable" if found.adjusted_rand > 0.9 else "fairly stable" if found.adjusted_rand > 0.7 else "unstable"
    )
    return (
        f"{verdict.capitalize()}: {found.n_runs} searches agree with an adjusted Rand index of "
        f"{found.adjusted_rand:.2f} and find {count} {'community' if high == 1 else 'communities'}; {unsure:,} "
        f"document{' changes' if unsure == 1 else 's change'} sides often."
    )


def _cohesion_in_words(part: Cohesion, network: CommunityView) -> str:
    if part.mean_weight is None or part.inside_share is None:
        return "linked to nothing"
    names = community_names(network)
    nearest = f"; nearest: {names[part.strongest_neighbor]}" if part.strongest_neighbor in names else ""
    return f"mean similarity {part.mean_weight:.2f}, {percent(part.inside_share)} of the links stay inside{nearest}"
