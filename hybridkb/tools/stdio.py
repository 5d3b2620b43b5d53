"""MCP over standard input and output, which belong to the protocol alone.

From the moment they are claimed, whatever else is printed (by Python, by C libraries, by child
processes) goes to standard error, and nothing but the protocol reads standard input. The server ends
with its input, once what was asked is answered; a signal ends it at once.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import AsyncIterator
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO

from hybridkb.knowledge.json_keys import unique_keys
from hybridkb.tools.workers import Workers

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

MOST_LINE_BYTES = 4 * 1024 * 1024
GRACE_SECONDS = 1.5
MOST_DIGITS = 20
INVALID_REQUEST = -32600
TOO_LONG = "a line is longer than 4 MiB"

logger = logging.getLogger("hybridkb.mcp")


class StandardStreams:
    """The two streams of the protocol, out of everybody else's reach."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO) -> None:
        """Read requests from ``reader``, write answers to ``writer``; made by :meth:`claim`."""
        self._reader = reader
        self._writer = writer
        self._read_on = Workers(1, "hybridkb-stdin")
        self._write_on = Workers(1, "hybridkb-stdout")
        self._waiting: set[Any] = set()
        self._gone = False

    @classmethod
    def claim(cls) -> StandardStreams:
        """Take standard input and output for the protocol; print what others print to standard error."""
        if sys.stdin is not None and sys.stdin.isatty():
            logger.info("speaking the protocol on standard input and output; a client starts this, Ctrl-C ends it")
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        reader, writer = os.dup(0), os.dup(1)
        _point(0, os.open(os.devnull, os.O_RDONLY))
        try:
            _point(1, os.dup(2))
        except OSError:  # standard error is closed
            _point(1, os.open(os.devnull, os.O_WRONLY))
        return cls(os.fdopen(reader, "rb"), os.fdopen(writer, "wb"))

    async def serve(self, server: Server[Any]) -> None:
        """Serve until the input ends or the other side is gone."""
        from mcp.server.stdio import stdio_server

        lines: Any = self  # the SDK takes an asynchronous file; these are the three methods that it uses
        try:
            async with stdio_server(lines, lines) as (read, write):
                await server.run(read, write, server.create_initialization_options())
        except* OSError:
            if not self._gone:
                raise
        logger.info("the input has ended")

    def __aiter__(self) -> AsyncIterator[str]:
        return self._lines()

    async def write(self, text: str) -> None:
        """Write one message."""
        self._answered(text)
        await self._write_on.run(lambda: self._put(text.encode()))

    async def flush(self) -> None:
        """Everything is flushed as it is written."""

    async def _lines(self) -> AsyncIterator[str]:
        while line := await self._read_on.run(self._get):
            text = line.decode("utf-8", "replace")
            refusal = _refusal(text)
            if refusal is not None:
                await self._write_on.run(partial(self._put, refusal))
                continue
            self._asked(text)
            yield text
        await self._settle()

    def _get(self) -> bytes:
        """One line; of one that is too long a text that is no message, and the rest of it is passed over."""
        line = self._reader.readline(MOST_LINE_BYTES + 1)
        if len(line) <= MOST_LINE_BYTES:
            return line
        while line and not line.endswith(b"\n"):
            line = self._reader.readline(MOST_LINE_BYTES)
        logger.warning("%s; it was not read", TOO_LONG)
        return TOO_LONG.encode() + b"\n"

    def _put(self, data: bytes) -> None:
        try:
            self._writer.write(data)
            self._writer.flush()
        except OSError:
            self._gone = True
            raise

    def _asked(self, text: str) -> None:
        """Remember a request, until it is answered or cancelled."""
        message = _read(text)
        if "method" in message and "id" in message:
            self._waiting.add(_key(message["id"]))
        elif message.get("method") == "notifications/cancelled" and isinstance(message.get("params"), dict):
            self._waiting.discard(_key(message["params"].get("requestId")))

    def _answered(self, text: str) -> None:
        message = _read(text)
        if "method" not in message:
            self._waiting.discard(_key(message.get("id")))

    async def _settle(self) -> None:
        """After the end of the input: let what was asked be answered, but not for long."""
        import anyio

        with anyio.move_on_after(GRACE_SECONDS):
            while self._waiting and not self._gone:
                await anyio.sleep(0.01)


def _point(descriptor: int, at: int) -> None:
    """Let a standard descriptor mean another file."""
    os.dup2(at, descriptor)
    os.close(at)


def _refusal(text: str) -> bytes | None:
    """The answer to a request that the SDK cannot read, and would leave its client waiting for; else None."""
    message = _read(text)
    request_id = message.get("id")
    if "method" not in message or isinstance(request_id, bool) or not isinstance(request_id, int | str):
        return None
    fault = _fault(text)
    if fault is None:
        return None
    logger.warning("a request cannot be read: %s", fault)
    error = {"code": INVALID_REQUEST, "message": f"the request cannot be read: {fault}"}
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "error": error}).encode() + b"\n"


def _fault(text: str) -> str | None:
    """Why a line is no message of the protocol; None when it is one."""
    from mcp.types import jsonrpc_message_adapter
    from pydantic import ValidationError

    try:
        json.loads(text, object_pairs_hook=unique_keys)
        jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        return ": ".join([".".join(map(str, first["loc"])), first["msg"]]).removeprefix(": ")
    except (ValueError, RecursionError) as error:
        return str(error)
    return None


def _read(text: str) -> dict[str, Any]:
    try:
        message = json.loads(text, parse_int=_int)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def _int(digits: str) -> int | None:
    """A whole number; None for one that is no id, and of more digits than Python reads."""
    return int(digits) if len(digits) <= MOST_DIGITS else None


def _key(request_id: Any) -> str:
    return json.dumps(request_id)
