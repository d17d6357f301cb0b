"""The network page as a script: what each control and each click in the graph makes of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from cnrag_core.views.community_names import community_name
from pages.shared.session import literal

ROOT = Path(__file__).resolve().parents[2]
PAGE = "pages/1_Network.py"


def opened(sample: str = "larkspur", **link: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in {"sample": sample, **link}.items():
        app.query_params[name] = value
    return settled(app.run().switch_page(PAGE).run())


def settled(app: AppTest) -> AppTest:
    assert not [element.value for element in (*app.exception, *app.error)]
    return app


def ids_of(app: AppTest) -> tuple[str, ...]:
    return app.session_state["workspace"].network.node_ids


def shown(app: AppTest) -> str:
    return "\n".join(element.value for element in (*app.markdown, *app.text, *app.caption, *app.info))


def label_of(app: AppTest, key: str) -> str:
    return app.button(key=key).label


def title_in_box(app: AppTest, label: str) -> str | None:
    """What the box with this label shows."""
    sent = [json.loads(part.proto.json) for part in app.get("bidi_component") if part.proto.json]
    titles = {part["stamp"]: part["titles"] for part in sent if "titles" in part}
    box = next(part for part in sent if part.get("label") == label)
    return None if box["chosen"] is None else titles[box["stamp"]][box["chosen"]]


def test_without_a_choice_the_panel_says_where_to_begin():
    app = opened()
    assert "Where to begin" in shown(app)
    assert app.get("bidi_component")


def test_a_pair_that_reaches_across_communities_is_explained_at_once():
    app = opened()
    assert "Across communities" in shown(app)
    settled(app.button(key="net_start_pair_0").click().run())
    assert "Why are these two linked?" in shown(app)


def test_the_link_to_share_carries_what_is_looked_at_now_and_no_old_question():
    app = opened(q="who may cancel")
    settled(app.button(key="net_start_pair_0").click().run())
    first, second = app.session_state["net_pair"]
    link = next(element.value for element in app.code)
    assert f"pair={first}" in link
    assert f"with={second}" in link
    assert "who" not in link


def test_a_pair_is_named_with_its_communities_and_can_be_closed():
    app = opened()
    settled(app.button(key="net_start_pair_0").click().run())
    network = app.session_state["workspace"].network
    one, other = (community_name(network, int(network.communities.labels[network.graph.index(node_id)]))
                  for node_id in app.session_state["net_pair"])  # fmt: skip
    assert literal(f"{one} — {other}") in shown(app)
    settled(app.button(key="net_pair_close").click().run())
    assert "Where to begin" in shown(app)


def test_a_document_in_the_link_is_explained():
    app = opened()
    node_id = ids_of(app)[0]
    app = opened(doc=node_id)
    assert label_of(app, "net_around") == "Around it"
    assert title_in_box(app, "Find a document") == app.session_state["workspace"].network.title(node_id)


def test_an_edge_that_was_clicked_is_explained_by_its_components():
    app = opened()
    graph = app.session_state["workspace"].network.graph
    app.session_state["net_pair"] = (graph.node_ids[graph.left[0]], graph.node_ids[graph.right[0]])
    settled(app.run())
    assert "Why are these two linked?" in shown(app)
    assert "Combined similarity" in shown(app)
    assert app.get("plotly_chart")


@pytest.mark.parametrize("view", ["documents", "around", "path", "communities", "map"])
def test_every_view_opens_with_and_without_a_document(view):
    app = opened(view=view)
    node_id = ids_of(app)[3]
    opened(view=view, doc=node_id)


@pytest.mark.parametrize("color", ["community", "degree", "betweenness", "clustering", "participation"])
def test_every_measure_colours(color):
    app = opened(color=color)
    assert app.selectbox(key="net_color").value == color


def test_the_slider_is_the_threshold_of_every_page():
    app = opened()
    app.slider(key="net_threshold").set_value(0.3)
    settled(app.run())
    assert app.session_state["threshold"] == pytest.approx(0.3)
    settled(app.switch_page("pages/2_Threshold.py").run())
    assert app.slider(key="threshold_slider").value == pytest.approx(0.3)


def test_around_a_document_every_step_can_be_taken_back():
    app = opened()
    node_id = ids_of(app)[0]
    app = opened(doc=node_id)
    settled(app.button(key="net_around").click().run())
    assert app.session_state["ego"] == [(node_id,)]
    settled(app.button(key="net_back").click().run())
    assert app.session_state["net_view"] == "documents"


def test_two_documents_that_no_path_joins_are_told_the_threshold_that_would():
    app = opened(sample="papers", t="0.300", view="path")
    network = app.session_state["workspace"].network
    ends = (network.node_ids[0], network.node_ids[-1])
    app.session_state["net_from"], app.session_state["net_to"] = ends
    settled(app.run())
    assert "largest threshold that joins them" in shown(app)
    settled(app.button(key="net_join").click().run())
    assert "The path" in shown(app)
    assert "largest threshold" not in shown(app)


def test_a_threshold_at_which_nothing_is_linked_says_what_to_do():
    app = opened(t="1.0")
    assert "Nothing is linked at 1.00" in shown(app)
    settled(app.button(key="net_as_built").click().run())
    assert "Nothing is linked" not in shown(app)


@pytest.mark.parametrize(
    "link",
    [
        {"view": "nonsense"},
        {"color": "field:nowhere"},
        {"hops": "99"},
        {"size": "<b>"},
        {"view": "path", "to": "nobody"},
        {"range": "title:1..2"},
        {"range": "date:nan..1", "only": "<b>,c1", "links": "rope,"},
        {"mark": "sorcery:8", "q": "why"},
        {"mark": "hybrid:0", "q": "why"},
        {"pair": "nobody", "with": "nobody"},
        {"hulls": "2", "path": "shortest"},
    ],
)
def test_a_link_that_means_nothing_here_is_passed_over(link):
    opened(**link)


def test_another_corpus_forgets_the_filters_of_the_first():
    app = opened()
    app.session_state["net_only"] = ("c0",)
    settled(app.run())
    assert app.query_params["only"] in ("c0", ["c0"])
    del app.session_state["workspace"], app.query_params["only"]  # as loading another corpus empties the link
    app.query_params["sample"] = "blog"
    settled(app.run())
    assert "net_only" not in app.session_state


def test_a_range_is_kept_by_the_link_and_can_be_taken_away():
    app = opened(sample="papers", range="year:1990..2000")
    assert app.select_slider(key="net_span_slider").value == (1990.0, 2000.0)
    assert "of 310 documents in 1990 to 2000" in shown(app)
    assert "beyond year 1990 to 2000" in shown(app)
    app.select_slider(key="net_span_slider").set_value((1995.0, 1995.0))
    settled(app.run())
    assert app.query_params["range"] in ("year:1995..1995", ["year:1995..1995"])
    settled(app.button(key="net_span_all").click().run())
    assert "range" not in app.query_params
    assert "beyond year" not in shown(app)


def test_results_of_a_question_stand_out_until_they_are_let_go():
    app = opened(sample="papers", q="why do hubs spread an epidemic", mark="hybrid:8")
    assert "8 of 310 documents stand out, by strategy hybrid" in shown(app)
    settled(app.button(key="net_found_1").click().run())
    assert "8 results of" in shown(app).replace("\\", "")
    settled(app.button(key="net_found_away").click().run())
    assert "mark" not in app.query_params


def test_both_ends_of_a_path_are_in_the_link():
    link = {"view": "path", "from": "vaswani2017attention", "to": "lecun2015deep", "path": "strongest"}
    app = opened(sample="papers", **link)
    assert "The path" in shown(app)
    assert title_in_box(app, "From") == "Attention Is All You Need"
    assert title_in_box(app, "To") == "Deep Learning"
    for name, value in link.items():
        assert app.query_params[name] in (value, [value])


def test_a_pair_in_the_link_is_explained():
    app = opened(sample="papers", pair="vaswani2017attention", **{"with": "lecun2015deep"})
    assert "Combined similarity" in shown(app)


def test_conversations_are_shown_turn_by_turn():
    app = opened(sample="chats")
    app = opened(sample="chats", doc=ids_of(app)[0])
    assert len(app.chat_message) >= 2
