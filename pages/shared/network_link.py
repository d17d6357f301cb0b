"""The view of the network in its link: written as the visitor looks around, read when somebody follows it.

Nothing of a corpus but ids of documents is ever in a link, and whatever a link says that could not be
meant here is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import streamlit as st

from cnrag_core.retrieval.search import STRATEGIES
from cnrag_core.views.graph_picture import DEFAULT_NODES
from cnrag_core.views.network_colors import COMMUNITY
from cnrag_core.views.network_first import first_view
from cnrag_core.views.network_links import STYLES
from cnrag_core.views.network_measures import CONSTANT, MEASURES
from cnrag_core.views.network_options import MOST_HOPS
from cnrag_core.views.network_ranges import span_of_text, span_text
from cnrag_core.workspace import Workspace
from pages.shared.network_ranges import range_fields
from pages.shared.session import OWN, given_view, link_of, selected_document, set_in_link

VIEWS = {
    "documents": "All",
    "around": "Around",
    "path": "Path",
    "communities": "Communities",
    "map": "Map",
}
SIZES = [*MEASURES, CONSTANT]
PATHS = ["fewest hops", "strongest"]
DEFAULTS: Mapping[str, object] = {
    "net_view": "documents",
    "net_color": COMMUNITY,
    "net_size": "degree",
    "net_isolated": False,
    "net_hulls": True,
    "net_shapes": True,
    "net_rings": True,
    "net_links": [],
    "net_budget": DEFAULT_NODES,
    "net_hops": 1,
    "net_from": None,
    "net_to": None,
    "net_path": PATHS[0],
    "net_span_field": None,
    "net_span": None,
}
"""First values of the widgets, by key; the view is another where communities say more."""

WORDS = {"net_view": "view", "net_color": "color", "net_size": "size", "net_hops": "hops", "net_path": "path"}
"""Names in the link of what stands there as it is."""

FLAGS = {"net_isolated": "isolated", "net_hulls": "hulls", "net_rings": "rings"}
"""Names in the link of what is on or off."""

ENTRY = re.compile(r"[a-z]{1,9}\d{0,6}")
"""What the key of a legend entry looks like."""

MOST_MARKED = 100
"""Results that stand out, at most."""


def read_link(workspace: Workspace, colors: Mapping[str, str]) -> dict[str, object]:
    """What the link asks for, by key of the session."""
    given = given_view()
    known = workspace.network.graph.index_of
    found: dict[str, object] = {}
    choices = {"net_view": VIEWS, "net_color": colors, "net_size": SIZES, "net_path": PATHS}
    for key, values in choices.items():
        if given.get(WORDS[key]) in values:
            found[key] = given[WORDS[key]]
    if given.get("hops") in {str(hops) for hops in range(1, MOST_HOPS + 1)}:
        found["net_hops"] = int(given["hops"])
    for key, name in FLAGS.items():
        if given.get(name) in ("0", "1"):
            found[key] = given[name] == "1"
    found["net_links"] = [kind for kind in STYLES if kind in given.get("links", "").split(",")]
    only = tuple(entry for entry in given.get("only", "").split(",") if ENTRY.fullmatch(entry))
    if only:
        found["net_only"] = only
    span = span_of_text(given.get("range", ""), list(range_fields(workspace)))
    if span is not None:
        found["net_span_field"], found["net_span"] = span[0], span[1:]
    pair = given.get("pair"), given.get("with")
    if pair[0] in known and pair[1] in known and pair[0] != pair[1]:
        found["net_pair"] = pair
    document = selected_document(workspace)
    if document is not None:
        found["net_from"] = document
    for key, name in (("net_from", "from"), ("net_to", "to")):
        if given.get(name) in known:
            found[key] = given[name]
    return found


def opening_view(workspace: Workspace, found: Mapping[str, object]) -> str:
    """The view of whoever follows a link that names none: documents where it is about some, else what comes first.

    Parameters
    ----------
    found
        What the link, or the visitor, says otherwise.
    """
    state = st.session_state
    about = state.get("net_only"), state.get("net_pair"), found.get("net_span_field"), mark_of_link()
    if any(about) or selected_document(workspace) is not None:
        return "documents"
    return first_view(workspace.network)


def write_view(workspace: Workspace) -> None:
    """Bring the link up to date with what is looked at."""
    for name, value in view_in_link(workspace).items():
        set_in_link(name, value)


def view_in_link(workspace: Workspace) -> dict[str, str | None]:
    """What the link carries of the view; None for what is as it is at first."""
    state = st.session_state
    chosen = state.get("network_view", {})
    at_first = {**DEFAULTS, "net_view": opening_view(workspace, chosen) if chosen else DEFAULTS["net_view"]}
    kept = {**at_first, **chosen}
    changed = {key for key in at_first if kept[key] != at_first[key]}
    link = {name: str(kept[key]) if key in changed else None for key, name in WORDS.items()}
    link |= {name: str(int(kept[key])) if key in changed else None for key, name in FLAGS.items()}
    first, second = state.get("net_pair") or (None, None)
    span = kept["net_span"] if kept["net_span_field"] else None
    return link | {
        "links": ",".join(kept["net_links"]) or None,
        "only": ",".join(state.get("net_only", ())) or None,
        "from": kept["net_from"] if kept["net_view"] == "path" else None,
        "to": kept["net_to"] if kept["net_view"] == "path" else None,
        "range": span_text((kept["net_span_field"], *span)) if span else None,
        "pair": first,
        "with": second,
        "mark": mark_text(state.get("marked")),
    }


def saved_view(workspace: Workspace) -> dict[str, str]:
    """The view as a saved workspace holds it: what the link says, but for whose it is."""
    link = {**link_of(workspace), **view_in_link(workspace)}
    return {name: value for name, value in link.items() if value and name not in ("sample", OWN)}


def mark_text(mark: tuple[str, int] | None) -> str | None:
    """Strategy and number of the results that stand out, as a link carries them."""
    return None if mark is None else f"{mark[0]}:{mark[1]}"


def mark_of_link() -> tuple[str, int] | None:
    """Whose results shall stand out, and how many of them; what the visitor chose goes before the link."""
    state = st.session_state
    if "marked" not in state:
        name, _, number = given_view().get("mark", "").partition(":")
        meant = name in STRATEGIES and number.isascii() and number.isdigit() and 0 < int(number) <= MOST_MARKED
        state["marked"] = (name, int(number)) if meant else None
    return state["marked"]
