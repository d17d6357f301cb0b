"""The parts of the live graph: the page's component and a page of its own are made of the same.

Leaves: the library that draws, and our elements, style sheet and script. The script is one module whose
default export is the function `render`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

ASSETS = Path(__file__).with_name("graph_assets")
SCRIPTS = ("message.js", "edges.js", "drawing.js", "side.js", "places.js", "minimap.js", "component.js")
"""Joined into one module, in this order."""


@cache
def library() -> str:
    """vis-network, from the pyvis package; it defines the global `vis`."""
    import pyvis

    folder = Path(pyvis.__file__).parent / "templates" / "lib" / "vis-9.1.2"
    return (folder / "vis-network.min.js").read_text("utf-8")


@cache
def asset(name: str) -> str:
    """One file of ours."""
    return (ASSETS / name).read_text("utf-8")


def body() -> str:
    """The elements that the script fills."""
    return asset("body.html")


def style() -> str:
    """How they look; colours and fonts are the variables that Streamlit sets."""
    return asset("style.css")


@cache
def script() -> str:
    """What draws, filters and answers clicks."""
    return "\n".join(asset(name) for name in SCRIPTS)
