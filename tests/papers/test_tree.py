"""The tree of sections: levels, ids, pages."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from hybridkb.knowledge.paper_artifacts import PaperTree
from hybridkb.knowledge.paper_source import OutlineEntry, PaperSourceRevision
from hybridkb.papers import build_tree, sections
from support.paper_pages import paper_of, papers
from support.papers import TITLE, make_source

PARAGRAPH = ("text", "The curve pays for waiting.", 10.0)


def shape(tree: PaperTree) -> list[tuple[str, str, int, int]]:
    return [(node.node_id, node.title, node.first_page, node.last_page) for node in tree.nodes]


def heading(text: str, size: float = 12.0) -> tuple[str, str, float]:
    return ("heading", text, size)


def test_headings_give_levels_by_their_numbers() -> None:
    source = paper_of(
        [heading(TITLE, 17), heading("Abstract"), PARAGRAPH, heading("1 Carry"), PARAGRAPH],
        [heading("1.1 Roll", 10.5), PARAGRAPH, heading("1.1.1 Front", 10), PARAGRAPH],
        [heading("2 Results"), PARAGRAPH],
        [PARAGRAPH, heading("References"), PARAGRAPH],
    )  # type: ignore[arg-type]
    tree = build_tree(source)
    assert tree.basis == "headings"
    assert shape(tree) == [
        ("0", TITLE, 1, 4),
        ("1", "Abstract", 1, 1),
        ("2", "1 Carry", 1, 2),
        ("2.1", "1.1 Roll", 2, 2),
        ("2.1.1", "1.1.1 Front", 2, 2),
        ("3", "2 Results", 3, 4),
        ("4", "References", 4, 4),
    ]
    assert tree.nodes[0].children_ids == ("1", "2", "3", "4")
    assert tree.nodes[3].parent_id == "2"


def test_headings_without_numbers_give_levels_by_their_size() -> None:
    source = paper_of([heading("Carry", 14), heading("Roll", 11), PARAGRAPH, heading("Risk", 14), PARAGRAPH])  # type: ignore[arg-type]
    assert [node.node_id for node in build_tree(source).nodes] == ["0", "1", "1.1", "2"]


def test_the_outline_wins_and_begins_where_its_words_stand() -> None:
    entries = (
        OutlineEntry(level=0, title="Carry", page=1, top=500.0),
        OutlineEntry(level=1, title="Roll", page=2, top=40.0),
        OutlineEntry(level=0, title="Nowhere", page=None),
        OutlineEntry(level=0, title="Risk", page=2, top=None),
    )
    source = paper_of(
        [PARAGRAPH, heading("1 Carry"), PARAGRAPH],
        [PARAGRAPH, heading("1.1 Roll"), PARAGRAPH, heading("2 Risk"), PARAGRAPH],
        [heading("Acknowledgements", 9), PARAGRAPH],
        outline=entries,
    )  # type: ignore[arg-type]
    tree = build_tree(source)
    assert tree.basis == "outline"
    assert shape(tree) == [
        ("0", TITLE, 1, 3), ("1", "Carry", 1, 2), ("1.1", "Roll", 2, 2), ("2", "Risk", 2, 2),
        ("3", "Acknowledgements", 3, 3),
    ]  # fmt: skip
    assert tree.nodes[1].start == source.pages[0].text.index("1 Carry")


def test_an_outline_that_begins_with_the_paper_itself_is_taken_below_it() -> None:
    source = paper_of(
        [heading("Carry"), PARAGRAPH, heading("Roll"), PARAGRAPH],
        outline=tuple(OutlineEntry(level=level, title=title, page=1) for level, title in
                      ((0, TITLE), (1, "Carry"), (1, "Roll"))),
    )  # type: ignore[arg-type] # fmt: skip
    assert [node.title for node in build_tree(source).nodes] == [TITLE, "Carry", "Roll"]


def test_without_any_structure_the_pages_are_the_sections() -> None:
    tree = build_tree(paper_of([PARAGRAPH], [PARAGRAPH]))  # type: ignore[arg-type]
    assert tree.basis == "pages"
    assert shape(tree) == [("0", TITLE, 1, 2), ("1", "Page 1", 1, 1), ("2", "Page 2", 2, 2)]


def test_a_variant_is_a_sibling_and_the_same_again_is_the_same() -> None:
    source, _ = make_source()
    assert build_tree(source).id == build_tree(source).id != build_tree(source, variant="b").id
    assert build_tree(source).source_id == source.id


@settings(max_examples=60, deadline=None)
@given(papers)
def test_every_section_lies_within_its_parent(source: PaperSourceRevision) -> None:
    tree = build_tree(source)
    for node in tree.nodes[1:]:
        above = tree.node(node.parent_id or "")
        assert above is not None
        assert above.first_page <= node.first_page <= node.last_page <= above.last_page <= len(source.pages)


@pytest.mark.parametrize(
    ("title", "headings", "kept"),
    [
        ("An Introduction to Options", [("An Introduction to Options", 18), ("Introduction", 12), ("Data", 12)], 1),
        ("Introduction to Options", [("Introduction", 12), ("Data", 12)], 0),
        ("Results", [("Results", 18), ("Results", 12), ("Data", 12)], 1),
        ("Roll Yield Revisited", [("Roll Yield", 18), ("Revisited", 18), ("Yield", 12), ("Data", 12)], 2),
        ("Working Paper 7", [("Roll Yield", 18), ("Overview", 15), ("Carry", 12), ("Roll", 12)], 1),
        ("Roll Yield", [("Roll Yield", 18), ("Overview", 15), ("Carry", 12), ("Roll", 12)], 1),
        ("Data of Roll Yield", [("Data", 12), ("Carry", 12)], 0),
        ("x", [("Data", 12)], 0),
    ],
)
def test_only_the_title_itself_is_no_section(title: str, headings: list[tuple[str, float]], kept: int) -> None:
    blocks = [one for text, size in headings for one in (heading(text, size), PARAGRAPH)]
    tree = build_tree(paper_of(blocks, title=title))  # type: ignore[arg-type]
    assert [node.title for node in tree.nodes[1:]] == [text for text, _ in headings[kept:]]


def test_a_huge_outline_takes_each_page_apart_once(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []
    plain = sections.plain
    monkeypatch.setattr(sections, "plain", lambda text: taken.append(text) or plain(text))
    pages = [[("text", f"Word {page} {row}", 10.0) for row in range(300)] for page in range(2)]
    entries = [
        OutlineEntry(level=row % 3, title=f"Word {page} {row}{end}", page=page + 1)
        for page in range(2) for row in range(300) for end in ("", "-x")
    ]  # fmt: skip
    source = paper_of(*pages).model_copy(update={"outline": tuple(entries)})  # type: ignore[arg-type]
    starts = [(one.page, one.start) for one in sections.find_sections(source)[1]]
    assert len(taken) <= 2 * 300 + len(entries) + 10
    assert {(page.number, block.start) for page in source.pages for block in page.blocks} == set(starts)


@given(papers)
@settings(max_examples=60)
def test_a_section_ends_where_the_next_one_begins_that_is_not_inside(source: PaperSourceRevision) -> None:
    _, found = sections.find_sections(source)
    nodes = build_tree(source).nodes[1:] if found else ()
    for at, (one, node) in enumerate(zip(found, nodes, strict=True)):
        after = next((other for other in found[at + 1 :] if other.level <= one.level), None)
        if after is None:
            assert node.last_page == len(source.pages)
            continue
        before = [b for b in sections.kept_blocks(source.pages[after.page - 1]) if b.start < after.start]
        assert node.last_page == max(one.page, after.page - (0 if before else 1))
