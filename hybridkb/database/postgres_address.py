"""The address of a library on a PostgreSQL server.

``postgresql://user@host:5432/database?schema=desk`` is what libpq reads, with three settings of ours: ``schema``, the
namespace that holds the library (``hybridkb`` by default; several libraries may share a database), and ``pool``, how
many connections this process may hold at once. Passwords belong into ``PGPASSWORD`` or ``~/.pgpass``; one that
stands in the address is never shown. ``wait`` is how many seconds a caller waits for a connection.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from hashlib import blake2b
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from hybridkb.errors import InvalidInput

DEFAULT_SCHEMA = "hybridkb"
DEFAULT_POOL = 16
MOST_POOL = 200
DEFAULT_WAIT = 30
MOST_WAIT = 3600
_OURS = ("schema", "pool", "wait")
MOST_LETTERS = 63
"""The longest name that PostgreSQL keeps whole."""
_SCHEMA = re.compile(rf"[a-z_][a-z0-9_]{{0,{MOST_LETTERS - 1}}}", re.ASCII)
_CUT_LETTERS = 40


@dataclass(frozen=True, slots=True)
class Address:
    """An address, read.

    Attributes:
        conninfo: what libpq is handed; may hold a password.
        schema: the namespace.
        pool: how many connections at most.
        wait: how many seconds to wait for one of them.
        shown: the address without its password.
        url: the address as it was given; may hold a password.
    """

    conninfo: str = field(repr=False)
    schema: str
    pool: int
    wait: int
    shown: str
    url: str = field(repr=False)


def read_address(url: str) -> Address:
    """Read an address.

    Raises:
        InvalidInput: it is none, or a setting of ours has a value that cannot be.
    """
    try:
        parts = urlsplit(url)
        for one in parts.netloc.rpartition("@")[2].split(","):  # several servers, the first that answers
            urlsplit(f"//{one}").port  # noqa: B018 - raises when it is no number
    except ValueError as error:
        raise InvalidInput(
            f"this is no address of a server ({error}); write postgresql://user@host:5432/database",
            field="path_or_url",
        ) from None
    if "\0" in url:
        raise InvalidInput("an address holds no NUL character; remove it", field="path_or_url")
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    settings = dict(pairs)
    schema = settings.get("schema", DEFAULT_SCHEMA)
    if not _SCHEMA.fullmatch(schema) or schema.startswith("pg_"):
        raise InvalidInput(
            f"schema={schema!r} cannot be: write a namespace of lower-case letters, digits and underscores, at most "
            f"{MOST_LETTERS}, that does not begin with pg_",
            field="path_or_url",
        )
    rest = urlencode([pair for pair in pairs if pair[0] not in _OURS], quote_via=quote)
    # urlunsplit writes no empty host before a database, as postgresql:///desk has it
    conninfo = f"{parts.scheme}://{parts.netloc}{parts.path}" + (f"?{rest}" if rest else "")
    pool = _number(settings, "pool", DEFAULT_POOL, 2, MOST_POOL, "how many connections may be held")
    wait = _number(settings, "wait", DEFAULT_WAIT, 1, MOST_WAIT, "how many seconds to wait for a connection")
    return Address(conninfo, schema, pool, wait, _shown(url, parts.netloc), url)


def sibling_address(address: Address, kind: str) -> Address:
    """The address of the copy of that kind beside a library: in the same database, the namespace ``<schema>_<kind>``.

    A name that would be longer than PostgreSQL keeps names is cut, and has digits in it that tell it from others.
    """
    name = f"{address.schema}_{kind}"
    if len(name) > MOST_LETTERS:
        digits = blake2b(address.schema.encode(), digest_size=4).hexdigest()
        name = f"{address.schema[:_CUT_LETTERS]}_{digits}_{kind}"
    parts = urlsplit(address.url)
    pairs = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] != "schema"]
    query = urlencode([*pairs, ("schema", name)], quote_via=quote)
    return read_address(f"{parts.scheme}://{parts.netloc}{parts.path}?{query}")


def _number(settings: dict[str, str], name: str, otherwise: int, least: int, most: int, what: str) -> int:
    text = settings.get(name)
    if text is None:
        return otherwise
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
        raise InvalidInput(f"{name}={text!r} cannot be: write {what}, {least} to {most}", field="path_or_url")
    return int(text)


def _shown(url: str, netloc: str) -> str:
    user, at, host = netloc.rpartition("@")
    shown = urlsplit(url)
    query = urlencode([pair for pair in parse_qsl(shown.query) if pair[0] not in ("password", "sslpassword")])
    name = f"{user.partition(':')[0]}{at}{host}"
    # as above: an address that lost its // would be taken for the path of a file
    return f"{shown.scheme}://{name}{shown.path}" + (f"?{query}" if query else "")
