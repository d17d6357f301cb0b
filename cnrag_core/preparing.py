"""Parts of a network that take a while: found in the background, once for everybody who looks at it.

Enters: a network and the name of a part. Leaves: a `Job` that finds it; when it is done, the network has the
part at hand. A page asks `at_hand` first, so that nobody's click waits for what takes longer than a moment.
What could not be found is looked for again when somebody asks for it again, at once or a while later.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cnrag_core.jobs import Job
from cnrag_core.network import Network
from cnrag_core.types import Progress

MANY_DOCUMENTS = 2_000
"""From here on parts are found before anybody asks for them."""

HEAD_START = 1.5
"""Seconds in which the page that opens a network has the processor to itself."""

RETRY_AFTER = 300.0
"""Seconds after which a part that could not be found is looked for again by whoever needs it: what was in the way,
as a lack of memory, may have passed, and what has not keeps no processor busy."""


@dataclass(frozen=True)
class Part:
    """What finding a part is called, whether it is the same at every threshold, how it is found, and who keeps it."""

    words: str
    of_corpus: bool
    find: Callable[[Network, Progress], object]
    kept_by: Callable[[Network], object] = lambda network: network


def _property(name: str) -> Callable[[Network, Progress], object]:
    return lambda network, _: getattr(network, name)


def _betweenness(network: Network, progress: Progress) -> object:
    from cnrag_core.topology.centrality import betweenness

    if "betweenness" not in vars(network):
        found = betweenness(network.graph, random_state=network.config.random_state, progress=progress)
        vars(network)["betweenness"] = found  # where the property keeps it
    return network.betweenness


def _index(network: Network, progress: Progress) -> object:
    scorer = network.scorer
    if at_hand(network, "links") and (names := network.links.name_index) is not None:
        scorer.adopt_names(names)
    _ = scorer.names  # first, so that whoever sees the index finds the names as well
    return scorer.index


def _walker(network: Network, progress: Progress) -> object:
    from cnrag_core.traversal.walker import make_walker

    if "walker" not in vars(network):
        made = make_walker(network.documents, network.config, network.embedded, network.scorer, progress=progress)
        vars(network)["walker"] = made
    return network.walker


PARTS: Mapping[str, Part] = {
    "layout": Part("Arranging the documents", True, _property("layout")),
    "links": Part("Looking for names and references in the texts", True, _property("links")),
    "terms": Part("Reading the words of all documents", True, _property("terms")),
    "curve": Part("Following the network through all thresholds", True, _property("curve")),
    "suggestion": Part("Looking for a threshold to suggest", True, _property("suggestion")),
    "walker": Part("Cutting texts, finding concepts, linking chunks", True, _walker),
    "index": Part("Indexing words and names", True, _index, lambda network: network.scorer),
    "communities": Part("Finding communities", False, _property("communities")),
    "tags": Part("Naming communities", False, _property("tags")),
    "clustering": Part("Counting triangles", False, _property("clustering")),
    "betweenness": Part("Counting shortest paths", False, _betweenness),
}
"""By the name that the network has for them."""

AHEAD = ("clustering", "links", "terms", "index", "suggestion", "betweenness")
"""Parts of a large network that most visitors come to need, in the order of finding them."""

_jobs: weakref.WeakKeyDictionary[Network, dict[str, Job[None]]] = weakref.WeakKeyDictionary()
_lock = threading.Lock()


def at_hand(network: Network, name: str) -> bool:
    """Whether a part needs no waiting."""
    return name in vars(PARTS[name].kept_by(_holder(network, name)))


def is_sought(network: Network, name: str) -> bool:
    """Whether somebody asked for a part that is still being found."""
    job = _jobs.get(_holder(network, name), {}).get(name)
    return job is not None and job.state == "running"


def find(network: Network, name: str, *, again: bool = False) -> Job[None]:
    """The job that finds a part; the same for everybody who asks.

    Where it failed, another one begins for whoever asks `again`, or asks after `RETRY_AFTER`.
    """
    part = PARTS[name]

    def work(holder: Network, progress: Progress) -> None:
        progress(part.words, 0.0)
        part.find(holder, lambda _, share: progress(part.words, share))

    return _job(_holder(network, name), name, part.words, work, again=again)


def find_ahead(network: Network, then: Callable[[Network], object] = lambda _: None) -> None:
    """Begin to find what most visitors of a large network come to need.

    Parameters
    ----------
    then
        Called with the network when all of that is found; it must not hold on to the network itself.
    """
    holder = network.base or network
    if holder.graph.n_nodes < MANY_DOCUMENTS:
        return

    def work(holder: Network, progress: Progress) -> None:
        time.sleep(HEAD_START)
        for name in AHEAD:
            progress(PARTS[name].words, 0.0)
            find(holder, name).wait()
        progress("Drawing the network", 0.0)
        then(holder)

    _job(holder, "ahead", "Preparing the network", work)


def _job(
    holder: Network, name: str, words: str, work: Callable[[Network, Progress], None], *, again: bool = False
) -> Job[None]:
    wanted = weakref.ref(holder)  # a job that has ended keeps no network alive

    def run(progress: Progress) -> None:
        network = wanted()
        if network is not None:
            work(network, progress)

    with _lock:
        jobs = _jobs.setdefault(holder, {})
        if name not in jobs or _has_failed(jobs[name], since=0.0 if again else RETRY_AFTER):
            jobs[name] = Job(words, run)
        return jobs[name]


def _has_failed(job: Job[None], *, since: float) -> bool:
    """Whether a job ended without its part, at least so many seconds ago."""
    return job.state in ("failed", "cancelled") and job.seconds_since >= since


def _holder(network: Network, name: str) -> Network:
    """The network that keeps a part: the one as built, where the part is the same at every threshold."""
    return (network.base or network) if PARTS[name].of_corpus else network
