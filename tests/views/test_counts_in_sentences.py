"""One of a thing is no plural, in whatever sentence it is counted."""

from __future__ import annotations

from types import SimpleNamespace

import networkx as nx
import pytest

from cnrag_core.chunking.chunker import Chunk
from cnrag_core.cost import BuildCost
from cnrag_core.graph.similarity_graph import graph_of_networkx
from cnrag_core.rag import NetworkRAG
from cnrag_core.takeaway import View
from cnrag_core.topology.communities import find_communities
from cnrag_core.topology.roles import Hub
from cnrag_core.views.chunk_tables import chunking_sentence
from cnrag_core.views.community_cards import topics_sentence
from cnrag_core.views.comparison_charts import comparison_sentence
from cnrag_core.views.evaluation_tables import quality_sentence, verdict
from cnrag_core.views.role_tables import hubs_sentence
from cnrag_core.views.traversal_steps import cost_of_checks, outcome
from cnrag_core.views.traversal_tables import comparison_sentence as comparison_of_walks


def view_of(*edges: tuple[str, str], alone: tuple[str, ...] = ()) -> SimpleNamespace:
    plain = nx.Graph(edges)
    plain.add_nodes_from(alone)
    graph = graph_of_networkx(plain)
    return SimpleNamespace(graph=graph, communities=find_communities(graph), title=str.upper)


def test_one_community_is_named_as_one():
    assert topics_sentence(view_of(("a", "b"))).startswith("One community of 2 documents; none stands alone.")
    two = topics_sentence(view_of(("a", "b"), ("c", "d"), alone=("e",)))
    assert two.startswith("2 communities of two or more documents, the largest of 2; 1 document stands alone.")
    assert topics_sentence(view_of(alone=("a",))) == "The only document is linked to no other."


def test_a_hub_with_one_neighbour():
    assert hubs_sentence([Hub("a", 1, 1.0, 0, 1.0)], view_of(("a", "b"))).endswith("“A” with 1 neighbour.")


@pytest.mark.parametrize(
    ("common", "gained", "lost", "said"),
    [
        (1, 1, 1, "1 edge is in both, 1 is gained and 1 lost;"),
        (2, 0, 1, "2 edges are in both, 0 are gained and 1 lost;"),
    ],
)
def test_one_edge_is_in_both(common, gained, lost, said):
    found = SimpleNamespace(adjusted_rand=1.0, mutual_information=1.0, n_common=common, n_gained=gained, n_lost=lost)
    assert comparison_sentence(found).startswith(said)


def test_one_chunk_of_one_character():
    assert (
        chunking_sentence([Chunk(0, 0, 1, "x")], "x") == "1 chunk of a text of 2 tokens (words × 1.3) and 1 character."
    )


def test_one_community_against_one_label_and_one_judged_question():
    quality = SimpleNamespace(
        n_communities=1, n_labels=1, ari=1.0, nmi=1.0, isolated_share=0.0, kmeans_ari=None, kmeans_nmi=None
    )
    assert quality_sentence(quality, "kind").startswith("1 community against 1 value of kind:")
    best = SimpleNamespace(strategy="similarity", metrics={"mrr": 1.0})
    report = SimpleNamespace(best=lambda metric: "similarity", of=lambda name: best, n_queries=1)
    assert verdict(report, "mrr").endswith("over 1 question.")


def test_a_corpus_of_one_document():
    assert BuildCost(1, 1, 1, 0.1, 1.0).in_words == "1 document, 1 pair, about a second"
    rag = NetworkRAG()
    rag.add("A lighthouse stands on the island.", id="only")
    network = rag.network
    assert View(None, network).counts.startswith("1 document and 0 edges;")
    assert any(note.endswith("leaves 1 of 1 chunk without an edge.") for note in network.concept_graph.notes)
    assert "With typed links 1 is without one." in network.concept_graph.notes
    trace = network.traverse("lighthouse")
    assert outcome(trace).startswith("1 chunk, ")
    assert "Asking after the only chunk would send 1." in cost_of_checks(trace)
    assert comparison_of_walks({"audited": trace}).startswith("The walk holds 1 chunk in ")
