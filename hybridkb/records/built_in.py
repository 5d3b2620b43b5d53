"""The projections of the built-in types."""

from __future__ import annotations

from collections.abc import Iterator

from hybridkb.knowledge.card import MemoryCard
from hybridkb.knowledge.document import Document
from hybridkb.knowledge.flat import Earnings, Factor, News, Note, Thesis
from hybridkb.knowledge.tree import Filing, Transcript
from hybridkb.records.projection import Projection, register_projection

_SCALES = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))


def register() -> None:
    """Register every built-in type."""
    register_projection(Note, Projection(title="title", body="body"))
    register_projection(News, Projection(title="headline", body=_news_body))
    register_projection(
        Earnings,
        Projection(
            title=_earnings_title, body=_earnings_body, identifiers="ticker", tickers="ticker", periods="period"
        ),
    )
    register_projection(Factor, Projection(title="factor_name", body=_factor_body, identifiers="factor_name"))
    register_projection(Thesis, Projection(title="claim", body="rationale"))
    register_projection(
        Filing, Projection(title="title", identifiers=("form", "ticker"), tickers="ticker", periods="period")
    )
    register_projection(
        Transcript,
        Projection(title="title", body="event", identifiers="ticker", tickers="ticker", periods="period"),
    )
    register_projection(
        Document,  # passages alone are searched
        Projection(
            title=(),
            identifiers=_file_name,
            tickers="tickers",
            periods="periods",
            collections="collection",
            path="path",
            item_type="kind",
        ),
    )
    register_projection(MemoryCard, Projection(title=(), identifiers="slug", path="slug"))  # chunks alone are searched


def say_number(value: float | str) -> str:
    """Write a figure as people search for it: ``94,900,000,000 (94.9 billion)``; words stay as they are."""
    if isinstance(value, str):
        return value
    digits = f"{value:,.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:,}"
    for size, name in _SCALES:
        if abs(value) >= size:
            return f"{digits} ({value / size:,.4g} {name})"
    return digits


def _file_name(document: Document) -> str:
    return document.path.rpartition("/")[2]


def _news_body(news: News) -> Iterator[str]:
    yield news.body
    if news.event_type:
        yield f"Event: {news.event_type}"
    if news.entities:
        yield f"Entities: {', '.join(news.entities)}"


def _earnings_title(earnings: Earnings) -> str:
    return f"{earnings.ticker} {earnings.period} earnings"


def _earnings_body(earnings: Earnings) -> str:
    return "\n".join(_earnings_lines(earnings))


def _earnings_lines(earnings: Earnings) -> Iterator[str]:
    yield f"Period: {earnings.period}"
    if earnings.revenue is not None:
        yield f"Revenue: {say_number(earnings.revenue)}"
    if earnings.eps is not None:
        yield f"Earnings per share (EPS): {say_number(earnings.eps)}"
    if earnings.guidance:
        yield f"Guidance: {earnings.guidance}"
    if earnings.surprise_flags:
        yield f"Surprises: {', '.join(flag.replace('_', ' ') for flag in earnings.surprise_flags)}"
    if earnings.transcript_quote:
        yield f"Quote: {earnings.transcript_quote}"


def _factor_body(factor: Factor) -> Iterator[str]:
    yield factor.description
    if factor.universe:
        yield f"Universe: {factor.universe}"
