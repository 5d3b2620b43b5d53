"""Requests over HTTP that end when their time is over, however slowly a server drips its answer.

The time-out of a connection only says how long it may be silent: a server that sends a byte now and then keeps a
reader for ever, in the status line, in a header or between two chunks. So the connection is shut from outside.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from hybridkb.papers.stopping import current_stop

if TYPE_CHECKING:
    from urllib.request import OpenerDirector


class Watch:
    """Ends the request under way when its time is over, or when nobody waits for it any more.

    Attributes:
        out_of_time: whether that is why it ended.
    """

    def __init__(self) -> None:
        self.out_of_time = False
        self._sockets: list[socket.socket] = []
        self._is_over = False
        self._lock = threading.Lock()

    @contextmanager
    def limited(self, seconds: float) -> Iterator[None]:
        """Give what the block asks for so many seconds."""
        with self._lock:
            self.out_of_time = self._is_over = False
            self._sockets = []
        timer = threading.Timer(seconds, self._time_is_over)
        timer.daemon = True
        timer.start()
        try:
            with current_stop().cutting(self._shut):
                yield
        finally:
            timer.cancel()
            with self._lock:
                self._sockets = []

    def hold(self, connected: socket.socket) -> None:
        """Take a connection that was just made."""
        with self._lock:
            self._sockets.append(connected)
            is_over = self._is_over
        if is_over:
            self._shut()

    def _time_is_over(self) -> None:
        self.out_of_time = True
        self._shut()

    def _shut(self) -> None:
        with self._lock:
            self._is_over = True
            held = list(self._sockets)
        for one in held:
            try:
                socket.socket.shutdown(one, socket.SHUT_RDWR)  # of the plain socket: no farewell that could wait
            except OSError:
                continue  # it is closed already


def make_opener(watch: Watch, *handlers: Any) -> OpenerDirector:
    """Make an opener for http and https whose connections are watched; it opens nothing else."""
    from http.client import HTTPConnection, HTTPSConnection
    from urllib import request

    class Watched(HTTPConnection):
        def connect(self) -> None:
            super().connect()
            watch.hold(self.sock)

    class WatchedSecure(HTTPSConnection):
        def connect(self) -> None:
            super().connect()
            watch.hold(self.sock)

    class Plain(request.HTTPHandler):
        def http_open(self, req: Any) -> Any:
            return self.do_open(Watched, req)

    class Secure(request.HTTPSHandler):
        def https_open(self, req: Any) -> Any:
            return self.do_open(WatchedSecure, req)

    opener = request.OpenerDirector()
    for handler in (
        request.ProxyHandler(), request.UnknownHandler(), request.HTTPDefaultErrorHandler(),
        request.HTTPErrorProcessor(), Plain(), Secure(), *handlers,
    ):  # fmt: skip
        opener.add_handler(handler)
    return opener
