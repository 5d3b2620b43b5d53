"""Files that cannot be read, change or vanish while they are read: each is told, and stale text is never shown."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from folder.desk import Desk
from hybridkb.documents import ReadDocument
from hybridkb.documents import reading as documents_reading
from hybridkb.documents.reading import read_document
from hybridkb.errors import InvalidInput, MissingExtra
from hybridkb.folder import file_reader, opening, reading
from hybridkb.folder.document_item import document_id
from hybridkb.folder.reading import NotReadNow, read_bytes
from hybridkb.folder.scan import FoundFile
from oracles.items import note

STEP_BY_STEP = opening._STEP_BY_STEP or hasattr(os, "O_NOFOLLOW_ANY")
BINARY = bytes(range(256)) * 40


def found(path: Path) -> FoundFile:
    status = path.lstat()
    return FoundFile(path.name, str(path), status.st_size, status.st_mtime_ns, status.st_ctime_ns, 0)


# One file


def test_the_bytes_come_with_the_times_they_had(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"copper")
    read = read_bytes(found(path), 100)
    status = path.stat()
    assert (read.data, read.size, read.modified_ns, read.changed_ns) == (
        b"copper", 6, status.st_mtime_ns, status.st_ctime_ns
    )  # fmt: skip


def test_a_file_that_grows_while_it_is_read_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, read, left = tmp_path / "a.md", os.read, [1]
    path.write_bytes(b"copper")

    def growing(handle: int, size: int) -> bytes:
        data = read(handle, size)
        if left and left.pop():
            path.write_bytes(b"copper and wheat")
        return data

    monkeypatch.setattr(reading.os, "read", growing)
    assert read_bytes(found(path), 100).data == b"copper and wheat"


def test_a_file_that_never_rests_is_left_for_the_next_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, read, stamps = tmp_path / "a.md", os.read, iter(range(1, 1000))
    path.write_bytes(b"copper")

    def restless(handle: int, size: int) -> bytes:
        os.utime(path, ns=(0, next(stamps)))
        return read(handle, size)

    monkeypatch.setattr(reading.os, "read", restless)
    with pytest.raises(NotReadNow, match="kept changing"):
        read_bytes(found(path), 10_000)


def test_a_file_that_outgrows_the_limit_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"copper")
    with pytest.raises(NotReadNow, match="grew beyond 5 bytes"):
        read_bytes(found(path), 5)


def test_a_pipe_in_the_place_of_a_file_makes_nobody_wait(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"copper")
    seen = found(path)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(NotReadNow, match="no regular file"):
        read_bytes(seen, 100)


def test_a_link_in_the_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    path, secret = tmp_path / "a.md", tmp_path / "secret"
    secret.write_text("secret")
    path.write_bytes(b"copper")
    seen = found(path)
    path.unlink()
    path.symlink_to(secret)
    with pytest.raises(OSError, match="symbolic"):
        read_bytes(seen, 100)


@pytest.mark.skipif(not STEP_BY_STEP, reason="links within a path cannot be refused here")
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_link_in_the_place_of_a_folder_above_is_not_followed(tmp_path: Path, depth: int) -> None:
    inside, outside = tmp_path / "root" / "a" / "b" / "c", tmp_path / "outside"
    inside.mkdir(parents=True)
    (inside / "x.md").write_text("copper")
    seen = found(inside / "x.md")
    exchanged = [inside, inside.parent, inside.parent.parent][depth - 1]
    below = outside / inside.relative_to(exchanged)
    below.mkdir(parents=True)
    (below / "x.md").write_text("secret")
    exchanged.rename(tmp_path / "away")
    exchanged.symlink_to(outside)
    assert (inside / "x.md").read_text() == "secret"
    with pytest.raises(OSError, match="replaced"):
        read_bytes(seen, 100)


@pytest.mark.skipif(not STEP_BY_STEP, reason="links within a path cannot be refused here")
def test_a_folder_exchanged_for_a_link_between_scan_and_reading_keeps_what_is_known(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "x.md").write_text("secret")
    desk.write("a/x.md", "copper")
    desk.refresh()
    desk.write("a/x.md", "wheat")
    read = file_reader.read_bytes

    def exchanging(*arguments: Any) -> Any:
        if not (desk.folder / "a").is_symlink():
            (desk.folder / "a").rename(tmp_path / "away")
            (desk.folder / "a").symlink_to(secret)
        return read(*arguments)

    monkeypatch.setattr(file_reader, "read_bytes", exchanging)
    counts = desk.refresh()
    assert counts.unreadable == [
        ("a/x.md", "cannot be read: a folder in its path was replaced; the next refresh looks again")
    ]
    assert [hit.path for hit in desk.library.search("copper")] == ["a/x.md"]
    assert desk.refresh().removed == 1
    assert desk.found("secret") == []


# A whole folder


def test_a_bad_file_is_told_and_the_rest_is_indexed(desk: Desk) -> None:
    desk.write("good.md", "copper")
    desk.write("empty.md", "")
    desk.write("blank.txt", " \n\t\n")
    desk.write("noise.md", BINARY)
    desk.write("broken.pdf", b"%PDF-1.7 nothing")
    counts = desk.refresh()
    assert counts.indexed == 1
    assert [path for path, _ in counts.unreadable] == ["blank.txt", "broken.pdf", "empty.md", "noise.md"]
    assert all(reason for _, reason in counts.unreadable)
    assert desk.refresh().unreadable == counts.unreadable


def test_a_file_that_cannot_be_read_is_not_read_again_until_it_changes(
    desk: Desk, settled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("noise.md", BINARY)
    desk.refresh()
    with monkeypatch.context() as patch:
        patch.setattr(file_reader, "read_bytes", lambda *_: pytest.fail("read again"))
        assert [path for path, _ in desk.refresh().unreadable] == ["noise.md"]
    desk.write("noise.md", "copper")
    counts = desk.refresh()
    assert (counts.indexed, counts.unreadable, desk.found("copper")) == (1, [], ["noise.md"])


def test_a_bad_file_that_goes_leaves_nothing(desk: Desk) -> None:
    desk.write("noise.md", BINARY)
    desk.refresh()
    desk.remove("noise.md")
    counts = desk.refresh()
    assert (counts.removed, counts.unreadable) == (0, [])


def test_text_that_the_file_holds_no_more_leaves_todays_answers(desk: Desk) -> None:
    desk.write("a.md", "---\navailable_at: 2024-03-05T00:00:00Z\n---\ncopper")
    desk.refresh()
    desk.write("a.md", BINARY)
    counts = desk.refresh(days=1)
    assert (counts.removed, len(counts.unreadable), desk.found("copper")) == (1, 1, [])
    assert desk.then("copper", 0) == ["a.md"]
    desk.write("a.md", "copper again")
    desk.refresh(days=1)
    assert [desk.then("copper", day) for day in (0, 1, 2)] == [["a.md"], [], ["a.md"]]


def test_a_file_that_outgrew_the_limit_leaves_todays_answers(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(max_bytes=100)
    desk.write("a.md", "copper")
    desk.refresh()
    desk.write("a.md", "copper" * 100)
    counts = desk.refresh()
    assert (counts.removed, desk.found("copper")) == (1, [])
    assert counts.skipped == [("a.md", "larger than 100 bytes (600)")]


def failing_open(monkeypatch: pytest.MonkeyPatch, name: str, error: OSError) -> None:
    """Let one file fail to open."""
    opened = os.open

    def fail(path: Any, *arguments: Any, **options: Any) -> int:
        if os.fspath(path).endswith(name):
            raise error
        return opened(path, *arguments, **options)

    monkeypatch.setattr(reading.os, "open", fail)


def test_a_file_that_may_not_be_opened_keeps_what_is_known_of_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("a.md", "copper")
    desk.write("b.md", "copper")
    desk.refresh()
    with monkeypatch.context() as patch:
        failing_open(patch, "a.md", PermissionError(13, "Permission denied"))
        desk.write("a.md", "copper and wheat")
        desk.write("c.md", "copper")
        counts = desk.refresh()
        assert counts.unreadable == [("a.md", "cannot be read: permission denied")]
        assert (counts.indexed, counts.removed, sorted(desk.found("copper"))) == (1, 0, ["a.md", "b.md", "c.md"])
    assert desk.found("wheat") == ["a.md"]


def test_a_file_that_vanishes_before_it_is_read_is_gone(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write("a.md", "copper")
    desk.refresh()
    with monkeypatch.context() as patch:
        failing_open(patch, "a.md", FileNotFoundError(2, "No such file"))
        desk.write("a.md", "copper and wheat")
        counts = desk.refresh()
    assert counts.unreadable == [("a.md", "vanished before it was read")]
    assert counts.removed == 1
    assert desk.found("wheat") == ["a.md"]


def without_markdown(data: bytes, name: str, **options: Any) -> ReadDocument:
    if name.endswith(".md"):
        raise MissingExtra('reading Markdown needs markdown_it: pip install "hybridkb[folder]"', extra="folder")
    return read_document(data, name, **options)


def test_files_that_need_a_missing_package_are_read_when_it_is_there(
    desk: Desk, settled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("a.md", "copper")
    desk.write("b.txt", "wheat")
    with monkeypatch.context() as patch:
        patch.setattr("hybridkb.folder.settings.find_spec", lambda name: None if name == "markdown_it" else object())
        patch.setattr(documents_reading, "read_document", without_markdown)
        counts = desk.refresh()
        assert (counts.indexed, [path for path, _ in counts.unreadable]) == (1, ["a.md"])
        assert "hybridkb[folder]" in counts.unreadable[0].reason
        patch.setattr(file_reader, "read_bytes", lambda *_: pytest.fail("read again for nothing"))
        assert [path for path, _ in desk.refresh().unreadable] == ["a.md"]
    counts = desk.refresh()
    assert (counts.indexed, counts.unreadable, desk.found("copper")) == (1, [], ["a.md"])


def test_notes_of_the_readers_are_told(desk: Desk) -> None:
    desk.write("a.md", "---\nconfidence: enormous\n---\ncopper")
    desk.write("latin.txt", "Börse und Kupfer, fällig für Prüfung".encode("latin-1"))
    counts = desk.refresh()
    assert counts.indexed == 2
    assert {path for path, _ in counts.notes} >= {"a.md", "latin.txt"}
    assert desk.refresh().notes == counts.notes


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"availability": "file_time"}, "did you mean 'file-time'"),
        ({"availability": 3}, "choose from"),
        ({"max_bytes": 0}, "max_bytes is a whole number"),
        ({"max_bytes": True}, "max_bytes is a whole number"),
        ({"passage_characters": 10}, "passage_characters is a whole number"),
    ],
)
def test_wrong_settings_are_told(desk: Desk, options: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        desk.library.sync(desk.folder, **options)


def test_patterns_without_their_package_are_refused(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pathspec", None)
    desk.write("a.md", "copper")
    assert desk.refresh().indexed == 1
    with pytest.raises(MissingExtra) as caught:
        desk.library.sync(desk.folder, ignore=["x"])
    assert caught.value.extra == "folder"


@pytest.mark.parametrize("error", [RecursionError("too deep"), MemoryError(), ValueError("odd")])
def test_a_reader_that_breaks_breaks_no_other_file(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def breaking(data: bytes, name: str, **options: Any) -> ReadDocument:
        if name == "bad.md":
            raise error
        return read_document(data, name, **options)

    monkeypatch.setattr(documents_reading, "read_document", breaking)
    desk.write("bad.md", "copper")
    desk.write("good.md", "copper")
    counts = desk.refresh()
    assert (counts.indexed, [path for path, _ in counts.unreadable]) == (1, ["bad.md"])
    assert type(error).__name__ in counts.unreadable[0].reason


def test_a_file_whose_id_is_another_things_is_told(desk: Desk) -> None:
    desk.library.put(note(1, "copper").model_copy(update={"id": document_id("documents", "b.md")}))
    desk.write("a.md", "wheat")
    desk.refresh()
    desk.move("a.md", "b.md")
    desk.write("c.md", "wheat")
    counts = desk.refresh()
    assert [path for path, _ in counts.unreadable] == ["b.md"]
    assert "is stored as 'note'" in counts.unreadable[0].reason
    assert (counts.indexed, counts.removed, desk.found("wheat")) == (1, 1, ["c.md"])
