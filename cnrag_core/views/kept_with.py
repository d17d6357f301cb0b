"""What views work out of a network once: kept for as long as the network lives, for everybody who looks at it.

Enters: a network, a name, and how the value is made. Leaves: the value. A value must not hold on to its
network, or neither would ever be let go.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from cnrag_core.network import Network

T = TypeVar("T")

MOST_KEPT = 64
"""Values of one network; the oldest are let go."""

_kept: weakref.WeakKeyDictionary[Network, dict[Hashable, Any]] = weakref.WeakKeyDictionary()
_lock = threading.Lock()


def kept_with(network: Network, key: Hashable, make: Callable[[], T]) -> T:
    """What was made of this network under this key before, or made now; two who ask at once may both make it.

    Parameters
    ----------
    network
        A view at another threshold is a network of its own: pass its base for what the threshold does not change.
    """
    with _lock:
        values = _kept.setdefault(network, {})
        if key in values:
            return values[key]  # type: ignore[no-any-return]
    made = make()
    with _lock:
        values[key] = made
        while len(values) > MOST_KEPT:
            values.pop(next(iter(values)))
    return made
