"""Typed links as they are drawn and described: one colour, one pattern of dashes and one name a kind.

Enters: `TypedLinks`. Leaves: lines of a picture, and sentences about single links.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cnrag_core.graph.links import DIRECTED, KINDS, TypedLink, TypedLinks
from cnrag_core.views.graph_picture import LinkLine

MOST_LINKS = 2000
"""Links drawn at most, strongest first."""


@dataclass(frozen=True)
class LinkStyle:
    """How links of one kind look: their name, what they say of two documents, colour and dashes."""

    name: str
    meaning: str
    color: str
    dashes: tuple[int, ...]
    arrow: bool


STYLES: dict[str, LinkStyle] = {
    "mention": LinkStyle("mention", "the title of one stands in the text of the other", "#c2185b", (), True),
    "shared_concepts": LinkStyle("shared concepts", "rare words in common", "#00796b", (3, 6), False),
    "reference": LinkStyle("reference", "a field of one names the other", "#5e35b1", (14, 6), True),
    "adjacent": LinkStyle("adjacent", "neighbours in a conversation or a document", "#9a6700", (14, 5, 3, 5), False),
}
"""By kind, in the order of `KINDS`. Colours are darker than those of the communities."""


def link_lines(links: TypedLinks, kinds: Sequence[str], shown: NDArray[np.bool_]) -> list[LinkLine]:
    """Lines for the links of these kinds between shown documents, the strongest first.

    Parameters
    ----------
    shown
        (n,) whether each document is drawn.
    """
    wanted = np.isin(links.kind, [KINDS.index(kind) for kind in kinds])
    at = np.flatnonzero(wanted & shown[links.source] & shown[links.target])
    at = at[np.argsort(-links.weight[at], kind="stable")][:MOST_LINKS]
    lines = []
    for number in at.tolist():
        kind = KINDS[int(links.kind[number])]
        style = STYLES[kind]
        tip = f"{style.name}: {', '.join(links.evidence(number))}"
        lines.append(
            LinkLine(
                f"L{number}",
                int(links.source[number]),
                int(links.target[number]),
                style.color,
                tip,
                style.dashes,
                kind in DIRECTED,
            )
        )
    return lines


def link_number(edge_id: str) -> int | None:
    """The number of the typed link behind an id in a picture; None for an edge of similarity.

    Examples
    --------
    >>> link_number("L12"), link_number("3-7")
    (12, None)
    """
    return int(edge_id[1:]) if edge_id.startswith("L") and edge_id[1:].isdecimal() else None


def links_of(links: TypedLinks, node: int) -> list[TypedLink]:
    """The links from and to a document, the strongest of each kind first."""
    found = [links[number] for number in links.around(node)]
    return sorted(found, key=lambda link: (KINDS.index(link.kind), -link.weight, link.source, link.target))


def links_between(links: TypedLinks, a: int, b: int) -> list[TypedLink]:
    """The links between two documents, in either direction."""
    ends = {links.node_ids[a], links.node_ids[b]}
    return [link for link in links_of(links, a) if {link.source, link.target} == ends]


def evidence_words(link: TypedLink, node_id: str) -> str:
    """What a link says, seen from one of its ends.

    Examples
    --------
    >>> link = TypedLink("a", "b", "mention", 1.0, True, ("The Iliad",))
    >>> evidence_words(link, "a"), evidence_words(link, "b")
    ('mentions it: The Iliad', 'is mentioned by it: The Iliad')
    """
    words = ", ".join(link.evidence)
    if link.kind == "mention":
        return f"{'mentions it' if node_id == link.source else 'is mentioned by it'}: {words}"
    if link.kind == "reference":
        return f"{'refers to it' if node_id == link.source else 'is referred to by it'}: {words}"
    if link.kind == "adjacent":
        return f"next to it in {words}"
    return f"rare words in common: {words}"
