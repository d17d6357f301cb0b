"""How do I take it with me? What is shown, in the formats that other tools read."""

import streamlit as st

from cnrag_core.export.edge_limits import refused_export, slow_export
from cnrag_core.takeaway import BUNDLE, Item, View, bundle, items_of
from cnrag_core.views.network_side import toggled
from pages.shared.graph_component import graph_view
from pages.shared.network_controls import choices_of
from pages.shared.network_drawing import component_of, drawing_of, nothing_linked, shown_options
from pages.shared.network_link import saved_view
from pages.shared.network_state import begin, options_now
from pages.shared.session import asked_question, current_network, literal, open_workspace, shown_errors
from pages.shared.waiting import ready

workspace = open_workspace(
    "Export",
    "How do I take it with me? What you look at now, in the formats that other tools read.",
    icon=":material/download:",
)
GRAPH = "export_graph"
GROUPS = {"network": "The network", "tables": "Tables", "workspace": "The workspace"}


def on_legend() -> None:
    """An entry of the legend was clicked: it filters here as on the network page."""
    key = st.session_state[GRAPH]["legend"]
    if key is not None:
        st.session_state["net_only"] = toggled(st.session_state.get("net_only", ()), str(key))


def preview(network, options) -> None:
    """The picture that the web page and the PNG hold."""
    if not network.graph.n_edges and not options.isolated:
        nothing_linked(network)
        return
    if not ready(network, "layout", "communities", "tags", key="layout"):
        return
    options = shown_options(network, options)
    drawing = drawing_of(workspace, network, options)
    graph_view(component_of(workspace, network, options, drawing), key=GRAPH, height="440px", on_legend=on_legend)
    st.caption(literal(drawing.counts) + ". PNG, above the graph, saves it as a picture with its legend.")


def is_graph_format(item: Item) -> bool:
    """Whether the file is written through networkx."""
    return item.group == "network" and item.name != "network.html"


def download(item: Item, view: View) -> None:
    """A row with a button whose file is made when it is pressed."""
    with st.container(border=True, gap="xsmall"):
        st.download_button(
            item.label,
            data=lambda: item.make(view),
            file_name=item.name,
            mime=item.mime,
            key=f"get_{item.name}",
            on_click="ignore",
            icon=":material/download:",
            width="stretch",
        )
        st.caption(literal(item.hint))


with shown_errors():
    network = current_network(workspace)
    begin(workspace, choices_of(workspace))
    options = options_now()
    view = View(workspace, network, options, saved_view(workspace), asked_question() or "")
    counts, everything = st.columns([3, 1], vertical_alignment="center")
    counts.text(f"{view.counts}.")
    refused = refused_export(network.graph)
    warning = refused or slow_export(network.graph)
    if warning:
        st.warning(literal(warning), icon=":material/warning:")
    everything.download_button(
        "All in one zip", data=lambda: bundle(view), file_name=BUNDLE, mime="application/zip",
        disabled=refused is not None, key="get_bundle",
        on_click="ignore", type="primary", icon=":material/folder_zip:", width="stretch",
    )  # fmt: skip
    if network.graph.n_nodes:
        preview(network, options)
    with st.container(key="parts_export"):
        groups = st.columns(3, gap="large")
    for column, (group, heading) in zip(groups, GROUPS.items(), strict=True):
        with column:
            st.subheader(heading, anchor=False)
            for item in items_of(view):
                if item.group == group and not (refused and is_graph_format(item)):
                    download(item, view)
            if group == "workspace" and not view.question:
                st.caption("Ask a question on the Search page and the audit log of its walk can be taken as well.")
