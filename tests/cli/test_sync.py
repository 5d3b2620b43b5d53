"""``hybridkb sync``: what it prints, what its exit code says, and how it watches."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hybridkb.cli import watching
from hybridkb.cli.exit_codes import DATABASE, FINDINGS, INVALID
from hybridkb.cli.root import cli
from hybridkb.cli.sync import size
from support.raw_rows import job_lock


class Shell:
    """A folder, and commands on a library beside it."""

    def __init__(self, place: Path) -> None:
        self.folder = place / "docs"
        self.folder.mkdir()
        self.database = place / "desk.db"

    def __call__(self, *arguments: str | Path, expect: int = 0) -> Result:
        options = ["--database", str(self.database), "--embedder", "none"]
        result = CliRunner().invoke(cli, [*options, *map(str, arguments)])
        assert result.exit_code == expect, result.output
        assert "Traceback" not in result.output
        return result

    def sync(self, *arguments: str, expect: int = 0) -> Any:
        return json.loads(self("--json", "sync", self.folder, *arguments, expect=expect).stdout)

    def write(self, path: str, text: str | bytes) -> None:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode() if isinstance(text, str) else text)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_a_folder_is_indexed_and_searched(shell: Shell) -> None:
    shell.write("rules/margin.md", "# Margin\n\nTwelve percent.\n")
    shell.write("photo.png", "x")
    output = shell("sync", shell.folder).output
    assert "1 passages of 1 files" in output
    assert "1 files ending in .png are not indexed" in output
    assert "Twelve" in shell("search", "twelve percent", "--path", "rules").output
    (shell.folder / "rules").rename(shell.folder / "law")
    assert "(with 1 renamed)" in shell("sync", shell.folder).output


def test_json_tells_everything(shell: Shell) -> None:
    shell.write("a.md", "copper")
    shell.write(".hidden.md", "copper")
    report = shell.sync()
    assert (report["indexed"], report["removed"], report["passages"], report["unreadable"]) == (1, 0, 1, [])
    assert report["skipped"] == [{"path": ".hidden.md", "reason": "hidden"}]
    assert report["folder_missing"] is None


def test_a_file_that_cannot_be_read_is_an_exit_code(shell: Shell) -> None:
    shell.write("a.md", "copper")
    shell.write("noise\x1b[2J.md", bytes(range(256)) * 20)
    report = shell.sync(expect=FINDINGS)
    assert [note["path"] for note in report["unreadable"]] == ["noise\x1b[2J.md"]
    output = shell("sync", shell.folder, expect=FINDINGS).output
    assert "unreadable: noise" in output
    assert "\x1b" not in output


def test_a_folder_that_is_not_there_removes_nothing(shell: Shell) -> None:
    shell.write("a.md", "copper")
    shell.sync()
    shell.folder.rename(shell.folder.with_name("away"))
    output = shell("sync", shell.folder, expect=INVALID).output
    assert "nothing was removed: the folder" in output
    assert "1 passages of 1 files" in output
    assert shell("search", "copper").output


def test_another_folder_is_a_question(shell: Shell, tmp_path: Path) -> None:
    shell.write("a.md", "copper")
    shell.sync()
    other = tmp_path / "other"
    other.mkdir()
    (other / "b.md").write_text("wheat")
    assert "is it the same folder, moved?" in shell("sync", other, expect=INVALID).output
    shell("sync", other, "--collection", "other")
    assert "wheat" in shell("search", "wheat", "--in-collection", "other").output
    shell("search", "copper", "--in-collection", "other", expect=FINDINGS)
    shell("sync", other, "--moved")
    shell("search", "copper", expect=FINDINGS)


def test_options_stay_until_they_are_given_again(shell: Shell) -> None:
    shell.write("2024-03-04.md", "copper")
    shell.write("draft.md", "copper")
    shell.write("long.md", "copper" * 200)
    shell.sync("--ignore", "draft.md", "--max-size", "1K", "--availability", "name-date", "--passage-characters", "500")
    report = shell.sync()
    assert [note["path"] for note in report["skipped"]] == ["draft.md", "long.md"]
    assert "2024-03-04.md" in shell("--json", "search", "copper", "--available-before", "2024-03-05").output
    report = shell.sync("--ignore", "", "--max-size", "50M")
    assert (report["indexed"], report["skipped"]) == (2, [])


def test_vectors_are_made_or_left_for_later(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    from support.fake_embedder import HashEmbedder

    embedder = HashEmbedder(8)
    monkeypatch.setattr("hybridkb.library.load_embedder", lambda *_, **__: (embedder, None))
    for number in range(300):
        shell.write(f"{number}.md", f"copper {number}")
    options = ["--database", str(shell.database), "--embedder", "local", "--json", "sync", str(shell.folder)]
    report = json.loads(CliRunner().invoke(cli, [*options, "--no-embed"]).stdout)
    assert (report["indexed"], report["embedded"], embedder.document_calls) == (300, 0, 0)
    result = CliRunner().invoke(cli, options)
    report = json.loads(result.stdout)
    assert (result.exit_code, report["embedded"], report["pending"]) == (0, 300, 0)


def test_a_folder_that_another_process_reads_is_an_exit_code(shell: Shell) -> None:
    shell.write("a.md", "copper")
    shell("init")
    with job_lock(shell.database, "sync", wait_seconds=0):
        output = shell("sync", shell.folder, "--wait", "0", expect=DATABASE).output
    assert "try again when it is done" in output


@pytest.mark.parametrize(
    ("text", "expected"), [("1", 1), ("500K", 512_000), ("20M", 20 << 20), ("1.5 GiB", 3 << 29), ("2mb", 2 << 20)]
)
def test_sizes(text: str, expected: int) -> None:
    assert size(text) == expected


@pytest.mark.parametrize("option", ["--max-size=x", "--max-size=-1", "--availability=now", "--passage-characters=5"])
def test_wrong_options_are_told(shell: Shell, option: str) -> None:
    assert "Error" in shell("sync", shell.folder, option, expect=INVALID).output


# Watching


@contextmanager
def watched(shell: Shell) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "hybridkb", "--database", str(shell.database), "--embedder", "none", "--json"]
    process = subprocess.Popen(
        [*command, "sync", str(shell.folder), "--watch"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    guard = threading.Timer(60, process.kill)
    guard.start()
    try:
        yield process
    finally:
        guard.cancel()
        process.kill()
        process.communicate()


def line(process: subprocess.Popen[str]) -> Any:
    assert process.stdout is not None
    text = process.stdout.readline()
    assert text, process.stderr.read() if process.stderr else ""
    return json.loads(text)


@pytest.mark.slow
def test_watching_tells_each_change_and_ends_cleanly(shell: Shell) -> None:
    shell.write("a.md", "copper")
    with watched(shell) as process:
        assert line(process)["indexed"] == 1
        shell.write("b.md", "wheat")
        assert line(process)["indexed"] == 1
        (shell.folder / "a.md").unlink()
        assert line(process)["removed"] == 1
        away = shell.folder.with_name("away")
        shell.folder.rename(away)
        assert "is not there" in line(process)["folder_missing"]
        (away / "c.md").write_text("zinc")
        away.rename(shell.folder)
        report = line(process)
        assert (report["folder_missing"], report["indexed"], report["removed"]) == (None, 1, 0)
        shell.write("d.md", "tin")
        assert line(process)["indexed"] == 1
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=30)
        assert (process.returncode, output, errors) == (0, "", "hybridkb: stopped\n")


def test_a_quiet_folder_is_looked_at_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "_TICK_SECONDS", 0.01)
    looks = watching.looks(str(tmp_path), lambda _: False, quiet_seconds=0)
    for _ in range(3):
        next(looks)
    looks.close()


def test_an_interrupt_that_was_lost_ends_it_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "_TICK_SECONDS", 0.01)
    stopped = [False]
    looks = watching.looks(str(tmp_path), lambda _: False, lambda: stopped[0], quiet_seconds=0)
    next(looks)
    next(looks)
    stopped[0] = True
    with pytest.raises(KeyboardInterrupt):
        list(looks)


def test_a_folder_that_cannot_be_watched_is_looked_at_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import watchfiles

    def full(*_: object, **__: object) -> Iterator[None]:
        raise OSError(28, "OS file watch limit reached")

    monkeypatch.setattr(watchfiles, "watch", full)
    monkeypatch.setattr(watching, "_TICK_SECONDS", 0)
    looks = watching.looks(str(tmp_path), lambda _: False)
    for _ in range(3):
        next(looks)


def test_our_own_writes_do_not_count_as_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import watchfiles

    seen: dict[str, Any] = {}

    def fake(*_: object, **options: Any) -> Iterator[set[object]]:
        seen.update(options)
        yield set()

    monkeypatch.setattr(watchfiles, "watch", fake)
    looks = watching.looks(str(tmp_path), lambda path: path.startswith(os.fspath(tmp_path / "desk.db")))
    next(looks)
    next(looks)
    keep = seen["watch_filter"]
    assert keep(1, str(tmp_path / "a.md"))
    assert not keep(1, str(tmp_path / "desk.db-wal"))
