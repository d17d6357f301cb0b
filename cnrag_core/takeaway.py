"""Everything that can be taken away of a workspace: what each file is called, what reads it, how it is made.

Enters: a `View`, that is a workspace and one way of looking at it. Leaves: the bytes of files, each made
when it is asked for, and a zip of all of them.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, TypeAlias

import networkx as nx

from cnrag_core.config.effective import effective_yaml
from cnrag_core.corpus.wording import count
from cnrag_core.errors import ConfigError
from cnrag_core.export.attributed_graph import attributed_graph
from cnrag_core.export.csv_table import csv_bytes
from cnrag_core.export.graph_formats import FORMATS
from cnrag_core.network import Network
from cnrag_core.types import Progress, silent
from cnrag_core.views.network_options import NetworkOptions
from cnrag_core.views.network_picture import draw
from cnrag_core.views.network_side import page_of
from cnrag_core.views.network_tables import all_communities, all_edges, node_table
from cnrag_core.workspace import Workspace

Group: TypeAlias = Literal["network", "tables", "workspace"]

BUNDLE = "cnrag-export.zip"


@dataclass(frozen=True, eq=False)
class View:
    """A workspace as somebody looks at it.

    Attributes
    ----------
    workspace
        As it was built or opened.
    network
        Its network at the threshold that is looked at.
    options
        How its picture is drawn.
    link
        The same view as links carry it; a saved workspace reopens with it.
    question
        What was asked last; its walk is the audit log.
    """

    workspace: Workspace
    network: Network
    options: NetworkOptions = field(default_factory=NetworkOptions)
    link: Mapping[str, str] = field(default_factory=dict)
    question: str = ""

    @cached_property
    def graph(self) -> nx.Graph[str]:
        """The network with all attributes, made once for all formats."""
        return attributed_graph(self.network)

    @property
    def counts(self) -> str:
        """What the files hold, in words."""
        graph = self.network.graph
        return f"{count(graph.n_nodes, 'document')} and {count(graph.n_edges, 'edge')}; rule: {graph.rule}"


@dataclass(frozen=True)
class Item:
    """One file: its name, its name for people, its type, what it is good for, and how it is made."""

    name: str
    label: str
    mime: str
    hint: str
    group: Group
    make: Callable[[View], bytes]


def _page(view: View) -> bytes:
    options = view.options if view.options.view != "map" else replace(view.options, view="documents")
    drawing = draw(view.network, options, view.workspace.corpus.kinds)
    links = view.network.links.counts if options.links else {}
    return page_of(drawing, options, links, title=view.workspace.name).encode("utf-8")


def _in(ending: str) -> Callable[[View], bytes]:
    write = FORMATS[ending][2]
    return lambda view: write(view.graph)


def _documents(view: View) -> bytes:
    return csv_bytes(node_table(view.network, range(view.network.graph.n_nodes)))


def _audit(view: View) -> bytes:
    if not view.question:
        raise ConfigError("An audit log is of a question: ask one first.")
    return view.network.traverse(view.question).to_jsonl().encode("utf-8", "replace")


HINTS = {
    "graphml": "For Gephi, yEd, Cytoscape, igraph and networkx: titles, communities, positions and fields included.",
    "gexf": "For Gephi and Gephi Lite, with positions and weights.",
    "json": "For D3 and for networkx.node_link_graph.",
    "vosviewer.json": "For VOSviewer Online, with clusters and positions.",
    "net": "For Pajek: ids, positions and weights only.",
}

ITEMS: tuple[Item, ...] = (
    Item(
        "network.html",
        "Web page",
        "text/html",
        "The picture as it is drawn here, with legend and list; opens offline and is safe to mail.",
        "network",
        _page,
    ),
    *(
        Item(f"network.{name}", FORMATS[name][0], FORMATS[name][1], HINTS[name], "network", _in(name))
        for name in FORMATS
    ),
    Item(
        "documents.csv",
        "Documents (CSV)",
        "text/csv",
        "One row a document with its community and measures; cells that a spreadsheet would run are quoted.",
        "tables",
        _documents,
    ),
    Item(
        "edges.csv",
        "Edges (CSV)",
        "text/csv",
        "One row a linked pair, strongest first.",
        "tables",
        lambda view: csv_bytes(all_edges(view.network)),
    ),
    Item(
        "communities.csv",
        "Communities (CSV)",
        "text/csv",
        "One row a community with its name, words and size.",
        "tables",
        lambda view: csv_bytes(all_communities(view.network)),
    ),
    Item(
        "config.yaml",
        "Configuration (YAML)",
        "application/yaml",
        "The effective configuration, every default filled in; cnrag build reads it.",
        "workspace",
        lambda view: effective_yaml(view.workspace.config).encode("utf-8"),
    ),
    Item(
        "audit.jsonl",
        "Audit log (JSONL)",
        "application/x-ndjson",
        "The walk for the question that was asked last: seeds, every step, the reason why it stopped.",
        "workspace",
        _audit,
    ),
    Item(
        "workspace.cnrag",
        "Workspace (.cnrag)",
        "application/zip",
        "Documents, configuration and network in one file that reopens with this view.",
        "workspace",
        lambda view: replace(view.workspace, view=dict(view.link)).to_bytes(),
    ),
)
"""In the order in which people are shown them."""


def items_of(view: View) -> tuple[Item, ...]:
    """What can be made of a view: without a question there is no audit log."""
    return tuple(item for item in ITEMS if view.question or item.name != "audit.jsonl")


def item_named(filename: str) -> Item | None:
    """The item that a file name asks for by its ending, or a table by its whole name; None where none does.

    Examples
    --------
    >>> item_named("my.vosviewer.json").name, item_named("edges.csv").name, item_named("my.csv")
    ('network.vosviewer.json', 'edges.csv', None)
    """
    tables = [item for item in ITEMS if filename.endswith(item.name) and item.group == "tables"]
    by_ending = [item for item in ITEMS if item.group != "tables" and filename.endswith(_ending(item))]
    return next(iter(tables), None) or max(by_ending, key=lambda item: len(_ending(item)), default=None)


def known_names() -> str:
    """The endings and names that can be asked for, for an error."""
    names = [item.name if item.group == "tables" else _ending(item) for item in ITEMS]
    return ", ".join([*names, ".zip"])


def bundle(view: View, *, progress: Progress = silent) -> bytes:
    """All files in one zip, with a text that says what each is for."""
    items = items_of(view)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", _readme(view, items))
        for done, item in enumerate(items):
            progress(f"Writing {item.name}", done / len(items))
            archive.writestr(item.name, item.make(view))
    progress("Writing", 1.0)
    return buffer.getvalue()


def _readme(view: View, items: tuple[Item, ...]) -> str:
    lines = [view.workspace.name, view.counts, ""]
    lines += [f"{item.name:24} {item.hint}" for item in items]
    lines += ["", "cnrag serve workspace.cnrag opens the dashboard with this view."]
    return "\n".join(lines) + "\n"


def _ending(item: Item) -> str:
    return "." + item.name.partition(".")[2]
