"""The built-in flat types: notes, news, earnings, factors and theses."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from hybridkb.knowledge.base import Instant, Name
from hybridkb.knowledge.item import FlatKnowledge

Figure = Annotated[float, Field(strict=True)] | str
"""A number, or a figure in words as it was reported (``"$94.9bn"``)."""


class Note(FlatKnowledge):
    """A free text with a title."""

    item_type: Literal["note"] = "note"
    title: str = ""
    body: str


class News(FlatKnowledge):
    """A news report.

    Attributes:
        headline, body: its words.
        event_type: what happened, such as ``"merger"``.
        timestamp: when it happened or was reported (UTC).
        entities: who and what it is about.
        sentiment: a word, or a number from -1 (bad) to 1 (good).
        materiality: a word, or a number from 0 to 1.
    """

    item_type: Literal["news"] = "news"
    headline: str
    body: str = ""
    event_type: str | None = None
    timestamp: Instant | None = None
    entities: tuple[Name, ...] = ()
    sentiment: Annotated[float, Field(strict=True, ge=-1, le=1)] | str | None = None
    materiality: Annotated[float, Field(strict=True, ge=0, le=1)] | str | None = None


class Earnings(FlatKnowledge):
    """A company's results for a period.

    Attributes:
        ticker: the listed symbol, such as ``"BRK.B"``.
        period: the fiscal period, such as ``"Q3 2024"``.
        revenue: in whole units of the reporting currency, or in words.
        eps: earnings per share in the reporting currency, or in words.
        guidance: the outlook given.
        surprise_flags: what surprised, such as ``"revenue_beat"``.
        transcript_quote: the sentence that says it best.
    """

    item_type: Literal["earnings"] = "earnings"
    ticker: Name
    period: Name
    revenue: Figure | None = None
    eps: Figure | None = None
    guidance: str | None = None
    surprise_flags: tuple[Name, ...] = ()
    transcript_quote: str | None = None


class Factor(FlatKnowledge):
    """A systematic factor: its name, what it measures, and the universe it was measured in."""

    item_type: Literal["factor"] = "factor"
    factor_name: Name
    description: str = ""
    universe: str | None = None


class Thesis(FlatKnowledge):
    """A claim about the future, and why."""

    item_type: Literal["thesis"] = "thesis"
    claim: str
    rationale: str = ""
