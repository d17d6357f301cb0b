"""What a picture shows is in the table beside it."""

from __future__ import annotations

import pytest

from cnrag_core.chunking.chunker import TextChunker
from cnrag_core.config.spec import ChunkingStrategy
from cnrag_core.embedding.tfidf import TFIDFEmbedding
from cnrag_core.evaluation.report import evaluate
from cnrag_core.retrieval.comparison import compare
from cnrag_core.topology.comparison import compare_graphs
from cnrag_core.views.chunk_tables import AGGREGATIONS, aggregation_chart, aggregation_table, chunking_sentence
from cnrag_core.views.comparison_charts import alluvial_chart, flow_table
from cnrag_core.views.evaluation_tables import difference_chart, difference_table, metric_hint
from cnrag_core.views.ranking_tables import found_sentence, overlap_chart, overlap_table
from cnrag_core.workspace import Workspace
from tests.views.network_of_tags import network_of_tags


@pytest.fixture(scope="module")
def larkspur():
    return Workspace.of_sample("larkspur")


def test_flows_count_every_document_once_and_keep_the_colour_of_where_it_comes_from():
    first, second = network_of_tags(), network_of_tags(0.6)
    found = compare_graphs(first.graph, second.graph, first.communities, second.communities)
    table = flow_table(found, first, second)
    assert table["documents"].sum() == 7
    trace = alluvial_chart(found, first, second).data[0]
    assert sorted(trace.link.value) == sorted(table["documents"])
    strongest = max(range(len(trace.link.value)), key=lambda at: trace.link.value[at])
    colors = trace.node.color
    assert colors[trace.link.source[strongest]] == colors[trace.link.target[strongest]]


def test_differences_and_their_intervals_are_those_of_the_chart(larkspur):
    report = evaluate(larkspur.network.search, larkspur.queries[:6], ["similarity", "links", "hub"])
    trace, table = difference_chart(report, "recall@5").data[0], difference_table(report, "recall@5")
    assert list(trace.y) == table["strategy"].tolist() == ["links", "hub"]
    assert list(trace.x) == pytest.approx(table["difference"], abs=0.051)
    assert (table["low"] <= table["difference"]).all()
    assert (table["difference"] <= table["high"]).all()
    assert all(metric_hint(name) for name in report.metric_names)


def test_overlaps_are_those_of_the_grid(larkspur):
    comparison = compare(larkspur.network.search("how are snapshots restored"), ["similarity", "links"], 5)
    table = overlap_table(comparison)
    assert table["similarity"].iloc[0] == 100
    assert table["links"].iloc[0] == round(100 * overlap_chart(comparison).data[0].z[0][1])


def test_who_finds_all_is_named_first(larkspur):
    query = larkspur.queries[2]
    comparison = compare(larkspur.network.search(query.text), ["similarity", "links"], 8)
    assert found_sentence(comparison, query.relevant) == (
        "3 documents answer this question by judgement: links finds all 3; similarity finds 1."
    )
    assert found_sentence(comparison, {"nowhere": 1.0}).endswith("similarity and links find none.")


def test_aggregations_are_those_of_the_heat_map():
    provider = TFIDFEmbedding()
    provider.fit(["coral reefs bleach", "bond yields rise", "wolves hunt in packs"])
    chunks = TextChunker(ChunkingStrategy(method="sentences", max_tokens=4)).spans(
        "Coral reefs bleach. Bond yields rise."
    )
    chart = aggregation_chart(chunks, provider)
    table = aggregation_table(chart)
    assert table["aggregation"].tolist() == list(AGGREGATIONS)
    assert table["first"].iloc[AGGREGATIONS.index("first")] == 1.0
    assert table["first"].iloc[AGGREGATIONS.index("last")] == 0.0


def test_chunks_repeat_text_only_where_they_overlap():
    text = "One two three. Four five six. Seven eight nine. Ten eleven twelve."
    apart = TextChunker(ChunkingStrategy(method="sentences", max_tokens=4)).spans(text)
    assert "stand in two" not in chunking_sentence(apart, text)
    sliding = TextChunker(ChunkingStrategy(method="sliding", max_tokens=8, overlap=4)).spans(text)
    assert "characters stand in two chunks" in chunking_sentence(sliding, text)
