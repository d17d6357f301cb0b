"""Short work of many people one after the other, so that nobody's wait grows with the crowd.

Enters: pieces of work on threads of their own. Leaves: at most a few of them at a time. Fifty threads that
all want the interpreter finish at the same late moment, and the network, which is one more thread, hardly
gets a word in; four at a time finish in turn, the same work in half the wait.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """Lets a few in at a time, in the order in which they came.

    Parameters
    ----------
    n
        How many at a time.
    patience
        Seconds after which a long piece of work no longer counts: it goes on, and others are let in beside it.

    Examples
    --------
    >>> turns = Turns(1)
    >>> with turns.turn():
    ...     turns.n_inside
    1
    """

    def __init__(self, n: int, *, patience: float = 2.0) -> None:
        self._n = n
        self._patience = patience
        self._condition = threading.Condition()
        self._inside: dict[object, float] = {}
        self._waiting: list[object] = []

    @property
    def n_inside(self) -> int:
        """How many are at work, the long ones included."""
        return len(self._inside)

    @property
    def n_waiting(self) -> int:
        return len(self._waiting)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn, and give it back at the end of the block."""
        ticket = object()
        with self._condition:
            self._waiting.append(ticket)
            try:
                while self._waiting[0] is not ticket or self._is_full():
                    self._condition.wait(self._patience / 10)
            finally:
                self._waiting.remove(ticket)
            self._inside[ticket] = time.monotonic()
            self._condition.notify_all()
        try:
            yield
        finally:
            with self._condition:
                del self._inside[ticket]
                self._condition.notify_all()

    def _is_full(self) -> bool:
        late = time.monotonic() - self._patience
        return sum(begun > late for begun in self._inside.values()) >= self._n
