"""A folder that is gone, replaced or another one: nothing is removed before somebody says what is meant."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from folder.desk import Desk
from hybridkb.errors import InvalidInput
from hybridkb.folder import scan as scan_module

KNOWN = "---\navailable_at: 2024-03-05T00:00:00Z\n---\n"


@pytest.fixture
def filled(desk: Desk) -> Desk:
    for name in ("a.md", "sub/b.md", "sub/c.md"):
        desk.write(name, f"{KNOWN}copper {name}")
    assert desk.refresh().indexed == 3
    return desk


def remount(monkeypatch: pytest.MonkeyPatch, devices: dict[str, int]) -> None:
    """Let folders with these names lie on other devices."""
    stat = os.stat

    def pretending(path: Any, **options: Any) -> os.stat_result:
        status = stat(path, **options)
        number = devices.get(os.path.basename(os.fspath(path)))
        if number is None:
            return status
        values = list(status)
        values[2] = number
        names = ("st_atime_ns", "st_mtime_ns", "st_ctime_ns")
        return os.stat_result(values, {name: getattr(status, name) for name in names})

    monkeypatch.setattr(scan_module.os, "stat", pretending)


def test_a_folder_that_is_gone_removes_nothing(filled: Desk) -> None:
    elsewhere = filled.folder.with_name("elsewhere")
    filled.folder.rename(elsewhere)
    counts = filled.refresh(days=1)
    assert counts.folder_missing == (
        f"nothing was removed: the folder {filled.folder} is not there: is a drive not mounted, or was it moved (then "
        "give its new path)?"
    )
    assert (counts.removed, counts.passages, counts.files, counts.kept) == (0, 3, 3, 3)
    hits = filled.knowledge.search("copper", mode="lexical")
    assert len(hits) == 3
    assert "nothing was removed" in (hits.degraded or "")
    elsewhere.rename(filled.folder)
    counts = filled.refresh()
    assert (counts.folder_missing, counts.indexed, counts.removed) == (None, 0, 0)
    assert filled.knowledge.search("copper", mode="lexical").degraded is None


def test_a_folder_that_never_was_is_told(desk: Desk) -> None:
    counts = desk.base(folder=desk.folder / "nowhere").refresh()
    assert "is not there" in (counts.folder_missing or "")


def test_a_file_is_no_folder(desk: Desk) -> None:
    counts = desk.base(folder=desk.write("a.md", "copper")).refresh()
    assert "is no folder" in (counts.folder_missing or "")


def test_a_folder_that_cannot_be_listed_removes_nothing(filled: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(_: str) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(scan_module.os, "scandir", failing)
    counts = filled.refresh()
    assert "cannot be listed: input/output error" in (counts.folder_missing or "")
    assert counts.files == 3


def test_an_emptied_folder_is_believed(filled: Desk) -> None:
    for name in ("a.md", "sub/b.md", "sub/c.md"):
        filled.remove(name)
    assert filled.refresh().removed == 3


def test_an_empty_mount_point_removes_nothing_until_it_is_said_to_be_meant(
    filled: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = filled.folder.with_name("elsewhere")
    filled.folder.rename(elsewhere)
    filled.folder.mkdir()
    remount(monkeypatch, {"docs": 77})
    counts = filled.refresh()
    assert "holds none of the 3 files that were indexed" in (counts.folder_missing or "")
    assert "--moved" in (counts.folder_missing or "")
    assert len(filled.found("copper")) == 3
    assert filled.refresh(moved=True).removed == 3


def test_a_restart_that_renumbers_devices_changes_nothing(filled: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    remount(monkeypatch, {"docs": 77, "sub": 77})
    assert filled.refresh() == filled.refresh()
    filled.remove("sub/b.md")
    counts = filled.refresh()
    assert (counts.folder_missing, counts.removed, counts.kept) == (None, 1, 0)


@pytest.mark.parametrize("words", ["the drive is not mounted", None])
def test_a_mount_point_with_a_file_of_a_known_name_removes_nothing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, words: str | None
) -> None:
    """People leave a note where a drive is mounted; its name may be that of a file on the drive."""
    for name in ("README.md", "a.md", "sub/b.md"):
        desk.write(name, f"{KNOWN}copper {name}")
    desk.refresh()
    elsewhere = desk.folder.with_name("elsewhere")
    desk.folder.rename(elsewhere)
    desk.write("README.md", words or f"{KNOWN}copper README.me")
    remount(monkeypatch, {"docs": 77})
    counts = desk.refresh(days=1)
    assert (counts.removed, counts.kept) == (0, 2)
    assert any("is not mounted; kept" in reason for _, reason in counts.unreadable)
    assert {"a.md", "sub/b.md"} <= set(desk.found("copper"))
    assert desk.refresh(moved=True).removed == 2


def test_a_restart_that_renumbers_the_device_of_a_folder_that_changed_altogether_is_no_unmounted_drive(
    filled: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled.write("a.md", "copper and wheat")
    filled.remove("sub/b.md")
    filled.remove("sub/c.md")
    remount(monkeypatch, {"docs": 77, "sub": 77})
    counts = filled.refresh(days=1)
    assert (counts.indexed, counts.removed, counts.kept) == (1, 2, 0)


def test_below_a_mount_point_within_the_folder_everything_is_kept(
    filled: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = filled.folder.with_name("away")
    with monkeypatch.context() as patch:
        remount(patch, {"sub": 77})
        filled.refresh()  # the drive is mounted
        filled.write("sub/b.md", f"{KNOWN}copper other b")
        filled.write("sub/c.md", f"{KNOWN}copper other c")
        filled.refresh(days=1)
    (filled.folder / "sub").rename(away)
    (filled.folder / "sub").mkdir()
    filled.remove("a.md")
    counts = filled.refresh(days=1)
    assert (counts.removed, counts.kept) == (1, 2)
    assert counts.unreadable == [("sub/", "2 indexed files lay on another device, which is not mounted; kept")]
    assert len(filled.found("other")) == 2


def test_a_moved_folder_is_recognised_by_what_it_holds(filled: Desk) -> None:
    moved = filled.folder.with_name("moved")
    filled.folder.rename(moved)
    (moved / "a.md").write_text("copper changed")
    counts = filled.base(folder=moved).refresh(progress=None)
    assert (counts.indexed, counts.removed, counts.unchanged) == (1, 0, 2)
    assert any("was moved here from" in reason for _, reason in counts.notes)


def test_a_copied_folder_is_recognised_too(filled: Desk) -> None:
    copied = filled.folder.with_name("copied")
    shutil.copytree(filled.folder, copied)
    counts = filled.base(folder=copied).refresh()
    assert (counts.indexed, counts.removed, counts.unchanged) == (0, 0, 3)


def test_another_folder_is_refused_with_a_question(filled: Desk, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.md").write_text("wheat")
    base = filled.base(folder=other)
    with pytest.raises(InvalidInput, match=r"holds 0 of its 3 files; is it the same folder, moved\?") as caught:
        base.search("wheat")
    assert caught.value.field == "folder"
    assert "--collection NAME" in str(caught.value)
    assert len(filled.found("copper")) == 3
    counts = base.refresh(moved=True)
    assert (counts.indexed, counts.removed) == (1, 2)
    assert [hit.path for hit in base.search("wheat", mode="lexical")] == ["a.md"]


def test_two_collections_share_a_library(filled: Desk, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.md").write_text("copper elsewhere")
    base = filled.base(folder=other, collection="second")
    assert base.refresh().indexed == 1
    assert [hit.path for hit in base.search("copper", mode="lexical")] == ["a.md"]
    assert len(filled.found("copper")) == 3
    assert len(filled.library.search("copper")) == 4
    (other / "a.md").unlink()
    assert base.refresh().removed == 1
    assert len(filled.found("copper")) == 3


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 201, 5])
def test_a_collection_needs_a_name(desk: Desk, name: Any) -> None:
    with pytest.raises(InvalidInput, match="a collection has a short name"):
        desk.library.sync(desk.folder, collection=name)


@pytest.mark.parametrize("folder", ["", "a\0b", 5])
def test_a_folder_needs_a_path(desk: Desk, folder: Any) -> None:
    with pytest.raises(InvalidInput, match="is no path of a folder"):
        desk.library.sync(folder)
