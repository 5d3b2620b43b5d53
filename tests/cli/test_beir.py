"""A line of a BEIR corpus becomes a tree with times that err towards seeing less."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from hybridkb.cli.beir import is_beir, reader
from hybridkb.errors import InvalidInput
from hybridkb.knowledge import Filing, Transcript, TreeKnowledge

TITLE = "Savings and the Current Account"
END_OF_DAY = datetime(2004, 12, 14, 23, 59, 59, 999_999, tzinfo=UTC)


def read(document: dict[str, Any], **options: Any) -> TreeKnowledge:
    chosen = {"collection": "", "tree": "transcript", "available_from": "date", "as_of": None} | options
    return reader(**chosen)(json.dumps(document).encode())


def speech(**fields: Any) -> dict[str, Any]:
    metadata = {"date": "2004-12-14", "doc_type": "speech", "speaker": "Hale", "title": TITLE}
    return {"_id": "speech-1", "title": "Speech by Hale", "text": "One sentence. " * 300, "metadata": metadata} | fields


def test_document_becomes_a_tree_of_passages() -> None:
    item = read(speech())
    assert isinstance(item, Transcript)
    assert item.title == TITLE
    assert len(item.nodes) == 4
    node = item.nodes["p0002"]
    assert node.title == f"{TITLE} (part 2)"
    assert node.summary == "Speech by Hale"
    assert item.tags == ("speech", "Hale")
    assert item.provenance
    assert item.provenance.as_row() == ("article", "speech", "2004-12-14", None, None)


def test_document_is_known_at_the_last_microsecond_of_its_day() -> None:
    item = read(speech())
    assert item.available_at == item.as_of == END_OF_DAY


def test_availability_can_be_left_open() -> None:
    assert read(speech(), available_from="none").available_at is None


def test_same_document_has_the_same_id_unless_the_collection_differs() -> None:
    assert read(speech()).id == read(speech(text="other")).id
    assert read(speech()).id != read(speech(), collection="other").id


def test_short_text_is_the_roots_own() -> None:
    item = read(speech(text="Short."))
    assert list(item.nodes) == ["root"]
    assert item.nodes["root"].content == "Short."


def test_tree_kind_can_be_chosen() -> None:
    assert isinstance(read(speech(), tree="filing"), Filing)


def test_document_without_date_needs_as_of() -> None:
    undated = {"_id": "1", "title": "t", "text": "x"}
    with pytest.raises(InvalidInput, match="--as-of"):
        read(undated)
    item = read(undated, as_of=END_OF_DAY)
    assert item.as_of == END_OF_DAY
    assert item.available_at is None


@pytest.mark.parametrize(
    "document",
    [
        pytest.param({"title": "t", "text": "x"}, id="no id"),
        pytest.param({"_id": 3, "text": "x"}, id="id is no text"),
        pytest.param({"_id": "1", "title": "", "text": " "}, id="empty"),
        pytest.param({"_id": "1", "text": 5}, id="text is no text"),
        pytest.param([], id="no object"),
    ],
)
def test_other_shapes_are_refused(document: Any) -> None:
    with pytest.raises(InvalidInput):
        read(document)


def test_formats_are_told_apart() -> None:
    assert is_beir(b'{"_id": "1", "text": "x"}')
    assert not is_beir(b'{"item_type": "note"}')
    assert not is_beir(b"not JSON")
    assert not is_beir(b"")
