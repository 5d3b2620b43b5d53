"""Papers from arXiv: what its interface says about one exact version, and the bytes of its PDF.

Polite (one connection, a pause between requests, ``Retry-After`` honoured) and wary: time and size are bounded, no way
leads to another site, and what comes must be a PDF.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from urllib.parse import urlencode

from hybridkb.errors import FetchFailed, NotFound
from hybridkb.papers.arxiv_feed import FeedEntry, UnusableFeed, read_feed
from hybridkb.papers.arxiv_id import ArxivIdentifier
from hybridkb.papers.fetching import FetchedPaper
from hybridkb.papers.pace import ARXIV_PACE, Pace
from hybridkb.papers.polite_get import MAX_FEED_BYTES, MAX_PDF_BYTES, PoliteGet

ARXIV = "https://export.arxiv.org"
"""The site that arXiv keeps for programs."""

_PDF_MARK_WITHIN = 1024


class ArxivFetcher:
    """Fetches papers from arXiv, or from a server that answers as arXiv does.

    Args:
        base_url: another server, such as a mirror.
        pace: another pace than the one all fetchers of this process share.
        timeout_seconds: the longest that one connection may be silent.
        total_seconds: the longest that one file may take.
        max_bytes: a larger PDF is refused.
        attempts: how often a request is tried when the server is busy or cannot be reached.
        now: the time of day, aware.
    """

    def __init__(
        self,
        base_url: str = ARXIV,
        *,
        pace: Pace = ARXIV_PACE,
        timeout_seconds: float = 30.0,
        total_seconds: float = 300.0,
        max_bytes: int = MAX_PDF_BYTES,
        attempts: int = 4,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._base, self._max_bytes, self._now = base_url.rstrip("/"), max_bytes, now
        self._get = PoliteGet(
            self._base, pace, timeout_seconds=timeout_seconds, total_seconds=total_seconds, attempts=attempts, now=now
        )

    def fetch(self, identifier: ArxivIdentifier) -> FetchedPaper:
        """Fetch one exact version; the newest when none is named.

        Raises:
            NotFound: arXiv has no such paper or version, or no PDF of it (it may be withdrawn).
            FetchFailed: arXiv cannot be reached or is too busy; or what it answers is unusable.
        """
        entry = self._entry(identifier)
        exact = entry.identifier
        assert exact is not None
        url = f"{self._base}/pdf/{exact}"
        data = self._get(url, self._max_bytes, target=str(exact))
        if b"%PDF-" not in data[:_PDF_MARK_WITHIN]:
            raise FetchFailed(
                f"{url} answered something that is no PDF ({len(data):,} bytes); arXiv may have none of this version, "
                "open its page to see",
                url=url,
            )
        return FetchedPaper(
            data=data,
            arxiv_id=exact,
            uri=f"https://arxiv.org/abs/{exact}",
            title=entry.title,
            authors=entry.authors,
            abstract=entry.abstract,
            published_at=entry.updated,
            fetched_at=self._now(),
            doi=entry.doi,
        )

    def _entry(self, identifier: ArxivIdentifier) -> FeedEntry:
        """What arXiv says about the version that is asked for, and about no other."""
        url = f"{self._base}/api/query?{urlencode({'id_list': str(identifier), 'max_results': 1})}"
        data = self._get(url, MAX_FEED_BYTES, target=str(identifier))
        try:
            entries = read_feed(data)
        except UnusableFeed as error:
            raise FetchFailed(f"the answer of {url} cannot be used: {error}", url=url) from error
        if not entries or (entries[0].identifier is None and "error" in entries[0].title.lower()):
            raise NotFound(f"arXiv has no paper {identifier}; look at its number and version", target=str(identifier))
        return _asked_for(entries[0], identifier, url)


def _asked_for(entry: FeedEntry, identifier: ArxivIdentifier, url: str) -> FeedEntry:
    """The entry, if it is the one that was asked for and names its version.

    Raises:
        FetchFailed: it is another one, or does not say which.
    """
    found = entry.identifier
    if found is None or found.version is None or not entry.title:
        raise FetchFailed(f"the answer of {url} does not say which paper and version it is", url=url)
    if found.paper != identifier.paper or identifier.version not in (None, found.version):
        raise FetchFailed(f"{url} was asked for {identifier} and answered {found}", url=url)
    return entry
