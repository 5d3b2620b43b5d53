"""A source revision: its id is that of its bytes, its pages and blocks fit each other, its text has a name."""

from __future__ import annotations

import pytest

from hybridkb.errors import InvalidInput
from hybridkb.knowledge.paper_source import (
    PaperAsset,
    PaperPage,
    PaperSourceRevision,
    TextBlock,
    blob_name,
    source_id_of,
)
from support.papers import make_page, make_source, paper_bytes

HASH = "0" * 64


def asset(**changes: object) -> PaperAsset:
    fields = {
        "asset_id": "p1-image-1", "kind": "image", "sha256": HASH, "media_type": "image/png", "size": 1, "page": 1,
        "box": (0, 0, 1, 1), "width": 1, "height": 1,
    }  # fmt: skip
    return PaperAsset.model_validate(fields | changes)


def test_the_id_is_that_of_the_bytes() -> None:
    source, blobs = make_source("rates")
    assert source.sha256 == blob_name(paper_bytes("rates"))
    assert source.id == source_id_of(source.sha256)
    assert source.blobs == blobs.keys()
    with pytest.raises(InvalidInput, match="not that of the bytes"):
        source.model_copy(update={"sha256": HASH})


def test_it_comes_back_from_json_as_it_was() -> None:
    source, _ = make_source()
    assert PaperSourceRevision.model_validate_json(source.model_dump_json()) == source


@pytest.mark.parametrize("name", ["", "ABC", "0" * 63, "g" * 64, "A" * 64])
def test_a_hash_is_64_small_hexadecimal_digits(name: str) -> None:
    with pytest.raises(InvalidInput, match="SHA-256"):
        asset(sha256=name)


@pytest.mark.parametrize("box", [(2, 0, 1, 1), (0, 2, 1, 1)])
def test_a_box_has_its_left_before_its_right_and_its_top_above_its_bottom(box: tuple[float, ...]) -> None:
    with pytest.raises(InvalidInput, match="box"):
        asset(box=box)


@pytest.mark.parametrize("places", [[(0, 3), (2, 5)], [(3, 5), (0, 2)], [(0, 6)], [(2, 2)]])
def test_blocks_do_not_overlap_and_lie_within_the_text(places: list[tuple[int, int]]) -> None:
    blocks = tuple(TextBlock(start=start, end=end, box=(0, 0, 1, 1)) for start, end in places)
    with pytest.raises(InvalidInput, match="blocks do not fit"):
        PaperPage(number=1, width=10, height=10, text="abcde", blocks=blocks)


def test_pages_count_from_one_without_a_gap() -> None:
    source, _ = make_source()
    with pytest.raises(InvalidInput, match="numbered from 1"):
        source.model_copy(update={"pages": source.pages[1:]})


@pytest.mark.parametrize(
    ("assets", "reason"),
    [((asset(), asset()), "same id"), ((asset(page=9),), "not there")],
)
def test_assets_have_names_of_their_own_and_stand_on_pages(assets: tuple[PaperAsset, ...], reason: str) -> None:
    source, _ = make_source()
    with pytest.raises(InvalidInput, match=reason):
        source.model_copy(update={"assets": assets})


def test_a_paper_has_a_title() -> None:
    source, _ = make_source()
    with pytest.raises(InvalidInput, match="title is blank"):
        source.model_copy(update={"title": " "})


def test_the_name_of_the_text_follows_every_character_and_every_page_border() -> None:
    source, _ = make_source(pages=((("text", "ab"),), (("text", "c"),)))
    names = {source.parse_hash}
    for pages in ((("text", "ab"),), (("text", "d"),)), ((("text", "a"),), (("text", "bc"),)):
        made = tuple(make_page(number, blocks) for number, blocks in enumerate(pages, start=1))
        names.add(source.model_copy(update={"pages": made}).parse_hash)
    assert len(names) == 3
    assert source.model_copy(update={"notes": ("read again",)}).parse_hash == source.parse_hash
