"""The controls above the network: find, view, threshold, display, and what belongs to one view only."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from cnrag_core.network import Network
from cnrag_core.views.graph_picture import DEFAULT_NODES, MOST_NODES
from cnrag_core.views.network_ahead import colors_to_choose
from cnrag_core.views.network_first import why_communities
from cnrag_core.views.network_links import STYLES
from cnrag_core.views.network_measures import MEASURES
from cnrag_core.views.network_options import MOST_HOPS, NetworkOptions
from cnrag_core.workspace import Workspace
from pages.shared.network_link import PATHS, SIZES, VIEWS
from pages.shared.network_ranges import range_choice, range_row
from pages.shared.network_state import enter_view, find_document, path_between, show_documents, step_back, trail
from pages.shared.session import choose_threshold, current_network, literal, selected_document
from pages.shared.title_box import title_box
from pages.shared.waiting import ready


def choices_of(workspace: Workspace) -> dict[str, str]:
    """What can be coloured by: key and name."""
    return colors_to_choose(workspace.network, workspace.corpus.kinds)


def control_row(workspace: Workspace, network: Network, colors: Mapping[str, str]) -> None:
    """The row that every view has."""
    with st.container(key="net_row"):
        find, view, threshold, display = st.columns([2.3, 3.7, 2, 1.15], vertical_alignment="bottom", gap="small")
    with find:
        title_box(
            network,
            "Find a document",
            key="net_find",
            chosen=selected_document(workspace),
            placeholder=f"any of {network.graph.n_nodes:,} titles",
            on_change=find_document,
        )
    with view:
        st.segmented_control(
            "View", list(VIEWS), format_func=lambda key: VIEWS[key], key="net_view", required=True, width="stretch",
            on_change=enter_view, args=(workspace,),
        )  # fmt: skip
    with threshold:
        threshold_slider(current_network(workspace))
    with display, st.popover("Display", width="stretch"):
        display_options(workspace, network, colors)


def threshold_slider(network: Network) -> None:
    """The same threshold as on its own page."""
    floor = network.candidates.floor
    low = round(floor + 0.0049, 2) if floor else 0.01
    weights = network.candidates.weight
    high = min(1.0, round(float(weights[0]) + 0.01, 2)) if len(weights) else 1.0
    if high <= low:
        return
    st.session_state["net_threshold"] = min(max(round(network.graph.threshold, 2), low), high)
    st.slider(
        "Similarity threshold",
        min_value=low,
        max_value=high,
        step=0.01,
        key="net_threshold",
        on_change=lambda: choose_threshold(st.session_state["net_threshold"]),
        help=f"Two documents are linked when their combined similarity is at least this. Now: {network.graph.rule}.",
    )


def display_options(workspace: Workspace, network: Network, colors: Mapping[str, str]) -> None:
    """Colour, size, outlines, other links, and how much is drawn."""
    st.selectbox("Colour by", list(colors), format_func=lambda key: colors[key], key="net_color")
    st.selectbox(
        "Size by",
        SIZES,
        format_func=lambda key: MEASURES[key].name if key in MEASURES else "the same for all",
        key="net_size",
    )
    range_choice(workspace)
    counts = network.links.counts if ready(network, "links", key="links", patience=0.02) else {}
    st.session_state["net_links"] = [kind for kind in st.session_state["net_links"] if kind in counts or not counts]
    if counts:
        st.pills(
            "Other links",
            [kind for kind in STYLES if kind in counts],
            format_func=lambda kind: f"{STYLES[kind].name} ({counts[kind]:,})",
            selection_mode="multi",
            key="net_links",
            help="Links that come from names and references instead of similarity, each in its own colour and dashes.",
        )
    st.toggle("Outline and name communities", key="net_hulls")
    st.toggle(
        "Shapes beside colours", key="net_shapes", help="The second ten colours are squares, all beyond diamonds."
    )
    st.toggle("Show documents linked to nothing", key="net_isolated")
    if network.graph.n_nodes > DEFAULT_NODES:
        st.slider(
            "Documents drawn, at most", 100, MOST_NODES, step=100, key="net_budget",
            help="The most important ones by what sizes them. More than 2,000 are a smear: filter, or use the map.",
        )  # fmt: skip


def view_row(workspace: Workspace, network: Network, options: NetworkOptions) -> None:
    """The rows that only some views have."""
    if options.view == "around":
        around_row(network)
    elif options.view == "path":
        path_row(network)
    elif options.view == "communities" and (why := why_communities(network)):
        communities_row(why)
    if st.session_state["net_span_field"] and options.view != "communities":
        range_row(workspace, network)


def communities_row(why: str) -> None:
    """Why communities come first, and the way to the documents."""
    with st.container(key="net_second_row"):
        reason, way = st.columns([5, 1.3], vertical_alignment="center", gap="small")
    reason.caption(why)
    way.button(
        "Show documents", key="net_documents", on_click=show_documents, width="stretch", icon=":material/scatter_plot:"
    )


def around_row(network: Network) -> None:
    """Where one is around a document, and the way back."""
    here = trail()
    with st.container(key="net_second_row"):
        back, crumbs, hops, rings = st.columns([0.9, 4, 2.4, 1.5], vertical_alignment="center", gap="small")
    back.button(
        "Back", key="net_back", icon=":material/arrow_back:", on_click=step_back, disabled=not here, width="stretch"
    )
    with crumbs:
        st.markdown(breadcrumb(network, here))
    hops.segmented_control(
        "Hops", list(range(1, MOST_HOPS + 1)), key="net_hops", required=True, label_visibility="collapsed",
        format_func=lambda k: f"{k} hop{'s' if k > 1 else ''}",
    )  # fmt: skip
    rings.toggle("In rings", key="net_rings", help="One ring a hop, instead of the places on the map.")


def breadcrumb(network: Network, here: tuple[str, ...]) -> str:
    """The document in the middle and the expanded ones, as Markdown that shows titles literally."""
    if not here:
        return "Choose a document, or double click one."
    first, *more = (literal(network.title(node_id)) for node_id in here)
    return " › ".join([f"**{first}**", *(f"+ {title}" for title in more)])


def path_row(network: Network) -> None:
    """The two ends of a path, and which path."""
    with st.container(key="net_path_row"):
        start, end, kind, swap = st.columns([3, 3, 2.4, 0.9], vertical_alignment="bottom", gap="small")
    with start:
        title_box(
            network, "From", key="net_from_box", chosen=st.session_state["net_from"], placeholder="first document",
            on_change=lambda node_id: st.session_state.update(net_from=node_id),
        )  # fmt: skip
    with end:
        title_box(
            network, "To", key="net_to_box", chosen=st.session_state["net_to"], placeholder="second document",
            on_change=lambda node_id: st.session_state.update(net_to=node_id),
        )  # fmt: skip
    kind.segmented_control(
        "Which path", PATHS, key="net_path", required=True,
        help="Strongest: the path whose weakest link is as strong as possible.",
    )  # fmt: skip
    swap.button(
        "Swap", key="net_swap", width="stretch",
        on_click=lambda: path_between(st.session_state["net_to"], st.session_state["net_from"]),
    )  # fmt: skip
