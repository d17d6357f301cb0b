"""Answers leave at once, from sockets that were listening before as well."""

from __future__ import annotations

import socket

from cnrag_core.undelayed import send_at_once


def is_undelayed(connection: socket.socket) -> bool:
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0


def test_connections_of_a_socket_that_listens_already_hold_nothing_back():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        with socket.create_connection(listening.getsockname()), listening.accept()[0] as before:
            assert not is_undelayed(before)
        assert send_at_once() >= 1
        with socket.create_connection(listening.getsockname()), listening.accept()[0] as after:
            assert is_undelayed(after)
        listening.listen()  # still open: what was looked at is a copy of its number


def test_sockets_of_other_kinds_are_left_alone():
    with socket.socket(type=socket.SOCK_DGRAM) as datagrams:
        datagrams.bind(("127.0.0.1", 0))
        send_at_once()
        assert datagrams.fileno() >= 0
