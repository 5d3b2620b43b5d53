"""list_sources and knowledge_status: what there is, honouring the cutoff, in pages that fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import InvalidFilter, InvalidQuery
from hybridkb.tools import knowledge_status, list_sources
from hybridkb.tools.listing import FILTER_OF
from oracles.items import day, item_id, note


def test_documents_come_by_path_with_what_is_cited(desk: HybridLibrary) -> None:
    answer = list_sources(desk, limit=2)
    assert [row["path"] for row in answer["rows"]] == ["filings/report.pdf", "research/grains/wheat.md"]
    assert answer["rows"][0] == {
        "title": "Copper annual report", "path": "filings/report.pdf", "item_type": "filing",
        "as_of": "2024-01-01T00:00:00Z", "available_at": "2024-01-04T00:00:00Z", "tags": ["filing", "metals"],
        "passages": 5, "locator": f"item:{item_id('report')}",
    }  # fmt: skip
    assert (answer["total"], answer["count"], answer["next_offset"]) == (6, 2, 2)
    assert list_sources(desk, offset=5)["next_offset"] is None


def test_every_kind_of_value_is_listed(desk: HybridLibrary) -> None:
    for by in FILTER_OF:
        answer = list_sources(desk, by)
        assert answer["by"] == by
        assert all({"value", "passages", "documents", "as_of", "available_at"} == row.keys() for row in answer["rows"])
    tags = list_sources(desk, "tags", path_prefix="research")
    assert [row["value"] for row in tags["rows"]] == ["grains", "metals", "supply"]
    assert tags["rows"][0]["available_at"] == ["2024-01-03T00:00:00Z", "2024-01-03T00:00:00Z"]


def test_pages_fit_and_leave_nothing_out(library: HybridLibrary) -> None:
    library.put_many([note(n, "x", f"题 {n} " + "y" * 300, tags=(f"tag {n}",)) for n in range(40)])
    for by in ("documents", "tags"):
        seen, offset = [], 0
        while offset is not None:
            answer = list_sources(library, by, offset=offset, max_chars=1_500)
            assert len(json.dumps(answer)) <= 1_500
            seen += [row.get("locator") or row["value"] for row in answer["rows"]]
            offset = answer["next_offset"]
        assert len(seen) == len(set(seen)) == 40


def test_nothing_later_is_listed_or_counted(desk: HybridLibrary) -> None:
    for target, cutoff in ((desk, {"available_at_before": day(2)}), (desk.snapshot(at=day(2)), {})):
        answer: dict[str, Any] = list_sources(target, **cutoff)
        assert (answer["total"], answer["cutoff"]) == (2, "2024-01-03T00:00:00Z")
        assert "insurers" not in json.dumps(list_sources(target, "tags", **cutoff))
        status = knowledge_status(target, **cutoff)
        assert (status["items"], status["records"], status["cutoff"]) == (2, 2, "2024-01-03T00:00:00Z")
        assert not {"generation", "file_bytes", "folder", "unknown_availability", "revisions"} & status.keys()
    with pytest.raises(InvalidFilter, match="no argument changes"):
        list_sources(desk.snapshot(at=day(2)), available_at_before=day(3))
    with pytest.raises(InvalidFilter, match="no argument changes"):
        knowledge_status(desk.snapshot(at=day(2)), available_at_before=day(3))


def test_status_counts_what_is_there_and_missing(desk: HybridLibrary, desk_file: Path) -> None:
    status = knowledge_status(desk)
    assert json.loads(json.dumps(status)) == status
    assert (status["items"], status["pending"], status["unknown_availability"]) == (6, 0, 2)
    assert status["records_by_type"][0] == {"item_type": "filing", "records": 7}
    assert (status["cutoff"], status["cutoff_is_fixed"]) == (None, False)
    assert status["spaces"][0]["state"] == "serving"
    assert {"hybridkb", "schema", "sqlite", "sqlite_vec", "analyser"} == status["versions"].keys()
    assert knowledge_status(desk_file)["spaces"] == []
    assert knowledge_status(desk.snapshot(at=day(9)))["cutoff_is_fixed"]


@pytest.mark.parametrize(("arguments", "error", "words"), [
    ({"by": "authors"}, InvalidQuery, "use documents, folders"),
    ({"tag": "x"}, InvalidFilter, "did you mean 'tags'"),
    ({"limit": 501}, InvalidQuery, "from 1 to 500"),
    ({"page": 2}, InvalidQuery, "did you mean 'offset'"),
    ({"available_at_before": "yesterday"}, InvalidFilter, "not an instant"),
])  # fmt: skip
def test_wrong_arguments_are_named(
    desk: HybridLibrary, arguments: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        list_sources(desk, **arguments)


def test_a_row_that_does_not_fit_is_refused_with_the_least(library: HybridLibrary) -> None:
    library.put(note(1, "x", tags=tuple(f"{n:03}" + "z" * 55 for n in range(10))))
    with pytest.raises(InvalidQuery, match="give at least"):
        list_sources(library, max_chars=500)
