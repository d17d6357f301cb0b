"""Every page opens on corpora of one and two documents, and on one without any text, and says what to do next."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from cnrag_core.config.loader import load_config
from cnrag_core.corpus.document import Corpus, Document
from cnrag_core.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["app.py", *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "pages").glob("*.py"))]
TEXTS = ["Coral reefs bleach in warm seas.", "Bond yields rise with inflation."]


@cache
def workspace_of(name: str) -> Workspace:
    if name == "no text":
        documents = tuple(Document(f"d{n}", {"tags": ["x", "y"][: n % 3], "year": 2000 + n}) for n in range(6))
        config = load_config(
            "similarity: {components: [{type: attribute_similarity, field: tags, metric: jaccard, weight: 1}]}"
        )
        return Workspace.build(Corpus(documents, {"tags": "list", "year": "number"}, name), config, name=name)
    documents = tuple(
        Document(f"d{n}", {"title": f"Title {n}", "text": text})
        for n, text in enumerate(TEXTS[: {"one": 1, "two": 2}[name]])
    )
    config = load_config("similarity: {components: [{type: field_embedding, field: text, weight: 1}]}")
    return Workspace.build(Corpus(documents, {"title": "text", "text": "text"}, name), config, name=name)


def opened(page: str, name: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state["workspace"] = workspace_of(name)
    app.run()
    app = app if page == "app.py" else app.switch_page(page).run()
    assert [element.value for element in (*app.exception, *app.error)] == []
    return app


@pytest.mark.parametrize("name", ["one", "two", "no text"])
@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens(page, name):
    assert opened(page, name).header


@pytest.mark.parametrize(
    ("page", "name", "said"),
    [
        ("pages/5_Similarity.py", "one", "two are needed to compare"),
        ("pages/8_Evaluate.py", "two", "No question of this corpus is judged yet"),
        ("pages/4_Hubs_and_bridges.py", "one", "lower it to see hubs and bridges"),
        ("pages/6_Search.py", "one", "Ask something in plain words"),
        ("pages/9_Chunks.py", "no text", "no text"),
    ],
)
def test_an_empty_state_says_what_to_do_next(page, name, said):
    app = opened(page, name)
    assert said in "\n".join(element.value for element in (*app.info, *app.text, *app.caption))
