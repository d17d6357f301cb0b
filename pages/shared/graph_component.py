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

BODY = """<div class="box">
<div class="tools"><button class="fit" title="Show the whole graph">Fit</button>
<button class="png" title="Save the picture">PNG</button>
<button class="full" title="Full screen">Full screen</button></div>
<div class="graph" role="application" tabindex="0"></div></div>"""

TOOLBAR = 12
"""Pixels around the canvas, so that its border is not cut."""


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
        js=(HERE / "graph_component.js").read_text("utf-8"),
    )


def graph_view(data: Mapping[str, Any], *, key: str, height: int = 640) -> Any:
    """Draw a graph and return what the person did: `.selected` stays, `.expand` holds for one run.

    Parameters
    ----------
    data
        As `cnrag_core.views.graph_picture.component_data` makes it.
    key
        Name of the element; the same key keeps zoom, selection and dragged positions.
    height
        Of the canvas, in pixels.
    """
    _library()(key="cnrag_vis_library", height=1)
    return _graph()(
        key=key,
        data={**data, "height": height},
        height=height + TOOLBAR,
        default={"selected": {"nodes": [], "edges": []}},
        on_selected_change=lambda: None,
        on_expand_change=lambda: None,
    )
