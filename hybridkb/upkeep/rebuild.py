"""Makes every derived row anew from canonical knowledge. Nothing canonical is touched, nothing is embedded.

The whole rebuild is one transaction: searches go on with the old rows until it commits, and
killing it leaves them as they were.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from hybridkb.database import Connection, Row
from hybridkb.errors import BrokenInvariant
from hybridkb.ingest.pipeline import Ingest
from hybridkb.ingest.reports import ProgressCallback
from hybridkb.lexical.index import create_words_table
from hybridkb.lexical.packing import unpack_everything
from hybridkb.resident.packed import repack
from hybridkb.store.canonical import highest, load_states, note_in_journal
from hybridkb.store.records import PlacedRecord, add_records
from hybridkb.store.settings import LibrarySettings, load_settings, save_settings
from hybridkb.text import ANALYSER_VERSION
from hybridkb.upkeep.check_canonical import CANONICAL_CHECKS, structure_findings, verified
from hybridkb.upkeep.check_papers import StoredPapers
from hybridkb.upkeep.finding import Finding
from hybridkb.upkeep.rebuild_papers import remake_paper_rows
from hybridkb.vector.spaces import create_vector_table, drop_vector_table, stored_spaces

_STEP = 1000


@dataclass(frozen=True, slots=True)
class RebuildReport:
    """What a rebuild did.

    Attributes:
        revisions: canonical revisions read.
        records: records made.
        seconds: time taken.
    """

    revisions: int
    records: int
    seconds: float


def rebuild(ingest: Ingest, *, progress: ProgressCallback | None = None) -> RebuildReport:
    """Make records, words and vector tables anew; cached vectors stay.

    Raises:
        BrokenInvariant: canonical rows are damaged; nothing was changed.
        UnregisteredType: a stored type's class is not registered in this program.
    """
    started = time.monotonic()
    with ingest.database.write(committed=ingest.committed) as connection:
        revisions, records = rebuild_within(connection, ingest, progress=progress)
    return RebuildReport(revisions, records, time.monotonic() - started)


def rebuild_within(
    connection: Connection, ingest: Ingest, *, progress: ProgressCallback | None = None
) -> tuple[int, int]:
    """Make everything derived anew inside the caller's write transaction, in the language that it sees.

    The caller tells the ingest when it has committed. Returns how many revisions were read and records made.

    Raises:
        BrokenInvariant, UnregisteredType: as :func:`rebuild`.
    """
    _refuse_damage(structure_findings(connection, CANONICAL_CHECKS))
    ingest.follow_language(connection)
    generation = int(connection.value("state/next_generation"))
    settings = load_settings(connection)
    shown_before = connection.rows("records/versions")
    loses_vectors = bool(connection.value("vector/any_shown_of_wrong_size"))
    _drop_derived(connection, settings)
    ingest.terms.begin(int(connection.value("state/next_packing")))
    revisions, records = _make_records(connection, ingest, progress)
    analysed_anew = settings.analyser_version != ANALYSER_VERSION
    answers_anew = analysed_anew or loses_vectors or connection.rows("records/versions") != shown_before
    if analysed_anew:
        save_settings(connection, replace(settings, analyser_version=ANALYSER_VERSION))
    note_in_journal(
        connection,
        now=ingest.clock(),
        kind="rebuild",
        subject=None,
        affected_from=connection.value("records/first_of_all") if answers_anew else None,
        detail=f"generation {generation}, analyser version {ANALYSER_VERSION}",
    )
    repack(connection)
    return revisions, records


def _make_records(connection: Connection, ingest: Ingest, progress: ProgressCallback | None) -> tuple[int, int]:
    total = int(connection.value("upkeep/count_revisions"))
    revisions = records = after = 0
    papers = StoredPapers(connection)
    remake_paper_rows(connection)
    while rows := connection.rows("canonical/all_revisions", {"after": after, "limit": _STEP}):
        placed = _project(connection, rows, papers)
        add_records(connection, ingest.analyser, ingest.terms, placed)
        revisions, records, after = revisions + len(rows), records + len(placed), rows[-1][0]
        if progress is not None:
            progress(revisions, total)
    return revisions, records


def _refuse_damage(findings: Iterable[Finding]) -> None:
    sentences = [str(finding) for finding in findings]
    if sentences:
        raise BrokenInvariant(
            f"what was put is damaged, so nothing was rebuilt: {sentences[0]}; restore a copy of the file, or purge "
            "the item and put it again",
            findings=sentences,
        )


def _drop_derived(connection: Connection, settings: LibrarySettings) -> None:
    connection.rows("vector/keep_one_serving")
    connection.rows("vector/erase_of_wrong_size")  # their texts are pending again
    for stored in stored_spaces(connection):
        drop_vector_table(connection, stored)
        create_vector_table(connection, stored)
    connection.rows("resident/clear_changes")
    for name in ("vector/clear_segments", "records/clear", "records/clear_texts", "records/clear_facets"):
        connection.rows(name)
    unpack_everything(connection)
    connection.rows("lexical/drop_words")
    create_words_table(connection, stemmed=settings.language == "english")


def _project(connection: Connection, rows: Sequence[Row], papers: StoredPapers) -> list[PlacedRecord]:
    papers.begin(row[2] for row in rows)
    states = load_states(connection, (row[2] for row in rows))
    next_id = highest(connection, "record") + 1
    placed: list[PlacedRecord] = []
    for row in rows:
        revision_no, _, item_id, _, available_at, as_of, *_ = row
        read = verified(row, papers)
        _refuse_damage(read.findings)
        prepared = read.expected
        if prepared is None:
            continue
        begin, end = states[item_id].interval_of(revision_no)
        for record in prepared.records:
            placed.append(
                PlacedRecord(
                    next_id + len(placed),
                    revision_no,
                    prepared.content_hash,
                    record,
                    as_of,
                    available_at,
                    begin,
                    end,
                    prepared.current,
                )
            )
    return placed
