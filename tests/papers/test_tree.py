"""The tree of sections: levels, ids, pages."""

from __future__ import annotations

from hypothesis import given, settings

from hybridkb.knowledge.paper_artifacts import PaperTree
from hybridkb.knowledge.paper_source import OutlineEntry, PaperSourceRevision
from hybridkb.papers import build_tree
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
