"""A cache that keeps what was used last, and counts how often that helped."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from itertools import islice
from typing import Generic, NamedTuple, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class CacheInfo(NamedTuple):
    """How a cache has served: entries now and at most, look-ups that found something and that did not."""

    size: int
    capacity: int
    hits: int
    misses: int

    @property
    def hit_rate(self) -> float:
        """Share of look-ups that found something, in [0, 1]; 0 before the first."""
        total = self.hits + self.misses
        return self.hits / total if total else 0.0


class LRUCache(Generic[Key, Value]):
    """At most `capacity` entries; the one that was used longest ago goes first. Safe for threads.

    A reader remembers `generation` before it asks the database and passes it to `put`; if something
    was discarded in between, what it read may be old and is not kept.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.generation = 0
        self._entries: OrderedDict[Key, Value] = OrderedDict()
        self._hits = 0
        self._misses = 0
        self._lock = threading.Lock()

    def get(self, key: Key) -> Value | None:
        """The value, counted as used; None where there is none."""
        return self.get_many([key])[key]

    def get_many(self, keys: Iterable[Key]) -> dict[Key, Value | None]:
        """The values of many keys, None where there is none."""
        found: dict[Key, Value | None] = {}
        with self._lock:
            for key in keys:
                value = found[key] = self._entries.get(key)
                if value is None:
                    self._misses += 1
                else:
                    self._hits += 1
                    self._entries.move_to_end(key)
        return found

    def put(self, key: Key, value: Value, generation: int) -> None:
        """Keep a value that was read at that generation."""
        self.put_many({key: value}, generation)

    def put_many(self, values: Mapping[Key, Value], generation: int) -> None:
        """Keep values that were read at that generation; of too many, the last."""
        with self._lock:
            if generation != self.generation:
                return
            for key in islice(values, max(0, len(values) - self.capacity), None):
                self._entries[key] = values[key]
                self._entries.move_to_end(key)
            while len(self._entries) > self.capacity:
                self._entries.popitem(last=False)

    def discard(self, is_old: Callable[[Key], bool] | None = None) -> None:
        """Forget the entries whose key is old, or all of them."""
        with self._lock:
            self.generation += 1
            if is_old is None:
                self._entries.clear()
            else:
                for key in [key for key in self._entries if is_old(key)]:
                    del self._entries[key]

    def info(self) -> CacheInfo:
        """Counts so far."""
        with self._lock:
            return CacheInfo(len(self._entries), self.capacity, self._hits, self._misses)
