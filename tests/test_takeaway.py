"""Whatever is taken away is read back by the tools that people read it with, small or hostile as it may be."""

from __future__ import annotations

import io
import json
import re
import zipfile

import igraph
import networkx as nx
import pandas as pd
import pytest
from typer.testing import CliRunner

from cnrag_core.cli import app
from cnrag_core.config.loader import load_config
from cnrag_core.corpus.document import Corpus, Document
from cnrag_core.errors import ConfigError
from cnrag_core.network import build_network
from cnrag_core.takeaway import ITEMS, View, bundle, item_named, items_of
from cnrag_core.views.network_options import NetworkOptions
from cnrag_core.workspace import Workspace

HOSTILE = [
    "</script><script>alert(1)</script>",
    '=HYPERLINK("http://attacker","click")',
    "-- \x01\x07 \ufffe ]]> &amp; \u2028",
    "漢字 und Grüße — עברית 🜁",
    "line one\r\n=2+2\nline three",
    "<b>href</b> \"quoted\" 'twice'",
    " ",
]
CONFIG = load_config(
    "similarity: {components: [{type: attribute_similarity, field: tags, metric: jaccard, weight: 1}]}"
)
CONFIG = CONFIG.model_copy(update={"edges": CONFIG.edges.model_copy(update={"min_similarity": 0.5})})


def view_of(texts: list[str], tags: list[list[str]], **more: object) -> View:
    documents = tuple(
        Document(f"{number:02d} {text}", {"title": text, "tags": own, "year": number})
        for number, (text, own) in enumerate(zip(texts, tags, strict=True))
    )
    corpus = Corpus(documents, {"title": "text", "tags": "list", "year": "number"}, "made")
    workspace = Workspace("Grüße </title>", corpus, CONFIG, build_network(corpus, CONFIG))
    return View(workspace, workspace.network, **more)


VIEWS = {
    "one": view_of(["alone"], [["x"]]),
    "two apart": view_of(["first", "second"], [["x"], ["y"]]),
    "two linked": view_of(["first", "second"], [["x"], ["x"]]),
    "hostile": view_of(HOSTILE, [["x"], ["x"], ["x"], ["y"], ["y"], ["z"], []]),
}
ALL = pytest.mark.parametrize("name", VIEWS)


def made(view: View, name: str) -> bytes:
    return next(item for item in ITEMS if item.name == name).make(view)


@ALL
def test_networkx_reads_the_graphs_with_every_node_edge_and_weight(name):
    view = VIEWS[name]
    n_nodes, weights = view.network.graph.n_nodes, sorted(view.network.graph.weight.tolist())
    for read in (
        nx.read_graphml(io.BytesIO(made(view, "network.graphml"))),
        nx.read_gexf(io.BytesIO(made(view, "network.gexf"))),
        nx.node_link_graph(json.loads(made(view, "network.json")), edges="edges"),
        nx.Graph(nx.parse_pajek(made(view, "network.net").decode().splitlines())),
    ):
        assert read.number_of_nodes() == n_nodes
        assert sorted(data["weight"] for _, _, data in read.edges(data=True)) == pytest.approx(weights)


@ALL
def test_igraph_reads_graphml_and_pajek(name, tmp_path):
    view = VIEWS[name]
    for ending, read in (("graphml", igraph.Graph.Read_GraphML), ("net", igraph.Graph.Read_Pajek)):
        path = tmp_path / f"network.{ending}"
        path.write_bytes(made(view, path.name))
        graph = read(str(path))
        assert (graph.vcount(), graph.ecount()) == (view.network.graph.n_nodes, view.network.graph.n_edges)


@ALL
def test_pandas_reads_the_tables_and_no_cell_is_a_formula(name):
    view = VIEWS[name]
    sizes = {"documents.csv": view.network.graph.n_nodes, "edges.csv": view.network.graph.n_edges}
    for item in ITEMS:
        if item.group != "tables":
            continue
        table = pd.read_csv(io.BytesIO(item.make(view)), encoding="utf-8-sig", dtype=str, keep_default_na=False)
        assert len(table) == sizes.get(item.name, len(table))
        cells = [*table.columns, *table.to_numpy().ravel()]
        starts = [cell for cell in cells if cell[:1] in ("=", "+", "@", "\t", "\r")]
        assert not starts
        assert all(re.fullmatch(r"-[\d.e-]+", cell) for cell in cells if cell.startswith("-"))


@ALL
def test_vosviewer_items_are_numbered_from_one_and_links_join_them(name):
    network = json.loads(made(VIEWS[name], "network.vosviewer.json"))["network"]
    ids = [item["id"] for item in network["items"]]
    assert ids == list(range(1, len(ids) + 1))
    assert all({link["source_id"], link["target_id"]} <= set(ids) for link in network["links"])


@ALL
def test_the_page_has_title_legend_list_and_counts_and_no_text_of_a_document_in_its_markup(name):
    view = VIEWS[name]
    html = made(view, "network.html").decode()
    assert "<title>Grüße &lt;/title&gt;</title>" in html
    data = json.loads(re.search(r'<script type="application/json" id="picture">(.*?)</script>', html, re.DOTALL)[1])
    assert data["legend"]["title"] == "Colour: community"
    assert f"of {view.network.graph.n_nodes:,} documents" in data["caption"]
    assert data["caption"] in html.replace("&#x27;", "'")
    assert "alert(1)</script>" not in html
    assert "http://attacker" not in html.replace(json.dumps(data)[1:-1], "") or "attacker" in json.dumps(data)
    assert "default-src 'none'" in html


def test_the_page_is_the_picture_that_is_looked_at():
    view = VIEWS["hostile"]
    other = View(view.workspace, view.network, NetworkOptions(color_by="field:year", isolated=True))
    html = made(other, "network.html").decode()
    assert "Colour: year" in html
    assert "7 of 7 documents" in html
    assert "5 of 7 documents" in made(view, "network.html").decode()


@ALL
def test_the_configuration_reads_back_as_the_same(name):
    assert load_config(made(VIEWS[name], "config.yaml").decode()).digest == CONFIG.digest


@ALL
def test_the_bundle_holds_every_file_and_its_workspace_reopens(name):
    view = VIEWS[name]
    with zipfile.ZipFile(io.BytesIO(bundle(view))) as archive:
        assert archive.testzip() is None
        assert set(archive.namelist()) == {"README.txt", *(item.name for item in items_of(view))}
        assert "audit.jsonl" not in archive.namelist()
        opened = Workspace.open(archive.read("workspace.cnrag"))
    assert opened.network.graph.n_edges == view.network.graph.n_edges


def test_a_saved_workspace_remembers_how_it_was_looked_at():
    workspace = Workspace.of_sample("larkspur")
    view = View(workspace, workspace.at(0.2).network, link={"t": "0.200", "view": "map"})
    assert Workspace.open(made(view, "workspace.cnrag")).view == {"t": "0.200", "view": "map"}
    assert Workspace.open(workspace.at(0.2).to_bytes()).view == {"t": "0.200"}
    assert Workspace.open(workspace.to_bytes()).view == {}


def test_the_audit_log_is_the_walk_of_the_question():
    workspace = Workspace.of_sample("larkspur")
    view = View(workspace, workspace.network, question="how are snapshots restored")
    records = [json.loads(line) for line in made(view, "audit.jsonl").splitlines()]
    assert records[0]["record"] == "seed"
    assert records[-1]["record"] == "summary"
    with pytest.raises(ConfigError, match="ask one first"):
        made(View(workspace, workspace.network), "audit.jsonl")


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("a.graphml", "network.graphml"),
        ("a.vosviewer.json", "network.vosviewer.json"),
        ("my-documents.csv", "documents.csv"),
        ("walk.jsonl", "audit.jsonl"),
        ("a.csv", None),
        ("a.png", None),
        ("a", None),
    ],
)
def test_a_file_name_says_what_is_wanted(name, wanted):
    item = item_named(name)
    assert (item.name if item else None) == wanted


def test_the_command_writes_page_tables_and_bundle(tmp_path):
    run = CliRunner().invoke
    for name in ("page.html", "edges.csv", "all.zip"):
        result = run(app, ["export", "larkspur", str(tmp_path / name), "-t", "0.2"])
        assert result.exit_code == 0, result.output
        assert "77 documents and" in result.output
    html = (tmp_path / "page.html").read_text("utf-8")
    assert "Larkspur Cloud documentation" in html
    assert '"legend"' in html
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        assert Workspace.open(archive.read("workspace.cnrag")).view == {"t": "0.200"}


def test_the_command_refuses_a_name_that_says_nothing_and_writes_nothing(tmp_path):
    result = CliRunner().invoke(app, ["export", "larkspur", str(tmp_path / "a.png")])
    assert isinstance(result.exception, ConfigError)
    assert "PNG" in str(result.exception)
    assert not list(tmp_path.iterdir())
