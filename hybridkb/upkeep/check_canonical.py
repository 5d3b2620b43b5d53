"""Canonical rows: is every stored item what its hash names? A rebuild starts from nothing less."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hybridkb.database import Connection
from hybridkb.errors import HybridKBError, UnregisteredType
from hybridkb.ingest.prepare import Prepared
from hybridkb.knowledge import KnowledgeItem, content_hash
from hybridkb.store.canonical import decode_payload
from hybridkb.upkeep.check_papers import StoredPapers
from hybridkb.upkeep.finding import Finding

CANONICAL_CHECKS = (
    "item_without_revision",
    "revision_availability_mixed",
    "revision_without_item",
    "withdrawal_without_item",
)
"""Statements of ``sql/<engine>/checks`` whose findings no rebuild can mend."""


def structure_findings(connection: Connection, names: Sequence[str]) -> Iterator[Finding]:
    """Run statements of ``sql/<engine>/checks``; in a whole library none finds a row."""
    for name in names:
        for subject, message in connection.rows(f"checks/{name}"):
            yield Finding(name, message, subject)


@dataclass(frozen=True, slots=True)
class Verified:
    """A stored revision read back.

    Attributes:
        item: what it holds; None when it cannot be read.
        expected: what a put of it would write; None when that cannot be told.
        findings: what is wrong with it.
    """

    item: KnowledgeItem | None
    expected: Prepared | None
    findings: tuple[Finding, ...]


def verified(row: Sequence[Any], papers: StoredPapers) -> Verified:
    """Read a row of ``canonical/all_revisions`` as a put would; ``papers`` has begun the step that it belongs to.

    Raises:
        UnregisteredType: its class is not registered in this program.
    """
    _, _, item_id, item_type, available_at, as_of, stored_hash, payload, source = row
    item: KnowledgeItem | None = None
    try:
        item = decode_payload(payload, item_id)
        expected = papers.expected(item, available_at)
    except UnregisteredType:
        raise
    except HybridKBError as error:
        return Verified(item, None, (Finding("item_unreadable", str(error), item_id),))
    findings = []
    if (content_hash(item), str(item.id), item.item_type) != (stored_hash, item_id, item_type):
        findings.append(Finding("item_altered", "the stored item is not what its hash names", item_id))
    if (expected.available_at, expected.as_of) != (available_at, as_of):
        findings.append(Finding("item_altered", "the stored times are not those of the item", item_id))
    if expected.source != source:
        findings.append(Finding("item_altered", "the stored source is not that of the item", item_id))
    return Verified(item, expected, tuple(findings))
