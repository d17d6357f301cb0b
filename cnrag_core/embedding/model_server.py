"""One question to a model server, inside limits of time and size.

Enters: an allowed address, a path, a question. Leaves: the status and the bytes of the answer.

httpcore is used directly, because it knows neither redirects nor proxies of the environment, and lets
every single read and write be cut short: a server that sends a byte a second, be it of the headers, is
waited for no longer than one that sends nothing.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any

import httpcore

from cnrag_core.embedding.hosts import checked_host

_PIECE = 65_536
"""Bytes written between two looks at the clock."""


class NoAnswer(Exception):  # noqa: N818  # each caller says it in its own words
    """A server did not answer, said as the end of a sentence that begins with its name.

    `may_pass` tells what may be over at the next try from what will be the same again.
    """

    def __init__(self, what: str, *, may_pass: bool = True) -> None:
        super().__init__(what)
        self.may_pass = may_pass


class ModelServer:
    """A connection to one server, kept open between questions.

    Parameters
    ----------
    host
        ``scheme://host:port``, exactly as the installation allows it.
    most_bytes
        Longest answer that is read.
    connect_seconds
        Longest wait for the connection.

    Raises
    ------
    ConfigError
        If the host is not allowed.
    """

    def __init__(self, host: str, *, most_bytes: int, connect_seconds: float) -> None:
        self.host = checked_host(host)
        self._most_bytes = most_bytes
        self._connect_seconds = connect_seconds
        self._clock = _Clock()
        self._pool = httpcore.ConnectionPool(max_connections=1, network_backend=_TimedNetwork(self._clock))

    def __enter__(self) -> ModelServer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._pool.close()

    def post(
        self, path: str, question: Mapping[str, Any], *, seconds: float, headers: Mapping[str, str] | None = None
    ) -> tuple[int, bytes]:
        """Ask with JSON; status and body of the answer, whatever they are.

        Parameters
        ----------
        seconds
            Longest wait for the whole answer, from the first byte sent to the last received.

        Raises
        ------
        NoAnswer
            If nothing came in time, too much came, or the connection failed.
        """
        self._clock.end = time.monotonic() + seconds
        sent = {"content-type": "application/json", "accept-encoding": "identity", **(headers or {})}
        patience = {"connect": self._connect_seconds, "read": seconds, "write": seconds, "pool": seconds}
        body = bytearray()
        try:
            with self._pool.stream(
                "POST",
                self.host + path,
                headers=list(sent.items()),
                content=json.dumps(question).encode("ascii"),
                extensions={"timeout": patience},
            ) as response:
                for piece in response.iter_stream():
                    body += piece
                    if len(body) > self._most_bytes:
                        raise NoAnswer(f"answered with more than {self._most_bytes // 2**20} MB", may_pass=False)
                return response.status, bytes(body)
        except httpcore.ConnectTimeout:
            raise NoAnswer(f"cannot be reached within {min(self._connect_seconds, seconds):g} s") from None
        except httpcore.TimeoutException:
            raise NoAnswer(f"did not answer within {seconds:g} s") from None
        except httpcore.ConnectError:
            raise NoAnswer("cannot be reached; perhaps it is not running") from None
        except (httpcore.NetworkError, httpcore.ProtocolError):
            raise NoAnswer("broke off the connection") from None


class _Clock:
    """When the question that is under way must be over."""

    end = 0.0

    def left(self, wanted: float | None, late: type[Exception]) -> float:
        seconds = self.end - time.monotonic()
        if seconds <= 0:
            raise late("the time for the whole answer is over")
        return seconds if wanted is None else min(seconds, wanted)


class _TimedNetwork(httpcore.NetworkBackend):
    """Plain sockets whose every wait ends with the clock."""

    def __init__(self, clock: _Clock) -> None:
        self._clock = clock
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        seconds = self._clock.left(timeout, httpcore.ConnectTimeout)
        stream = self._sockets.connect_tcp(host, port, seconds, local_address, socket_options)
        return _TimedStream(stream, self._clock)


class _TimedStream(httpcore.NetworkStream):
    """A stream whose every read and write ends with the clock."""

    def __init__(self, stream: httpcore.NetworkStream, clock: _Clock) -> None:
        self._stream = stream
        self._clock = clock

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._clock.left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _PIECE):
            seconds = self._clock.left(timeout, httpcore.WriteTimeout)
            self._stream.write(buffer[start : start + _PIECE], seconds)

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        seconds = self._clock.left(timeout, httpcore.ConnectTimeout)
        return _TimedStream(self._stream.start_tls(ssl_context, server_hostname, seconds), self._clock)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
