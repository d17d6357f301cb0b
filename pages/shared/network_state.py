"""What the visitor asked to see of the network: kept while they move between pages, carried by the link.

Widgets of the page have keys that begin with ``net_``; what a click in the graph or a button decided is
kept beside them. Nothing of a corpus but ids of documents is ever in a link.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from cnrag_core.network import Network
from cnrag_core.views.network_colors import COMMUNITY, community_slots
from cnrag_core.views.network_links import link_number
from cnrag_core.views.network_message import GRAPH
from cnrag_core.views.network_options import NetworkOptions
from cnrag_core.views.network_side import toggled
from cnrag_core.workspace import Workspace
from pages.shared.network_link import DEFAULTS, opening_view, read_link, write_view
from pages.shared.session import current_network, select_document, selected_document


def begin(workspace: Workspace, colors: Mapping[str, str]) -> None:
    """Take up the link, or what the visitor left; forget what belonged to another corpus."""
    state = st.session_state
    corpus = workspace.network.graph.digest
    if state.get("network_of") != corpus:
        for key in [key for key in state if str(key).startswith("net_")]:
            del state[key]
        found = read_link(workspace, colors)
        state["network_of"], state["network_view"] = corpus, found
        state.update({key: found[key] for key in ("net_only", "net_pair") if key in found})
        found.setdefault("net_view", opening_view(workspace, found))
        state["network_seen"] = document = selected_document(workspace)
        if found["net_view"] == "around" and document is not None and not trail():
            state["ego"] = [(document,)]
    kept = state["network_view"]
    for key, first in DEFAULTS.items():
        if key not in state:
            state[key] = kept.get(key, first)
    document = selected_document(workspace)
    if state["net_view"] == "communities" and document is not None and document != state["network_seen"]:
        state["net_view"] = "documents"  # another page sent the visitor here to see a document
    if state["net_color"] not in colors:
        state["net_color"] = COMMUNITY


def keep(workspace: Workspace) -> None:
    """Remember the widgets for the next page, and write the link."""
    state = st.session_state
    state["network_seen"] = selected_document(workspace)
    state["network_view"] = {key: state[key] for key in DEFAULTS if key in state}
    write_view(workspace)


def options_now() -> NetworkOptions:
    """The options that the widgets say."""
    state = st.session_state
    ends = (state["net_from"], state["net_to"])
    return NetworkOptions(
        view=state["net_view"] or "documents",
        color_by=state["net_color"],
        size_by=state["net_size"],
        only=state.get("net_only", ()),
        isolated=state["net_isolated"],
        hulls=state["net_hulls"],
        shapes=state["net_shapes"],
        rings=state["net_rings"],
        links=tuple(state["net_links"]),
        budget=int(state["net_budget"]),
        trail=trail(),
        hops=int(state["net_hops"]),
        ends=ends if all(ends) else None,
        path=state["net_path"] or "fewest hops",
        span=(state["net_span_field"], *state["net_span"]) if state["net_span_field"] and state["net_span"] else None,
    )


def enter_view(workspace: Workspace) -> None:
    """Begin a view with the document that is looked at, where the view needs one."""
    state, document = st.session_state, selected_document(workspace)
    if document is None:
        return
    if state["net_view"] == "around" and not trail():
        state["ego"] = [(document,)]
    elif state["net_view"] == "path" and state["net_from"] is None:
        state["net_from"] = document


# Around one document: every step can be taken back.


def trail() -> tuple[str, ...]:
    """The document in the middle and those that were expanded; empty where nobody chose one."""
    trails = st.session_state.get("ego", [])
    return trails[-1] if trails else ()


def look_around(node_id: str) -> None:
    """Put a document in the middle."""
    st.session_state.setdefault("ego", []).append((node_id,))
    st.session_state["net_view"] = "around"
    show_document(node_id)


def expand(node_id: str) -> None:
    """Add the neighbours of a document to those that are drawn."""
    here = trail()
    if st.session_state["net_view"] != "around" or not here:
        look_around(node_id)
    elif node_id not in here:
        st.session_state["ego"].append((*here, node_id))
        show_document(node_id)


def step_back() -> None:
    """Undo the last step around a document; the first leads back to all documents."""
    trails = st.session_state.get("ego", [])
    if trails:
        trails.pop()
    if not trails:
        st.session_state["net_view"] = "documents"


# What is looked at: one document, a pair, a community.


def show_document(node_id: str | None) -> None:
    """Look at a document, and at no pair."""
    st.session_state["net_pair"] = None
    select_document(node_id)


def show_pair(first: str, second: str) -> None:
    """Look at why two documents are linked."""
    st.session_state["net_pair"] = (first, second)


def find_document(node_id: str | None) -> None:
    """Look at a document that was searched for, and bring it into the middle of the screen."""
    show_document(node_id)
    st.session_state["net_centre"] = st.session_state.get("net_centre", 0) + 1
    if st.session_state["net_view"] in ("communities", "map"):
        st.session_state["net_view"] = "documents"


def path_between(first: str | None, second: str | None) -> None:
    """Ask for the path between two documents; None leaves an end as it is."""
    state = st.session_state
    state["net_from"], state["net_to"] = first or state["net_from"], second or state["net_to"]
    state["net_view"] = "path"
    state["net_pair"] = None


def show_documents() -> None:
    """See documents instead of communities."""
    st.session_state["net_view"] = "documents"


def open_community(network: Network, number: int) -> None:
    """See the documents of one community."""
    state = st.session_state
    state["net_only"] = (f"c{community_slots(network)[number]}",)
    state["net_color"], state["net_view"], state["net_community"] = COMMUNITY, "documents", None


def toggle_entry(key: str) -> None:
    """A click on an entry of the legend."""
    state = st.session_state
    if key == "isolated" and not state.get("net_only"):
        state["net_isolated"] = not state["net_isolated"]
    else:
        state["net_only"] = toggled(state.get("net_only", ()), key)


# What a click in the graph means.


def on_select(workspace: Workspace) -> None:
    """A document, an edge, two documents, or the empty ground was clicked."""
    chosen = st.session_state[GRAPH]["selected"] or {}
    nodes, edges = chosen.get("nodes", []), chosen.get("edges", [])
    network = current_network(workspace)
    if st.session_state["net_view"] == "communities":
        st.session_state["net_community"] = int(nodes[0]) if nodes else None
    elif len(nodes) == 1:
        show_document(_id(network, nodes[0]))
    elif len(nodes) > 1:
        show_pair(_id(network, nodes[0]), _id(network, nodes[-1]))
    elif len(edges) == 1:
        show_pair(*edge_ends(network, edges[0]))
    else:
        show_document(None)


def on_expand(workspace: Workspace) -> None:
    """A node was double clicked."""
    number = st.session_state[GRAPH]["expand"]
    network = current_network(workspace)
    if number is None:
        return
    if st.session_state["net_view"] == "communities":
        open_community(network, int(number))
    else:
        expand(_id(network, number))


def on_legend() -> None:
    """An entry of the legend was clicked."""
    key = st.session_state[GRAPH]["legend"]
    if key is not None:
        toggle_entry(str(key))


def edge_ends(network: Network, edge_id: str) -> tuple[str, str]:
    """The documents that an edge of the picture joins."""
    number = link_number(edge_id)
    if number is not None:
        link = network.links[number]
        return link.source, link.target
    first, second = edge_id.split("-")
    return _id(network, first), _id(network, second)


def _id(network: Network, number: str) -> str:
    return network.node_ids[int(number)]
