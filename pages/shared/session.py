"""The workspace of one visitor: every page opens it with its first statement.

A visitor's own corpus lives in their session, and is kept aside for a while under a token that nobody can
guess, so that their reload finds it again. Only the shipped samples, which are nobody's secret, are shared
between sessions, keyed by their name. What must survive a reload is in the address: sample or token,
threshold, document, question; never a word of a corpus. A link for others has no token.
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
from cnrag_core.preparing import find_ahead
from cnrag_core.rag import checked_threshold
from cnrag_core.undelayed import send_at_once
from cnrag_core.views.network_ahead import work_out_ahead
from cnrag_core.visits import server_visits
from cnrag_core.warming import warm_up_in_background
from cnrag_core.workspace import Workspace

if not has_handler():  # started by `streamlit run`, not by `cnrag serve`
    log_events()
if st.runtime.exists():  # a server, not a test of one page
    warm_up_in_background()
    send_at_once()

ICON = Path(__file__).with_name("icon.png")
"""Our own picture: an icon by name would be fetched from elsewhere."""

# Columns within a container whose key begins with parts_ stand below each other in a narrow window; with parts_some,
# up to three side by side.
STYLE = """<style>
.stMainBlockContainer { padding: 2.2rem 2.4rem 3rem; max-width: 1900px; }
[data-testid="stSidebarHeader"] { height: 2.2rem; }
[data-testid="stMetricValue"] { font-size: 1.6rem; }
[data-testid="stText"] { white-space: pre-wrap; }
[class*="st-key-open_"] button[kind="tertiary"], [class*="st-key-show_"] button[kind="tertiary"] {
  min-height: 0; padding: 0;
}
[class*="st-key-open_"] button[kind="tertiary"], [class*="st-key-open_"] button[kind="tertiary"] * {
  justify-content: flex-start; text-align: left;
}
[class*="st-key-open_"] button[kind="tertiary"] p {
  text-decoration: underline rgba(128, 134, 150, 0.55); text-underline-offset: 3px;
}
@media (max-width: 1100px) {
  [class*="st-key-parts_"] > div > [data-testid="stHorizontalBlock"],
  [class*="st-key-parts_"] > [data-testid="stHorizontalBlock"] { flex-wrap: wrap; }
  [class*="st-key-parts_"] > div > [data-testid="stHorizontalBlock"] > [data-testid="stColumn"],
  [class*="st-key-parts_"] > [data-testid="stHorizontalBlock"] > [data-testid="stColumn"] { min-width: 100%; }
  [class*="st-key-parts_some"] > div > [data-testid="stHorizontalBlock"] > [data-testid="stColumn"],
  [class*="st-key-parts_some"] > [data-testid="stHorizontalBlock"] > [data-testid="stColumn"] { min-width: 30%; }
}
[class*="st-key-cnrag_"] { position: absolute; height: 0; overflow: hidden; }
</style>"""

PAGES = (
    ("app.py", "Home", ":material/home:"),
    ("pages/0_Tour.py", "Tour", ":material/tour:"),
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

OWN = "own"
"""Name in the address of the token that leads back to what the visitor loaded."""

BACK = "back"
"""The same while they are on a tour of a sample, or the sample that they came from."""

REMEMBERED = ("resolution", "min_degree", "top_bridges", "curve_quantity", "strategies")
"""Settings of pages that come back with it, beside what the address says."""

KEPT: Literal["session"] = "session"
"""How long a widget keeps its value: without it, it forgets when another page is shown."""

MOVING = ("Network", "Threshold")
"""Pages that move the threshold in a fragment, which draws the figures of the sidebar as well."""

OF_THE_CORPUS = (
    "threshold", "selected", "asked", "question", "views", "ego", "pair_first", "pair_second", "with", "min_degree",
    "community", "resolution", "second_threshold", "other", "other_job", "chunk_document", "chunk_field", "metric",
    "marked", "batch", "network_of", "view_given", "filter_examples", "net_shown",
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
    from pages.shared.tour import enter_step, tour_bar  # which needs the workspace in its turn

    with shown_errors():
        enter_step()
        workspace = current_workspace()
        write_link(workspace)
        _remember(workspace)
    kinds = workspace.corpus.kinds
    find_ahead(workspace.network, lambda network: work_out_ahead(network, kinds))
    _sidebar(workspace)
    if title not in MOVING:
        sidebar_figures(workspace)
    st.header(f"{icon} {title}", anchor=False)
    st.caption(question)
    tour_bar(title)
    return workspace


def current_workspace() -> Workspace:
    """The visitor's own workspace, or the sample that the link names, or the default sample."""
    own = st.session_state.get("workspace") or _returned()
    if own is not None:
        return own
    opened = os.environ.get("CNRAG_OPEN")
    if opened and "sample" not in st.query_params:
        workspace = _given_at_start(opened)
        _take_up_view(workspace)
    else:
        workspace = sample_workspace(st.query_params.get("sample", DEFAULT_SAMPLE))
    st.session_state["workspace"] = workspace
    return workspace


def use_workspace(workspace: Workspace) -> None:
    """Make a workspace the visitor's; what pointed into the old one is forgotten."""
    st.session_state["workspace"] = workspace
    if workspace.sample is None:
        server_visits().keep(workspace)
    for key in OF_THE_CORPUS:
        left = st.session_state.pop(key, None)
        if isinstance(left, Job):
            left.cancel()
    st.query_params.clear()
    _take_up_view(workspace)
    write_link(workspace)


def _take_up_view(workspace: Workspace) -> None:
    """Look at a saved workspace as it was looked at when it was saved."""
    if not st.query_params and workspace.view:
        st.session_state["view_given"] = dict(workspace.view)
        st.query_params.update(dict(workspace.view))


def given_view() -> dict[str, str]:
    """What the address asks for, and before it what a saved workspace brought along."""
    return {**st.session_state.get("view_given", {}), **st.query_params.to_dict()}


def _returned() -> Workspace | None:
    """What the visitor loaded before a reload, by the token of their address; the way they looked at it, too."""
    token = st.query_params.get(OWN)
    if token is None:
        return None
    workspace = server_visits().open(token)
    if workspace is None:
        return None  # whatever it was, it opens nothing and says nothing
    st.session_state["workspace"] = workspace
    view = server_visits().view(token)
    for key, value in view.get("kept", {}).items():
        if key in REMEMBERED:
            st.session_state.setdefault(key, value)
    if len(st.query_params) == 1:
        st.query_params.update({**view.get("link", {}), OWN: token})
    return workspace


def _remember(workspace: Workspace) -> None:
    """Keep how the visitor looks at their own workspace, where it has changed."""
    token = server_visits().token_of(workspace)
    if token is None:
        return
    view = {
        "link": share_link(),
        "kept": {key: st.session_state[key] for key in REMEMBERED if key in st.session_state},
    }
    if view != st.session_state.get("remembered"):
        server_visits().remember(token, view)
        st.session_state["remembered"] = view


def forget_workspace(workspace: Workspace) -> None:
    """Remove what the visitor loaded from the server, and open a sample."""
    token = server_visits().token_of(workspace)
    if token is not None:
        server_visits().forget(token)
    use_workspace(sample_workspace(DEFAULT_SAMPLE))


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
    """What the visitor's own address carries: names, numbers, their words and their token, nothing of a corpus."""
    threshold = current_threshold(workspace)
    found = {
        "sample": workspace.sample,
        OWN: None if workspace.sample else server_visits().token_of(workspace),
        "t": None if threshold is None else f"{threshold:.3f}",
        "doc": selected_document(workspace),
        "q": asked_question(),
    }
    return {name: value for name, value in found.items() if value}


def write_link(workspace: Workspace) -> None:
    """Bring the address up to date: going to another page empties it, and F5 knows nothing else."""
    found = link_of(workspace)
    for name in ("sample", OWN, "t", "doc", "q"):
        set_in_link(name, found.get(name))


def share_link() -> dict[str, str]:
    """What a link for others carries: the view, and no token."""
    return {name: value for name, value in st.query_params.to_dict().items() if name not in (OWN, BACK)}


def set_in_link(name: str, value: str | None) -> None:
    """Only where it differs: every change is an entry in the history of the browser."""
    if value is None:
        st.query_params.pop(name, None)
    elif st.query_params.get(name) != value:
        st.query_params[name] = value


def keep_within(key: str, low: float, high: float, start: float) -> None:
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


def sidebar_figures(workspace: Workspace) -> None:
    """What the present threshold makes of the corpus, below the name of the workspace, and the way back."""
    graph = current_network(workspace).graph
    edges = f"{graph.n_edges:,} edge{'' if graph.n_edges == 1 else 's'}"
    with st.sidebar:
        st.caption(
            f"{graph.n_nodes:,} document{'' if graph.n_nodes == 1 else 's'} · {edges} · {literal(graph.rule)}",
        )
        if current_threshold(workspace) is not None:
            st.button(
                "Back to the graph as built", key="as_built", on_click=choose_threshold, args=(None,), width="stretch"
            )
