"""From a locator to a marked page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridkb import HybridLibrary, Locator
from hybridkb.errors import InvalidInput, NotFound
from hybridkb.papers import PaperFlowConfig, PaperFlowResult, SplitterConfig, paper_flow_sync
from hybridkb.papers.marking import find_place, mark_page
from support.papers import make_summary
from support.pdf_layout import make_pdf
from support.png_reader import read_png

TEXT = "The curve pays for waiting, and a holder of the front contract sells it before it ends and buys the next. " * 5
PDF = make_pdf(
    f"% title: Roll Yield\n# Roll Yield\n## 1 Carry\n{TEXT}\n## 2 Risk\n{TEXT}\n--- page\n## 3 Results\n{TEXT}\n"
)


@pytest.fixture(scope="module")
def made() -> PaperFlowResult:
    async def summarise(source, chunk_set, config, *, progress=None):  # type: ignore[no-untyped-def]
        chunks = chunk_set.chunks
        return make_summary(source, chunk_set, cited=[(chunks[-1].chunk_id, 2), (chunks[1].chunk_id, 1)])

    config = PaperFlowConfig(splitter=SplitterConfig(characters=600))
    return paper_flow_sync(PDF, config, summarise=summarise)


@pytest.fixture
def library(tmp_path: Path, made: PaperFlowResult) -> Iterator[HybridLibrary]:
    with HybridLibrary.open(tmp_path / "papers.db", embedder=None) as opened:
        opened.put_paper(made)
        yield opened


def test_a_passage_leads_to_its_page_and_boxes(library: HybridLibrary, made: PaperFlowResult) -> None:
    for chunk in made.chunk_set.chunks:
        place = find_place(library, Locator("artifact", made.chunk_set.id, chunk.chunk_id))
        assert place.page == chunk.page
        assert place.boxes == tuple(one.box for one in chunk.boxes if one.page == chunk.page)
        assert place.passage == chunk


def test_a_hit_can_be_drawn_with_its_passage_marked(library: HybridLibrary, made: PaperFlowResult) -> None:
    hit = library.search("results", artifact_kinds=["paper_chunk_set"])[0]
    marked = read_png(mark_page(library, hit.locator, scale=1))
    plain = read_png(mark_page(library, f"source:{made.source.id}", page=hit.page, scale=1))
    assert marked.shape == plain.shape == (842, 595, 3)
    place = find_place(library, hit.locator)
    left, top, _, _ = place.boxes[-1]
    inside, outside = (round(top) + 2, round(left) + 2), (5, 5)
    assert (marked[inside] != plain[inside]).any()
    assert (marked[outside] == plain[outside]).all()


def test_a_summary_leads_to_what_it_cites(library: HybridLibrary, made: PaperFlowResult) -> None:
    assert made.summary
    first = find_place(library, f"artifact:{made.summary.id}")
    second = find_place(library, f"artifact:{made.summary.id}", citation=2)
    assert (first.page, second.page) == (2, 1)
    assert second.passage == made.chunk_set.chunks[1]
    with pytest.raises(NotFound, match="2 citations"):
        find_place(library, f"artifact:{made.summary.id}", citation=3)


def test_a_section_leads_to_its_heading(library: HybridLibrary, made: PaperFlowResult) -> None:
    assert made.tree
    node = next(node for node in made.tree.nodes if node.title == "3 Results")
    place = find_place(library, Locator("artifact", made.tree.id, node.node_id))
    assert (place.page, len(place.boxes)) == (2, 1)
    assert "3 Results" in place.shows


@pytest.mark.parametrize(
    ("kind", "options", "error"),
    [
        ("chunk", {"page": 9}, NotFound),
        ("chunk", {"citation": 1}, InvalidInput),
        ("set", {}, InvalidInput),
        ("source", {"page": 9}, NotFound),
        ("tree", {"page": 3}, NotFound),
        ("nothing", {}, NotFound),
        ("no locator", {}, InvalidInput),
    ],
)
def test_what_leads_to_no_page_is_refused_in_words(
    library: HybridLibrary, made: PaperFlowResult, kind: str, options: dict[str, int], error: type[Exception]
) -> None:
    assert made.tree
    locators = {
        "chunk": f"artifact:{made.chunk_set.id}#c0001",
        "set": f"artifact:{made.chunk_set.id}",
        "source": f"source:{made.source.id}",
        "tree": f"artifact:{made.tree.id}",
        "nothing": f"artifact:{made.chunk_set.id}#c9999",
    }
    with pytest.raises(error):
        find_place(library, locators.get(kind, kind), **options)  # type: ignore[arg-type]
