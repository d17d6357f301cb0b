"""What communities are called: by their words, never twice the same.

Enters: communities and their tags. Leaves: one name a community of two or more documents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Protocol

from cnrag_core.graph.similarity_graph import SimilarityGraph
from cnrag_core.topology.communities import Communities

WORDS = 2
"""Tags in a name, unless it takes more to tell two communities apart."""

ISOLATED = "linked to nothing"


class TaggedView(Protocol):
    """What is read of a network."""

    @property
    def graph(self) -> SimilarityGraph: ...
    @property
    def communities(self) -> Communities: ...
    @property
    def tags(self) -> Mapping[int, list[str]]: ...


def community_names(network: TaggedView) -> dict[int, str]:
    """The name of each community of two or more documents, by its number.

    Two tags; a third where two communities would share a name, then the number as well.
    """
    numbers = range(network.communities.n_grouped)
    tags = {number: list(network.tags.get(number, [])) for number in numbers}
    names = {number: ", ".join(tags[number][:WORDS]) or f"community {number}" for number in numbers}
    twice = _shared(names)
    names = {number: ", ".join(tags[number][: WORDS + 1]) if name in twice else name for number, name in names.items()}
    twice = _shared(names)
    return {number: f"{name} ({number})" if name in twice else name for number, name in names.items()}


def community_name(network: TaggedView, number: int) -> str:
    """The name of one community; isolated documents are said to be linked to nothing."""
    return community_names(network).get(number, ISOLATED)


def joined_communities(network: TaggedView, first: str, second: str) -> str:
    """Where two documents belong: one name, or both with a dash between them."""
    labels, index = network.communities.labels, network.graph.index
    one, other = (community_name(network, int(labels[index(node_id)])) for node_id in (first, second))
    return one if one == other else f"{one} — {other}"


def _shared(names: Mapping[int, str]) -> set[str]:
    return {name for name, count in Counter(names.values()).items() if count > 1}
