"""Cards into the library: cut into chunks, compared with what stands there, embedded, put, each whole or not at all.

Vectors are made first and committed batch by batch; then each card is put in a transaction of its own and finds its
vectors by their texts. So a reader never sees half a card, nor a card that lost its vectors, and a run that was killed
goes on where it was.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from hybridkb.errors import EmbedderError, InvalidInput, MissingExtra
from hybridkb.ingest import EmbedReport, ProgressCallback, PutReport
from hybridkb.knowledge import SOURCE_CLASSES, Provenance
from hybridkb.knowledge.card import MemoryCard
from hybridkb.knowledge.times import parse_day_or_instant
from hybridkb.library import HybridLibrary, parts_of
from hybridkb.memory.adopted_tables import Filling
from hybridkb.memory.card import KnowledgeCard, make_item
from hybridkb.memory.chunking import OVERLAP, WORDS_PER_CHUNK, check_sizes, count_chunks, split_chunks, word_spans
from hybridkb.memory.collected import CollectedCards, SkippedCard
from hybridkb.memory.report import IngestReport
from hybridkb.memory.standing import is_same, refuse_unknown, weigh
from hybridkb.upkeep import HeldItem

CARD_TYPE = "memory_card"
EMBED_BATCH = 16
MOST_UNFILLED = 500
"""Cards whose provenance is filled into adopted tables at once."""
WAIT_SECONDS = 60.0

_EFFECTS = {"added": "added", "revised": "revised", "corrected": "corrected", "inserted": "superseded"}
"""The counts of a put, and the lists of slugs that they become."""
_SLUG_LISTS = ("slugs", *_EFFECTS.values(), "withdrawn", "unchanged")


def ingest_sources(
    library: HybridLibrary,
    cards: Iterable[KnowledgeCard | Mapping[str, Any]],
    *,
    words_per_chunk: int = WORDS_PER_CHUNK,
    overlap: int = OVERLAP,
    embed_batch: int = EMBED_BATCH,
    progress: ProgressCallback | None = None,
    require_embeddings: bool = False,
    wait_seconds: float = WAIT_SECONDS,
) -> IngestReport:
    """Put cards into the library: each replaces what stood under its slug, and nothing is done twice.

    Earlier states stay for searches with a cutoff, by the table of puts (docs/time.md). A card that cannot be used is
    skipped with its reason, and the rest goes on.

    Args:
        library: open for writing.
        cards: cards, or mappings of their fields; what a reader collected brings its own notes of what it left out.
        words_per_chunk, overlap: how long a chunk is, and how many words neighbours share.
        embed_batch: texts for one call of the model and one commit.
        progress: called with (chunks done, chunks in all or None).
        require_embeddings: raise when a text gets no vector, before its card is put; else its words are put alone.
        wait_seconds: how long to wait for another ingest into the same library.

    Raises:
        InvalidInput: sizes that make no chunks, or no list of cards.
        EmbedderError, MissingExtra: ``require_embeddings``, and the model failed; cards put before stay.
        DatabaseBusy: another ingest did not end in time.
        DatabaseError: the file could not be written; cards put before stay.
    """
    check_sizes(words_per_chunk, overlap)
    if not isinstance(embed_batch, int) or isinstance(embed_batch, bool) or embed_batch < 1:
        raise InvalidInput(f"embed_batch is a whole number from 1 on, not {embed_batch!r}", field="embed_batch")
    if isinstance(cards, str | bytes | Mapping | KnowledgeCard) or not isinstance(cards, Iterable):
        raise InvalidInput(f"cards is a list of cards, not {type(cards).__name__}; put one card into a list",
                           field="cards")  # fmt: skip
    started = time.monotonic()
    with parts_of(library).database.job_lock("ingest", wait_seconds=wait_seconds):
        run = _Run(library, words_per_chunk, overlap, embed_batch, require_embeddings, progress)
        if progress is not None and isinstance(cards, Sequence):
            run.total = sum(map(run.count, cards))
        if isinstance(cards, CollectedCards):
            run.of_readers = True
            run.skipped += cards.skipped
            run.report.upcoming, run.report.notes = cards.upcoming, cards.notes
        for position, card in enumerate(cards):
            run.take(position, card)
        run.finish()
        return run.close(time.monotonic() - started)


class _Run:
    """One ingest: what stood in the library before it, the cards that wait for the next commit, and the report."""

    def __init__(
        self,
        library: HybridLibrary,
        words_per_chunk: int,
        overlap: int,
        embed_batch: int,
        required: bool,
        progress: ProgressCallback | None,
    ) -> None:
        inventory = library.inventory(item_types=(CARD_TYPE,))
        self.report = IngestReport()
        self.total: int | None = None
        self.skipped: list[SkippedCard] = []
        self.of_readers = False
        self._library = library
        self._sizes = (words_per_chunk, overlap)
        self._batch = embed_batch
        self._required = required
        self._progress = progress
        self._held = {item.path: item for item in inventory.items}
        self._now = inventory.taken_at
        self._zone = library.settings.zone
        self._seen: set[str] = set()
        self._fresh: list[MemoryCard] = []
        self._waiting: list[MemoryCard] = []  # unchanged, but for vectors
        self._slugs: dict[str, list[str]] = {name: [] for name in _SLUG_LISTS}
        self._done = self._shown = 0
        self._filling = Filling(parts_of(library).database)
        self._cards: dict[str, Provenance | None] = {}  # whose provenance adopted tables do not have yet

    def count(self, card: object) -> int:
        """How many chunks a card gives; none when it is no card."""
        return count_chunks(len(word_spans(card.text)), *self._sizes) if isinstance(card, KnowledgeCard) else 0

    def take(self, position: int, card: object) -> None:
        """Look at one card; those that change something are put with the next batch."""
        try:
            item, held = self._read(position, card)
        except InvalidInput as error:
            slug = getattr(card, "slug", None)
            self._skip(slug if isinstance(slug, str) else f"position {position}", error)
            return
        self._cards[item.slug] = item.provenance
        same = held is not None and is_same(item, held)
        if same:
            self._slugs["unchanged"].append(item.slug)
        if same and held is not None and not held.without_vector:
            self._move(item)
            return
        waiting = sum(map(_chunks, (*self._fresh, *self._waiting))) + _chunks(item)
        if waiting > self._batch:
            self.finish()
        (self._waiting if same else self._fresh).append(item)
        if waiting == self._batch:
            self.finish()

    def finish(self) -> None:
        """Embed and put everything that waits."""
        fresh, self._fresh = self._fresh, []
        waiting, self._waiting = self._waiting, []
        lacking = sum(self._held[item.slug].without_vector for item in waiting)
        self.report.pending += self._embed(waiting, lacking).pending
        embedded = self._embed(fresh, 0)
        self.report.reused -= embedded.embedded  # what follows counts them as found
        for item in fresh:
            self._put(item)
        for item in waiting:
            self._move(item)
        if len(self._cards) >= MOST_UNFILLED:
            self._fill()

    def _fill(self) -> None:
        """Let who reads the adopted tables see the provenance of what was put, or stands there as it was given."""
        cards, self._cards = self._cards, {}
        self._filling.fill(cards)
        self.report.backfilled = self._filling.rows

    def close(self, seconds: float) -> IngestReport:
        """The report of everything."""
        self._fill()
        self.report.notes += self._filling.notes
        for name, slugs in self._slugs.items():
            setattr(self.report, name, tuple(slugs))
        self.report.skipped = tuple(self.skipped)
        self.report.seconds = seconds
        return self.report

    def _read(self, position: int, card: object) -> tuple[MemoryCard, HeldItem | None]:
        """Make the item, and find what stands under its slug.

        Raises:
            InvalidInput: it cannot be put.
        """
        if isinstance(card, Mapping):
            card = KnowledgeCard.model_validate(card)
        if not isinstance(card, KnowledgeCard):
            raise InvalidInput(f"{type(card).__name__} is no KnowledgeCard, nor a mapping of its fields", field="cards")
        if card.slug in self._seen:
            raise InvalidInput(
                f"the slug {card.slug!r} (position {position}) was given before in this run; one card a slug: rename "
                "it, or leave it out",
                field="slug",
            )
        self._seen.add(card.slug)
        held = self._held.get(card.slug)
        words, overlap = self._sizes
        item = make_item(
            card, split_chunks(card.text, words, overlap), words_per_chunk=words, overlap=overlap,
            as_of=self._as_of(card, held),
        )  # fmt: skip
        self.report.undated += item.available_at is None
        if held is not None:
            refuse_unknown(item, held)
            self.report.notes += weigh(self._library, item, held, of_reader=self.of_readers)
        return item, held

    def _as_of(self, card: KnowledgeCard, held: HeldItem | None) -> datetime:
        """When the card does not say what it represents: as late as it may be, and the same in every run."""
        if card.available_at is not None:
            return card.available_at
        if card.provenance.doc_date is not None:
            return parse_day_or_instant(card.provenance.doc_date, meaning="as_of", zone=self._zone)
        return held.as_of if held is not None else self._now

    def _embed(self, items: list[MemoryCard], lacking: int) -> EmbedReport:
        """Make the vectors that are missing; after the first failure of the model, ``lacking`` stay so."""
        if not items or self.report.degraded is not None:
            return EmbedReport(pending=lacking)
        try:
            made = self._library.embed_ahead(items, batch=self._batch, progress=self._tell)
        except (EmbedderError, MissingExtra) as error:
            if self._required:
                raise
            self.report.degraded = str(error)
            return EmbedReport(pending=lacking)
        self.report.embedded += made.embedded
        self.report.split_texts += made.split_texts
        self.report.truncated_texts += made.truncated_texts
        self.report.failed_texts += made.failed
        if self._required and made.failed:
            locator, reason = made.failed[0]
            raise EmbedderError(f"{locator} got no usable vector ({reason}) and require_embeddings was asked for")
        return made

    def _put(self, item: MemoryCard) -> None:
        """Put one card in a transaction of its own."""
        try:
            put = self._library.put_many([item], embed=False)
        except InvalidInput as error:
            self._cards.pop(item.slug, None)
            self._skip(item.slug, error)
            return
        self.report.pending += put.pending
        self.report.reused += put.reused
        self._move(item)
        if put.withdrawn:
            self._slugs["withdrawn"].append(item.slug)
        if not put.written:
            self._slugs["unchanged"].append(item.slug)
            return
        self._note_written(item, put)

    def _note_written(self, item: MemoryCard, put: PutReport) -> None:
        for counted, name in _EFFECTS.items():
            if getattr(put, counted):
                self._slugs[name].append(item.slug)
        self._slugs["slugs"].append(item.slug)
        self.report.chunks_written += put.records
        assert item.provenance is not None
        counts = self.report.by_source
        counts[item.provenance.source] = counts.get(item.provenance.source, 0) + put.records
        self.report.by_source = {name: counts[name] for name in SOURCE_CLASSES if name in counts}

    def _skip(self, place: str, reason: object) -> None:
        self.skipped.append(SkippedCard(place, str(reason)))

    def _move(self, item: MemoryCard) -> None:
        self._done += _chunks(item)
        self._show(self._done)

    def _tell(self, embedded: int, _of: int | None) -> None:
        """Show that embedding moves, though no card is done yet."""
        self._show(self._done + embedded)

    def _show(self, done: int) -> None:
        if self._progress is not None:
            self._shown = max(self._shown, done)
            self._progress(self._shown, self.total)


def _chunks(item: MemoryCard) -> int:
    return len(item.nodes) - 1
