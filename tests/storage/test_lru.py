"""The cache of aggregated embeddings."""

from __future__ import annotations

import threading

from cnrag_core.storage.lru import LRUCache


def test_the_entry_used_longest_ago_goes_first() -> None:
    cache: LRUCache[str, int] = LRUCache(2)
    cache.put("a", 1, 0)
    cache.put("b", 2, 0)
    assert cache.get("a") == 1
    cache.put("c", 3, 0)
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (1, None, 3)


def test_hits_and_misses_are_counted() -> None:
    cache: LRUCache[str, int] = LRUCache(2)
    assert cache.info().hit_rate == 0.0
    cache.put("a", 1, 0)
    for key in ("a", "a", "a", "b"):
        cache.get(key)
    assert cache.info() == (1, 2, 3, 1)
    assert cache.info().hit_rate == 0.75


def test_what_was_read_before_a_change_is_not_kept() -> None:
    cache: LRUCache[str, int] = LRUCache(2)
    generation = cache.generation
    cache.discard()
    cache.put("a", 1, generation)
    assert cache.get("a") is None


def test_only_old_entries_are_forgotten() -> None:
    cache: LRUCache[str, int] = LRUCache(5)
    for key in "abc":
        cache.put(key, 1, 0)
    cache.discard(lambda key: key == "b")
    assert [cache.get(key) for key in "abc"] == [1, None, 1]


def test_a_capacity_of_zero_keeps_nothing() -> None:
    cache: LRUCache[str, int] = LRUCache(0)
    cache.put("a", 1, 0)
    assert cache.info().size == 0


def test_threads_keep_within_the_capacity() -> None:
    cache: LRUCache[int, int] = LRUCache(10)

    def work(start: int) -> None:
        for number in range(start, start + 200):
            cache.put(number, number, 0)
            found = cache.get(number)
            assert found in (None, number)

    threads = [threading.Thread(target=work, args=(100 * number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cache.info().size == 10
