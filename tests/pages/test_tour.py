"""The guided tours: every step opens its page in the state that its sentence speaks of."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from cnrag_core.corpus.samples import sample_names
from cnrag_core.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]


def opened(page: str, **link: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in link.items():
        app.query_params[name] = value
    app.run().switch_page(page).run()
    while app.get("progress"):  # work in the background, which a busy machine may keep waiting
        time.sleep(0.2)
        app.run()
    return clean(app)


def clean(app: AppTest) -> AppTest:
    assert [element.value for element in (*app.exception, *app.error)] == []
    return app


def shown(app: AppTest) -> str:
    parts = (*app.markdown, *app.text, *app.caption, *app.info)
    return "\n".join(str(element.value) for element in parts).replace("\\", "")


SEEN = {
    "papers-1": ["There are 17 communities", "308 of 310 documents"],
    "papers-2": ["network science", "statistics", "cosmology", "Bridge: 2nd by betweenness"],
    "papers-3": ["Combined similarity 0.116: tags adds most, 0.067", "they are linked here"],
    "papers-4": ["at 0.15 it holds 15 %"],
    "papers-5": ["2 documents answer this question by judgement: hybrid and pagerank find both; similarity finds 1."],
    "papers-6": ["8 of 310 documents stand out, by strategy pagerank: in 3 communities, 6 of them in “neuroscience"],
    "larkspur-1": ["3 documents answer this question by judgement: links finds all 3; similarity finds 1."],
    "larkspur-2": ["The context answers the question"],
    "larkspur-3": ["85 other links"],
    "larkspur-4": ["more than chance"],
}
"""What each step promises, found on its page."""


@pytest.mark.parametrize("name", SEEN)
def test_a_step_shows_what_its_sentence_says(name):
    from pages.shared.tour import link_to, step_named

    tour, at = step_named(name)
    app = opened(tour.steps[at].page, **link_to(tour, at))
    said = shown(app) + "\n".join(element.value for element in app.success)
    assert f"Step {at + 1} of {len(tour.steps)}: {tour.steps[at].title}" in said
    for words in SEEN[name]:
        assert words in said


def test_every_step_is_among_those_that_were_looked_at_and_names_documents_that_are_there():
    from pages.shared.session import PAGES
    from pages.shared.tours import TOURS

    assert set(SEEN) == {f"{name}-{at + 1}" for name, tour in TOURS.items() for at in range(len(tour.steps))}
    assert len(TOURS["papers"].steps) == 6
    for tour in TOURS.values():
        assert tour.sample in sample_names()
        known = Workspace.of_sample(tour.sample).network.graph.index_of
        for step in tour.steps:
            assert step.page in {page for page, _, _ in PAGES}
            assert all(step.link[key] in known for key in ("doc", "with") if key in step.link)


@pytest.mark.parametrize("name", ["papers-7", "papers-0", "nowhere-1", "papers", "papers-x", "<b>-1", "papers-²"])
def test_a_step_that_is_not_there_is_no_step(name):
    app = opened("pages/1_Network.py", sample="larkspur", tour=name)
    assert "Step " not in shown(app)
    assert "tour_step" not in app.session_state


def test_the_end_of_a_tour_brings_back_what_was_looked_at_before():
    app = opened("pages/0_Tour.py", sample="larkspur", t="0.200")
    own = app.session_state["workspace"]
    app.query_params["tour"] = "papers-4"
    app.query_params["t"] = "0.150"
    clean(app.switch_page("pages/2_Threshold.py").run())
    assert app.session_state["workspace"].sample == "papers"
    assert app.session_state["threshold"] == pytest.approx(0.15)
    clean(app.button(key="tour_end").click().run())
    assert app.session_state["workspace"] is own
    assert "tour" not in app.query_params


def test_a_reload_on_a_tour_does_not_lose_what_was_looked_at_before():
    app = opened("pages/2_Threshold.py", sample="papers", t="0.150", tour="papers-4", back="blog")
    assert app.query_params["back"] in ("blog", ["blog"])
    clean(app.button(key="tour_end").click().run())
    assert app.session_state["workspace"].sample == "blog"
    assert "back" not in app.query_params


@pytest.mark.parametrize("back", ["nothing", "../../etc", "<b>"])
def test_a_way_back_that_leads_nowhere_is_none(back):
    app = opened("pages/0_Tour.py", sample="papers", tour="papers-1", back=back)
    clean(app.switch_page("pages/1_Network.py").run())
    clean(app.button(key="tour_end").click().run())
    assert app.session_state["workspace"].sample == "papers"


def test_another_page_says_where_the_tour_waits():
    app = opened("pages/1_Network.py", sample="papers", tour="papers-1")
    clean(app.switch_page("pages/9_Chunks.py").run())
    assert "The tour waits at step 1, topics without a label." in shown(app)


def test_home_invites_to_the_tour():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    clean(app.run())
    assert "New here?" in shown(app)
