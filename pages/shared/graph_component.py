"""The live graph as a Streamlit component: mounted once, fed differences, a click reaches Python.

vis-network comes from the pyvis package, and travels in a component of its own whose message never
changes, so that moving the threshold sends the graph and not half a megabyte of library.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

HERE = Path(__file__).parent

# The library is written for three module systems; hiding them makes it define the global `vis`.
LOADER = (
    "(() => { const exports = undefined, module = undefined, define = undefined;\n%s\n})();\nexport default () => {};"
)

BODY = """<div class="box"><div class="panes">
<div class="side">
  <section class="legend" aria-label="Legend" hidden></section>
  <section class="list" aria-label="Documents shown" hidden>
    <div class="head"><span class="title"></span><span class="by"></span></div>
    <input type="search" aria-label="Filter the list">
    <div class="rows" role="listbox" aria-label="Documents shown"></div>
    <div class="none" hidden>No title here has these words.</div>
  </section>
</div>
<div class="stage">
  <div class="tools">
    <button type="button" class="side-toggle" title="Show or hide legend and list">List</button>
    <button type="button" class="out" title="Zoom out" aria-label="Zoom out">−</button>
    <button type="button" class="in" title="Zoom in" aria-label="Zoom in">+</button>
    <button type="button" class="fit" title="Show the whole graph">Fit</button>
    <button type="button" class="png" title="Save the picture, with its legend">PNG</button>
    <button type="button" class="full" title="Full screen">Full screen</button>
    <button type="button" class="keys" title="What mouse and keys do" aria-label="Help">?</button>
  </div>
  <div class="help" hidden>
    <div><b>Click</b> a document or an edge for its details</div>
    <div><b>Ctrl-click</b> a second document to compare the two</div>
    <div><b>Double click</b>, or <b>e</b>, for what is around it</div>
    <div><b>Drag</b> to move, <b>wheel</b> or <b>+ −</b> to zoom, <b>f</b> to fit</div>
    <div><b>n</b> and <b>p</b> for the next and the previous in the list</div>
    <div><b>Escape</b> to select nothing</div>
  </div>
  <div class="graph" role="application" tabindex="0"></div>
</div></div></div>"""

SCRIPTS = ("graph_drawing.js", "graph_side.js", "graph_component.js")
"""Joined into one module, in this order."""


@cache
def _library() -> Callable[..., Any]:
    import pyvis

    source = Path(pyvis.__file__).parent / "templates" / "lib" / "vis-9.1.2" / "vis-network.min.js"
    return st.components.v2.component("cnrag_vis_library", js=LOADER % source.read_text("utf-8"))


@cache
def _graph() -> Callable[..., Any]:
    return st.components.v2.component(
        "cnrag_graph",
        html=BODY,
        css=(HERE / "graph_component.css").read_text("utf-8"),
        js="\n".join((HERE / name).read_text("utf-8") for name in SCRIPTS),
    )


def graph_view(
    data: Mapping[str, Any],
    *,
    key: str,
    height: int | str = 640,
    on_select: Callable[[], None] | None = None,
    on_expand: Callable[[], None] | None = None,
    on_legend: Callable[[], None] | None = None,
) -> Any:
    """Draw a graph and return what the person did: `.selected` stays, `.expand` and `.legend` hold for one run.

    Parameters
    ----------
    data
        As `cnrag_core.views.graph_picture.component_data` makes it, with the legend and the list of
        `cnrag_core.views.network_side.side_data` where they are wanted.
    key
        Name of the element; the same key keeps zoom, selection and dragged positions.
    height
        Of the canvas: pixels, or a length as style sheets write it.
    on_select, on_expand, on_legend
        Called before the script runs again; ``st.session_state[key]`` then holds what was done.
    """
    _library()(key="cnrag_vis_library", height=1)
    return _graph()(
        key=key,
        data={**data, "height": height if isinstance(height, str) else f"{height}px"},
        default={"selected": {"nodes": [], "edges": []}},
        on_selected_change=on_select or _nothing,
        on_expand_change=on_expand or _nothing,
        on_legend_change=on_legend or _nothing,
    )


def _nothing() -> None:
    """Whoever mounts the graph reads what was done from the returned value."""
