"""Front matter: what is taken, what is refused, and that nothing wrong ever becomes safe."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkb.documents import FrontMatter, ReadDocument, read_document
from hybridkb.errors import InvalidInput
from hybridkb.knowledge import Provenance


def read(front: str, *, body: str = "text\n", name: str = "a.md", zone: str = "UTC") -> ReadDocument:
    return read_document(f"---\n{front}\n---\n{body}".encode(), name, zone=zone)


def fields(front: str, zone: str = "UTC") -> FrontMatter:
    document = read(front, zone=zone)
    assert [passage.text for passage in document.passages] == ["text"]
    return document.front_matter


def test_every_field_is_read() -> None:
    document = read(
        "title: Copper outlook\nas_of: 2024-03-01T16:00:00Z\navailable_at: 2024-03-02T09:30:00-05:00\n"
        "published_at: 2024-03-02T09:00:00-05:00\ntags: [copper, supply]\ntype: Broker Note\nsource: Glencore desk\n"
        "confidence: High\nticker: FCX\nperiods: [Q1 2024, Q2 2024]\nlink: https://example.com/a\n"
        "source_class: scout\nkind: essay\nverdict: keep\ndoc_date: 2024-03-01\nauthor: Jane Doe\n"
    )
    assert document.notes == ()
    assert document.title == "Copper outlook"
    assert document.front_matter == FrontMatter(
        title="Copper outlook",
        as_of=datetime(2024, 3, 1, 16, tzinfo=UTC),
        available_at=datetime(2024, 3, 2, 14, 30, tzinfo=UTC),
        published_at=datetime(2024, 3, 2, 14, tzinfo=UTC),
        tags=("copper", "supply"),
        type="broker_note",
        source="Glencore desk",
        confidence="high",
        tickers=("FCX",),
        periods=("Q1 2024", "Q2 2024"),
        link="https://example.com/a",
        provenance=Provenance("scout", "essay", "2024-03-01", "keep", "https://example.com/a"),
    )


def test_a_day_alone_ends_in_the_zone() -> None:
    front = fields("available_at: 2024-03-08\nas_of: 2024-03-07\npublished_at: 2024-03-06", "America/New_York")
    assert front.available_at == datetime(2024, 3, 9, 4, 59, 59, 999_999, tzinfo=UTC)
    assert front.as_of == datetime(2024, 3, 8, 4, 59, 59, 999_999, tzinfo=UTC)
    assert front.published_at == datetime(2024, 3, 7, 4, 59, 59, 999_999, tzinfo=UTC)


def test_finer_than_a_microsecond_is_rounded_up() -> None:
    assert fields("available_at: 2024-03-08T00:00:00.1234561Z").available_at == datetime(
        2024, 3, 8, 0, 0, 0, 123_457, tzinfo=UTC
    )


def test_a_bare_date_is_what_the_document_is_about_and_not_when_it_was_known() -> None:
    front = fields("date: 2024-03-01")
    assert (front.as_of, front.available_at, front.published_at) == (
        datetime(2024, 3, 1, 23, 59, 59, 999_999, tzinfo=UTC),
        None,
        None,
    )
    assert fields("date: 2024-03-01\nas_of: 2023-01-01").as_of == datetime(2023, 1, 1, 23, 59, 59, 999_999, tzinfo=UTC)


@pytest.mark.parametrize(
    "value",
    [
        "soon",
        "2024-03-11T09:30:00",
        "2024-13-01",
        "20240311",
        "1710149400",
        "[2024-03-11]",
        "{a: b}",
        "99999-01-01",
        "*x",
    ],
)
def test_a_wrong_available_at_stays_unknown_and_is_told(value: str) -> None:
    document = read(f"available_at: {value}\ntags: a")
    assert document.front_matter.available_at is None
    assert document.front_matter.refused == ("available_at",)
    assert document.front_matter.tags == ("a",)
    assert "available_at is left out" in document.notes[0]


@pytest.mark.parametrize("value", ["", "unknown", "null", "~", "N/A"])
def test_an_unknown_available_at_is_not_to_be_guessed(value: str) -> None:
    document = read(f"available_at: {value}")
    assert document.front_matter.refused == ("available_at",)
    assert document.notes == ()


def test_a_misspelt_available_at_is_refused_with_the_right_name() -> None:
    document = read("availble_at: 2024-01-01")
    assert document.front_matter.refused == ("available_at",)
    assert document.notes == ("front matter: 'availble_at' is not read; did you mean available_at?",)


def test_a_time_given_twice_counts_for_neither() -> None:
    document = read("available_at: 2024-01-01\navailable_at: 2023-01-01\ntitle: T")
    assert (document.front_matter.available_at, document.front_matter.title) == (None, "T")
    assert "given twice" in document.notes[0]


def test_one_broken_line_loses_no_other() -> None:
    document = read("title: Fed: the path\ntags:\n  - a\n  - b\nverdict: 'open\navailable_at: 2024-01-01")
    assert document.front_matter.tags == ("a", "b")
    assert document.front_matter.available_at is not None
    assert [note.partition(",")[0] for note in document.notes] == [
        "front matter: title is left out",
        "front matter: verdict is left out",
    ]


def test_words_that_yaml_takes_for_truth_values_are_words() -> None:
    front = fields("tickers: [ON, NO, Y, 1e5, 007]\ntags: yes, off, 3.10")
    assert front.tickers == ("ON", "NO", "Y", "1e5", "007")
    assert front.tags == ("yes", "off", "3.10")


def test_wrong_names_are_left_out_one_by_one() -> None:
    document = read('tags: [good, [nested], "a\\0b", "", good]\nconfidence: sure\ndoc_date: March')
    assert document.front_matter.tags == ("good",)
    assert document.front_matter.confidence is None
    assert len(document.notes) == 4


def test_a_source_class_may_be_called_source() -> None:
    assert fields("source: article\nkind: essay").provenance == Provenance("article", "essay")
    nested = fields("provenance:\n  source: lineage\n  verdict: drop\nlink: https://example.com")
    assert nested.provenance == Provenance("lineage", None, None, "drop", "https://example.com")


def test_a_card_without_a_class_is_told() -> None:
    document = read("verdict: keep")
    assert document.front_matter.provenance is None
    assert "source_class" in document.notes[0]


@pytest.mark.parametrize("key", ["author", "layout", "updated_at", "cssclasses", "publisher", "created"])
def test_other_people_s_fields_pass_without_a_note(key: str) -> None:
    assert read(f"{key}: 2024-01-01").notes == ()


def test_text_between_two_rules_is_no_front_matter() -> None:
    assert "A quiet day" in read("A quiet day on the market.\n").passages[0].text
    unclosed = read_document(b"---\ntitle: x\n\ntext", "a.md")
    assert (unclosed.title, unclosed.front_matter) == ("a", FrontMatter())


def test_plain_text_has_front_matter_too_and_tables_do_not() -> None:
    assert read("tags: a", name="a.txt").front_matter.tags == ("a",)
    assert read("tags: a", name="a.csv").front_matter.tags == ()


def test_front_matter_after_a_byte_order_mark_and_with_other_line_ends() -> None:
    data = b"\xef\xbb\xbf---\r\ntags: a\r\n...\r\ntext"
    document = read_document(data, "a.md")
    assert (document.front_matter.tags, document.passages[0].text) == (("a",), "text")


def test_front_matter_that_is_too_long_is_text() -> None:
    document = read("x: " + "a" * 70_000)
    assert "65,536" in document.notes[0]
    assert document.passages[0].text.endswith("a")


def test_aliases_cannot_be_used_to_fill_the_memory() -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 40))
    document = read(bomb + "tags: [*a39]\ntitle: T")
    assert (document.front_matter.tags, document.front_matter.title) == ((), "T")


@pytest.mark.parametrize("value", ["!!python/object/apply:os.system [echo]", "!!binary x", "[" * 5000, "!!timestamp x"])
def test_yaml_makes_no_objects_and_does_not_crash(value: str) -> None:
    assert read(f"tags: {value}\ntitle: T").front_matter.title == "T"


def test_an_unknown_zone_is_the_caller_s_mistake() -> None:
    with pytest.raises(InvalidInput, match="time zone"):
        read("tags: a", zone="Mars/Olympus")


KEYS = st.sampled_from(["available_at", "as_of", "tags", "title", "provenance", "source", "kind", "x", "availble_at"])


@given(st.lists(st.tuples(KEYS, st.text(st.characters(codec="utf-8"), max_size=30)), max_size=6))
def test_no_front_matter_crashes(pairs: list[tuple[str, str]]) -> None:
    front = read("\n".join(f"{key}: {value}" for key, value in pairs), body="text " * 500).front_matter
    assert front.available_at is None or front.available_at.tzinfo is not None
