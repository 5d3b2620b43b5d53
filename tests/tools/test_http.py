"""HTTP: who may ask. Names, pages, tokens, sizes; what is refused never reaches the SDK."""

from __future__ import annotations

import asyncio
import http.client
import json
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import InvalidInput
from hybridkb.tools.http import Doorkeeper, check_token, is_loopback, listen, plain_name, server_names
from tools.desks import desk_items
from tools.servers import Connection, http_server

TOKEN = "a-token-of-the-desk-0123456789"
INITIALIZE = json.dumps(
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}}
).encode()  # fmt: skip
TYPES = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("http") / "desk.db"
    with HybridLibrary.open(path, embedder=None) as library:
        library.put_many(desk_items())
    return path


@pytest.fixture(scope="module")
def guarded(file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    token = tmp_path_factory.mktemp("token") / "token"
    token.write_text(f"{TOKEN}\nsecond line\n")
    token.chmod(0o600)
    with http_server(file, "--token-file", str(token), "--allowed-host", "desk.example:8443") as address:
        yield address


@pytest.fixture(scope="module")
def open_one(file: Path) -> Iterator[str]:
    with http_server(file) as address:
        yield address


def ask(
    address: str, body: bytes = INITIALIZE, *, path: str = "/mcp", method: str = "POST", **headers: str | None
) -> tuple[int, str]:
    """Send one request with exactly these headers; underscores in names become hyphens."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        every = {"Host": parts.netloc, "Content-Length": str(len(body)), **TYPES}
        every |= {name.replace("_", "-"): value for name, value in headers.items()}  # type: ignore[misc]
        for name, value in every.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, answer.read(100_000).decode()
    finally:
        connection.close()


def test_loopback_serves_without_a_token(open_one: str) -> None:
    with Connection(open_one) as client:
        assert client.call("search_knowledge", query="wheat", limit=1)["count"] == 1
    assert ask(open_one)[0] == 200
    assert ask(open_one, Host="localhost")[0] == 200
    assert ask(open_one, Origin="http://localhost:3000")[0] == 200


@pytest.mark.parametrize(("headers", "status"), [
    ({"Host": "evil.example"}, 421),
    ({"Host": "evil.example:8765"}, 421),
    ({"Host": "127.0.0.1.evil.example"}, 421),
    ({"Host": "localhost.evil.example:80"}, 421),
    ({"Host": ""}, 421),
    ({"Host": "[::1]evil.example"}, 421),
    ({"Host": "[127.0.0.1].evil.example:80"}, 421),
    ({"Host": "localhost:80.evil.example"}, 421),
    ({"Host": "localhost:80:80"}, 421),
    ({"Host": "localhost@evil.example"}, 421),
    ({"Host": "localhost, evil.example"}, 421),
    ({"Origin": "http://evil.example"}, 403),
    ({"Origin": "https://localhost.evil.example"}, 403),
    ({"Origin": "http://evil.example:8765"}, 403),
    ({"Origin": "null"}, 403),
    ({"Origin": "file://localhost/x"}, 403),
    ({"Origin": "http://[::1"}, 403),
])  # fmt: skip
def test_web_pages_and_other_names_are_refused(open_one: str, headers: dict[str, str], status: int) -> None:
    found, body = ask(open_one, **headers)
    assert found == status
    assert json.loads(body)["error"]


def test_a_missing_host_is_refused(open_one: str) -> None:
    try:
        status = ask(open_one, Host=None)[0]
    except ConnectionError:
        return  # the server hangs up on it; whether its answer comes through first is the network's choice
    assert status in (400, 421)


@pytest.mark.parametrize(("shown", "status"), [
    (f"Bearer {TOKEN}", 200),
    (f"bearer {TOKEN}", 200),
    (None, 401),
    ("", 401),
    ("Bearer", 401),
    (f"Bearer {TOKEN}x", 401),
    (f"Bearer {TOKEN[:-1]}", 401),
    (f"Basic {TOKEN}", 401),
    (TOKEN, 401),
    ("Bearer second line", 401),
    ("Bearer \u00fc", 401),
])  # fmt: skip
def test_the_token_must_be_shown(guarded: str, shown: str | None, status: int) -> None:
    assert ask(guarded, Authorization=shown)[0] == status


def test_the_token_alone_does_not_open_to_web_pages(guarded: str) -> None:
    assert ask(guarded, Authorization=f"Bearer {TOKEN}", Origin="http://evil.example")[0] == 403
    assert ask(guarded, Authorization=f"Bearer {TOKEN}", Host="evil.example")[0] == 421


def test_further_names_may_be_allowed(guarded: str) -> None:
    assert ask(guarded, Authorization=f"Bearer {TOKEN}", Host="desk.example")[0] == 200
    page = {"Host": "DESK.example.:9", "Origin": "https://desk.example"}
    assert ask(guarded, Authorization=f"Bearer {TOKEN}", **page)[0] == 200


def test_only_so_much_is_read(open_one: str) -> None:
    assert ask(open_one, b"x" * (1024 * 1024 + 1))[0] == 413
    assert ask(open_one, b"", Content_Length=str(10**9))[0] == 413
    assert ask(open_one, X_Long="y" * 100_000)[0] == 431
    assert ask(open_one)[0] == 200


def test_nothing_else_is_served(open_one: str) -> None:
    assert ask(open_one, path="/")[0] == 404
    assert ask(open_one, path="/mcp/../etc/passwd")[0] == 404
    assert ask(open_one, Content_Type="text/plain")[0] in (400, 415)
    assert ask(open_one, b"{not json")[0] == 400


def door(names: list[str], token: str | None, headers: list[tuple[bytes, bytes]]) -> int:
    """The status with which a doorkeeper answers; 200 when it lets in."""
    sent: list[MutableMapping[str, Any]] = []

    async def inside(scope: Any, receive: Any, send: Any) -> None:
        sent.append({"status": 200})

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    asyncio.run(Doorkeeper(inside, names, token)({"type": "http", "headers": headers}, None, send))  # type: ignore[arg-type]
    return int(sent[0]["status"])


def test_doubled_headers_are_refused() -> None:
    host = (b"host", b"localhost")
    good, bad = (b"authorization", f"Bearer {TOKEN}".encode()), (b"authorization", b"Bearer x")
    assert door(["localhost"], TOKEN, [host, good]) == 200
    assert door(["localhost"], TOKEN, [host, good, bad]) == 401
    assert door(["localhost"], TOKEN, [host, (b"host", b"evil"), good]) == 421
    origin = [(b"origin", b"http://localhost"), (b"origin", b"http://evil.example")]
    assert door(["localhost"], None, [host, *origin]) == 403


def test_names_and_addresses_are_compared_as_one() -> None:
    assert plain_name("[::1]") == plain_name("0:0:0:0:0:0:0:1") == "::1"
    assert plain_name("Desk.Example.") == "desk.example"
    for header in (b"[::1]:8765", b"[::1]", b"LOCALHOST:1", b"127.0.0.1"):
        assert door(list(server_names("127.0.0.1", ())), None, [(b"host", header)]) == 200
    assert "0.0.0.0" not in server_names("0.0.0.0", ("desk.example:8443",))
    assert server_names("10.0.0.5", ("desk.example:8443",))[-2:] == ("10.0.0.5", "desk.example")


@pytest.mark.parametrize(("host", "loopback"), [
    ("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("::", False),
    ("10.0.0.1", False), ("desk.example", False), ("localhost.example", False),
])  # fmt: skip
def test_others_reach_it_with_a_token_only(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback
    check_token(TOKEN, host)
    if loopback:
        check_token(None, host)
    else:
        with pytest.raises(InvalidInput, match="a token is needed"):
            check_token(None, host)


@pytest.mark.parametrize(
    "token", ["", "short", "x" * 15, "with space in the middle", "ümlaut-token-of-the-desk", "x" * 20 + "\n"]
)
def test_a_weak_token_is_refused(token: str) -> None:
    with pytest.raises(InvalidInput, match="16 or more ASCII characters"):
        check_token(token, "127.0.0.1")


def test_an_address_that_cannot_be_had_is_named() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InvalidInput, match=f"cannot listen on 127.0.0.1 port {port}"):
            listen("127.0.0.1", port)
    with pytest.raises(InvalidInput, match="cannot listen on"):
        listen("no.such.host.invalid", 0)
