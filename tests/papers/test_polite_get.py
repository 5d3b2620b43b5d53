"""Hostile servers: answers that never end, addresses that are none, words for a terminal."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hybridkb.errors import FetchFailed, InvalidInput
from hybridkb.papers import ArxivFetcher
from hybridkb.papers.pace import Pace
from hybridkb.papers.polite_get import PoliteGet
from support.raw_server import RawServer

STATUS = b"HTTP/1.1 200 OK\r\n"
CHUNKED = STATUS + b"Transfer-Encoding: chunked\r\n\r\n"


def get(server: RawServer, *, seconds: float = 30.0) -> bytes:
    """Get a file within so many seconds; a silence of more than twenty would be another fault."""
    once = PoliteGet(
        server.url, Pace(0.0), timeout_seconds=20, total_seconds=seconds, attempts=1, now=lambda: datetime.now(UTC)
    )
    return once(f"{server.url}/pdf/x", 10_000, target="x")


@pytest.mark.parametrize(
    ("at_once", "dripped"),
    [
        (b"HTTP/1.1 200 ", b"O"),
        (STATUS, b"X-A: b\r\n"),
        (STATUS + b"X-A: ", b"b"),
        (STATUS + b"Content-Length: 9000\r\n\r\n", b"x"),
        (STATUS + b"\r\n", b"x"),
        (CHUNKED + b"1;", b"e"),
        (CHUNKED, b"1\r\nx\r\n"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (b"HTTP/1.1 503 Busy\r\n", b"X-A: b\r\n"),
    ],
    ids="status header-lines header body endless chunk-size chunks continue refusal".split(),
)
def test_a_server_that_drips_is_left_when_the_time_is_over(at_once: bytes, dripped: bytes) -> None:
    with RawServer(at_once, dripped) as server:
        with pytest.raises(FetchFailed, match=r"was not there after 0\.2 seconds|answers 503") as caught:
            get(server, seconds=0.2)
        assert caught.value.retryable
        assert server.gone.wait(5)


@pytest.mark.parametrize("place", ["http://[bad", "//[", "http://example.org\x1b[31m/", "http://127.0.0.1:x/"])
def test_a_redirect_to_no_address_is_refused_in_words(place: str) -> None:
    answer = f"HTTP/1.1 302 Found\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n".encode()
    with RawServer(answer) as server, pytest.raises(FetchFailed, match="leads to") as caught:
        get(server)
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("answer", [b"\x1b[2Jnothing\r\n\r\n", b"HTTP/1.1 x\r\n\r\n", CHUNKED + b"zz\r\n", b""])
def test_what_is_no_answer_is_a_broken_connection(answer: bytes) -> None:
    with RawServer(answer) as server, pytest.raises(FetchFailed, match="the connection broke") as caught:
        get(server)
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize(
    "place", ["nonsense", "", "file:///etc", "ftp://arxiv.org", "http://", "http://x:y", "http://["]
)
def test_a_site_has_an_address_of_the_web(place: str) -> None:
    with pytest.raises(InvalidInput, match="no address of a site"):
        ArxivFetcher(place)
