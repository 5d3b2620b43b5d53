"""Does every derived row still say what it was made from? Nothing is changed; ``rebuild()`` mends.

Three layers: the file itself (SQLite's and FTS5's own checks), structures (the statements
in ``sql/<engine>/checks``, each of which finds no rows in a whole library), and content
(every record against the projection of its item, every index against the record, every blob against its name).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hybridkb.database import Connection
from hybridkb.database.statements import statement_names
from hybridkb.errors import BrokenInvariant
from hybridkb.ingest.pipeline import Ingest
from hybridkb.ingest.reports import ProgressCallback
from hybridkb.store.settings import load_settings
from hybridkb.text import shared_analyser
from hybridkb.upkeep.check_canonical import structure_findings
from hybridkb.upkeep.check_content import content_findings
from hybridkb.upkeep.check_packed import packed_findings
from hybridkb.upkeep.check_papers import blob_findings
from hybridkb.upkeep.finding import Finding
from hybridkb.vector.index import records_without_row
from hybridkb.vector.spaces import for_space, stored_spaces

MOST_FINDINGS = 1000


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check found.

    Attributes:
        findings: what is wrong, at most 1,000.
        records: how many records were read.
        quick: whether content was left out.
    """

    findings: tuple[Finding, ...]
    records: int
    quick: bool

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings

    def raise_if_broken(self) -> None:
        """Turn findings into an error.

        Raises:
            BrokenInvariant: with the findings.
        """
        if self.findings:
            sentences = [str(finding) for finding in self.findings]
            raise BrokenInvariant(f"{len(sentences)} findings, the first: {sentences[0]}", findings=sentences)


def check(ingest: Ingest, *, quick: bool = False, progress: ProgressCallback | None = None) -> CheckReport:
    """Run every check in one read transaction."""
    with ingest.database.read() as connection:
        findings: list[Finding] = []
        for finding in _all_findings(connection, ingest, quick, progress):
            findings.append(finding)
            if len(findings) == MOST_FINDINGS:
                break
        records = int((connection.row("records/count") or (0,))[0])
    return CheckReport(tuple(findings), records, quick)


def _all_findings(
    connection: Connection, ingest: Ingest, quick: bool, progress: ProgressCallback | None
) -> Iterator[Finding]:
    yield from _file_findings(connection)
    names = statement_names("checks", connection.engine)
    yield from structure_findings(connection, [name.rpartition("/")[2] for name in names])
    yield from _vector_findings(connection)
    if not quick:
        analyser = shared_analyser(load_settings(connection).language)
        yield from content_findings(connection, analyser, progress)
        yield from blob_findings(connection)
        yield from packed_findings(connection, analyser)


def _file_findings(connection: Connection) -> Iterator[Finding]:
    for (message,) in connection.rows("upkeep/integrity"):
        if message != "ok":
            yield Finding("sqlite_integrity", message, None)


def _vector_findings(connection: Connection) -> Iterator[Finding]:
    for stored in stored_spaces(connection):
        for subject, message in connection.text_rows(for_space(connection, "upkeep/orphan_vectors", stored)):
            yield Finding("vector_without_record", message, subject)
        for subject, message in connection.text_rows(for_space(connection, "upkeep/unfounded_vectors", stored)):
            yield Finding("vector_row_without_vector", message, subject)
        if stored.state != "retired":
            for record_id in records_without_row(connection, stored):
                yield Finding(
                    "record_without_vector_row",
                    f"the sqlite-vec table of space {stored.number} lacks the record's vector",
                    f"record {record_id}",
                )
