"""The ranked text of a record and the hash that names it."""

from __future__ import annotations

import pytest

from hybridkb.knowledge import Locator
from hybridkb.records import Record, hash_text, join_text
from knowledge.samples import ID


@pytest.mark.parametrize(
    ("title", "body", "text"), [("a", "b", "a\n\nb"), ("a", "", "a"), ("", "b", "b"), ("", "", "")]
)
def test_title_and_body_are_joined_by_a_blank_line(title: str, body: str, text: str) -> None:
    assert join_text(title, body) == text
    assert Record(Locator("item", ID), "note", title, body).text == text


def test_a_text_is_named_by_sixteen_bytes() -> None:
    record = Record(Locator("item", ID), "note", "a", "b")
    assert record.text_hash == hash_text("a\n\nb")
    assert record.text_hash.hex() == "ec5fae019154e9121e91d6fe0e4bf31f"
    assert hash_text("a") != hash_text("b")
    assert len(hash_text("\ud800")) == 16
