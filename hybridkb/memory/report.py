"""What an ingest did, in one report."""

from __future__ import annotations

from dataclasses import dataclass, field

from hybridkb.memory.collected import SkippedCard, UpcomingCard


@dataclass(slots=True)
class IngestReport:
    """What one run of :func:`hybridkb.memory.ingest_sources` did.

    Attributes:
        chunks_written: chunks written, replaced ones included.
        slugs: the cards that were written, in order.
        by_source: chunks written, by source class, most trusted first.
        added: slugs that the library did not hold.
        revised: slugs with a new state, available later than all before.
        corrected: slugs whose state was replaced at the same instant; where that instant is past, the past was edited.
        superseded: slugs whose state was put before a later one, which today's answers go on showing.
        withdrawn: slugs that stay withdrawn; give a later ``available_at`` to bring them back.
        unchanged: slugs that were there already; nothing was written for them.
        embedded: texts embedded in this run.
        reused: texts written whose vector was there already.
        pending: texts of these cards without a vector.
        split_texts: texts longer than the model reads at once, embedded in windows and averaged.
        truncated_texts: texts of which the model did not read the end.
        failed_texts: (locator, reason) of texts whose vector was unusable; their words are searchable.
        degraded: why there are no vectors, if there are none.
        skipped: what was left out, by the readers too.
        upcoming: what the readers found marked as not published.
        undated: cards of which nobody says when they became observable; no search with a cutoff finds them.
        backfilled: rows of adopted tables whose provenance was filled in.
        notes: what the readers guessed or degraded.
        seconds: time taken.
    """

    chunks_written: int = 0
    slugs: tuple[str, ...] = ()
    by_source: dict[str, int] = field(default_factory=dict)
    added: tuple[str, ...] = ()
    revised: tuple[str, ...] = ()
    corrected: tuple[str, ...] = ()
    superseded: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    embedded: int = 0
    reused: int = 0
    pending: int = 0
    split_texts: int = 0
    truncated_texts: int = 0
    failed_texts: tuple[tuple[str, str], ...] = ()
    degraded: str | None = None
    skipped: tuple[SkippedCard, ...] = ()
    upcoming: tuple[UpcomingCard, ...] = ()
    undated: int = 0
    backfilled: int = 0
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
