"""Below the network: the files that it can be taken away as, and everything that it shows as tables."""

from __future__ import annotations

import streamlit as st

from cnrag_core.export.csv_table import csv_bytes
from cnrag_core.network import Network
from cnrag_core.views.network_options import NetworkOptions
from cnrag_core.views.network_picture import Drawing
from cnrag_core.views.network_side import page_of
from cnrag_core.views.network_tables import all_edges, bundle_table, community_overview_table, edge_table, node_table
from cnrag_core.workspace import Workspace
from pages.shared.session import share_link


def below(workspace: Workspace, network: Network, options: NetworkOptions, drawing: Drawing | None) -> None:
    """Files, each made only when it is asked for, and tables, made only while they are open."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if drawing is not None:
            _file("Web page", lambda: page_of(drawing, options, network.links.counts, title=workspace.name),
                  "network.html", "text/html",
                  "What is drawn, legend and list too, as one file that opens offline", ":material/html:")  # fmt: skip
        _file("All documents", lambda: csv_bytes(node_table(network, range(network.graph.n_nodes))),
              "documents.csv", "text/csv", "Every document with its measures, as CSV", ":material/table:")  # fmt: skip
        _file("All edges", lambda: csv_bytes(all_edges(network)), "edges.csv", "text/csv",
              "Every edge of the network at this threshold, as CSV", ":material/table:")  # fmt: skip
        with st.popover("Link to this view", icon=":material/link:"):
            st.code(_link(), language=None, wrap_lines=True)
            st.caption(
                "It carries sample, threshold, question and selection: whoever opens it sees this view."
                if workspace.sample
                else "It carries threshold, question and ids of documents, but no document: others see this view "
                "where the same corpus is loaded. To hand over the corpus, save the workspace on the first page. The "
                "address of your own tab leads to your documents; keep it to yourself."
            )
    if drawing is not None:
        _tables(network, options, drawing)


def _tables(network: Network, options: NetworkOptions, drawing: Drawing) -> None:
    with st.expander("The same as tables", key="net_tables", on_change="rerun") as expander:
        if not expander.open:
            return
        if options.view == "communities":
            names, tables = (
                ("communities", "bundles"),
                (community_overview_table(network, drawing), bundle_table(network, drawing)),
            )
        else:
            names, tables = (
                ("documents", "links"),
                (node_table(network, drawing.picture.nodes, at_hand=True), edge_table(network, drawing)),
            )
        for name, table in zip(names, tables, strict=True):
            st.caption(f"{len(table):,} {name} drawn")
            st.dataframe(table, key=f"net_table_{name}", hide_index=True, height=300)
            _file(f"These {name}", lambda table=table: csv_bytes(table), f"drawn-{name}.csv", "text/csv",
                  "As CSV", ":material/table:")  # fmt: skip


def _file(label: str, make: object, name: str, mime: str, explanation: str, icon: str) -> None:
    st.download_button(
        label,
        data=make,
        file_name=name,
        mime=mime,
        key=f"net_file_{name}",
        on_click="ignore",
        help=explanation,
        icon=icon,
    )


def _link() -> str:
    """The address of this page with what the link carries."""
    from urllib.parse import urlencode

    base = str(st.context.url or "").split("?", 1)[0]
    carried = share_link()
    if "mark" not in carried:
        carried.pop("q", None)  # a question that was asked elsewhere, of which nothing is seen here
    return f"{base}?{urlencode(carried)}" if carried else base
