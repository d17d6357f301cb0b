"""What the live graph is sent: the picture once, and what changes with every click apart from it.

Enters: the data of the live component. Leaves: two messages. The first holds everything that is drawn, under a
stamp; a browser that has it is not sent it again. The second holds the selection and the like, and the stamp
of the picture that it belongs to. What is the same for most edges travels once: `unpacked` in
``graph_assets/message.js`` is the other half of this file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

OF_THE_PICTURE = ("nodes", "edges", "hulls", "legend", "list", "caption", "rings", "bundles")
SIMILARITY = "similarity "
"""How the tooltip of most edges begins; three decimals follow."""


class PictureMessage(NamedTuple):
    """The first message, made once for all the times that it is sent."""

    picture: Mapping[str, Any]
    rest: Mapping[str, Any]


def split_message(data: Mapping[str, Any] | PictureMessage, name: str, **changing: Any) -> PictureMessage:
    """The picture and the rest; `changing` comes to the rest, and costs nothing where a message is given.

    Parameters
    ----------
    data
        As `graph_picture.component_data` makes it, with the legend and the list where they are wanted; or what this
        function made of it before.
    name
        Of the graph: a page may have several.
    """
    if isinstance(data, PictureMessage):
        return PictureMessage(data.picture, {**data.rest, **changing})
    picture = {key: data[key] for key in OF_THE_PICTURE if key in data}
    picture["edges"] = packed(picture["edges"])
    text = json.dumps([name, picture], separators=(",", ":"))
    stamp = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    rest = {key: value for key, value in data.items() if key not in OF_THE_PICTURE}
    of_both = {"name": name, "stamp": stamp}
    return PictureMessage({**picture, **of_both}, {**rest, **of_both, **changing})


def packed(edges: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """Columns of edges in few bytes: numbers instead of text, and only what differs from the usual.

    Examples
    --------
    >>> packed({"id": ["0-1", "L4"], "from": ["0", "1"], "to": ["1", "2"], "width": [1.5, 2.0],
    ...         "title": ["similarity 0.512", "refers to"], "color": ["#888", "#f00"],
    ...         "dashes": [False, [4, 2]], "arrows": ["", "to"]})["title"]
    {'usual': [512, 0], 'at': [1], 'values': ['refers to']}
    """
    pairs = list(zip(edges["from"], edges["to"], strict=True))
    tips = [_thousandths(title) for title in edges["title"]]
    return {
        "from": [int(source) for source, _ in pairs],
        "to": [int(target) for _, target in pairs],
        "width": list(edges["width"]),
        "id": _unusual(edges["id"], [f"{source}-{target}" for source, target in pairs], None),
        "title": _unusual(edges["title"], [f"{SIMILARITY}{tip / 1000:.3f}" for tip in tips], tips),
        **{name: _mostly(edges[name]) for name in ("color", "dashes", "arrows")},
    }


def _unusual(values: Sequence[Any], usual: Sequence[Any], sent: Any) -> dict[str, Any]:
    at = [place for place, (value, expected) in enumerate(zip(values, usual, strict=True)) if value != expected]
    return {"usual": sent, "at": at, "values": [values[place] for place in at]}


def _mostly(values: Sequence[Any]) -> dict[str, Any]:
    first = values[0] if values else None
    return _unusual(values, [first] * len(values), first)


def _thousandths(title: str) -> int:
    try:
        return round(1000 * float(title.removeprefix(SIMILARITY)))
    except ValueError:
        return 0
