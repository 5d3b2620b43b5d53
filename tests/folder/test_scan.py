"""Which files may be indexed, and why others are not: every one is accounted for, none is opened."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from folder.desk import Desk
from hybridkb.errors import InvalidInput, UnreadableDocument
from hybridkb.folder.scan import Scan, scan_folder

AS_ROOT = os.geteuid() == 0


def scan(folder: Path, max_bytes: int = 1000) -> Scan:
    return scan_folder(os.path.realpath(folder), None, max_bytes)


def write(path: Path, text: str = "copper") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def reasons(found: Scan) -> dict[str, str]:
    return dict(found.skipped)


def test_endings_count_in_any_case(tmp_path: Path) -> None:
    for name in ("a.md", "b.MD", "c.Txt", "d.CSV", "sub/e.html", "sub/deep/f.PDF"):
        write(tmp_path / name)
    assert set(scan(tmp_path).files) == {"a.md", "b.MD", "c.Txt", "d.CSV", "sub/e.html", "sub/deep/f.PDF"}


def test_everything_else_is_told_with_its_reason(tmp_path: Path) -> None:
    for name in (".hidden.md", ".git/x.md", "~$memo.html", "memo.md~", "#memo.txt#", "photo.png", "README", "big.txt"):
        write(tmp_path / name, "x" * (2000 if name == "big.txt" else 10))
    found = scan(tmp_path)
    assert found.files == {}
    assert reasons(found) == {
        ".hidden.md": "hidden",
        ".git": "hidden",
        "~$memo.html": "a temporary or lock file",
        "memo.md~": "a temporary or lock file",
        "#memo.txt#": "a temporary or lock file",
        "photo.png": "files ending in .png are not indexed",
        "README": "files without an ending are not indexed",
        "big.txt": "larger than 1,000 bytes (2,000)",
    }


def test_pipes_and_sockets_are_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(tmp_path / "s.md"))
    server.close()
    found = scan(tmp_path)
    assert reasons(found) == {"pipe.md": "no regular file", "s.md": "no regular file"}


# Links


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside/secret.md")
    root = tmp_path / "root"
    root.mkdir()
    (root / "file.md").symlink_to(outside)
    (root / "folder").symlink_to(outside.parent)
    (root / "up").symlink_to("..")
    (root / "gone.md").symlink_to("nowhere.md")
    (root / "self.md").symlink_to("self.md")
    found = scan(root)
    assert found.files == {}
    assert set(reasons(found).values()) == {
        "a link that leads out of the folder; not followed", "a link that leads nowhere"
    }  # fmt: skip
    assert len(found.skipped) == 5


def test_nothing_is_met_twice_through_links(tmp_path: Path) -> None:
    write(tmp_path / "a/x.md")
    write(tmp_path / "b/y.md")
    (tmp_path / "a/loop").symlink_to(tmp_path)
    (tmp_path / "a/other").symlink_to(tmp_path / "b")
    (tmp_path / "b/other").symlink_to(tmp_path / "a")
    (tmp_path / "z.md").symlink_to("a/x.md")
    found = scan(tmp_path)
    assert set(found.files) == {"a/x.md", "b/y.md"}
    assert len(found.skipped) == 4


def test_links_to_what_has_no_visible_name_are_followed(tmp_path: Path) -> None:
    write(tmp_path / ".versions/3/rules.md")
    (tmp_path / "current").symlink_to(".versions/3")
    (tmp_path / "rules.md").symlink_to(".versions/3/rules.md")
    (tmp_path / "again.md").symlink_to("rules.md")
    found = scan(tmp_path)
    assert set(found.files) == {"again.md"}
    assert reasons(found)["rules.md"] == "a link to a file that is read under another name"
    assert reasons(found)["current/rules.md"] == "a link to a file that is read under another name"


def test_a_link_to_an_ignored_file_is_ignored(tmp_path: Path) -> None:
    write(tmp_path / "drafts/a.md")
    (tmp_path / "a.md").symlink_to("drafts/a.md")
    found = scan_folder(os.path.realpath(tmp_path), lambda path: path.startswith("drafts/"), 1000)
    assert found.files == {}
    assert reasons(found) == {"drafts": "ignored by a pattern", "a.md": "a link to what a pattern ignores"}


def test_below_a_link_patterns_hold_for_both_names(desk: Desk) -> None:
    for name in ("private/a.md", "drafts/b.md", "c.md"):
        desk.write(f".store/{name}", "copper")
    (desk.folder / "public").symlink_to(".store")
    desk.write(".hybridkbignore", ".store/private/\npublic/drafts/\n")
    assert desk.found("copper") == ["public/c.md"]


def test_a_root_that_is_a_link_is_read(desk: Desk, tmp_path: Path) -> None:
    desk.write("a.md", "copper")
    link = tmp_path / "link"
    link.symlink_to(desk.folder)
    assert desk.base(folder=link).refresh().indexed == 1
    assert desk.refresh().indexed == 0


# Names


def test_names_that_look_alike_are_two_files(desk: Desk) -> None:
    names = ["caf\u00e9.md", "cafe\u0301.md", "Rules.md", "rules.md", "📈 gap.md", "a b\t.md", "a\nb.md", "%41.md"]
    for number, name in enumerate(names):
        desk.write(name, f"copper word{number}")
    assert desk.refresh().indexed == len(names)
    for number, name in enumerate(names):
        (hit,) = desk.knowledge.search(f"word{number}", mode="lexical")
        assert hit.path == name
    assert desk.library.stats().items == len(names)


def test_a_name_that_is_no_text_is_kept_apart(desk: Desk) -> None:
    for number, name in enumerate((b"\xff.md", b"\xfe.md")):
        (Path(os.fsdecode(os.fsencode(desk.folder) + b"/" + name))).write_text(f"copper word{number}")
    counts = desk.refresh()
    assert (counts.indexed, [reason for _, reason in counts.notes]) == (2, ["the name is no UTF-8"] * 2)
    assert [hit.path for hit in desk.knowledge.search("copper", mode="lexical")] == ["\ufffd.md"] * 2
    os.unlink(os.fsencode(desk.folder) + b"/\xff.md")
    assert desk.refresh().removed == 1
    assert desk.found("word1") == ["\ufffd.md"]


# Patterns


def test_patterns_are_those_of_gitignore(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(ignore=["drafts/", "*.tmp.md", "!keep.tmp.md"])
    for name in ("a.md", "drafts/b.md", "x/drafts/c.md", "d.tmp.md", "keep.tmp.md"):
        desk.write(name, "copper")
    desk.write(".hybridkbignore", "# notes\na.md\n")
    counts = desk.refresh()
    assert desk.found("copper") == ["keep.tmp.md"]
    assert {path for path, reason in counts.skipped if reason == "ignored by a pattern"} == {
        "a.md", "drafts", "x/drafts", "d.tmp.md"
    }  # fmt: skip


def test_what_is_ignored_from_now_on_leaves_the_index(desk: Desk) -> None:
    desk.write("a.md", "copper")
    desk.write("b.md", "copper")
    desk.refresh()
    desk.write(".hybridkbignore", "b.md\n")
    assert desk.refresh().removed == 1
    assert desk.found("copper") == ["a.md"]


def test_a_pattern_that_is_none_is_told(desk: Desk) -> None:
    desk.write("a.md", "copper")
    with pytest.raises(InvalidInput, match=r"'!' is no ignore pattern"):
        desk.library.sync(desk.folder, ignore=["!"])
    with pytest.raises(InvalidInput, match="ignore takes patterns"):
        desk.library.sync(desk.folder, ignore=[5])  # type: ignore[list-item]


def test_without_its_ignore_file_nothing_is_read(desk: Desk) -> None:
    desk.write("a.md", "copper")
    (desk.folder / ".hybridkbignore").mkdir()
    with pytest.raises(UnreadableDocument, match="no regular file"):
        desk.refresh()
    assert desk.library.stats().items == 0


@pytest.mark.parametrize("data", ["drafts/\n".encode("utf-16"), b"\xfe\xff" + "drafts/\r\n".encode("utf-16-be"),
                                  b"\xef\xbb\xbfdrafts/\r\n"])  # fmt: skip
def test_an_ignore_file_of_any_editor_is_read(desk: Desk, data: bytes) -> None:
    desk.write(".hybridkbignore", data)
    desk.write("drafts/a.md", "copper")
    desk.write("b.md", "copper")
    assert desk.refresh().indexed == 1
    assert desk.found("copper") == ["b.md"]


@pytest.mark.parametrize("data", ["drafts/\n".encode("utf-16-le"), b"\xff\xfed", b"drafts/\n\0"])
def test_an_ignore_file_that_is_no_text_lets_nothing_in(desk: Desk, data: bytes) -> None:
    desk.write(".hybridkbignore", data)
    desk.write("drafts/a.md", "copper")
    with pytest.raises(UnreadableDocument, match="save it as UTF-8"):
        desk.refresh()
    assert desk.library.stats().items == 0


def test_an_ignore_file_exchanged_for_a_pipe_makes_nobody_wait(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    path = desk.write(".hybridkbignore", "drafts/")
    lstat, looked = os.lstat, []

    def exchanging(place: Any, **options: Any) -> os.stat_result:
        status = lstat(place, **options)
        if os.fspath(place) == str(path) and not looked:
            looked.append(place)
            path.unlink()
            os.mkfifo(path)
        return status

    monkeypatch.setattr("hybridkb.folder.ignore.os.lstat", exchanging)
    with pytest.raises(UnreadableDocument, match="no regular file"):
        desk.refresh()
    assert looked


# Folders that cannot be listed


@pytest.mark.parametrize("at", ["a", "a/b"])
def test_of_a_folder_exchanged_for_a_link_while_it_is_listed_nothing_is_told(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    outside, away = tmp_path / "outside", tmp_path / "away"
    (outside / "b").mkdir(parents=True)
    for place in (outside, outside / "b"):
        (place / "secret.doc").write_text("secret")
    desk.write("a/b/x.md", "copper")
    desk.refresh()
    scandir = os.scandir

    def exchanging(path: str) -> object:
        if os.fspath(path).endswith(f"docs/{at}"):
            (desk.folder / "a").rename(away)
            (desk.folder / "a").symlink_to(outside)
        return scandir(path)

    with monkeypatch.context() as patch:
        patch.setattr("hybridkb.folder.scan.os.scandir", exchanging)
        counts = desk.refresh()
    assert counts.unreadable == [(f"{at}/", "the folder was replaced while it was looked at")]
    assert (counts.skipped, counts.removed, counts.kept) == ([], 0, 1)
    assert desk.refresh().removed == 1


@pytest.mark.skipif(AS_ROOT, reason="permissions do not bind root")
def test_below_a_folder_that_may_not_be_listed_everything_is_kept(desk: Desk) -> None:
    desk.write("a/x.md", "copper")
    desk.write("b.md", "copper")
    desk.refresh()
    (desk.folder / "a").chmod(0)
    desk.remove("b.md")
    try:
        counts = desk.refresh()
        assert [path for path, _ in counts.unreadable] == ["a/"]
        assert (counts.removed, counts.kept, desk.found("copper")) == (1, 1, ["a/x.md"])
    finally:
        (desk.folder / "a").chmod(0o755)
    assert desk.refresh().kept == 0


def test_below_a_folder_that_fails_everything_is_kept(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write("a/x.md", "copper")
    desk.write("a/deep/y.md", "copper")
    desk.write("ab.md", "copper")
    desk.refresh()
    scandir = os.scandir

    def failing(path: str) -> object:
        if os.fspath(path).endswith("/a"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr("hybridkb.folder.scan.os.scandir", failing)
    desk.remove("ab.md")
    counts = desk.refresh()
    assert counts.unreadable == [("a/", "the folder cannot be listed: permission denied")]
    assert (counts.removed, counts.kept, sorted(desk.found("copper"))) == (1, 2, ["a/deep/y.md", "a/x.md"])
