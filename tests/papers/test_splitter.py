"""Passages: whole, exact, in order, under their headings, the same every time."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridkb.errors import InvalidInput
from hybridkb.knowledge.paper_artifacts import PaperChunk, PaperChunkSet
from hybridkb.knowledge.paper_source import OutlineEntry, PaperAsset, PaperSourceRevision
from hybridkb.papers import SplitterConfig, split
from hybridkb.papers.sections import LEFT_OUT, find_sections
from support.paper_pages import paper_of, papers
from support.papers import make_source

SENTENCE = "The roll yield of a futures position is what the curve pays for waiting, and nothing else. "
SMALL = SplitterConfig(characters=200)
configs = st.builds(lambda size, share: SplitterConfig(characters=size, overlap=int(size * share)),
                    st.integers(200, 700), st.floats(0, 0.5))  # fmt: skip


def positions(source: PaperSourceRevision, chunks: PaperChunkSet) -> Counter[tuple[int, int]]:
    """How often each character that is no white space is in a passage."""
    texts = {page.number: page.text for page in source.pages}
    return Counter(
        (span.page, at) for chunk in chunks.chunks for span in chunk.spans for at in range(span.start, span.end)
        if not texts[span.page][at].isspace()
    )  # fmt: skip


def kept(source: PaperSourceRevision) -> set[tuple[int, int]]:
    """The characters that are no white space in blocks that belong to passages."""
    return {
        (page.number, at) for page in source.pages for block in page.blocks if block.role not in LEFT_OUT
        for at in range(block.start, block.end) if not page.text[at].isspace()
    }  # fmt: skip


def joined(source: PaperSourceRevision, chunk: PaperChunk) -> str:
    return "\n\n".join(source.pages[span.page - 1].text[span.start : span.end] for span in chunk.spans)


@settings(max_examples=60, deadline=None)
@given(papers, st.integers(200, 700))
def test_every_character_that_is_kept_is_in_one_passage(source: PaperSourceRevision, characters: int) -> None:
    found = positions(source, split(source, SplitterConfig(characters=characters)))
    assert found.keys() == kept(source)
    assert set(found.values()) <= {1}


@settings(max_examples=60, deadline=None)
@given(papers, configs)
def test_overlap_repeats_and_loses_nothing(source: PaperSourceRevision, config: SplitterConfig) -> None:
    assert positions(source, split(source, config)).keys() == kept(source)


@settings(max_examples=60, deadline=None)
@given(papers, configs)
def test_spans_are_exact_and_in_order(source: PaperSourceRevision, config: SplitterConfig) -> None:
    chunks = split(source, config)
    for chunk in chunks.chunks:
        assert chunk.text == joined(source, chunk)
        assert chunk.text == chunk.text.strip()
        places = [(span.page, span.start, span.end) for span in chunk.spans]
        assert places == sorted(places)
        for before, after in zip(chunk.spans, chunk.spans[1:], strict=False):
            if before.page == after.page:
                assert source.pages[before.page - 1].text[before.end : after.start].strip()
        boxes = {(one.page, one.box) for one in chunk.boxes}
        for span in chunk.spans:
            inside = [b for b in source.pages[span.page - 1].blocks if b.start < span.end and b.end > span.start]
            assert {(span.page, block.box) for block in inside} <= boxes
    assert [chunk.chunk_id for chunk in chunks.chunks] == [f"c{at:04}" for at in range(1, len(chunks.chunks) + 1)]


@settings(max_examples=60, deadline=None)
@given(papers, configs)
def test_no_passage_is_longer_than_agreed(source: PaperSourceRevision, config: SplitterConfig) -> None:
    most = config.characters + config.characters // 5 + config.overlap + 4
    assert all(len(chunk.text) <= most for chunk in split(source, config).chunks)


@settings(max_examples=60, deadline=None)
@given(papers, configs)
def test_no_passage_crosses_an_outermost_border(source: PaperSourceRevision, config: SplitterConfig) -> None:
    _, sections = find_sections(source)
    borders, path = [], []
    for one in sections:
        path = [above for above in path if above.level < one.level] + [one]
        borders += [one.place] if len(path) == 1 else []
    for chunk in split(source, config).chunks:
        first, last = chunk.spans[0], chunk.spans[-1]
        assert not [b for b in borders if (first.page, first.start) < b <= (last.page, last.end - 1)]


@settings(max_examples=30, deadline=None)
@given(papers, configs)
def test_the_same_again_is_the_same(source: PaperSourceRevision, config: SplitterConfig) -> None:
    again = PaperSourceRevision.model_validate_json(source.model_dump_json())
    assert split(source, config).model_dump(exclude={"created_at"}) == split(again, config).model_dump(
        exclude={"created_at"}
    )


@pytest.mark.parametrize(
    ("other", "options"),
    [
        (SplitterConfig(characters=1400), {}),
        (SplitterConfig(overlap=1), {}),
        (SplitterConfig(), {"variant": "trial"}),
    ],
)
def test_another_configuration_is_another_set(other: SplitterConfig, options: dict[str, Any]) -> None:
    source, _ = make_source()
    one, two = split(source), split(source, other, **options)
    assert one.extraction.config_hash != two.extraction.config_hash
    assert one.id != two.id


def test_the_set_is_that_of_its_source() -> None:
    source, _ = make_source(tags=("rates",), confidence="high")
    chunks = split(source)
    assert (chunks.source_id, chunks.parse_hash, chunks.available_at) == (
        source.id, source.parse_hash, source.available_at
    )  # fmt: skip
    assert (chunks.tags, chunks.confidence) == (("rates",), "high")
    assert chunks.configuration == {"characters": 1500, "overlap": 0}


def test_running_lines_are_left_out_and_the_heading_path_is_kept() -> None:
    source, _ = make_source()
    chunks = split(source).chunks
    assert [chunk.heading for chunk in chunks] == [("1 Introduction",), ("2 Model",), ("3 Results",)]
    assert not [chunk for chunk in chunks if "Proceedings" in chunk.text]
    assert chunks[1].text.startswith("2 Model\n\nMulti-head attention")


def test_a_paragraph_that_goes_on_crosses_the_page_and_a_finished_one_does_not() -> None:
    first = ("text", SENTENCE * 4 + "The curve then", 10.0)
    rest = ("text", "bends the other way. " + SENTENCE * 2, 10.0)
    foot = ("footer", "1", 8.0)
    goes_on = split(paper_of([first, foot], [rest]), SplitterConfig(characters=900))
    assert [chunk.pages for chunk in goes_on.chunks] == [(1, 2)]
    assert goes_on.chunks[0].text.count("The curve then\n\nbends") == 1
    ended = split(paper_of([("text", SENTENCE * 4, 10.0)], [("text", SENTENCE, 10.0)]), SplitterConfig(characters=900))
    assert [chunk.pages for chunk in ended.chunks] == [(1,), (2,)]


def test_a_caption_at_the_top_of_the_page_does_not_end_a_paragraph() -> None:
    source = paper_of(
        [("text", SENTENCE * 4 + "The curve then", 10.0)],
        [("caption", "Figure 1: A curve.", 9.0), ("text", "bends the other way.", 10.0)],
    )
    assert len(split(source).chunks) == 1


def test_long_paragraphs_are_cut_at_sentences() -> None:
    chunks = split(paper_of([("text", (SENTENCE * 20).strip(), 10.0)]), SplitterConfig(characters=400)).chunks
    assert len(chunks) > 3
    assert all(chunk.text.endswith("else.") for chunk in chunks)
    assert all(chunk.text.startswith("The roll") for chunk in chunks)


def test_tables_are_cut_between_rows() -> None:
    rows = "\n".join(f"2024-{month:02} | front {month} | {month * 1.25:.2f}" for month in range(1, 40))
    chunks = split(paper_of([("table", rows, 9.0)]), SMALL).chunks
    assert "\n".join(chunk.text for chunk in chunks) == rows


def test_a_heading_stays_with_what_it_announces() -> None:
    source = paper_of(
        [("heading", "1 Carry", 12.0), ("text", SENTENCE * 2, 10.0), ("heading", "1.1 Roll", 11.0)],
        [("text", SENTENCE * 2, 10.0)],
    )
    chunks = split(source, SMALL).chunks
    assert [chunk.heading[-1] for chunk in chunks] == ["1 Carry", "1.1 Roll"]
    assert chunks[1].text.startswith("1.1 Roll")
    assert chunks[1].heading == ("1 Carry", "1.1 Roll")


def test_overlap_begins_with_a_sentence_of_the_passage_before() -> None:
    source = paper_of([("text", (SENTENCE * 20).strip(), 10.0)])
    plain, overlapping = (split(source, SplitterConfig(characters=400, overlap=n)).chunks for n in (0, 150))
    assert len(plain) == len(overlapping)
    for before, own, longer in zip(plain, plain[1:], overlapping[1:], strict=False):
        repeated = longer.text.removesuffix(own.text)
        assert 0 < len(repeated) <= 151
        assert before.text.endswith(repeated.strip())
        assert repeated.startswith("The roll")
        assert len(longer.spans) == 1


def test_a_paper_without_text_has_no_passage() -> None:
    assert split(paper_of([], [("header", "Draft", 8.0)])).chunks == ()


def test_an_overlap_of_more_than_half_is_refused() -> None:
    with pytest.raises(InvalidInput, match="more than half"):
        SplitterConfig(characters=400, overlap=201)


def picture(asset_id: str, page: int, box: tuple[float, float, float, float], kind: str = "image") -> PaperAsset:
    return PaperAsset(
        asset_id=asset_id, kind=kind, sha256="0" * 64, media_type="image/png", size=1, page=page, box=box, width=1,
        height=1,
    )  # type: ignore[arg-type]  # fmt: skip


def test_pictures_beside_and_named_are_referred_to() -> None:
    source = paper_of(
        [("text", SENTENCE * 3 + "See Fig. 2.", 10.0)],
        [("text", "Nothing here.", 10.0), ("caption", "Figure 2: The curve.", 9.0)],
    )
    beside = picture("p1-image-1", 1, (80, 75, 200, 200))
    far = picture("p1-image-2", 1, (80, 500, 200, 700))
    named = picture("p2-image-1", 2, (80, 150, 200, 200))
    shot = picture("p1-page", 1, (0, 0, 612, 792), "screenshot")
    source = source.model_copy(update={"assets": (beside, far, shot, named)})
    first, second = split(source, SplitterConfig(characters=300)).chunks
    assert first.asset_ids == ("p1-image-1", "p2-image-1", "p1-page")
    assert second.asset_ids == ("p2-image-1",)


def test_references_stand_under_their_heading_though_the_outline_leaves_them_out() -> None:
    source = paper_of(
        [("heading", "Carry", 12.0), ("text", SENTENCE * 3, 10.0)],
        [("heading", "References", 12.0), ("text", "[1] A. Author. On Rolling. 2020.", 10.0)],
        outline=(OutlineEntry(level=0, title="Carry", page=1),),
    )
    assert split(source).chunks[-1].heading == ("References",)
