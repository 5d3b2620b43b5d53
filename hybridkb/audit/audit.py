"""The audit, start to end: one read transaction, nothing is changed."""

from __future__ import annotations

from collections.abc import Iterable

from hybridkb.audit.availability import availability_findings
from hybridkb.audit.edits import edit_findings
from hybridkb.audit.look_ahead import embedding_models, look_ahead_findings
from hybridkb.audit.report import AuditReport, Finding
from hybridkb.database import Database
from hybridkb.knowledge.times import from_microseconds


def audit(database: Database, since: int | None, cutoffs: Iterable[int]) -> AuditReport:
    """Look for everything that makes answers about the past unsafe.

    Args:
        database: the library's file.
        since: from when on edits count, microseconds since 1970 UTC; None is from the beginning.
        cutoffs: cutoffs in use, microseconds since 1970 UTC.
    """
    used = sorted(set(cutoffs))
    with database.read() as connection:
        models = embedding_models(connection)
        findings = [*availability_findings(connection, since), *edit_findings(connection, since)]
        for found in look_ahead_findings(connection, tuple(models), used) if used else ():
            if isinstance(found, Finding):
                findings.append(found)
            else:
                models.append(found)
        items, revisions = connection.row("audit/counts") or (0, 0)
    return AuditReport(
        findings=tuple(sorted(findings, key=lambda finding: finding.severity == "note")),
        since=None if since is None else from_microseconds(since),
        cutoffs=len(used),
        first_cutoff=from_microseconds(used[0]) if used else None,
        last_cutoff=from_microseconds(used[-1]) if used else None,
        models=tuple(models),
        items=items,
        revisions=revisions,
    )
