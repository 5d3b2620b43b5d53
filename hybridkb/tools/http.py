"""MCP over streamable HTTP: who may ask, and how much at once.

Every request is checked before the SDK sees it: the ``Host`` it names and the page it comes from
(``Origin``) must be names of this server, which keeps web pages out, whatever name they give this
machine (DNS rebinding); and the token must be right when there is one.
"""

from __future__ import annotations

import hmac
import json
import logging
import re
import socket
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from contextlib import contextmanager
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit

from hybridkb.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp.server.lowlevel import Server

PATH = "/mcp"
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
LEAST_TOKEN = 16
MOST_BODY_BYTES = 1024 * 1024
MOST_HEADER_BYTES = 32 * 1024
MOST_CONNECTIONS = 64
MOST_SESSIONS = 1_000
"""About 40 kB each. A client that leaves without a word holds its session for half an hour."""
STOP_SECONDS = 2

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

_HOST = re.compile(r"(?:\[(?P<bracketed>[^\[\]@]*)\]|(?P<name>[^\[\]:@]*))(?::[0-9]*)?")

logger = logging.getLogger("hybridkb.mcp")


class Doorkeeper:
    """Lets through what is addressed to this server, comes from no foreign page, and has the token."""

    def __init__(self, application: Application, names: Iterable[str], token: str | None) -> None:
        """Guard an application.

        Args:
            application: what is behind the door.
            names: names and addresses of this server, without ports.
            token: what a client must show; None asks for nothing.
        """
        self._application = application
        self._names = frozenset(plain_name(name) for name in names)
        self._token = None if token is None else token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection, as ASGI has it."""
        if scope["type"] == "lifespan":
            await self._application(scope, receive, send)
            return
        if scope["type"] != "http":
            raise RuntimeError(f"no {scope['type']} here")
        refusal = self._refusal(scope["headers"])
        if refusal is None:
            await self._application(scope, receive, send)
        else:
            await _refuse(send, *refusal)

    def _refusal(self, headers: Iterable[tuple[bytes, bytes]]) -> tuple[int, str] | None:
        """The status and the words of a refusal; None to let the request in."""
        found: dict[str, list[str]] = {"host": [], "origin": [], "authorization": []}
        room = MOST_HEADER_BYTES
        for key, value in headers:
            room -= len(key) + len(value)
            found.get(key.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        if room < 0:
            return 431, "the headers are too long"
        if len(found["host"]) != 1 or plain_name(_host(found["host"][0])) not in self._names:
            return 421, "the Host header is no name of this server; start it with --allowed-host NAME to add one"
        if any(not self._is_own(origin) for origin in found["origin"]):
            return 403, "requests from web pages of other servers are refused"
        if not self._has_token(found["authorization"]):
            return 401, "a bearer token is needed: Authorization: Bearer TOKEN"
        return None

    def _is_own(self, origin: str) -> bool:
        try:
            parts = urlsplit(origin)
            return parts.scheme in ("http", "https") and plain_name(parts.hostname or "") in self._names
        except ValueError:
            return False

    def _has_token(self, shown: list[str]) -> bool:
        if self._token is None:
            return True
        scheme, _, token = (shown[0] if len(shown) == 1 else "").partition(" ")
        same = hmac.compare_digest(token.strip().encode("latin-1"), self._token)
        return same and scheme.lower() == "bearer"


def server_names(host: str, allowed: Iterable[str]) -> tuple[str, ...]:
    """Under which names a server may be asked: this machine's own, the address it listens at, and those allowed."""
    own = () if _is_any(host) else (host,)
    return (*LOOPBACK_NAMES, *own, *map(_host, allowed))


def plain_name(name: str) -> str:
    """A host name or address in the form in which names are compared."""
    name = name.strip().lower().strip("[]").removesuffix(".")
    try:
        return str(ip_address(name))
    except ValueError:
        return name


def is_loopback(host: str) -> bool:
    """Whether nobody but this machine reaches an address."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return plain_name(host) == "localhost"


def check_token(token: str | None, host: str) -> None:
    """Refuse a server that others can reach without a token, and a token that can be guessed.

    Raises:
        InvalidInput: either.
    """
    if token is None and not is_loopback(host):
        raise InvalidInput(
            f"{host} can be reached from other machines, so a token is needed: --token-env NAME or --token-file FILE",
            field="host",
        )
    if token is not None and (len(token) < LEAST_TOKEN or not token.isascii() or not token.isprintable()
                              or " " in token):  # fmt: skip
        raise InvalidInput(
            f"the token is not usable; take {LEAST_TOKEN} or more ASCII characters without spaces", field="token"
        )


def listen(host: str, port: int) -> socket.socket:
    """Take an address; port 0 is any free one.

    Raises:
        InvalidInput: it cannot be had.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError, UnicodeError) as error:
        raise InvalidInput(
            f"cannot listen on {host} port {port}: {getattr(error, 'strerror', None) or error}", field="port"
        ) from error


def http_application(server: Server[Any], names: Iterable[str], token: str | None) -> Doorkeeper:
    """The server behind its door."""
    from mcp.server.transport_security import TransportSecuritySettings

    application = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MOST_BODY_BYTES,
        max_sessions=MOST_SESSIONS,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the door checks more
    )
    return Doorkeeper(application, names, token)


async def serve_http(application: Application, at: socket.socket, stopped: Callable[[], Awaitable[None]]) -> None:
    """Serve until ``stopped`` returns."""
    import anyio
    import uvicorn

    class Quiet(uvicorn.Server):
        """A server that leaves signals to others."""

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

    config = uvicorn.Config(
        application,
        log_config=None,
        access_log=False,
        lifespan="on",
        ws="none",
        h11_max_incomplete_event_size=MOST_HEADER_BYTES,
        http="h11",
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=STOP_SECONDS,
        server_header=False,
        proxy_headers=False,
    )
    running = Quiet(config)
    address = at.getsockname()
    shown = f"[{address[0]}]" if ":" in address[0] else address[0]
    logger.info("listening on http://%s:%d%s", shown, address[1], PATH)

    async def stop() -> None:
        await stopped()
        running.should_exit = True

    async with anyio.create_task_group() as group:
        group.start_soon(stop)
        await running.serve(sockets=[at])
        group.cancel_scope.cancel()


async def _refuse(send: Send, status: int, message: str) -> None:
    body = json.dumps({"error": message}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _host(header: str) -> str:
    """A Host header without its port; one that is no host and port is returned whole, and so is no name of ours."""
    found = _HOST.fullmatch(header.strip())
    return found["bracketed"] or found["name"] if found is not None else header


def _is_any(host: str) -> bool:
    try:
        return ip_address(host.strip("[]")).is_unspecified
    except ValueError:
        return False
