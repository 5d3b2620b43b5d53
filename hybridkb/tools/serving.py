"""Runs an MCP server on a transport until its input ends or a signal comes; both are its normal end."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Awaitable, Callable, Iterable

from hybridkb.tools.http import http_application, serve_http
from hybridkb.tools.mcp_server import McpTools
from hybridkb.tools.stdio import StandardStreams

LEAVE_SECONDS = 1.0


def run_stdio(tools: McpTools, streams: StandardStreams) -> None:
    """Serve on standard input and output."""
    server = tools.server()
    _run(lambda stopped: _first(stopped, lambda: streams.serve(server)))


def run_http(tools: McpTools, at: socket.socket, names: Iterable[str], token: str | None) -> None:
    """Serve streamable HTTP on a socket that listens already."""
    application = http_application(tools.server(), names, token)
    _run(lambda stopped: serve_http(application, at, stopped))


def leave(busy: Callable[[], bool]) -> None:
    """End the process without waiting for calls that nobody hears any more; what was committed stays.

    A thread inside a model or SQLite cannot be stopped, and must not outlive what it uses, so the process
    ends without the usual clearing up. Returns when nothing is under way after a moment.
    """
    until = time.monotonic() + LEAVE_SECONDS
    while busy():
        if time.monotonic() > until:
            logging.shutdown()
            sys.stderr.flush()
            os._exit(0)
        time.sleep(0.02)


def _run(serve: Callable[[Callable[[], Awaitable[None]]], Awaitable[None]]) -> None:
    import anyio

    async def main() -> None:
        await serve(_signalled)

    try:
        anyio.run(main)
    except KeyboardInterrupt:  # where signals cannot be awaited
        return


async def _first(stopped: Callable[[], Awaitable[None]], serve: Callable[[], Awaitable[None]]) -> None:
    """Serve until that ends by itself or ``stopped`` returns."""
    import anyio

    async with anyio.create_task_group() as group:

        async def stop() -> None:
            await stopped()
            group.cancel_scope.cancel()

        group.start_soon(stop)
        await serve()
        group.cancel_scope.cancel()


async def _signalled() -> None:
    """Return when this process is asked to end."""
    import anyio

    try:
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async for _ in signals:
                return
    except NotImplementedError:  # Windows: Ctrl-C arrives as KeyboardInterrupt
        await anyio.sleep_forever()
