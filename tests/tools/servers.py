"""Servers as processes of their own, the official client to drive them, and a pipe to see every byte.

    with Connection(stdio(file)) as client:
        client.call("search_knowledge", query="copper")
"""

from __future__ import annotations

import asyncio
import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult

TIMEOUT = 60.0
MODULE = ("-m", "hybridkb")


def arguments(
    database: Path, *more: str, program: Sequence[str] = MODULE, embedder: str = "none"
) -> list[str]:
    """What follows the interpreter."""
    return [*program, "--database", str(database), "--embedder", embedder, "mcp", *more]


def stdio(database: Path, *more: str, embedder: str = "none") -> StdioServerParameters:
    """A server over standard input and output, started by the client."""
    return StdioServerParameters(command=sys.executable, args=arguments(database, *more, embedder=embedder))


class Connection:
    """The official client, asked from tests without a loop; several calls may run at once."""

    def __init__(self, server: Any, *, mode: str = "auto", token: str | None = None) -> None:
        self._server = server
        self._mode = mode
        self._token = token
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ready: Future[Client] = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self.client = self._ready.result(TIMEOUT)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(TIMEOUT)
        assert not self._thread.is_alive()

    def run(self, work: Callable[[Client], Awaitable[Any]]) -> Any:
        """Do something with the client on its loop."""
        assert self._loop is not None

        async def done() -> Any:
            return await work(self.client)

        return asyncio.run_coroutine_threadsafe(done(), self._loop).result(TIMEOUT)

    def result(self, name: str, **given: Any) -> CallToolResult:
        """Call a tool; the whole result."""
        found = self.run(lambda client: client.call_tool(name, given))
        assert isinstance(found, CallToolResult)
        return found

    def call(self, name: str, **given: Any) -> dict[str, Any]:
        """Call a tool that answers; its text and its structured answer say the same."""
        result = self.result(name, **given)
        assert not result.is_error, result.content
        (content,) = result.content
        assert json.loads(content.text) == result.structured_content
        return dict(result.structured_content)

    def error(self, name: str, **given: Any) -> dict[str, Any]:
        """Call a tool that refuses."""
        result = self.result(name, **given)
        assert result.is_error
        return dict(json.loads(result.content[0].text))

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        try:
            async with Client(self._transport(), mode=self._mode) as client:
                self._ready.set_result(client)
                await self._stop.wait()
        except BaseException as error:
            if not self._ready.done():
                self._ready.set_exception(error)
            raise

    def _transport(self) -> Any:
        if self._token is None:
            return self._server
        return _with_token(str(self._server), self._token)


def _with_token(url: str, token: str) -> AbstractAsyncContextManager[Any]:
    client = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=TIMEOUT)
    return streamable_http_client(url, http_client=client)


@contextmanager
def http_server(
    database: Path, *more: str, environment: dict[str, str] | None = None, program: Sequence[str] = MODULE
) -> Iterator[str]:
    """A server over HTTP on a free port of this machine; gives its address. It ends cleanly when asked to."""
    process = subprocess.Popen(
        [sys.executable, *arguments(database, "--transport", "http", "--port", "0", *more, program=program)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
        env=os.environ | (environment or {}),
    )  # fmt: skip
    lines: list[str] = []
    address: queue.SimpleQueue[str] = queue.SimpleQueue()

    def read() -> None:
        assert process.stderr
        for line in process.stderr:
            lines.append(line)
            if found := re.search(r"listening on (http://\S+)", line):
                address.put(found[1])
        address.put("")

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        url = address.get(timeout=TIMEOUT)
        assert url, lines
        yield url
        process.send_signal(signal.SIGTERM)
        assert process.wait(TIMEOUT) == 0, lines
        reader.join(TIMEOUT)
        assert not any("Traceback" in line for line in lines), lines
        assert process.stdout
        assert process.stdout.read() == ""
    finally:
        process.kill()
        process.wait()


class Pipe:
    """A server over standard input and output, every byte of it, in the older protocol's own words."""

    def __init__(
        self, database: Path, *more: str, program: Sequence[str] = MODULE, stderr: int = subprocess.PIPE,
        stdout: int = subprocess.PIPE, environment: dict[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.process = subprocess.Popen(
            [sys.executable, *arguments(database, *more, program=program)],
            stdin=subprocess.PIPE, stdout=stdout, stderr=stderr, env=os.environ | (environment or {}),
        )  # fmt: skip
        self.lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.errors: list[bytes] = []
        self._threads = []
        if self.process.stdout:
            self._threads.append(threading.Thread(target=self._read, daemon=True))
        if self.process.stderr:
            self._threads.append(threading.Thread(target=self._listen, daemon=True))
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        client = {"name": "test", "version": "1"}
        self.send(1, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        if self.process.stdout:
            assert self.answer()["id"] == 1
        self.send(None, "notifications/initialized")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdin
        self.process.stdin.close()

    def send(self, number: int | None, method: str, **params: Any) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if number is None else {"id": number})
        self.write(json.dumps(message).encode() + b"\n")

    def write(self, data: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def call(self, number: int, tool: str, **given: Any) -> None:
        self.send(number, "tools/call", name=tool, arguments=given)

    def answer(self) -> dict[str, Any]:
        """The next line of standard output; every line there must be a message of the protocol."""
        message = json.loads(self.lines.get(timeout=TIMEOUT))
        assert message["jsonrpc"] == "2.0"
        return dict(message)

    def end(self) -> tuple[int, list[dict[str, Any]], str]:
        """Close its input and wait for its end: code, what was still said, what stands on standard error."""
        assert self.process.stdin
        self.process.stdin.close()
        return self.finish()

    def finish(self) -> tuple[int, list[dict[str, Any]], str]:
        code = self.process.wait(TIMEOUT)
        for thread in self._threads:
            thread.join(TIMEOUT)
        rest = []
        while not self.lines.empty():
            rest.append(json.loads(self.lines.get()))
        return code, rest, b"".join(self.errors).decode()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.put(line)

    def _listen(self) -> None:
        assert self.process.stderr
        self.errors.extend(self.process.stderr)
