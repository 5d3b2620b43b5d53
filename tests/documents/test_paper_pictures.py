"""Pictures of a paper, and a page drawn with marks: what is taken, what is left out, and where the marks are."""

from __future__ import annotations

import base64
import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkb.documents.jpeg_header import JpegHeader, read_jpeg_header
from hybridkb.documents.paper_pages import ReadPaper, read_paper
from hybridkb.documents.paper_picture import FILL, FRAME, draw_page
from hybridkb.documents.paper_png import write_png
from hybridkb.errors import InvalidInput, UnreadableDocument
from support.pdf_writer import PdfPage, gray_image, jpeg_image, write_pdf
from support.png_reader import read_png

JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYV"
    "pQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wAARCAAY"
    "ABgDASIAAhEBAxEB/8QAFwABAQEBAAAAAAAAAAAAAAAAAAQFBv/EABcQAQADAAAAAAAAAAAAAAAAAAAEQoH/xAAWAQEBAQAAAAAAAAAAAAAAAA"
    "AGAwX/xAAaEQABBQEAAAAAAAAAAAAAAAAAAQIFNIGx/9oADAMBAAIRAxEAPwDlFMO+JlMO+N6UqvzqFo6y3eKUgCQoM1TDvgFspVfnUC8dZbvF"
    "KQBIUH//2Q=="
)
"""24 x 24 pixels, blue on the left, red on the right."""

HALVES = gray_image(20, 20, (b"\x00" * 10 + b"\xff" * 10) * 20)
"""Black on the left, white on the right."""


def read(*pages: PdfPage) -> ReadPaper:
    return read_paper(write_pdf(pages), "a.pdf")


def test_an_image_is_kept_with_its_place_and_size() -> None:
    paper = read(PdfPage().text(72, 700, "Words.").image(100, 492, 200, 200, HALVES))
    (asset,) = paper.assets
    assert (asset.asset_id, asset.kind, asset.media_type, asset.page) == ("p1-image-1", "image", "image/png", 1)
    assert asset.box == (100, 100, 300, 300)
    data = paper.blobs[asset.sha256]
    assert (hashlib.sha256(data).hexdigest(), len(data)) == (asset.sha256, asset.size)
    pixels = read_png(data)
    assert pixels.shape == (asset.height, asset.width, 3)
    assert (pixels[10, 2].tolist(), pixels[10, -3].tolist()) == ([0, 0, 0], [255, 255, 255])


def test_a_jpeg_is_kept_as_it_is() -> None:
    paper = read(PdfPage().text(72, 700, "Words.").image(100, 300, 96, 96, jpeg_image(24, 24, JPEG)))
    (asset,) = paper.assets
    assert (asset.media_type, asset.width, asset.height) == ("image/jpeg", 24, 24)
    assert paper.blobs[asset.sha256] == JPEG


def test_a_jpeg_on_a_turned_page_is_drawn_as_it_is_seen() -> None:
    paper = read(PdfPage(rotate=90).text(72, 700, "Words.").image(100, 300, 96, 96, jpeg_image(24, 24, JPEG)))
    (asset,) = paper.assets
    assert asset.media_type == "image/png"
    red, _, blue = read_png(paper.blobs[asset.sha256])[3, 12].tolist()
    assert blue > red  # what is on the left of the sheet is at the top of the page


def test_an_image_in_several_places_is_kept_once() -> None:
    pages = [PdfPage().text(72, 700, "Words.").image(100, 300, 50 + at, 50, HALVES) for at in range(3)]
    paper = read(*pages)
    assert [asset.asset_id for asset in paper.assets] == ["p1-image-1", "p2-image-1", "p3-image-1"]
    same = read(*[PdfPage().text(72, 700, "Words.").image(100, 300, 50, 50, HALVES)] * 3)
    assert (len(same.assets), len(same.blobs)) == (3, 1)


def test_an_image_in_a_form_stands_where_the_form_puts_it() -> None:
    page = PdfPage().text(72, 700, "Words.")
    page.others.append(HALVES)
    page.content.append("q 2 0 0 2 10 20 cm q 1 0 0 1 5 6 cm 40 0 0 30 0 0 cm /X0 Do Q Q")
    (asset,) = read(page).assets
    assert asset.box == (20, 792 - 92, 100, 792 - 32)


def test_ornaments_are_left_out_and_told() -> None:
    paper = read(PdfPage().text(72, 700, "Words.").image(100, 300, 50, 50, gray_image(2, 2, b"abcd")))
    assert paper.assets == ()
    assert paper.notes == ("1 image smaller than 16 pixels or 8 points a side left out",)


def test_an_image_that_claims_to_be_huge_is_not_decoded() -> None:
    paper = read(PdfPage().text(72, 700, "Words.").image(100, 300, 50, 50, gray_image(60_000, 60_000, b"a")))
    assert paper.assets == ()
    assert "of more than 200,000,000 pixels left out" in paper.notes[0]


def test_a_large_image_is_kept_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hybridkb.documents.paper_assets.MAX_IMAGE_PIXELS", 2_500)
    big = gray_image(200, 200, b"\x10" * 40_000)
    paper = read(PdfPage().text(72, 700, "Words.").image(100, 300, 50, 50, big))
    (asset,) = paper.assets
    assert asset.width * asset.height <= 1.2 * 2_500
    assert paper.notes == ("1 image kept smaller than they are stored",)


def test_more_images_than_are_taken_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hybridkb.documents.paper_assets.MAX_PAGE_IMAGES", 2)
    page = PdfPage().text(72, 700, "Words.")
    for at in range(4):
        page.image(100, 100 + 60 * at, 50, 50, HALVES)
    paper = read(page)
    assert len(paper.assets) == 2
    assert paper.notes == ("2 images left out: there are more than are taken of one page or one paper",)


def test_the_bytes_of_all_pictures_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hybridkb.documents.paper_assets.MAX_ASSET_BYTES", 10)
    paper = read(PdfPage().text(72, 700, "Words.").image(100, 300, 50, 50, HALVES), PdfPage())
    assert (paper.assets, paper.blobs) == ((), {})
    assert any("left out" in note for note in paper.notes)


def test_a_page_without_text_is_kept_as_a_picture() -> None:
    paper = read(PdfPage().text(72, 700, "Words."), PdfPage().picture(), PdfPage())
    shots = [asset for asset in paper.assets if asset.kind == "screenshot"]
    assert [(shot.asset_id, shot.page, shot.box) for shot in shots] == [
        ("p2-page", 2, (0, 0, 612, 792)),
        ("p3-page", 3, (0, 0, 612, 792)),
    ]
    assert read_png(paper.blobs[shots[0].sha256]).shape == (shots[0].height, shots[0].width, 3)


def test_a_page_with_a_drawing_is_kept_as_a_picture() -> None:
    plain = PdfPage().text(72, 700, "Words.").draw("72 600 m 500 600 l S 72 500 m 500 500 l S")
    drawn = PdfPage().text(72, 700, "Words.").draw("72 600 m 300 500 l S 72 500 m 300 600 l S 72 400 m 90 300 l S")
    assert read(plain).assets == ()
    assert [asset.asset_id for asset in read(drawn).assets] == ["p1-page"]


def test_bars_above_the_caption_of_a_figure_are_a_drawing() -> None:
    bars = "".join(f"{72 + 40 * at} 500 30 {60 + at} re f " for at in range(5))
    assert read(PdfPage().draw(bars).text(72, 450, "Shaded rows of some table")).assets == ()
    assert len(read(PdfPage().draw(bars).text(72, 450, "Figure 1: Prices of copper.")).assets) == 1


def test_without_images_nothing_is_taken() -> None:
    paper = read_paper(write_pdf([PdfPage().picture()]), "a.pdf", images=False)
    assert (paper.assets, paper.blobs) == ((), {})


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", [None, (60, 80, 560, 760)])
def test_a_mark_is_drawn_where_its_block_is(rotate: int, crop: tuple[int, int, int, int] | None) -> None:
    data = write_pdf([PdfPage(rotate=rotate, crop=crop).text(100, 650, "MMMMMMMM", 20).text(300, 200, "Elsewhere", 20)])
    page = read_paper(data, "a.pdf", images=False).pages[0]
    block = next(block for block in page.blocks if "MMM" in page.text[block.start : block.end])
    plain, marked = (read_png(draw_page(data, 1, marks, scale=2)) for marks in ([], [block.box]))
    assert plain.shape == (2 * page.height, 2 * page.width, 3)
    left, top, right, bottom = (round(2 * side) for side in block.box)
    changed = (plain != marked).any(axis=2)
    rows, columns = np.nonzero(changed)
    assert (columns.min(), rows.min()) == (pytest.approx(left, abs=6), pytest.approx(top, abs=6))
    assert (columns.max(), rows.max()) == (pytest.approx(right, abs=6), pytest.approx(bottom, abs=6))
    inside, before = marked[top:bottom, left:right], plain[top:bottom, left:right]
    assert (inside[(before == 255).all(axis=2)] == FILL).all(axis=1).mean() > 0.95  # paper is tinted
    assert (inside[(before == 0).all(axis=2)] == 0).all()  # ink stays
    assert (before < 80).all(axis=2).sum() > 100  # and there is ink: the box is that of the words
    assert any((marked[row, column] == FRAME).all() for row in range(top - 4, top + 1) for column in (left + 5,))


def test_marks_that_overlap_tint_once() -> None:
    data = write_pdf([PdfPage()])
    once, twice = (read_png(draw_page(data, 1, [(100, 100, 200, 200)] * n, scale=1)) for n in (1, 2))
    assert (once == twice).all()
    assert once[150, 150].tolist() == list(FILL)


def test_a_page_is_drawn_the_same_every_time() -> None:
    data = write_pdf([PdfPage().text(72, 700, "Words.")])
    assert draw_page(data, 1, [(70, 80, 120, 100)]) == draw_page(data, 1, [(70, 80, 120, 100)])


@pytest.mark.parametrize(
    ("page", "mark", "scale", "field"),
    [
        (0, None, 2.0, "page"),
        (2, None, 2.0, "page"),
        (1, None, 0.0, "scale"),
        (1, None, float("nan"), "scale"),
        (1, (10, 20, 5, 30), 2.0, "marks"),
        (1, (10, 20, float("inf"), 30), 2.0, "marks"),
        (1, (700, 20, 710, 30), 2.0, "marks"),
    ],
)
def test_what_cannot_be_drawn_is_told(
    page: int, mark: tuple[float, float, float, float] | None, scale: float, field: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        draw_page(write_pdf([PdfPage()]), page, [mark] if mark else [], scale=scale)
    assert caught.value.field == field


def test_a_page_that_is_broken_cannot_be_drawn() -> None:
    data = write_pdf([PdfPage(), PdfPage()]).replace(b"12 0 obj", b"99 0 obj")
    with pytest.raises(UnreadableDocument, match="page 2 cannot be drawn"):
        draw_page(data, 2, [])


def test_a_large_page_is_drawn_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hybridkb.documents.paper_picture.MAX_DRAWN_PIXELS", 10_000)
    pixels = read_png(draw_page(write_pdf([PdfPage()]), 1, [(0, 0, 612, 396)], scale=10))
    assert 8_000 < pixels.shape[0] * pixels.shape[1] < 11_000
    assert (pixels[20, 40].tolist(), pixels[-5, 40].tolist()) == (list(FILL), [255, 255, 255])


@given(st.integers(1, 40), st.integers(1, 300), st.booleans(), st.randoms(use_true_random=False))
def test_a_png_holds_its_pixels(width: int, height: int, gray: bool, random: object) -> None:
    seed = random.randrange(2**32)  # type: ignore[attr-defined]
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    if gray:
        pixels = np.repeat(pixels[:, :, :1], 3, axis=2)
    assert (read_png(write_png(pixels)) == pixels).all()


def test_the_header_of_a_jpeg_is_read() -> None:
    assert read_jpeg_header(JPEG) == JpegHeader(24, 24, 3)


@given(st.binary(max_size=60))
def test_any_bytes_have_a_header_or_none(data: bytes) -> None:
    found = read_jpeg_header(b"\xff\xd8\xff" + data)
    assert found is None or (found.width > 0 and found.height > 0)
