"""A server on loopback that writes bytes as a test tells it to: all at once, or one at a time without end."""

from __future__ import annotations

import socket
import threading
from typing import Self


class RawServer:
    """Answers every connection with the same bytes.

    Args:
        at_once: sent at once.
        dripped: sent one after the other, again and again, until the other side has gone; empty closes instead.
        every: seconds between two of these bytes.

    Attributes:
        asked: set once a connection has come.
        gone: set once the other side of one has gone.
    """

    def __init__(self, at_once: bytes = b"", dripped: bytes = b"", *, every: float = 0.01) -> None:
        self._at_once, self._dripped, self._every = at_once, dripped, every
        self.asked, self.gone, self._closing = threading.Event(), threading.Event(), threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._threads = [threading.Thread(target=self._accept, daemon=True)]

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def __enter__(self) -> Self:
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
        self._socket.close()
        for thread in self._threads:
            thread.join(5)

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self._threads.append(threading.Thread(target=self._answer, args=(connection,), daemon=True))
            self._threads[-1].start()

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            try:
                connection.recv(65_536)
                self.asked.set()
                connection.sendall(self._at_once)
                while self._dripped:
                    for byte in self._dripped:
                        if self._closing.wait(self._every):
                            return
                        connection.sendall(bytes([byte]))
            except OSError:
                self.gone.set()
