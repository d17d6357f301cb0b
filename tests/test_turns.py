"""A few at a time, in the order in which they came, and nobody waits for a long one for ever."""

from __future__ import annotations

import threading
import time

import pytest

from cnrag_core.turns import Turns


def crowd(turns: Turns, n: int, work) -> list[threading.Thread]:
    def one(number: int) -> None:
        with turns.turn():
            work(number)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(n)]
    for thread in threads:
        thread.start()
    return threads


def test_no_more_than_a_few_work_at_a_time():
    turns, most, lock, inside = Turns(3, patience=60), [0], threading.Lock(), [0]

    def work(_: int) -> None:
        with lock:
            inside[0] += 1
            most[0] = max(most[0], inside[0])
        time.sleep(0.01)
        with lock:
            inside[0] -= 1

    for thread in crowd(turns, 20, work):
        thread.join(30)
    assert most[0] <= 3
    assert (turns.n_inside, turns.n_waiting) == (0, 0)


def test_whoever_came_first_goes_first():
    turns, order, release = Turns(1, patience=60), [], threading.Event()
    first = threading.Thread(target=lambda: _hold(turns, release))
    first.start()
    while not turns.n_inside:
        time.sleep(0.001)
    threads = []
    for number in range(5):

        def work(number=number):
            with turns.turn():
                order.append(number)

        threads.append(threading.Thread(target=work))
        threads[-1].start()
        while turns.n_waiting <= number:
            time.sleep(0.001)
    release.set()
    for thread in threads:
        thread.join(30)
    first.join(30)
    assert order == list(range(5))


def test_a_long_piece_of_work_does_not_keep_others_out():
    turns, release, done = Turns(1, patience=0.05), threading.Event(), threading.Event()
    long = threading.Thread(target=lambda: _hold(turns, release))
    long.start()
    while not turns.n_inside:
        time.sleep(0.001)
    with turns.turn():
        done.set()
    assert done.is_set()
    release.set()
    long.join(30)


def test_a_failure_gives_the_turn_back():
    turns = Turns(1, patience=60)
    with pytest.raises(KeyError), turns.turn():
        raise KeyError
    with turns.turn():
        assert turns.n_inside == 1


def _hold(turns: Turns, release: threading.Event) -> None:
    with turns.turn():
        release.wait(30)
