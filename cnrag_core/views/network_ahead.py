"""What every visitor of a network needs, whatever they look at: kept with the network, worked out before they come.

Enters: a network and the kinds of its fields. Leaves: choices of colours, fields with a range, titles to choose from,
documents to begin with, and the drawing that people see first, as it is sent to the browser, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from cnrag_core.config.spec import FieldKind
from cnrag_core.views.kept_with import kept_with
from cnrag_core.views.live_message import PictureMessage
from cnrag_core.views.network_colors import color_choices
from cnrag_core.views.network_document import document_facts
from cnrag_core.views.network_first import first_look
from cnrag_core.views.network_measures import betweenness_at_hand
from cnrag_core.views.network_message import picture_message
from cnrag_core.views.network_overview import closest_communities
from cnrag_core.views.network_picture import Drawing, draw
from cnrag_core.views.network_ranges import RangeField, fields_with_range
from cnrag_core.views.network_start import StartingPoints, pairs_across, starting_points
from cnrag_core.views.title_search import best_connected, told_apart

if TYPE_CHECKING:
    from cnrag_core.network import Network


class OfferedTitles(NamedTuple):
    """Ids in the order in which a box offers them, their titles, and the place of each id."""

    ids: list[str]
    titles: list[str]
    place: dict[str, int]


def work_out_ahead(network: Network, kinds: Mapping[str, FieldKind]) -> None:
    """Everything below, for a network as built."""
    colors_to_choose(network, kinds)
    ranges_to_choose(network, kinds)
    titles_to_choose(network)
    first_message(network, kinds)
    where_to_begin(network)
    pairs_to_begin_with(network)
    if network.most_connected is not None:
        document_facts(network, network.most_connected)  # whose parts the network keeps for the first click


def colors_to_choose(network: Network, kinds: Mapping[str, FieldKind]) -> dict[str, str]:
    """What can be coloured by: key and name."""
    return kept_with(network, ("colors", *kinds.items()), lambda: color_choices(network, kinds))


def ranges_to_choose(network: Network, kinds: Mapping[str, FieldKind]) -> dict[str, RangeField]:
    """Fields of which a range can be chosen, by name."""
    return kept_with(network, ("ranges", *kinds.items()), lambda: fields_with_range(network.documents, kinds))


def titles_to_choose(network: Network) -> OfferedTitles:
    """All documents, the best connected of the network as built first: another order at every threshold would have
    to be sent to the browser each time.
    """
    origin = network.base or network

    def make() -> OfferedTitles:
        titles, order = told_apart(origin.titles, origin.node_ids), best_connected(origin.graph)
        ids = [origin.node_ids[node] for node in order]
        return OfferedTitles(ids, [titles[node] for node in order], {id_: place for place, id_ in enumerate(ids)})

    return kept_with(origin, "titles", make)


def where_to_begin(network: Network) -> StartingPoints:
    """Hubs, and bridges where they are known."""
    return kept_with(network, ("start", betweenness_at_hand(network)), lambda: starting_points(network))


def pairs_to_begin_with(network: Network) -> list[tuple[str, str, float]]:
    """The most similar documents of different communities."""
    return kept_with(network, "pairs across", lambda: pairs_across(network))


def closest_to_begin_with(network: Network) -> list[tuple[str, str, int]]:
    """The communities with most links between them."""
    return kept_with(network, "closest communities", lambda: closest_communities(network))


def first_drawing(network: Network, kinds: Mapping[str, FieldKind]) -> Drawing:
    """The drawing that whoever asked for nothing sees."""
    return kept_with(network, ("drawing", *kinds.items()), lambda: draw(network, first_look(network), kinds))


def first_message(network: Network, kinds: Mapping[str, FieldKind]) -> PictureMessage:
    """The same as it is sent to the browser of whoever comes."""

    def make() -> PictureMessage:
        return picture_message(network, first_look(network), first_drawing(network, kinds))

    return kept_with(network, ("message", *kinds.items()), make)
