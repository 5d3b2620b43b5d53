"""Canonical JSON and the content hash: deterministic, reversible, blind to what is not content."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given

from hybridkb.knowledge import Citation, ExtractionRef, KnowledgeItem, Provenance, SourceRef, parse_item
from hybridkb.knowledge.canonical import canonical_json, content_hash
from knowledge.samples import filing, items, note

GOLDEN_HASH = "efc28c31e15ba072765d34c3cd48f27672c7f4f4b5eea58862a1486068e72e38"
LATER = datetime(2030, 1, 1, tzinfo=UTC)
RICH = note(
    title="Kupfer — 銅",
    source=SourceRef(kind="http", uri="https://example.org/a", published_at="2024-03-01T00:00:00Z"),
    extraction=ExtractionRef(producer="reader", model="m", run_id="1", run_at=LATER),
    tags=["metals", "supply"],
    citations=[Citation(source_id="s", page=3, quote="gap")],
    provenance=Provenance("article", "essay", "2024-03-01", "keep", "https://example.org/a"),
)


@given(items)
def test_every_item_is_read_back_equal(item: KnowledgeItem) -> None:
    written = canonical_json(item)
    again = parse_item(written)
    assert again == item
    assert type(again) is type(item)
    assert canonical_json(again) == written
    assert content_hash(again) == content_hash(item)
    assert parse_item(item.model_dump()) == item


def test_keys_are_sorted_and_no_space_is_wasted() -> None:
    written = canonical_json(RICH).decode()
    assert written == json.dumps(json.loads(written), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    assert "銅" in written


def test_the_hash_stays_what_it_was() -> None:
    assert content_hash(RICH).hex() == GOLDEN_HASH


def test_the_hash_is_the_same_in_another_process() -> None:
    program = (
        "import sys; from hybridkb.knowledge import parse_item, content_hash;"
        "print(content_hash(parse_item(sys.stdin.buffer.read())).hex())"
    )
    done = subprocess.run([sys.executable, "-c", program], input=canonical_json(RICH), capture_output=True, check=True)
    assert done.stdout.decode().strip() == GOLDEN_HASH


@pytest.mark.parametrize(
    "changes",
    [
        {"created_at": LATER},
        {"available_at": LATER},
        {"source": {**RICH.source.model_dump(), "fetched_at": LATER}},
        {"extraction": {"producer": "reader", "model": "m", "run_id": "2", "run_at": LATER + timedelta(1)}},
        {"extraction": {"producer": "reader", "model": "m"}},
    ],
)
def test_what_is_not_content_does_not_change_the_hash(changes: dict[str, Any]) -> None:
    changed = RICH.model_copy(update=changes)
    assert changed != RICH
    assert content_hash(changed) == content_hash(RICH)
    assert canonical_json(changed) != canonical_json(RICH)


@pytest.mark.parametrize(
    "changes",
    [
        {"as_of": LATER},
        {"title": "Copper"},
        {"body": "Supply gap widens. "},
        {"tags": ["metals"]},
        {"confidence": "high"},
        {"schema_version": 2},
        {"extraction": None},
        {"extraction": {"producer": "reader", "model": "other"}},
        {"source": {"kind": "http", "uri": "https://example.org/a"}},
        {"provenance": None},
        {"citations": []},
        {"disclaimers": ["not advice"]},
    ],
)
def test_any_content_changes_the_hash(changes: dict[str, Any]) -> None:
    assert content_hash(RICH.model_copy(update=changes)) != content_hash(RICH)


def test_the_order_of_nodes_does_not_change_the_hash() -> None:
    item = filing()
    assert content_hash(filing(nodes=dict(reversed(item.nodes.items())))) == content_hash(item)


def test_a_hash_has_32_bytes() -> None:
    assert len(content_hash(note())) == 32


def test_times_of_equal_instants_are_written_alike() -> None:
    early, late = note(as_of="2024-03-11T00:30:00-04:00"), note(as_of="2024-03-11T04:30:00.000Z")
    assert canonical_json(early) == canonical_json(late)
