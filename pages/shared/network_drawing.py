"""The middle pane: the live graph or the map; drawings are kept, a few of them, for the way back."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from cnrag_core.network import Network
from cnrag_core.preparing import at_hand
from cnrag_core.views.live_message import PictureMessage, split_message
from cnrag_core.views.network_ahead import first_drawing, first_message
from cnrag_core.views.network_colors import COMMUNITY
from cnrag_core.views.network_first import first_look
from cnrag_core.views.network_found import found_highlight
from cnrag_core.views.network_measures import MEASURES, measure_at_hand
from cnrag_core.views.network_message import GRAPH, key_of, picture_message, revision_of
from cnrag_core.views.network_options import NetworkOptions
from cnrag_core.views.network_picture import Drawing, draw
from cnrag_core.views.network_words import MAP_CAUTION, interpretation_of
from cnrag_core.workspace import Workspace
from pages.shared.graph_component import graph_view
from pages.shared.network_found import found_now
from pages.shared.network_kept import kept
from pages.shared.network_map import map_view
from pages.shared.network_state import on_expand, on_legend, on_select
from pages.shared.page_style import HEIGHT
from pages.shared.session import choose_threshold, selected_document
from pages.shared.waiting import ready


def drawing_now(
    workspace: Workspace, network: Network, options: NetworkOptions
) -> tuple[NetworkOptions, Drawing | None]:
    """What can be drawn by now of what was asked for; no drawing for the map, and while documents are arranged."""
    if not ready(network, "layout", key="layout"):
        return options, None
    options = shown_options(network, options)
    return options, None if options.view == "map" else drawing_of(workspace, network, options)


def middle_pane(workspace: Workspace, network: Network, options: NetworkOptions, drawing: Drawing | None) -> None:
    """Show what `drawing_now` found."""
    if drawing is None:
        if options.view == "map" and at_hand(network, "layout"):
            map_view(workspace, network, options)
        return
    if not network.graph.n_edges:
        nothing_linked(network)
    graph_view(
        component_of(workspace, network, options, drawing),
        key=GRAPH,
        height=HEIGHT,
        on_select=lambda: on_select(workspace),
        on_expand=lambda: on_expand(workspace),
        on_legend=on_legend,
    )
    st.caption(drawing.counts, help=MAP_CAUTION)
    st.text(interpretation_of(network, options, drawing))


def nothing_linked(network: Network) -> None:
    """What to do where no two documents are similar enough."""
    st.info(
        f"Nothing is linked at {network.graph.threshold:.2f}. Move the threshold to the left, or look at where it "
        "should be.",
        icon=":material/tune:",
    )
    with st.container(horizontal=True):
        st.button("Back to the graph as built", key="net_as_built", on_click=choose_threshold, args=(None,))
        st.page_link("pages/2_Threshold.py", label="Choose the threshold", icon=":material/tune:")


def shown_options(network: Network, options: NetworkOptions) -> NetworkOptions:
    """The options, without what is still being found; the page says that it is."""
    measures = dict.fromkeys(
        name for name in (options.color_by, options.size_by) if name in MEASURES and not measure_at_hand(network, name)
    )
    if measures and not ready(network, *measures, key="drawn_measures"):
        color = COMMUNITY if options.color_by in measures else options.color_by
        size = "degree" if options.size_by in measures else options.size_by
        options = replace(options, color_by=color, size_by=size)
    if options.links and not at_hand(network, "links"):
        options = replace(options, links=())  # the controls say that they are sought
    return options


def drawing_of(workspace: Workspace, network: Network, options: NetworkOptions) -> Drawing:
    """The drawing for some options; what is looked at is always in it."""
    selected = selected_document(workspace)
    key = key_of(network, options)
    kinds = workspace.corpus.kinds
    drawing = (
        first_drawing(network, kinds)
        if options == first_look(network)
        else kept(key, lambda: draw(network, options, kinds))
    )
    pair = st.session_state.get("net_pair") or ()
    found = found_now(network)
    wanted = [node_id for node_id in (selected, *pair, *(found.ids if found else ())) if node_id is not None]
    if options.view not in ("documents", "path") or not wanted:
        return drawing
    shown = set(drawing.picture.nodes.tolist())
    missing = tuple(node_id for node_id in wanted if network.graph.index(node_id) not in shown)
    if not missing:
        return drawing
    return kept(f"{key}+{missing}", lambda: draw(network, options, kinds, keep=missing))


def component_of(workspace: Workspace, network: Network, options: NetworkOptions, drawing: Drawing) -> PictureMessage:
    """The drawing as the live component takes it, with what is selected and what stands out."""
    state = st.session_state
    layout = network.layout.digest[:16]
    in_rings = options.view == "around" and options.rings
    kinds = workspace.corpus.kinds
    if options == first_look(network) and drawing is first_drawing(network, kinds):
        message = first_message(network, kinds)  # made once for everybody
    else:
        message = kept(
            f"message-{revision_of(network, options, drawing)}", lambda: picture_message(network, options, drawing)
        )
    places = f"{layout}-{options.view}-{options.trail}-{options.hops}" if in_rings else layout
    selected, pair = selected_document(workspace), state.get("net_pair")
    focus = None
    if options.view == "communities":
        places = f"{layout}-communities-{network.communities.labels.tobytes().__hash__()}"
        focus = state.get("net_community")
    elif pair is None and selected is not None:
        focus = network.graph.index(selected)
    found = found_now(network) if drawing.highlight is None and options.view in ("documents", "around") else None
    highlight = found_highlight(network, found) if found else drawing.highlight
    if pair is not None and options.view != "communities":
        a, b = sorted(network.graph.index(node_id) for node_id in pair)
        others = [link.id for link in drawing.picture.links if {link.source, link.target} == {a, b}]
        highlight = {"nodes": [str(a), str(b)], "edges": [f"{a}-{b}", *others]}
    fit = None
    if options.view == "around" and options.trail:
        fit = {"key": f"{options.trail}-{options.hops}-{options.rings}", "ids": list(message.picture["nodes"]["id"])}
    elif drawing.highlight is not None and options.view == "path":
        fit = {"key": f"{options.ends}-{options.path}", "ids": list(drawing.highlight["nodes"])}
    elif found:
        fit = {"key": f"{found.query}-{found.strategy}-{len(found)}", "ids": highlight["nodes"]}
    return split_message(
        message,
        GRAPH,
        layout=places,
        view=f"{layout}-{options.view}{'-rings' if in_rings else ''}",
        focus=None if focus is None else str(focus),
        centre=state.get("net_centre", 0),
        lookedAt=[options.view, pair, selected, state.get("net_community"), found.query if found else None],
        highlight=highlight,
        fit=fit,
        alt=f"Graph of {drawing.counts}. The same is in the tables below.",
    )
