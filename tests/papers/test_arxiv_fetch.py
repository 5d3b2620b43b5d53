"""Fetching from arXiv, against a server on loopback."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from hybridkb.errors import FetchFailed, NotFound
from hybridkb.papers import ArxivFetcher, ArxivIdentifier
from hybridkb.papers.pace import ARXIV_PACE, Pace
from support.arxiv_server import EMPTY, PDF, Answer, ArxivServer, feed

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
PAPER = ArxivIdentifier("1706.03762")


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now, self.slept = 0.0, []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def server() -> Iterator[ArxivServer]:
    with ArxivServer() as running:
        yield running


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def fetcher(server: ArxivServer, time: Time) -> ArxivFetcher:
    pace = Pace(clock=lambda: time.now, sleep=time.sleep)
    return ArxivFetcher(server.url, pace=pace, timeout_seconds=5, now=lambda: NOW)


def test_the_newest_version_is_named_and_its_pdf_fetched(fetcher: ArxivFetcher, server: ArxivServer) -> None:
    paper = fetcher.fetch(PAPER)
    assert str(paper.arxiv_id) == "1706.03762v3"
    assert paper.uri == "https://arxiv.org/abs/1706.03762v3"
    assert paper.data == PDF
    assert server.paths[1] == "/pdf/1706.03762v3"
    assert all(agent and agent.startswith("hybridkb/") for agent in server.agents)


def test_what_the_site_says_is_kept(fetcher: ArxivFetcher, server: ArxivServer) -> None:
    server.script(Answer(feed("1706.03762v7", title="Rolling\n  & holding", doi="10.1/x")))
    paper = fetcher.fetch(ArxivIdentifier("1706.03762v7"))
    assert paper.title == "Rolling & holding"
    assert paper.authors == ("A. Author", "B. Writer")
    assert paper.abstract == "We roll futures."
    assert paper.doi == "10.1/x"
    assert paper.fetched_at == NOW


def test_the_time_is_that_of_the_version_not_of_the_first(fetcher: ArxivFetcher) -> None:
    assert fetcher.fetch(PAPER).published_at == datetime(2023, 8, 2, 0, 41, 18, tzinfo=UTC)


def test_old_identifiers_keep_their_slash(fetcher: ArxivFetcher, server: ArxivServer) -> None:
    assert str(fetcher.fetch(ArxivIdentifier("hep-th/9901001v2")).arxiv_id) == "hep-th/9901001v2"
    assert server.paths[1] == "/pdf/hep-th/9901001v2"


def test_three_seconds_pass_between_two_requests(fetcher: ArxivFetcher, time: Time) -> None:
    fetcher.fetch(PAPER)
    fetcher.fetch(PAPER)
    assert time.slept == [3.0, 3.0, 3.0]


def test_one_request_runs_at_a_time_across_threads_and_fetchers(server: ArxivServer, time: Time) -> None:
    pace = Pace(clock=lambda: time.now, sleep=time.sleep)
    fetchers = [ArxivFetcher(server.url, pace=pace) for _ in range(4)]
    threads = [threading.Thread(target=one.fetch, args=(PAPER,)) for one in fetchers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(server.paths) == 8
    assert server.most_at_once == 1
    assert time.slept == [3.0] * 7


def test_all_fetchers_share_one_pace_unless_told_otherwise() -> None:
    assert ArxivFetcher()._get._pace is ARXIV_PACE is ArxivFetcher()._get._pace
    assert ARXIV_PACE.seconds >= 3


def test_a_busy_server_is_asked_again_later_and_later(fetcher: ArxivFetcher, server: ArxivServer, time: Time) -> None:
    server.script(Answer(status=503), Answer(status=500))
    assert fetcher.fetch(PAPER).data == PDF
    assert time.slept[:2] == [3.0, 6.0]


@pytest.mark.parametrize("value", ["40", "Wed, 01 May 2024 12:00:40 GMT"])
def test_retry_after_is_honoured(fetcher: ArxivFetcher, server: ArxivServer, time: Time, value: str) -> None:
    server.script(Answer(status=429, headers={"Retry-After": value}))
    assert fetcher.fetch(PAPER).data == PDF
    assert time.slept[0] == 40.0


def test_a_wait_that_is_too_long_fails_at_once_and_says_so(fetcher: ArxivFetcher, server: ArxivServer) -> None:
    server.script(Answer(status=429, headers={"Retry-After": "86400"}))
    with pytest.raises(FetchFailed, match="86,400 seconds") as caught:
        fetcher.fetch(PAPER)
    assert (caught.value.status, caught.value.retryable, caught.value.retry_after) == (429, True, 86400.0)
    assert len(server.paths) == 1


def test_attempts_end(fetcher: ArxivFetcher, server: ArxivServer) -> None:
    server.script(*[Answer(status=503, headers={"Retry-After": "soon"})] * 9)
    with pytest.raises(FetchFailed, match="tried 4 times"):
        fetcher.fetch(PAPER)
    assert len(server.paths) == 4


def test_a_broken_connection_is_tried_again(fetcher: ArxivFetcher, server: ArxivServer) -> None:
    server.script(Answer(feed("1706.03762v3")), Answer(PDF, cut=5))
    assert fetcher.fetch(PAPER).data == PDF


def test_no_server_is_said(time: Time) -> None:
    with ArxivServer() as gone:
        url = gone.url
    with pytest.raises(FetchFailed, match="cannot be reached"):
        ArxivFetcher(url, pace=Pace(clock=lambda: time.now, sleep=time.sleep)).fetch(PAPER)


@pytest.mark.parametrize("answer", [Answer(EMPTY), Answer(status=404)])
def test_a_paper_that_is_not_there_is_not_found(fetcher: ArxivFetcher, server: ArxivServer, answer: Answer) -> None:
    server.script(answer)
    with pytest.raises(NotFound) as caught:
        fetcher.fetch(ArxivIdentifier("1706.03762v99"))
    assert caught.value.target == "1706.03762v99"


def test_an_entry_that_tells_of_an_error_is_not_found(fetcher: ArxivFetcher, server: ArxivServer) -> None:
    entry = b"<entry><id>http://arxiv.org/api/errors#incorrect_id</id><title>Error</title></entry></feed>"
    server.script(Answer(EMPTY.replace(b"</feed>", entry)))
    with pytest.raises(NotFound):
        fetcher.fetch(PAPER)


@pytest.mark.parametrize("answered", ["1706.03762v2", "1706.03763v7", "1706.03762"])
def test_another_paper_than_asked_for_is_refused(fetcher: ArxivFetcher, server: ArxivServer, answered: str) -> None:
    server.script(Answer(feed(answered)))
    with pytest.raises(FetchFailed):
        fetcher.fetch(ArxivIdentifier("1706.03762v7"))
    assert len(server.paths) == 1


def test_what_is_no_pdf_is_refused(fetcher: ArxivFetcher, server: ArxivServer) -> None:
    server.pdf = b"<html>no PDF of this version</html>"
    with pytest.raises(FetchFailed, match="no PDF"):
        fetcher.fetch(PAPER)


@pytest.mark.parametrize("said", [True, False])
def test_a_pdf_that_is_too_large_is_refused(server: ArxivServer, time: Time, said: bool) -> None:
    headers = {"Content-Length": "5000"} if said else {"Content-Length": ""}
    server.script(Answer(feed("1706.03762v3")), Answer(PDF * 100, headers=headers))
    pace = Pace(clock=lambda: time.now, sleep=time.sleep)
    with pytest.raises(FetchFailed, match="larger than 1,000 bytes"):
        ArxivFetcher(server.url, pace=pace, max_bytes=1000).fetch(PAPER)


def test_redirects_within_the_site_are_followed(fetcher: ArxivFetcher, server: ArxivServer) -> None:
    server.script(Answer(feed("1706.03762v3")), Answer(status=301, headers={"Location": "/pdf/there"}))
    assert fetcher.fetch(PAPER).data == PDF
    assert server.paths[-1] == "/pdf/there"


@pytest.mark.parametrize(
    "place",
    ["https://evil.example/x.pdf", "http://arxiv.org/x", "https://arxiv.org.evil.example/x", "https://a@arxiv.org/x",
     "file:///etc/hostname", "http://127.0.0.1:1/x"],
)  # fmt: skip
def test_redirects_to_another_site_are_refused(fetcher: ArxivFetcher, server: ArxivServer, place: str) -> None:
    server.script(Answer(feed("1706.03762v3")), Answer(status=302, headers={"Location": place}))
    with pytest.raises(FetchFailed):
        fetcher.fetch(PAPER)


@pytest.mark.parametrize(
    "body",
    [
        b"not xml",
        b"<html></html>",
        b'<!DOCTYPE a [<!ENTITY b "c">]>' + EMPTY,
        b'<!DOCTYPE a SYSTEM "file:///etc/hostname">' + EMPTY,
        feed("1706.03762v3", updated="yesterday"),
        feed("1706.03762v3", title=" "),
        *(f"<?xml version='1.0' encoding='{name}'?>".encode() + EMPTY for name in ("utf-7", "hex", "shift_jis", "x")),
        b"<feed>" + b"<a>" * 300_000 + b"</a>" * 300_000 + b"</feed>",
    ],
)
def test_a_feed_that_cannot_be_trusted_is_refused(fetcher: ArxivFetcher, server: ArxivServer, body: bytes) -> None:
    server.script(Answer(body))
    with pytest.raises(FetchFailed):
        fetcher.fetch(PAPER)
    assert len(server.paths) == 1
