"""The flow from a source to a result: order, times, names, what fails and what is told."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hybridkb.errors import FetchFailed, InvalidInput, SummaryFailed, UnreadableDocument
from hybridkb.knowledge import Provenance
from hybridkb.knowledge.paper_artifacts import PaperChunkSet, PaperGlobalSummary
from hybridkb.knowledge.paper_source import PaperSourceRevision, source_id_of
from hybridkb.papers import (
    ArxivIdentifier,
    FetchedPaper,
    PaperFlowConfig,
    PaperFlowResult,
    SplitterConfig,
    SummaryConfig,
    paper_flow,
    paper_flow_sync,
)
from support.papers import make_summary
from support.pdf_layout import make_pdf

SENTENCES = "The curve pays for waiting. A holder of the front contract sells it before it ends and buys the next. " * 6
PDF = make_pdf(
    f"% title: Roll Yield\n% outline: yes\n# Roll Yield\n## 1 Carry\n{SENTENCES}\n## 2 Risk\n{SENTENCES}\n--- page\n"
    f"## 3 Results\n{SENTENCES}\n"
)
PUBLISHED = datetime(2023, 8, 2, tzinfo=UTC)
FETCHED = datetime(2024, 5, 1, tzinfo=UTC)
NO_SUMMARY = PaperFlowConfig(summarise=False)


class Shelf:
    """A fetcher that has one paper."""

    def __init__(self, answer: str = "1706.03762v7", data: bytes = PDF) -> None:
        self.answer, self.data = answer, data
        self.asked: list[str] = []
        self.thread: int | None = None

    def fetch(self, identifier: ArxivIdentifier) -> FetchedPaper:
        self.asked.append(str(identifier))
        self.thread = threading.get_ident()
        return FetchedPaper(
            data=self.data, arxiv_id=ArxivIdentifier(self.answer), uri=f"https://arxiv.org/abs/{self.answer}",
            title="Roll Yield", fetched_at=FETCHED, authors=("A. Author",), abstract="We roll.",
            published_at=PUBLISHED, doi="10.1/x",
        )  # fmt: skip


async def summarise(
    source: PaperSourceRevision, chunk_set: PaperChunkSet, config: SummaryConfig, *,
    progress: Callable[[str, int, int], None] | None = None,
) -> PaperGlobalSummary:  # fmt: skip
    if progress:
        progress("model calls", 1, 24)
        progress("passages read", 1, len(chunk_set.chunks))
    return make_summary(source, chunk_set, f"By {config.model}.")


def run(source: Any, config: PaperFlowConfig | None = None, **options: Any) -> PaperFlowResult:
    return asyncio.run(paper_flow(source, config, **options))


def test_an_arxiv_paper_becomes_source_chunks_summary_and_tree() -> None:
    result = run(ArxivIdentifier(id="1706.03762v7"), PaperFlowConfig(model="m"), fetcher=Shelf(), summarise=summarise)
    source = result.source
    assert source.arxiv_id == "1706.03762v7"
    assert (source.title, source.authors, source.abstract, source.doi) == (
        "Roll Yield", ("A. Author",), "We roll.", "10.1/x"
    )  # fmt: skip
    assert source.id == source_id_of(source.sha256)
    assert result.blobs[source.sha256] == PDF
    assert result.blobs.keys() == source.blobs
    assert len(source.pages) == 2
    assert result.summary is not None
    assert result.summary.text == "By m."
    assert result.summary.chunk_set_id == result.chunk_set.id
    assert result.tree is not None
    assert [node.title for node in result.tree.nodes[1:]] == ["1 Carry", "2 Risk", "3 Results"]


def test_an_identifier_without_version_is_stored_with_the_one_that_came() -> None:
    shelf = Shelf()
    assert run("arXiv:1706.03762", NO_SUMMARY, fetcher=shelf).source.arxiv_id == "1706.03762v7"
    assert shelf.asked == ["1706.03762"]


@pytest.mark.parametrize("answer", ["1706.03762v6", "1706.03763v7", "1706.03762"])
def test_a_fetcher_that_answers_another_paper_is_refused(answer: str) -> None:
    with pytest.raises(InvalidInput, match="asked for 1706.03762v7"):
        run("1706.03762v7", NO_SUMMARY, fetcher=Shelf(answer))


def test_times_follow_the_publication_of_the_version() -> None:
    source = run("1706.03762v7", NO_SUMMARY, fetcher=Shelf()).source
    assert source.available_at == source.as_of == source.source.published_at == PUBLISHED
    assert source.source.fetched_at == FETCHED
    assert source.availability_basis == "published"


def test_a_file_is_available_since_it_was_read_unless_its_publication_is_told(tmp_path: Path) -> None:
    path = tmp_path / "roll.pdf"
    path.write_bytes(PDF)
    before = datetime.now(UTC)
    source = run(path, NO_SUMMARY).source
    assert source.available_at
    assert before <= source.available_at <= datetime.now(UTC)
    assert source.availability_basis == "fetched"
    assert (source.source.kind, source.source.uri, source.arxiv_id) == ("local", "roll.pdf", None)
    told = run(str(path), PaperFlowConfig(summarise=False, published_at=PUBLISHED)).source
    assert (told.available_at, told.availability_basis) == (PUBLISHED, "published")


def test_a_stated_availability_goes_before_the_publication() -> None:
    later = PUBLISHED + timedelta(days=1)
    source = run("1706.03762v7", PaperFlowConfig(summarise=False, available_at=later), fetcher=Shelf()).source
    assert (source.available_at, source.as_of, source.availability_basis) == (later, PUBLISHED, "stated")
    with pytest.raises(InvalidInput, match="before published_at"):
        PaperFlowConfig(published_at=later, available_at=PUBLISHED)
    early = PaperFlowConfig(summarise=False, available_at=PUBLISHED - timedelta(seconds=1))
    with pytest.raises(InvalidInput, match=r"before 1706\.03762v7\.pdf was published"):
        run("1706.03762v7", early, fetcher=Shelf())


def test_bytes_are_a_paper_and_the_same_bytes_the_same_source(tmp_path: Path) -> None:
    (tmp_path / "other name.pdf").write_bytes(PDF)
    one, two = run(PDF, NO_SUMMARY), run(tmp_path / "other name.pdf", NO_SUMMARY)
    assert one.source.id == two.source.id
    assert [a.id for a in one.artifacts] == [a.id for a in two.artifacts]


def test_what_the_caller_says_is_on_the_source_and_on_every_artifact() -> None:
    card = Provenance("article", kind="paper")
    config = PaperFlowConfig(title="Rolling", tags=("curve",), confidence="high", provenance=card)
    result = run(PDF, config, summarise=summarise)
    assert result.source.title == "Rolling"
    for one in (result.source, *result.artifacts):
        assert (one.tags, one.confidence, one.provenance) == (("curve",), "high", card)
        assert one.available_at == result.source.available_at


def test_a_variant_makes_siblings_of_the_same_source() -> None:
    one, two = (run(PDF, PaperFlowConfig(summarise=False, variant=name)) for name in ("", "trial"))
    assert one.source.id == two.source.id
    assert not {a.id for a in one.artifacts} & {a.id for a in two.artifacts}


def test_the_tree_and_the_summary_are_left_out_when_asked() -> None:
    result = run(PDF, PaperFlowConfig(summarise=False, tree=False, splitter=SplitterConfig(characters=400)))
    assert result.artifacts == (result.chunk_set,)
    assert result.chunk_set.configuration["characters"] == 400


def test_chunks_are_made_before_the_summary_and_steps_are_told_in_order() -> None:
    told: list[tuple[str, int, int | None]] = []
    main = threading.get_ident()
    shelf = Shelf()

    def progress(*step: Any) -> None:
        assert threading.get_ident() == main
        told.append(step)

    result = run("1706.03762v7", fetcher=shelf, summarise=summarise, progress=progress)
    assert list(dict.fromkeys(step for step, _, _ in told)) == ["fetch", "read", "split", "tree", "summary"]
    assert ("summary", 1, len(result.chunk_set.chunks)) in told
    assert shelf.thread != main


def test_a_failed_summary_fails_the_flow() -> None:
    async def fail(*_: Any, **__: Any) -> PaperGlobalSummary:
        raise SummaryFailed("no", reason="limit")

    with pytest.raises(SummaryFailed):
        run(PDF, summarise=fail)


@pytest.mark.parametrize("cited", [[("c0999", 1)], [("c0001", 9)]])
def test_a_summary_that_cites_what_is_not_there_is_refused(cited: list[tuple[str, int]]) -> None:
    async def invent(source: Any, chunk_set: Any, config: Any, *, progress: Any = None) -> PaperGlobalSummary:
        return make_summary(source, chunk_set, cited=cited)

    with pytest.raises(SummaryFailed, match="not there"):
        run(PDF, summarise=invent)


def test_a_summary_of_another_paper_is_refused() -> None:
    other = run(make_pdf(f"% title: Other\n{SENTENCES}\n"), NO_SUMMARY)

    async def swap(source: Any, chunk_set: Any, config: Any, *, progress: Any = None) -> PaperGlobalSummary:
        return make_summary(other.source, other.chunk_set)

    with pytest.raises(SummaryFailed, match="another paper"):
        run(PDF, summarise=swap)


def test_a_summary_without_a_key_is_refused_before_anything_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HYBRIDKB_SUMMARY_KEY", "HYBRIDKB_SUMMARY_URL"):
        monkeypatch.delenv(name, raising=False)
    shelf = Shelf()
    with pytest.raises(InvalidInput, match="needs a key"):
        run("1706.03762v7", fetcher=shelf)
    assert shelf.asked == []


def test_the_key_is_shown_nowhere() -> None:
    config = PaperFlowConfig(api_key="sk-secret")
    assert "sk-secret" not in repr(config) + config.model_dump_json() + repr(config.summary_config())
    assert config.summary_config().api_key == "sk-secret"


@pytest.mark.parametrize(
    ("source", "error", "reason"),
    [
        ("no-such.pdf", UnreadableDocument, "not there"),
        ("1706.3762", UnreadableDocument, "not there"),
        ("arXiv:1706.3762", InvalidInput, "4 digits"),
        ("https://arxiv.org/list/cs", InvalidInput, "of no paper"),
        ("https://example.com/a.pdf", InvalidInput, "download it"),
        ("", InvalidInput, "blank"),
        (7, InvalidInput, "not int"),
        (b"no pdf", UnreadableDocument, "paper.pdf"),
        (b"", UnreadableDocument, "paper.pdf"),
        (Path("/"), UnreadableDocument, "no file"),
    ],
)
def test_what_is_no_paper_is_refused_in_words(source: Any, error: type[Exception], reason: str) -> None:
    with pytest.raises(error, match=reason):
        run(source, NO_SUMMARY)


def test_a_paper_without_text_is_refused() -> None:
    with pytest.raises(UnreadableDocument, match="OCR"):
        run(make_pdf("% title: Scan\n%% scan\n"), NO_SUMMARY)


def test_a_file_named_like_an_identifier_is_given_as_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("1706.03762v7").write_bytes(PDF)
    assert run(Path("1706.03762v7"), NO_SUMMARY).source.source.kind == "local"
    assert run("./1706.03762v7", NO_SUMMARY).source.source.kind == "local"
    assert run("1706.03762v7", NO_SUMMARY, fetcher=Shelf()).source.source.kind == "arxiv"


def test_a_fetch_that_fails_fails_the_flow() -> None:
    class Down:
        def fetch(self, identifier: ArxivIdentifier) -> FetchedPaper:
            raise FetchFailed("down", url="x", retryable=True)

    with pytest.raises(FetchFailed):
        run("1706.03762v7", NO_SUMMARY, fetcher=Down())


def test_it_runs_without_an_event_loop_too() -> None:
    assert paper_flow_sync(PDF, NO_SUMMARY).summary is None
