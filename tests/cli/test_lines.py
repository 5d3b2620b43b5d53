"""Files are read lazily, gzipped or not, and damage is told with the file's name."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from hybridkb.cli.lines import Lines, first_line
from hybridkb.errors import UnreadableDocument


def test_plain_and_gzipped_read_alike(tmp_path: Path) -> None:
    plain, zipped = tmp_path / "a.jsonl", tmp_path / "a.jsonl.gz"
    plain.write_bytes(b"one\ntwo\n")
    zipped.write_bytes(gzip.compress(b"one\ntwo\n"))
    assert list(Lines(plain)) == list(Lines(zipped)) == [b"one\n", b"two\n"]


def test_position_reaches_the_size(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"one\ntwo\n")
    lines = Lines(path)
    assert list(lines)
    assert lines.position == lines.size == 8


def test_truncated_gzip_is_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b"line\n" * 10_000)[:40])
    with pytest.raises(UnreadableDocument, match=r"a\.jsonl\.gz"):
        list(Lines(path))


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
def test_missing_file_and_directory_are_unreadable(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnreadableDocument):
        list(Lines(tmp_path / name))


def test_first_line_looks_ahead_without_losing_anything() -> None:
    first, every = first_line(iter([b"\n", b"a\n", b"b\n"]))
    assert first == b"a\n"
    assert list(every) == [b"\n", b"a\n", b"b\n"]
    assert first_line(iter([]))[0] == b""
