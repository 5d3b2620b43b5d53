"""Locators: written, read back, ordered."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkb.errors import InvalidInput
from hybridkb.knowledge import Locator
from knowledge.samples import ID

members = st.none() | st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)
locators = st.builds(Locator, st.sampled_from(["item", "source", "artifact"]), st.uuids(), members)


@given(locators)
def test_a_locator_is_read_back(locator: Locator) -> None:
    assert Locator.parse(str(locator)) == locator


@given(st.lists(locators, max_size=6))
def test_locators_are_ordered_by_their_bytes(made: list[Locator]) -> None:
    assert [str(one) for one in sorted(made)] == sorted((str(one) for one in made), key=str.encode)


def test_the_written_form_is_fixed() -> None:
    assert str(Locator("item", ID)) == f"item:{ID}"
    assert str(Locator("artifact", ID, "c1")) == f"artifact:{ID}#c1"


@pytest.mark.parametrize("text", ["", "item", f"{ID}", f"thing:{ID}", "item:1", f"item{ID}", f"item:{ID}#a\0"])
def test_what_is_no_locator_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        Locator.parse(text)


@pytest.mark.parametrize("member", ["", "\0", "\ud800"])
def test_members_are_text_that_can_be_stored(member: Any) -> None:
    with pytest.raises(InvalidInput, match="member id"):
        Locator("item", UUID(int=1), member)
