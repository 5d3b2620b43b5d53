"""The built-in flat types: notes, news, earnings, factors and theses."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator
from pydantic_core import PydanticCustomError

from hybridkb.knowledge.base import Instant, Name
from hybridkb.knowledge.item import FlatKnowledge


def _read_figure(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, Real | Decimal | str):
        raise PydanticCustomError("figure", "is neither a number nor text")
    try:
        return value if isinstance(value, str) else float(value)
    except OverflowError:
        raise PydanticCustomError("figure", "is too large a number; give it in words") from None


def _between(low: float, high: float) -> AfterValidator:
    def check(value: float | str) -> float | str:
        if isinstance(value, float) and not low <= value <= high:
            raise PydanticCustomError(
                "scale", "as a number lies from {low} to {high}; scale it, or use a word", {"low": low, "high": high}
            )
        return value

    return AfterValidator(check)


Figure = Annotated[float | str, BeforeValidator(_read_figure)]
"""A number (kept as float), or a figure in words as it was reported (``"$94.9bn"``)."""


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
    sentiment: Annotated[Figure, _between(-1, 1)] | None = None
    materiality: Annotated[Figure, _between(0, 1)] | None = None


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
