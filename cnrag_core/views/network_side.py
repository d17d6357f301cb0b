"""What stands beside the live graph: the legend that filters, and the list of what is drawn.

Enters: a drawing and the options it was made with. Leaves: plain values for the component.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cnrag_core.views.graph_picture import EDGE
from cnrag_core.views.network_links import STYLES
from cnrag_core.views.network_measures import CONSTANT, MEASURES
from cnrag_core.views.network_options import NetworkOptions
from cnrag_core.views.network_picture import Drawing
from cnrag_core.views.standalone_page import standalone_html


def side_data(drawing: Drawing, options: NetworkOptions, link_counts: Mapping[str, int]) -> dict[str, Any]:
    """Legend, list and caption of a drawing.

    Parameters
    ----------
    link_counts
        Number of typed links of each kind in the whole corpus.
    """
    return {
        "legend": {
            "title": f"Colour: {drawing.coloring.title}",
            "entries": [
                {
                    "key": entry.key,
                    "label": entry.label,
                    "n": entry.n,
                    "color": entry.color,
                    "shape": entry.shape if options.shapes else "dot",
                    "on": entry.key in options.only or (entry.key == "isolated" and options.isolated),
                }
                for entry in drawing.legend
            ],
            "lines": [_similarity_line(options), *_link_lines(options, link_counts)],
            "note": f"Size: {size_words(options)}",
        },
        "list": {
            "order": [str(node) for node in drawing.order],
            "values": list(drawing.values),
            "title": drawing.list_title,
        },
        "caption": drawing.counts,
        "rings": options.view == "around" and options.rings,
        "bundles": options.view == "communities",
    }


def page_of(drawing: Drawing, options: NetworkOptions, link_counts: Mapping[str, int], *, title: str) -> str:
    """The drawing with its legend and list as one HTML file that opens offline."""
    return standalone_html(drawing.picture, side=side_data(drawing, options, link_counts), title=title)


def size_words(options: NetworkOptions) -> str:
    """What the size of a node stands for."""
    if options.view == "communities":
        return "documents"
    return "the same for all" if options.size_by == CONSTANT else MEASURES[options.size_by].name


def toggled(only: tuple[str, ...], key: str) -> tuple[str, ...]:
    """The entries that are kept after one was clicked; the empty key keeps all.

    Examples
    --------
    >>> toggled(("c1",), "c2"), toggled(("c1", "c2"), "c1"), toggled(("c1",), "")
    (('c1', 'c2'), ('c2',), ())
    """
    if not key:
        return ()
    return tuple(entry for entry in only if entry != key) if key in only else (*only, key)


def _similarity_line(options: NetworkOptions) -> dict[str, Any]:
    label = "links between them, bundled" if options.view == "communities" else "similarity: wider is stronger"
    return {"label": label, "color": EDGE, "dashes": [], "arrow": False}


def _link_lines(options: NetworkOptions, counts: Mapping[str, int]) -> list[dict[str, Any]]:
    if options.view == "communities":
        return []
    return [
        {
            "label": f"{STYLES[kind].name} ({counts[kind]:,})",
            "color": STYLES[kind].color,
            "dashes": list(STYLES[kind].dashes),
            "arrow": STYLES[kind].arrow,
        }
        for kind in STYLES
        if kind in options.links and counts.get(kind)
    ]
