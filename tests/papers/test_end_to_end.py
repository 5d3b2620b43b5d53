"""Whole papers, from the file to the marked page and back after reopening; the shared ones where they are there."""

from __future__ import annotations

import runpy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.papers import PaperChunk, PaperFlowConfig, PaperFlowResult, PaperGlobalSummary, paper_flow_sync
from hybridkb.papers.marking import mark_page
from support.scripted_model import ScriptedModel, good_reader

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "pdf"
OWN = Path(__file__).resolve().parents[2] / "examples" / "papers" / "roll_yield.pdf"
SUMMARY = (
    "The central contribution of the paper is described here: it proposes a design of attention alone, without any "
    "recurrence or convolution, in an encoder and a decoder, and reports better translation at a lower cost."
)
CENTRAL = "What is the paper's central contribution?"


def shared(name: str) -> Any:
    path = SHARED / name
    absent = pytest.mark.skipif(not path.exists(), reason=f"needs {name} of the shared data, which is not committed")
    return pytest.param(path, id=path.stem, marks=[absent, pytest.mark.model, pytest.mark.slow])


def flow(path: Path) -> PaperFlowResult:
    with ScriptedModel(good_reader(SUMMARY)) as model:
        return paper_flow_sync(path, PaperFlowConfig(model="scripted", base_url=model.url))


@pytest.fixture(scope="module")
def attention() -> PaperFlowResult:
    return flow(SHARED / "1706.03762v7.pdf")


def ask(library: HybridLibrary, question: str) -> list[tuple[str, float]]:
    passages = library.search(question, artifact_kinds=["paper_chunk_set"], top_k=5)
    summaries = library.search(CENTRAL, artifact_kinds=["paper_summary"], top_k=3)
    assert passages.mode == "hybrid"
    return [(str(hit.locator), hit.score) for hit in (*passages, *summaries)]


@pytest.mark.parametrize("path", [shared("1706.03762v7.pdf")])
def test_multi_head_attention_is_found_on_its_page(path: Path, attention: PaperFlowResult, tmp_path: Path) -> None:
    assert len(attention.source.pages) == 15
    assert attention.source.arxiv_id == "1706.03762v7"
    with HybridLibrary.open(tmp_path / "papers.db", embedder="local") as library:
        library.put_paper(attention)
        hits = library.search("How does multi-head attention work?", artifact_kinds=["paper_chunk_set"], top_k=5)
        found = [(hit, library.resolve(hit.locator)) for hit in hits]
        passages = [(hit, one) for hit, one in found if isinstance(one, PaperChunk)]
        hit, chunk = next(pair for pair in passages if pair[1].heading[-1:] == ("Multi-Head Attention",))
        assert set(chunk.pages) <= {4, 5}
        assert hit.page == chunk.page
        assert {one.page for one in chunk.boxes} == set(chunk.pages)
        assert mark_page(library, hit.locator, scale=0.5).startswith(b"\x89PNG")
        first = library.search(CENTRAL, artifact_kinds=["paper_summary"], top_k=3)[0]
        summary = library.resolve(first.locator)
        assert isinstance(summary, PaperGlobalSummary)
        assert summary == attention.summary
        assert len({one.chunk_id for one in summary.cited}) >= 3
        assert len({one.page for one in summary.cited}) >= 2


@pytest.mark.parametrize("path", [shared("1706.03762v7.pdf")])
def test_the_attention_paper_has_its_sections(path: Path, attention: PaperFlowResult) -> None:
    assert attention.tree
    assert attention.tree.basis == "outline"
    titles = [node.title for node in attention.tree.nodes]
    assert {"Abstract", "Introduction", "Multi-Head Attention", "Optimizer", "References"} <= set(titles)
    node = next(node for node in attention.tree.nodes if node.title == "Multi-Head Attention")
    assert (node.first_page, node.last_page) == (4, 5)
    references = [chunk for chunk in attention.chunk_set.chunks if chunk.heading[:1] == ("References",)]
    assert {page for chunk in references for page in chunk.pages} == {10, 11, 12}


@pytest.mark.parametrize(
    ("path", "question"),
    [
        pytest.param(OWN, "Why is a futures curve in backwardation?", id="own", marks=pytest.mark.model),
        *(
            pytest.param(*one.values, question, id=one.id, marks=one.marks)
            for one, question in (
                (shared("1706.03762v7.pdf"), "How does multi-head attention work?"),
                (shared("FOMCpresconf20220727.pdf"), "By how much did the Committee raise the target range?"),
                (shared("ULTABEAUTY_2023Q4_EARNINGS.pdf"), "How much did comparable sales increase?"),
            )
        ),
    ],
)
def test_reopening_embeds_nothing_and_answers_alike(path: Path, question: str, tmp_path: Path) -> None:
    result = flow(path)
    assert result.summary
    with HybridLibrary.open(tmp_path / "papers.db", embedder="local") as library:
        report = library.put_paper(result)
        assert report.embedded > 0
        assert report.pending == 0
        first = ask(library, question)
        assert first[-1][0] == f"artifact:{result.summary.id}"
    with HybridLibrary.open(tmp_path / "papers.db", embedder="local") as library:
        assert ask(library, question) == first
        again = library.put_paper(result)
        assert (again.embedded, again.records, again.effect) == (0, 0, "unchanged")
        paper = library.get_paper(result.source.id)
        assert paper.source.pages == result.source.pages
        assert paper.summary == result.summary
        for locator, _ in first:
            found = library.resolve(locator)
            if isinstance(found, PaperChunk):
                pages = [paper.source.pages[span.page - 1].text[span.start : span.end] for span in found.spans]
                assert found.text == "\n\n".join(pages)
        assert library.check().ok


def test_the_own_paper_is_what_its_script_makes() -> None:
    assert runpy.run_path(str(OWN.with_name("make_paper.py")))["paper"]() == OWN.read_bytes()


def test_a_file_that_is_read_again_later_is_no_later_paper(tmp_path: Path) -> None:
    config = PaperFlowConfig(summarise=False)
    with HybridLibrary.open(tmp_path / "papers.db", embedder=None) as library:
        first, second = (paper_flow_sync(OWN, config) for _ in range(2))
        assert second.source.available_at != first.source.available_at
        library.put_paper(first)
        again = library.put_paper(second)
        assert (again.effect, again.records) == ("unchanged", 0)
        stored = library.get_paper(first.source.id).source
        assert stored.available_at == first.source.available_at
        assert len(library.history(first.source.id)) == 1


def test_a_known_publication_stays_when_the_file_is_read_without_it(tmp_path: Path) -> None:
    published = datetime(2024, 3, 1, tzinfo=UTC)
    told, silent = (
        paper_flow_sync(OWN, PaperFlowConfig(summarise=False, published_at=at)) for at in (published, None)
    )  # fmt: skip
    with HybridLibrary.open(tmp_path / "papers.db", embedder=None) as library:
        library.put_paper(silent)
        assert library.put_paper(told).effect == "inserted"
        assert library.put_paper(silent).effect == "unchanged"
        assert library.search("curve", available_at_before=published)


def test_a_withdrawn_file_that_is_read_again_is_there_again(tmp_path: Path) -> None:
    config = PaperFlowConfig(summarise=False)
    with HybridLibrary.open(tmp_path / "papers.db", embedder=None) as library:
        result = paper_flow_sync(OWN, config)
        library.put_paper(result)
        library.delete(result.source.id)
        assert not library.search("curve")
        library.put_paper(paper_flow_sync(OWN, config))
        assert library.search("curve")
