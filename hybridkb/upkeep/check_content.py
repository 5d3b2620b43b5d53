"""Every stored item against its hash, every record against the projection of its item, the word index against both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from hybridkb.database import Connection, ids_parameter, read_ids
from hybridkb.errors import UnregisteredType
from hybridkb.ingest.prepare import Prepared
from hybridkb.ingest.reports import ProgressCallback
from hybridkb.store.canonical import load_states
from hybridkb.store.records import PlacedRecord, record_facets, record_row, record_words
from hybridkb.text import Analyser
from hybridkb.upkeep.check_canonical import verified
from hybridkb.upkeep.check_papers import StoredPapers
from hybridkb.upkeep.finding import Finding

_STEP = 500


def content_findings(
    connection: Connection, analyser: Analyser, progress: ProgressCallback | None
) -> Iterator[Finding]:
    """Compare canonical rows, records, facets and the words of the index."""
    total, done, after = int(connection.value("upkeep/count_revisions")), 0, 0
    words = _IndexedWords(connection, analyser)
    papers = StoredPapers(connection)
    while rows := connection.rows("canonical/all_revisions", {"after": after, "limit": _STEP}):
        yield from _step(connection, analyser, rows, words, papers)
        after, done = rows[-1][0], done + len(rows)
        if progress is not None:
            progress(done, total)
    yield from words.findings()


def _step(
    connection: Connection,
    analyser: Analyser,
    rows: Sequence[tuple[Any, ...]],
    words: _IndexedWords,
    papers: StoredPapers,
) -> Iterator[Finding]:
    papers.begin(row[2] for row in rows)
    states = load_states(connection, [row[2] for row in rows])
    stored = _by_revision(connection.rows("upkeep/records_of_revision", ids_parameter(row[0] for row in rows)))
    record_ids = [row[0] for records in stored.values() for row in records]
    facets = _facets_by_record(connection, record_ids)
    texts = {row[0]: row[1:] for row in connection.rows("records/texts_of", ids_parameter(record_ids))}
    for record_id, (title, body) in texts.items():
        yield from words.add(record_id, title, body)
    for row in rows:
        revision_no, _, item_id, _, available_at, as_of, *_ = row
        try:
            read = verified(row, papers)
        except UnregisteredType as error:
            yield Finding("unregistered_type", f"cannot be verified: {error}", item_id)
            continue
        yield from read.findings
        if read.item is None or read.expected is None:
            continue
        yield from papers.findings(read.item, revision_no, read.expected)
        interval = states[item_id].interval_of(revision_no)
        its_rows = stored.get(revision_no, [])
        times = (revision_no, as_of, available_at, *interval)
        yield from _record_findings(its_rows, read.expected, times, facets, texts, analyser)


def _record_findings(
    stored: Sequence[tuple[Any, ...]],
    expected: Prepared,
    times: tuple[int, int, int | None, int | None, int | None],
    facets: dict[int, list[tuple[str, str, int]]],
    texts: dict[int, tuple[str, str]],
    analyser: Analyser,
) -> Iterator[Finding]:
    revision_no, as_of, available_at, begin, end = times
    by_locator = {row[2]: row for row in stored}
    for record in expected.records:
        row = by_locator.pop(str(record.locator), None)
        if row is None:
            yield Finding("record_missing", "the record that the item projects is not there", str(record.locator))
            continue
        placed = PlacedRecord(
            row[0], revision_no, expected.content_hash, record, as_of, available_at, begin, end, expected.current
        )
        if record_row(placed, record_words(placed, analyser), analyser) != row:
            yield Finding("record_altered", "the record is not what its item projects", row[2])
        if texts.get(row[0]) != (record.title, record.body):
            yield Finding("text_altered", "the record's text is not what its item projects", row[2])
        if record_facets(placed, analyser) != facets.get(row[0], []):
            yield Finding("facets_altered", "tags, tickers, periods or identifiers are not the item's", row[2])
    for locator in by_locator:
        yield Finding("record_extra", "the item projects no such record", locator)


class _IndexedWords:
    """Compares the word index with the texts: by counting words, and row by row what an index could not hold whole."""

    def __init__(self, connection: Connection, analyser: Analyser) -> None:
        self._connection = connection
        self._analyser = analyser
        self._counts: Counter[str] = Counter()
        self._in_part = frozenset(read_ids(connection.value("lexical/phrase_doubts")).tolist())

    def add(self, record_id: int, title: str, body: str) -> Iterator[Finding]:
        in_title, in_body = self._analyser.words(title), self._analyser.words(body)
        if record_id not in self._in_part:
            self._counts.update(in_title)
            self._counts.update(in_body)
        elif not self._connection.rows(
            "upkeep/words_as_made", self._connection.words_row(record_id, in_title, in_body)
        ):
            yield Finding("words_altered", "the word index holds other words than the record", f"record {record_id}")

    def findings(self) -> Iterator[Finding]:
        """The index's word counts against ours, after its own stemming."""
        self._connection.rows("upkeep/open_vocabulary")
        held = {term: count for term, _, count in self._connection.rows("upkeep/vocabulary")}
        expected: Counter[str] = Counter()
        for word, count in self._counts.items():
            expected[self._connection.indexed_word(word)] += count
        for term in sorted(held.keys() | expected.keys()):
            if held.get(term, 0) != expected.get(term, 0):
                yield Finding(
                    "words_altered",
                    f"the word index counts {term!r} {held.get(term, 0)} times, the records hold it "
                    f"{expected.get(term, 0)} times",
                    None,
                )


def _by_revision(rows: Sequence[tuple[Any, ...]]) -> dict[int, list[tuple[Any, ...]]]:
    grouped: dict[int, list[tuple[Any, ...]]] = {}
    for row in rows:
        grouped.setdefault(row[1], []).append(row)
    return grouped


def _facets_by_record(connection: Connection, record_ids: Sequence[int]) -> dict[int, list[tuple[str, str, int]]]:
    grouped: dict[int, list[tuple[str, str, int]]] = {}
    for row in connection.rows("upkeep/facets_of_records", ids_parameter(record_ids)):
        grouped.setdefault(row[2], []).append(row)
    return grouped
