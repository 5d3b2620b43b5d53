"""Types by name, and items of types that users bring."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal

import pytest
from pydantic import Field, computed_field

from hybridkb.errors import InvalidInput, UnregisteredType
from hybridkb.knowledge import (
    FlatKnowledge,
    KnowledgeItem,
    Note,
    canonical_json,
    content_hash,
    parse_item,
    register_type,
    registered_types,
)
from knowledge.samples import ID, common, note


class Memo(FlatKnowledge):
    """A type with everything that JSON finds hard."""

    item_type: Literal["test_memo"] = "test_memo"
    text: str
    weights: dict[str, Decimal] = Field(default_factory=dict)
    stamp: bytes = b""
    named: str = Field(default="", alias="called")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def words(self) -> int:
        """Not a field, so it is not stored."""
        return len(self.text.split())


register_type(Memo)


def test_the_built_in_types_are_registered() -> None:
    built_in = {"note", "news", "earnings", "factor", "thesis", "filing", "transcript"}
    assert built_in <= registered_types().keys()


def test_items_are_read_from_mappings_text_and_bytes() -> None:
    item = note()
    written = canonical_json(item)
    assert parse_item(item.model_dump()) == parse_item(written) == parse_item(written.decode()) == item


def test_a_type_of_ones_own_survives_storage() -> None:
    item = Memo(**common(text="two words", weights={"b": "0.10", "a": 2}, stamp=b"\xff\0", called="x"))
    again = parse_item(canonical_json(item))
    assert again == item
    assert content_hash(again) == content_hash(item)
    swapped = Memo(**common(text="two words", weights={"a": 2, "b": "0.10"}, stamp=b"\xff\0", named="x"))
    assert content_hash(swapped) == content_hash(item)


def test_an_unregistered_type_suggests_the_right_one() -> None:
    with pytest.raises(UnregisteredType, match="'notes' is not registered; did you mean 'note'") as caught:
        parse_item({"item_type": "notes"})
    assert caught.value.item_type == "notes"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, "needs an item_type"),
        ({"item_type": 7}, "needs an item_type"),
        ("[]", "not a list"),
        ("", "not JSON"),
        ("{", "not JSON"),
        (b"\xff", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"item_type":"note","body":"\\ud800"}', "not JSON"),
        (7, "not JSON"),
        ({"item_type": "note"}, "id: is required"),
        (b'{"item_type":"note","as_of":"2024-01-01"}', "as_of: '2024-01-01' is a date alone"),
    ],
)
def test_bad_data_is_invalid_input(data: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        parse_item(data)


def test_a_name_belongs_to_one_class() -> None:
    class Other(FlatKnowledge):
        item_type: Literal["note"] = "note"

    with pytest.raises(InvalidInput, match=r"'note' belongs to hybridkb\.knowledge\.flat\.Note; choose another name"):
        register_type(Other)
    assert registered_types()["note"] is Note


def test_a_class_defined_again_replaces_itself() -> None:
    def define() -> type[KnowledgeItem]:
        class Again(FlatKnowledge):
            item_type: Literal["test_again"] = "test_again"

        return Again

    first, second = define(), define()
    assert register_type(first) == register_type(second) == "test_again"
    assert registered_types()["test_again"] is second


def test_a_class_must_fix_its_item_type() -> None:
    class Loose(FlatKnowledge):
        item_type: str = "test_loose"

    class Undecided(FlatKnowledge):
        item_type: Literal["test_a", "test_b"] = "test_a"

    for cls in (Loose, Undecided, FlatKnowledge):
        with pytest.raises(InvalidInput, match="must fix its item_type"):
            register_type(cls)
    for thing in (int, "note", None):
        with pytest.raises(InvalidInput, match="is not a class"):
            register_type(thing)  # type: ignore[arg-type]


def test_what_is_handed_out_is_a_copy() -> None:
    registered_types().clear()  # type: ignore[attr-defined]
    assert registered_types()
    assert parse_item({**note().model_dump(), "id": str(ID)}).id == ID
