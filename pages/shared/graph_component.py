"""The live graph as a Streamlit component: mounted once, fed differences, a click reaches Python.

vis-network comes from the pyvis package, and travels in a component of its own whose message never
changes, so that moving the threshold sends the graph and not half a megabyte of library.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import streamlit as st

from cnrag_core.views import live_graph
from cnrag_core.views.live_message import PictureMessage, split_message

# The library is written for three module systems; hiding them makes it define the global `vis`.
LOADER = (
    "(() => { const exports = undefined, module = undefined, define = undefined;\n%s\n})();\nexport default () => {};"
)


@cache
def _library() -> Callable[..., Any]:
    return st.components.v2.component("cnrag_vis_library", js=LOADER % live_graph.library())


@cache
def _picture() -> Callable[..., Any]:
    """Takes the picture to the browser, in a message that a click does not change."""
    return st.components.v2.component("cnrag_picture", js=PICTURE)


@cache
def _graph() -> Callable[..., Any]:
    return st.components.v2.component(
        "cnrag_graph",
        html=live_graph.body(),
        css=live_graph.style(),
        js=live_graph.script(),
    )


# Of several lines: Streamlit takes one line for the name of a file.
PICTURE = """
export default ({ data }) => {
  (globalThis.cnragPictures ??= {})[data.name] = { ...data };
};
"""


def graph_view(
    data: Mapping[str, Any] | PictureMessage,
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
        `cnrag_core.views.network_side.side_data` where they are wanted; or the message that
        `cnrag_core.views.live_message.split_message` makes of it, which can be kept.
    key
        Name of the element; the same key keeps zoom, selection and dragged positions.
    height
        Of the canvas: pixels, or a length as style sheets write it.
    on_select, on_expand, on_legend
        Called before the script runs again; ``st.session_state[key]`` then holds what was done.
    """
    _library()(key="cnrag_vis_library", height=1)
    message = split_message(data, key, height=height if isinstance(height, str) else f"{height}px")
    _picture()(key=f"cnrag_picture_{key}", data=message.picture, height=1)
    return _graph()(
        key=key,
        data=message.rest,
        default={"selected": {"nodes": [], "edges": []}},
        on_selected_change=on_select or _nothing,
        on_expand_change=on_expand or _nothing,
        on_legend_change=on_legend or _nothing,
    )


def _nothing() -> None:
    """Whoever mounts the graph reads what was done from the returned value."""
