"""A walk drawn after any of its steps."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np

from cnrag_core.graph.concept_graph import ChunkNode, ConceptEdge, graph_of_pairs
from cnrag_core.traversal.audited_walk import audited_walk
from cnrag_core.traversal.budget import Budget
from cnrag_core.traversal.notebook_walk import notebook_walk
from cnrag_core.traversal.seeds import seeds_of
from cnrag_core.traversal.tokenizer import Tokenizer
from cnrag_core.views.traversal_picture import MOST_CHUNKS, walk_data, walk_scene

WORDS = Tokenizer("words", lambda text: len(text.split()))


def row(n: int):
    """n chunks in a row, and one that nothing leads to."""
    names = [f"c{i:03d}" for i in range(n)]
    chunks = [ChunkNode(name, name, f"text of {name}", (f"k{name}",), title=name.upper()) for name in [*names, "lone"]]
    typed = [(a, ConceptEdge(b, 1.0, "mention", evidence=(b.upper(),))) for a, b in pairwise(names)]
    return graph_of_pairs(chunks, [], typed=typed)


def walked(graph, **options):
    seeds = seeds_of([("c000", 0.9)], kind="similarity")
    return audited_walk(graph, seeds, Budget(max_hops=100), tokenizer=WORDS, **options)


GRAPH = row(4)
SCENE = walk_scene(walked(GRAPH, required_evidence=["c002", "lone"]), GRAPH)


def parts_at(step: int) -> dict[str, str]:
    return {chunk_id: part.key for chunk_id, part in SCENE.parts(step).items()}


def test_before_the_first_step_the_seeds_are_queued():
    assert parts_at(0) == {"c000": "queued", "c001": "unseen", "c002": "unseen", "c003": "unseen", "lone": "unseen"}


def test_a_step_marks_seed_context_queue_and_the_chunk_at_hand():
    assert parts_at(2) == {"c000": "seed", "c001": "current", "c002": "queued", "c003": "unseen", "lone": "unseen"}


def test_a_chunk_that_did_not_fit_is_marked():
    chunks = [ChunkNode("a", "a", "one"), ChunkNode("big", "big", "word " * 50), ChunkNode("c", "c", "two")]
    graph = graph_of_pairs(chunks, [("a", "big", 0.99), ("a", "c", 0.85)])
    trace = audited_walk(graph, seeds_of([("a", 0.9)], kind="similarity"), Budget(max_tokens=5), tokenizer=WORDS)
    assert walk_scene(trace, graph).parts(3)["big"].key == "passed"


def test_the_edges_that_were_followed_stand_out():
    data = walk_data(SCENE, 3)
    ends = {(a, b) for i, a, b in zip(*(data["edges"][k] for k in ("id", "from", "to")), strict=True)
            if i in data["highlight"]["edges"]}  # fmt: skip
    number = SCENE.number
    assert ends == {
        (str(number["c000"]), str(number["c001"])),
        (str(number["c001"]), str(number["c002"])),
    }


def test_the_chunk_at_hand_is_named_before_the_others():
    number = SCENE.number
    shown = walk_data(SCENE, 3)["highlight"]["nodes"]
    assert shown[:3] == [str(number[name]) for name in ("c002", "c001", "c000")]


def test_nothing_moves_from_step_to_step():
    first, last = walk_data(SCENE, 0), walk_data(SCENE, 4)
    assert (first["nodes"]["x"], first["nodes"]["y"], first["layout"]) == (
        last["nodes"]["x"],
        last["nodes"]["y"],
        last["layout"],
    )
    assert first["fit"] == last["fit"]
    assert first["rev"] != last["rev"]


def test_chunks_that_nothing_leads_to_stand_near_with_room_for_their_names():
    chunks = [ChunkNode(name, name, "text", (name,), title=name) for name in ("a", "b", "x", "y", "z")]
    graph = graph_of_pairs(chunks, [], typed=[("a", ConceptEdge("b", 1.0, "mention", evidence=("B",)))])
    at = dict(zip("abxyz", walk_scene(walked(graph), graph).positions.astype(float), strict=True))
    between = np.linalg.norm(at["a"] - at["b"])
    assert min(np.linalg.norm(at[one] - at[other]) for one, other in ("xy", "yz")) > 0.9 * between
    assert 0 < min(at[name][1] for name in "xyz") - max(at["a"][1], at["b"][1]) < 2 * between


def test_needed_evidence_has_a_shape_of_its_own():
    data = walk_data(SCENE, 4)
    shapes = dict(zip(data["nodes"]["id"], data["nodes"]["shape"], strict=True))
    assert {c for c, number in SCENE.number.items() if shapes[str(number)] == "diamond"} == {"c002", "lone"}
    assert "diamond" in data["legend"]["note"]


def test_names_carry_the_number_of_their_step():
    names = walk_data(SCENE, 2)["nodes"]["name"]
    assert names[:3] == ["1. C000", "2. C001", "C002"]


def test_the_legend_counts_every_drawn_chunk_once():
    legend = walk_data(SCENE, 2)["legend"]
    assert sum(entry["n"] for entry in legend["entries"]) == len(SCENE.chunk_ids)
    assert [line["label"] for line in legend["lines"]] == ["mention"]


def test_the_legend_filters_but_never_hides_the_chunk_at_hand():
    data = walk_data(SCENE, 2, only=("queued",))
    assert set(data["nodes"]["name"]) == {"2. C001", "C002"}
    assert all(end in data["nodes"]["id"] for end in (*data["edges"]["from"], *data["edges"]["to"]))


def test_a_large_graph_shows_what_the_walk_touched():
    graph = row(400)
    trace = audited_walk(graph, seeds_of([("c000", 0.9)], kind="similarity"), Budget(max_nodes=5), tokenizer=WORDS)
    scene = walk_scene(trace, graph)
    assert len(scene.chunk_ids) <= MOST_CHUNKS
    assert set(trace.path) <= set(scene.chunk_ids)
    assert scene.counts == f"{len(scene.chunk_ids)} of 401 chunks, {len(scene.lines)} of 399 edges"


def test_a_walk_without_seeds_can_be_drawn():
    trace = audited_walk(GRAPH, (), tokenizer=WORDS)
    data = walk_data(walk_scene(trace, GRAPH), 0)
    assert data["fit"] is None
    assert data["highlight"] is None


def test_the_notebooks_walk_can_be_drawn():
    trace = notebook_walk(GRAPH, seeds_of([("c000", 0.4), ("lone", 0.6)], kind="distance"), tokenizer=WORDS)
    scene = walk_scene(trace, GRAPH)
    assert scene.parts(0)["lone"].key == "queued"
    assert scene.parts(len(trace.steps))["c001"].key in {"context", "current"}


def test_the_data_is_plain_json_and_the_same_every_time():
    again = walk_scene(walked(GRAPH, required_evidence=["c002", "lone"]), GRAPH)
    np.testing.assert_array_equal(SCENE.positions, again.positions)
    assert json.dumps(walk_data(SCENE, 3)) == json.dumps(walk_data(again, 3))


def test_a_title_that_looks_like_markup_stays_text():
    chunks = [ChunkNode("a", "a", "x", (), title='<img src=x onerror="alert(1)"> href')]
    graph = graph_of_pairs(chunks, [])
    data = walk_data(walk_scene(audited_walk(graph, seeds_of([("a", 1.0)], kind="similarity")), graph), 1)
    assert "href" not in data["nodes"]["title"][0]
    assert data["nodes"]["id"] == ["0"]
