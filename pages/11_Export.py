"""How do I take it with me? What is shown, in the formats that other tools read."""

import streamlit as st

from cnrag_core.config.loader import to_yaml
from cnrag_core.export.attributed_graph import attributed_graph
from cnrag_core.export.csv_table import csv_bytes
from cnrag_core.export.graph_formats import FORMATS
from cnrag_core.views.network_options import NetworkOptions
from cnrag_core.views.network_picture import draw
from cnrag_core.views.network_tables import all_edges, node_table
from cnrag_core.views.standalone_page import standalone_html
from pages.shared.session import current_network, literal, open_workspace, shown_errors

workspace = open_workspace(
    "Export",
    "How do I take it with me? What you look at now, in the formats that other tools read.",
    icon=":material/download:",
)


def download(label: str, make, name: str, mime: str, hint: str) -> None:
    """A row with a button whose file is made when it is pressed."""
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.download_button(label, data=make, file_name=name, mime=mime, key=f"get_{name}", on_click="ignore", width=210)
        st.caption(hint)


HINTS = {
    "graphml": "For Gephi, yEd, Cytoscape, igraph and networkx; titles, communities, positions and fields included.",
    "gexf": "For Gephi, with positions and weights.",
    "json": "For D3 and for networkx.node_link_graph.",
    "vosviewer.json": "For VOSviewer Online, with clusters and positions.",
    "net": "For Pajek: ids, positions and weights only.",
}

with shown_errors():
    network = current_network(workspace)
    st.text(f"{network.graph.n_nodes:,} documents and {network.graph.n_edges:,} edges; rule: {network.graph.rule}.")
    graphs, tables = st.columns(2, gap="large")
    with graphs:
        st.subheader("The network", anchor=False)
        for ending, (label, mime, write) in FORMATS.items():
            download(
                label, lambda write=write: write(attributed_graph(network)), f"network.{ending}", mime, HINTS[ending]
            )
        download(
            "Standalone page",
            lambda: standalone_html(draw(network, NetworkOptions(), workspace.corpus.kinds).picture).encode("utf-8"),
            "network.html",
            "text/html",
            "Opens offline in any browser and is safe to mail: nothing of a document runs, nothing is fetched.",
        )
    with tables:
        st.subheader("Tables and the workspace", anchor=False)
        download(
            "Documents (CSV)",
            lambda: csv_bytes(node_table(network, range(network.graph.n_nodes))),
            "documents.csv",
            "text/csv",
            "One row a document with its community and centralities; cells that a spreadsheet would run are quoted.",
        )
        download(
            "Edges (CSV)", lambda: csv_bytes(all_edges(network)), "edges.csv", "text/csv", "One row a linked pair."
        )
        download(
            "Configuration (YAML)",
            lambda: to_yaml(workspace.config).encode("utf-8"),
            "config.yaml",
            "application/yaml",
            "The effective configuration, every default filled in; cnrag build reads it.",
        )
        download(
            "Workspace (.cnrag)",
            workspace.to_bytes,
            "workspace.cnrag",
            "application/zip",
            f"{literal(workspace.name)}: documents, configuration and network in one file that reopens the same view.",
        )
