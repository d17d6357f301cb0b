"""The workspace of one visitor: every page opens it with its first statement.

A visitor's own corpus lives in their session alone. Only the shipped samples, which are nobody's
secret, are shared between sessions, keyed by their name. What must survive a reload is in the link:
sample, threshold, document, question; never a word of a corpus.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import streamlit as st

from cnrag_core.errors import CNRagError
from cnrag_core.event_log import has_handler, log_events
from cnrag_core.jobs import Job, failed
from cnrag_core.network import Network
from cnrag_core.rag import checked_threshold
from cnrag_core.workspace import Workspace

if not has_handler():  # started by `streamlit run`, not by `cnrag serve`
    log_events()

ICON = Path(__file__).with_name("icon.png")
"""Our own picture: an icon by name would be fetched from elsewhere."""

STYLE = """<style>
.stMainBlockContainer { padding: 2.2rem 2.4rem 3rem; max-width: 1900px; }
[data-testid="stSidebarHeader"] { height: 2.2rem; }
[data-testid="stMetricValue"] { font-size: 1.6rem; }
[data-testid="stText"] { white-space: pre-wrap; }
</style>"""

PAGES = (
    ("app.py", "Home", ":material/home:"),
    ("pages/1_Network.py", "Network", ":material/hub:"),
    ("pages/2_Threshold.py", "Threshold", ":material/tune:"),
    ("pages/3_Communities.py", "Communities", ":material/bubble_chart:"),
    ("pages/4_Hubs_and_bridges.py", "Hubs and bridges", ":material/share:"),
    ("pages/5_Similarity.py", "Similarity", ":material/compare_arrows:"),
    ("pages/6_Search.py", "Search", ":material/search:"),
    ("pages/7_Traversal.py", "Traversal", ":material/route:"),
    ("pages/8_Evaluate.py", "Evaluate", ":material/analytics:"),
    ("pages/9_Chunks.py", "Chunks", ":material/content_cut:"),
    ("pages/10_Compare.py", "Compare", ":material/difference:"),
    ("pages/11_Export.py", "Export", ":material/download:"),
)
"""In the order of the story."""

ROOT = Path(__file__).resolve().parents[2]

DEFAULT_SAMPLE = "papers"
MOST_VIEWS = 6
"""Thresholds whose topology a session keeps."""

KEPT: Literal["session"] = "session"
"""How long a widget keeps its value: without it, it forgets when another page is shown."""

OF_THE_CORPUS = (
    "threshold", "selected", "asked", "question", "views", "ego", "pair_first", "pair_second", "with", "min_degree",
    "community", "resolution", "second_threshold", "other", "other_job", "chunk_document", "chunk_field", "metric",
    "marked",
)  # fmt: skip
"""What a session keeps that points into its corpus, and means nothing in another."""


def open_workspace(title: str, question: str, *, icon: str = ":material/hub:") -> Workspace:
    """Set up the page and return the visitor's workspace, a sample where they have loaded nothing.

    Parameters
    ----------
    title
        Of the page.
    question
        That the page answers, in the visitor's words.
    """
    st.set_page_config(page_title=f"{title} · cnrag", page_icon=str(ICON), layout="wide")
    st.html(STYLE)
    with shown_errors():
        workspace = current_workspace()
        write_link(workspace)
    _sidebar(workspace)
    st.header(f"{icon} {title}", anchor=False)
    st.caption(question)
    return workspace


def current_workspace() -> Workspace:
    """The visitor's own workspace, or the sample that the link names, or the default sample."""
    own = st.session_state.get("workspace")
    if own is not None:
        return own
    opened = os.environ.get("CNRAG_OPEN")
    if opened and "sample" not in st.query_params:
        workspace = _given_at_start(opened)
    else:
        workspace = sample_workspace(st.query_params.get("sample", DEFAULT_SAMPLE))
    st.session_state["workspace"] = workspace
    return workspace


def use_workspace(workspace: Workspace) -> None:
    """Make a workspace the visitor's; what pointed into the old one is forgotten."""
    st.session_state["workspace"] = workspace
    for key in OF_THE_CORPUS:
        left = st.session_state.pop(key, None)
        if isinstance(left, Job):
            left.cancel()
    st.query_params.clear()
    write_link(workspace)


@st.cache_resource(max_entries=8, show_spinner="Building the sample …")
def sample_workspace(name: str) -> Workspace:
    """A shipped sample, built once for everybody."""
    return Workspace.of_sample(name)


@st.cache_resource(max_entries=1, show_spinner="Opening …")
def _given_at_start(source: str) -> Workspace:
    """What the server was started with."""
    return Workspace.of_source(source)


def current_threshold(workspace: Workspace) -> float | None:
    """The threshold that the visitor looks at; None means as built."""
    if "threshold" not in st.session_state and "t" in st.query_params:
        try:
            st.session_state["threshold"] = checked_threshold(workspace.network, float(st.query_params["t"]))
        except (ValueError, CNRagError):
            st.query_params.pop("t")  # a link from another corpus
    return st.session_state.get("threshold")


def choose_threshold(threshold: float | None) -> None:
    """Look at another threshold, here and in the link; None is as built."""
    st.session_state["threshold"] = threshold
    set_in_link("t", None if threshold is None else f"{threshold:.3f}")


def current_network(workspace: Workspace) -> Network:
    """The network at the visitor's threshold; a few are kept, with everything computed for them."""
    threshold = current_threshold(workspace)
    if threshold is None:
        return workspace.network
    views: dict[float, Network] = st.session_state.setdefault("views", {})
    if threshold not in views:
        views[threshold] = workspace.network.at_threshold(threshold)
        while len(views) > MOST_VIEWS:
            views.pop(next(iter(views)))
    return views[threshold]


def selected_document(workspace: Workspace) -> str | None:
    """Id of the document that the visitor looks at, from the session or the link."""
    if "selected" not in st.session_state:
        st.session_state["selected"] = st.query_params.get("doc")
    chosen = st.session_state["selected"]
    return chosen if chosen in workspace.network.graph.index_of else None


def select_document(node_id: str | None) -> None:
    """Look at a document, here and in the link."""
    st.session_state["selected"] = node_id
    set_in_link("doc", node_id)


def asked_question() -> str | None:
    """What the visitor asked last, here or in the link; None where they asked nothing."""
    if "asked" not in st.session_state:
        st.session_state["asked"] = st.query_params.get("q")
    return st.session_state["asked"]


def ask_question(question: str) -> None:
    """Remember a question, here and in the link: the next page asks the same."""
    st.session_state["asked"] = question.strip() or None
    set_in_link("q", st.session_state["asked"])


def link_of(workspace: Workspace) -> dict[str, str]:
    """What a link to the present view carries: names, numbers and the visitor's own words, nothing of a corpus."""
    threshold = current_threshold(workspace)
    found = {
        "sample": workspace.sample,
        "t": None if threshold is None else f"{threshold:.3f}",
        "doc": selected_document(workspace),
        "q": asked_question(),
    }
    return {name: value for name, value in found.items() if value}


def write_link(workspace: Workspace) -> None:
    """Bring the address up to date: going to another page empties it, and F5 knows nothing else."""
    found = link_of(workspace)
    for name in ("sample", "t", "doc", "q"):
        set_in_link(name, found.get(name))


def set_in_link(name: str, value: str | None) -> None:
    """Only where it differs: every change is an entry in the history of the browser."""
    if value is None:
        st.query_params.pop(name, None)
    elif st.query_params.get(name) != value:
        st.query_params[name] = value


def keep_within(key: str, low: int, high: int, start: int) -> None:
    """Give a slider its first value, or move the kept one into bounds that have changed since."""
    value = min(max(st.session_state.get(key, start), low), high)
    if st.session_state.get(key) != value:
        st.session_state[key] = value


@contextmanager
def shown_errors() -> Iterator[None]:
    """Bad input as its own sentence; anything else as one sentence with a reference to the log."""
    try:
        yield
    except CNRagError as error:
        for line in str(error).splitlines():
            st.error(literal(line), icon=":material/error:")
        st.stop()
    except Exception as error:
        if type(error).__module__.startswith("streamlit"):
            raise  # how Streamlit stops and reruns a script
        reference = failed("page failed")
        st.error(f"Something went wrong that should not have; it is logged under reference {reference}.")
        st.stop()


def literal(text: str) -> str:
    """Text that Markdown shows as it is: no formula, link, picture, colour or heading comes of it."""
    escaped = "".join(f"\\{character}" if character in "\\`*_{}[]()<>#+-.!|$:~^=&" else character for character in text)
    return escaped.replace("\n", " ")


def _sidebar(workspace: Workspace) -> None:
    link = link_of(workspace)
    with st.sidebar:
        for page, label, icon in PAGES:
            if (ROOT / page).is_file():
                st.page_link(page, label=label, icon=icon, query_params=link or None)
        st.divider()
        st.caption("Workspace")
        st.text(workspace.name)
        network = current_network(workspace)
        graph = network.graph
        st.caption(f"{graph.n_nodes:,} documents · {graph.n_edges:,} edges · {literal(graph.rule)}")
        if current_threshold(workspace) is not None:
            st.button(
                "Back to the graph as built", key="as_built", on_click=choose_threshold, args=(None,), width="stretch"
            )
