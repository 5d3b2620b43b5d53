"""The provenance card: how far a piece of knowledge may be trusted, and where it comes from."""

from __future__ import annotations

from datetime import date

from pydantic import field_validator
from pydantic_core import PydanticCustomError

from hybridkb.errors import InvalidInput
from hybridkb.knowledge.base import Day, KnowledgeModel

SOURCE_CLASSES: tuple[str, ...] = ("article", "lineage", "scout", "deep_research")
"""The known source classes, most trusted first. A new class is added here, at its place, and nowhere else."""


class Provenance(KnowledgeModel):
    """A provenance card. Its fields may also be given in order, as :meth:`as_row` returns them.

    Attributes:
        source: one of :data:`SOURCE_CLASSES`.
        kind: what kind of document within that class, such as ``"essay"``.
        doc_date: the document's own calendar day, ISO ``YYYY-MM-DD``.
        verdict: what was decided about it, such as ``"keep"``.
        link: where a reader can open it.
    """

    source: str
    kind: str | None = None
    doc_date: Day | None = None
    verdict: str | None = None
    link: str | None = None

    def __init__(
        self,
        source: str,
        kind: str | None = None,
        doc_date: str | date | None = None,
        verdict: str | None = None,
        link: str | None = None,
    ) -> None:
        """Make a card.

        Raises:
            InvalidInput: an unknown source class, or a date that is not a calendar day.
        """
        super().__init__(source=source, kind=kind, doc_date=doc_date, verdict=verdict, link=link)

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @field_validator("source")
    @classmethod
    def _known_source(cls, value: str) -> str:
        if value not in SOURCE_CLASSES:
            raise PydanticCustomError("source_class", "{reason}", {"reason": _unknown(value)})
        return value

    @property
    def trust(self) -> int:
        """Rank of the source class: 0 is the most trusted."""
        return SOURCE_CLASSES.index(self.source)

    def as_row(self) -> tuple[str, str | None, str | None, str | None, str | None]:
        """The five values in column order: source, kind, doc_date, verdict, link."""
        return self.source, self.kind, self.doc_date, self.verdict, self.link


def at_least_as_trusted(source: str) -> tuple[str, ...]:
    """Name the source classes trusted as much as ``source`` or more, most trusted first.

    Raises:
        InvalidInput: an unknown source class.
    """
    if source not in SOURCE_CLASSES:
        raise InvalidInput(_unknown(source), field="source")
    return SOURCE_CLASSES[: SOURCE_CLASSES.index(source) + 1]


def _unknown(source: str) -> str:
    return f"{source!r} is not a known source class; use one of {', '.join(SOURCE_CLASSES)}"
