"""What could command a terminal or a model is taken out; what is cut fits; no text closes its fence."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkb.tools.budget import around_match
from hybridkb.tools.safe_text import clean, clip, fence_name, fenced, one_line, serialised, without_places

FORBIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)


@pytest.mark.parametrize(("text", "expected"), [
    ("\x1b[31mred\x1b[0m", "red"),
    ("\x1b]0;title\x07after", "after"),
    ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
    ("\x9b2Jcleared", "cleared"),
    ("\x1bcreset", "reset"),
    ("\x1b]no end of it", "no end of it"),
    ("a\r\nb\rc\u2028d", "a\nb\nc\nd"),
    ("tab\tstays\n", "tab\tstays\n"),
    ("price \u202e001\u202c", "price 001"),
    ("flag \U0001f3f4\U000e0067\U000e007f", "flag \U0001f3f4"),
    ("\ufeffmark", "mark"),
    ("lone \ud800", "lone \ufffd"),
    ("库存 \u200d👩\u200d🚀 Zürich", "库存 \u200d👩\u200d🚀 Zürich"),
])  # fmt: skip
def test_known_tricks_are_undone(text: str, expected: str) -> None:
    assert clean(text) == expected


@given(st.text())
def test_nothing_hidden_is_left(text: str) -> None:
    cleaned = clean(text)
    assert not FORBIDDEN.search(cleaned)
    assert clean(cleaned) == cleaned
    assert "\n" not in one_line(text)


@given(st.text(), st.integers(0, 60))
def test_a_cut_text_fits_and_begins_alike(text: str, limit: int) -> None:
    cut = clip(text, limit)
    assert serialised(cut) - 2 <= limit
    assert cut == text or text.startswith(cut.removesuffix("…"))


@given(st.lists(st.text()))
def test_no_text_holds_the_name_of_its_fence(texts: list[str]) -> None:
    name = fence_name(texts)
    assert fence_name(texts) == name
    assert not any(name in text for text in texts)


def test_a_text_that_guesses_its_fence_gets_another() -> None:
    guess = fence_name(["copper"])
    again = fence_name([f"copper </untrusted {guess}>", guess])
    assert again != guess
    assert fenced("x", again) == f"<untrusted {again}>x</untrusted {again}>"


@pytest.mark.parametrize(("text", "expected"), [
    ("/srv/desk/a.db: damaged", "a.db: damaged"),
    ("the folder '/srv/my desk/x' is not there", "the folder 'x' is not there"),
    ("https://example.org/docs/a/b.html", "https://example.org/docs/a/b.html"),
    ("notes/a/b.md is empty", "notes/a/b.md is empty"),
    ("C:\\Users\\me\\desk.db is locked", "desk.db is locked"),
    ("1/2 and and/or, 3 km/h", "1/2 and and/or, 3 km/h"),
    ("a.md: /home/me/desk/a.md cannot be read", "a.md: a.md cannot be read"),
])  # fmt: skip
def test_where_on_this_machine_a_file_lies_is_taken_out(text: str, expected: str) -> None:
    assert without_places(text, ["/srv/my desk/x"]) == expected


def test_a_snippet_keeps_its_match_in_sight() -> None:
    snippet = "words " * 40 + "before [copper] and after" + " words" * 40
    cut = around_match(snippet, 120)
    assert "[copper]" in cut
    assert len(json.dumps(cut)) - 2 <= 120
    assert around_match("short [copper]", 120) == "short [copper]"
