"""An export carries papers whole, and what it carries makes an equal library."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from hybridkb import HybridLibrary
from hybridkb.cli.root import cli
from hybridkb.errors import InvalidInput, UnreadableDocument
from hybridkb.knowledge import blob_lines, read_items, write_line
from hybridkb.knowledge.blob_lines import BlobCollector, BlobPart, blob_parts
from oracles.items import day, note
from support.papers import PAGES, make_chunk_set, make_result, make_source, make_summary, result_of

Opener = Callable[..., HybridLibrary]
QUESTION = "attention instead of recurrence"


def fill(library: HybridLibrary) -> None:
    """Two papers with siblings, revisions, a withdrawal, a choice, a purge; and a note."""
    library.put(note("n", "attention in a note"))
    first = make_result(available_at=day(1), arxiv_id="1706.03762v7", summary="One.")
    library.put_paper(first)
    library.put_paper(make_result(available_at=day(1), arxiv_id="1706.03762v7", blocks_per_chunk=2, summary="Two."))
    library.put_paper(make_result(available_at=day(4), arxiv_id="1706.03762v7", blocks_per_chunk=2, summary="Two."))
    library.make_current(first.chunk_set.id)
    library.put_paper(make_result("second", title="Second", available_at=day(2)))
    library.delete(make_source("second")[0].id, at=day(6))
    library.put_paper(make_result("third", title="Third", available_at=None))
    gone = make_result("fourth", title="Fourth")
    library.put_paper(gone)
    library.purge(gone.source.id, reason="licence ended")


def answers(library: HybridLibrary) -> list[Any]:
    asked: list[dict[str, Any]] = [{}, {"available_at_before": day(3)}, {"available_at_before": day(5)}]
    return [
        [(str(hit.locator), hit.score.hex(), hit.matched_text) for hit in library.search(QUESTION, top_k=99, **one)]
        for one in asked
    ]


def test_a_restored_library_answers_alike(open_library: Opener) -> None:
    library, restored = open_library(), open_library("restored.db")
    fill(library)
    lines = list(library.export())
    report = restored.import_lines(lines)
    assert report.skipped == ()
    assert list(restored.export()) == lines
    assert answers(restored) == answers(library)
    mine, theirs = (
        [(one.artifact_id, one.current, one.members) for one in each.get_paper("1706.03762").artifacts]
        for each in (library, restored)
    )
    assert mine == theirs
    assert restored.stats().blob_bytes == library.stats().blob_bytes
    again = restored.import_lines(lines)
    assert (again.written, again.skipped) == (0, ()), "putting it back twice changes nothing"
    assert list(restored.export()) == lines


def test_a_paper_that_was_read_again_after_its_withdrawal_is_restored(open_library: Opener) -> None:
    library, restored = open_library(), open_library("restored.db")
    library.put_paper(make_result(available_at=day(1), availability_basis="fetched"))
    library.delete(make_source()[0].id, at=day(3))
    report = library.put_paper(make_result(available_at=day(5), availability_basis="fetched"))
    assert (report.effect, report.withdrawn) == ("revised", False)
    lines = list(library.export())
    restored.import_lines(lines)
    assert list(restored.export()) == lines
    assert answers(restored) == answers(library)


def test_what_something_was_made_from_comes_before_it(open_library: Opener) -> None:
    """A summary that says the same of other chunks keeps its id, and is older than what it was made from last."""
    source, blobs = make_source()
    library, restored = open_library(), open_library("restored.db")
    for size in (1, 2):
        chunk_set = make_chunk_set(source, blocks_per_chunk=size)
        summary = make_summary(source, chunk_set, "Equal.", cited=[("c0000", 1)])
        library.put_paper(replace(result_of(source, blobs, tree=False), chunk_set=chunk_set, summary=summary))
    assert library.stats().artifacts == {"paper_chunk_set": 2, "paper_summary": 1}
    lines = list(library.export())
    restored.import_lines(lines)
    assert sorted(restored.export()) == sorted(lines)
    assert answers(restored) == answers(library)


def test_words_may_come_first(open_library: Opener) -> None:
    library, restored = open_library(), open_library("restored.db")
    library.put_paper(make_result())
    report = restored.import_lines(library.export(), embed=False)
    assert (report.embedded, report.pending) == (0, 10)
    assert restored.embed_pending().embedded == 10
    assert answers(restored) == answers(library)


def test_large_bytes_are_cut_into_lines(open_library: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blob_lines, "PART_BYTES", 100)
    library, restored = open_library(), open_library("restored.db")
    result = make_result()
    library.put_paper(result)
    lines = list(library.export())
    parts = [json.loads(line)["blob"] for line in lines if line.startswith('{"blob"')]
    assert len(parts) == 12
    assert all(len(part["data"]) <= 136 for part in parts)
    restored.import_lines(lines)
    assert {name: restored.get_blob(name) for name in result.source.blobs} == result.blobs


def test_empty_bytes_have_a_part_too() -> None:
    collector = BlobCollector()
    for part in blob_parts(b""):
        collector.add(part)
    assert list(collector.whole.values()) == [b""]


def test_parts_hold_no_more_than_they_say() -> None:
    """So what waits in memory is bounded before a hash can tell."""
    collector = BlobCollector()
    name = "0" * 64
    with pytest.raises(InvalidInput, match="at most 536,870,912"):
        collector.add(BlobPart(sha256=name, part=1, parts=9, size=2**40, data=""))
    first = BlobPart(sha256=name, part=1, parts=9, size=6, data="AAAA")
    collector.add(first)
    collector.add(first.model_copy(update={"part": 2}))
    with pytest.raises(InvalidInput, match="more than the 6 bytes"):
        collector.add(first.model_copy(update={"part": 3}))
    with pytest.raises(InvalidInput, match="without the parts before"):
        collector.add(first.model_copy(update={"part": 4, "data": ""}))
    for part in blob_parts(b"abc"):
        collector.add(part)
    assert list(collector.whole.values()) == [b"abc"]


def damaged(lines: list[str], what: str) -> list[str]:
    blobs = [place for place, line in enumerate(lines) if line.startswith('{"blob"')]
    sources = [place for place, line in enumerate(lines) if '"item_type":"paper_source"' in line]
    match what:
        case "bytes are missing":
            return lines[: blobs[0]] + lines[blobs[0] + 1 :]
        case "bytes are others":
            entry = json.loads(lines[blobs[0]])
            entry["blob"]["data"] = "AAAA"
            return [json.dumps(entry) if place == blobs[0] else line for place, line in enumerate(lines)]
        case "bytes are no base64":
            entry = json.loads(lines[blobs[0]])
            entry["blob"]["data"] = "%%%"
            return [json.dumps(entry) if place == blobs[0] else line for place, line in enumerate(lines)]
        case "a part before is missing":
            entry = json.loads(lines[blobs[0]])
            entry["blob"] |= {"part": 2, "parts": 2}
            return [json.dumps(entry) if place == blobs[0] else line for place, line in enumerate(lines)]
        case "the source is missing":
            return lines[: sources[0]] + lines[sources[0] + 1 :]
        case "the text is another":
            return [line.replace('"text":"Recurrent', '"text":"Recurring', 1) for line in lines]
        case _:
            raise AssertionError(what)


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("bytes are missing", "neither in the result's blobs nor in the library"),
        ("bytes are others", "not those of its name"),
        ("bytes are no base64", "not base64"),
        ("a part before is missing", "without the parts before it"),
        ("the source is missing", "restore that first"),
        ("the text is another", "id is not that"),
    ],
)
def test_a_damaged_export_is_told_and_nothing_half_restored(open_library: Opener, what: str, said: str) -> None:
    library, restored, lenient = open_library(), open_library("restored.db"), open_library("lenient.db")
    library.put_paper(make_result())
    lines = damaged(list(library.export()), what)
    with pytest.raises((InvalidInput, UnreadableDocument), match=said):
        restored.import_lines(lines)
    report = lenient.import_lines(lines, on_error="skip")
    assert any(said in one.reason for one in report.skipped)
    assert lenient.check().ok


def test_lines_of_papers_are_read_back_equal() -> None:
    part = next(blob_parts(b"bytes"))
    assert [entry for _, entry in read_items([write_line(part)])] == [part]
    with pytest.raises(InvalidInput, match="part 3 of 2"):
        BlobPart(sha256=part.sha256, part=3, parts=2, size=5, data="")


def test_the_command_takes_an_export_with_papers(open_library: Opener, tmp_path: Path) -> None:
    library = open_library()
    fill(library)
    file, target = tmp_path / "all.jsonl", tmp_path / "restored.db"
    file.write_text("\n".join(library.export()) + "\n", encoding="utf-8")
    run = CliRunner().invoke(cli, ["--database", str(target), "--embedder", "none", "add", str(file)])
    assert run.exit_code == 0, run.output
    with HybridLibrary.open(target, embedder=None) as restored:
        restored.check().raise_if_broken()
        assert list(restored.export()) == list(library.export())


def test_the_command_refuses_parts_without_their_paper(open_library: Opener, tmp_path: Path) -> None:
    file, target = tmp_path / "part.jsonl", tmp_path / "restored.db"
    file.write_text(write_line(make_result().chunk_set) + "\n", encoding="utf-8")
    run = CliRunner().invoke(cli, ["--database", str(target), "--embedder", "none", "add", str(file)])
    assert run.exit_code != 0 or "restore that first" in run.output
    assert "restore that first" in run.output


@pytest.mark.parametrize("kind", ["tree", "summary"])
@pytest.mark.parametrize("held_at", [1, 3, None])
def test_the_same_made_from_something_else_takes_its_place_in_every_revision(
    open_library: Any, kind: str, held_at: int | None
) -> None:
    """An id names what an artifact says: the library may hold it made from another text, or from other passages."""
    library, other = open_library(), open_library("other.db")
    pages = ((*PAGES[0], ("text", "A footnote that another reader missed.")), *PAGES[1:])
    available_at = None if held_at is None else day(held_at)
    cited = [("c0000", 1)]
    for one, text, when, size in ((library, pages, day(2), 1), (other, PAGES, available_at, 2)):
        result = make_result(pages=text, available_at=when, blocks_per_chunk=size)  # type: ignore[arg-type]
        one.put_paper(replace(result, summary=make_summary(result.source, result.chunk_set, cited=cited)))
        kept = one.get_paper(result.source.id)
    lines = list(library.export())
    report = other.import_lines(lines)
    assert report.skipped == ()
    for copy in (library, other):
        copy.check().raise_if_broken()
    artifact_id = getattr(kept, kind).id
    wanted = library.get_artifact(artifact_id)
    for revision in other.history(artifact_id):
        then = other.get_artifact(artifact_id, at=revision.available_at)
        assert (then.parse_hash, then.lineage) == (wanted.parse_hash, wanted.lineage)
    again = list(other.export())
    other.import_lines(lines)
    assert list(other.export()) == again
    fresh = open_library("fresh.db")
    fresh.import_lines(again)
    assert list(fresh.export()) == again
