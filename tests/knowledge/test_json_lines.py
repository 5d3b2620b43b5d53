"""JSON Lines: the round trip is the identity, and a bad line never ends the reading."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkb.errors import InvalidInput, UnreadableDocument, UnregisteredType
from hybridkb.knowledge import Entry, Purge, Withdrawal, json_lines, read_items, write_line
from knowledge.samples import ID, items, maybe_text, moments, note

entries: st.SearchStrategy[Entry] = st.one_of(
    items,
    st.builds(Withdrawal, id=st.uuids(), at=moments),
    st.builds(Purge, id=st.uuids(), at=moments, reason=maybe_text),
)
GOOD = write_line(note()).encode()


def read(lines: Any) -> dict[int, Any]:
    return dict(read_items(lines))


@given(st.lists(entries, max_size=4))
def test_the_round_trip_is_the_identity(made: list[Entry]) -> None:
    lines = [write_line(entry) for entry in made]
    assert all("\n" not in line and "\r" not in line for line in lines)
    assert list(read_items(lines)) == list(enumerate(made, start=1))
    assert [write_line(entry) for _, entry in read_items(lines) if isinstance(entry, Entry)] == lines


@given(items)
def test_an_item_may_stand_under_its_name(item: Any) -> None:
    assert read([f'{{"item": {write_line(item)}}}']) == {1: item}


def test_a_file_is_read_with_mark_breaks_and_blanks(tmp_path: Path) -> None:
    path = tmp_path / "desk.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD + b"\r\n\r\n  \n" + GOOD + b"\n" + GOOD)
    assert read(path) == read(str(path)) == {1: note(), 4: note(), 5: note()}


def test_only_line_feeds_end_a_line(tmp_path: Path) -> None:
    path, item = tmp_path / "desk.jsonl", note(body="a\u2028b\u0085c\x0bd\re")
    path.write_text(write_line(item), encoding="utf-8")
    assert read(path) == {1: item}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"\xff\xfe", "not UTF-8"),
        ("\ud800", "not UTF-8"),
        (b"{", "not JSON"),
        (b"7", "not a int"),
        (b"{}", "needs an item_type"),
        (b'{"item": 7}', "not a int"),
        (b'{"item": {}}', "needs an item_type"),
        (b'{"item": ' + b"[" * 100_000, "not JSON"),
        (b'{"item_type": "gossip"}', "not registered"),
        (b'{"withdrawal": {}}', "id: is required"),
        (b'{"withdrawal": 7}', "mapping of fields"),
        (b'{"withdrawal": {"id": "x", "at": "2024-01-01"}}', "at: '2024-01-01' is a date alone"),
        (b'{"purge": {"id": "%s", "at": "2024-01-01T00:00:00"}}' % str(ID).encode(), "naive"),
        (b'{"withdrawal": {}, "purge": {}}', "needs an item_type"),
    ],
)
def test_a_bad_line_is_reported_and_passed_over(line: str | bytes, words: str) -> None:
    found = read([GOOD, line, GOOD])
    assert found[1] == found[3] == note()
    report = found[2]
    assert isinstance(report, UnreadableDocument)
    assert words in str(report)
    assert (report.path, report.place) == ("<lines>", 2)
    assert isinstance(report.__cause__, InvalidInput)


def test_a_report_names_the_file_and_keeps_the_first_error(tmp_path: Path) -> None:
    path = tmp_path / "desk.jsonl"
    path.write_bytes(GOOD + b'\n{"item_type": "gossip"}\n')
    report = read(path)[2]
    assert str(report).startswith(f"{path}, line 2: ")
    assert report.path == str(path)
    assert isinstance(report.__cause__, UnregisteredType)


def test_a_mark_is_passed_over_on_the_first_line_only() -> None:
    found = read([b"\xef\xbb\xbf" + GOOD, b"\xef\xbb\xbf" + GOOD])
    assert found[1] == note()
    assert isinstance(found[2], UnreadableDocument)


def test_lines_that_are_too_long_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "MAX_LINE_BYTES", len(GOOD) + 1)
    path = tmp_path / "desk.jsonl"
    path.write_bytes(GOOD + b"\n" + GOOD * 5 + b"\n" + b" " * 3 + GOOD + b"\n" + GOOD)
    found = read(path)
    assert found[1] == found[4] == note()
    assert "longer than" in str(found[2])
    assert "longer than" in str(found[3])


def test_a_file_that_cannot_be_opened_is_an_error(tmp_path: Path) -> None:
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(UnreadableDocument) as caught:
            read(path)
        assert caught.value.path == str(path)
        assert caught.value.place is None


def test_lines_without_a_file_may_be_named() -> None:
    assert "stdin, line 1" in str(dict(read_items(["{"], name="stdin"))[1])
