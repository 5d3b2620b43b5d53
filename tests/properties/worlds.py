"""Random small libraries, what befalls them, and questions to ask: strategies for hypothesis."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, get_args
from uuid import UUID

from hypothesis import strategies as st

from hybridkb.fusion import Fusion
from hybridkb.knowledge import Factor, KnowledgeItem, Provenance, SourceRef
from hybridkb.knowledge.paper_result import PaperFlowResult
from oracles.items import day, earnings, filing, news, note
from support.papers import Page, make_result

WORDS = (
    "copper", "Coppers", "copperish", "supply", "supplies", "supplied", "the", "of", "who", "BRK.B", "brk", "B",
    "10-K", "10", "K", "S&P", "500", "用户", "用户增长", "增长", "naïve", "Organization", "organ", "$AAPL", "aapl",
    "C++", "3.5%", "long-term", "long", "term", "Q3", "2024", "US0378331005", "IT", "it", "wheat",
)  # fmt: skip
TAGS = ("metal", "asia", "old")
NAMES = tuple(range(8))


UpkeepKind = Literal["reopen", "rebuild", "optimize", "search", "embedder fails", "embedder answers", "embed pending"]


@dataclass(frozen=True)
class Put:
    item: KnowledgeItem


@dataclass(frozen=True)
class Delete:
    name: int
    at: datetime


@dataclass(frozen=True)
class Purge:
    name: int


@dataclass(frozen=True)
class PutPaper:
    result: PaperFlowResult


@dataclass(frozen=True)
class DeletePaper:
    source_id: UUID
    at: datetime


@dataclass(frozen=True)
class PurgePaper:
    """The whole of it, or one of its artifacts."""

    owner: UUID


@dataclass(frozen=True)
class MakeCurrent:
    artifact_id: UUID


@dataclass(frozen=True)
class Upkeep:
    """What may happen to caches and packed parts between two writes; no answer may show it."""

    kind: UpkeepKind


Step = Put | Delete | Purge | PutPaper | DeletePaper | PurgePaper | MakeCurrent | Upkeep


@dataclass(frozen=True)
class Question:
    text: str
    top_k: int
    fusion: Fusion
    collapse: Literal["item", "document", None]
    min_score: float | None
    match: Literal["any", "all", "all_first"]
    filters: dict[str, Any]


texts = st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(lambda words: " ".join(words * 40)),
    st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)).map(lambda pair: f"{pair[0]}, {pair[1]}."),
)
titles = st.one_of(st.just(""), st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join))
instants = st.one_of(
    st.integers(0, 12).map(day),
    st.builds(lambda number, more: day(number) + timedelta(microseconds=more), st.integers(0, 12), st.integers(-1, 1)),
)
sources = st.sampled_from(
    [
        SourceRef(kind="manual"),
        SourceRef(kind="local", uri="desk/oil/a.md"),
        SourceRef(kind="local", uri="desk/oilx.md"),
        SourceRef(kind="http", uri="https://example.org"),
    ]
)
cards = st.sampled_from(
    [None, None, Provenance("article", "essay", "2024-01-05", "keep"), Provenance("scout", "memo", "2024-02-01")]
)
common = st.fixed_dictionaries(
    {
        "available_at": st.one_of(st.none(), instants, instants, instants),
        "tags": st.lists(st.sampled_from(TAGS), max_size=2).map(tuple),
        "confidence": st.sampled_from(["low", "medium", "high"]),
        "as_of": st.integers(-300, 0).map(day),
        "source": sources,
        "provenance": cards,
    }
)


@st.composite
def items(draw: st.DrawFn) -> KnowledgeItem:
    """An item of any kind under one of a few ids; ids and types mostly, not always, go together."""
    name = draw(st.sampled_from(NAMES))
    kind = draw(st.sampled_from([("note", "news", "earnings", "filing", "factor")[name % 5]] * 9 + ["note"]))
    fields: dict[str, Any] = draw(common)
    match kind:
        case "news":
            return news(name, draw(texts), draw(titles), **fields)
        case "earnings":
            period = draw(st.sampled_from(["Q3 2024", "FY 2023"]))
            return earnings(
                name, draw(st.sampled_from(["BRK.B", "AAPL", "IT"])), period, guidance=draw(texts), **fields
            )
        case "filing":
            sections = draw(st.lists(texts, max_size=3))
            form = draw(st.sampled_from([None, "10-K"]))
            return filing(name, sections, draw(titles) or "Report", root=draw(texts), form=form, **fields)
        case "factor":
            model = note(name, "x", **fields)
            shared = {key: getattr(model, key) for key in (*fields, "id", "created_at")}
            return Factor(factor_name=draw(titles) or "Organization", description=draw(texts), **shared)
        case _:
            return note(name, draw(texts), draw(titles), **fields)


PAGES: tuple[tuple[Page, ...], ...] = (
    (
        (("heading", "copper supply"), ("text", "the supply of BRK.B copper"), ("text", "naïve 用户增长 wheat")),
        (("text", "10-K long-term supplies of copper mines"), ("text", "supplied organ")),
        (("heading", "Q3 2024"), ("text", "copper wheat 3.5% who")),
    ),
    (
        (("heading", "copper supply"), ("text", "the supply of BRK.B copper"), ("text", "another reading, C++")),
        (("text", "10-K long-term supplies of copper mines"), ("text", "supplied organ")),
        (("heading", "Q3 2024"), ("text", "copper wheat 3.5% who")),
    ),
)
PAPER_NAMES = ("pa", "pb")
PAPERS = tuple(
    make_result(
        name, pages, available_at=None if when is None else day(when), blocks_per_chunk=size, title=title,
        summary=f"supply of copper {size}", arxiv_id=f"2101.0000{PAPER_NAMES.index(name)}v1", tags=tags,
    )
    for name in PAPER_NAMES for pages in PAGES for size in (1, 2) for when in (None, 1, 4, 8)
    for title, tags in (("Copper", ()), ("Copper supply", ("metal",)))
)  # fmt: skip
SOURCES = sorted({result.source.id for result in PAPERS})
ARTIFACTS = sorted({artifact.id for result in PAPERS for artifact in result.artifacts})

papers = st.one_of(
    st.builds(PutPaper, st.sampled_from(PAPERS)),
    st.builds(PutPaper, st.sampled_from(PAPERS)),
    st.builds(DeletePaper, st.sampled_from(SOURCES), instants),
    st.builds(PurgePaper, st.sampled_from([*SOURCES, *ARTIFACTS])),
    st.builds(MakeCurrent, st.sampled_from(ARTIFACTS)),
)
upkeep = st.sampled_from(get_args(UpkeepKind)).map(Upkeep)
steps = st.lists(
    st.one_of(
        items().map(Put),
        items().map(Put),
        items().map(Put),
        items().map(Put),
        st.builds(Delete, st.sampled_from(NAMES), instants),
        st.builds(Purge, st.sampled_from(NAMES)),
        papers,
        papers,
        upkeep,
        upkeep,
    ),
    min_size=4,
    max_size=24,
)

plain_terms = st.sampled_from((*WORDS, "unheard", "coppery", "of the", "title:copper", "-", "(", "用"))
terms = st.one_of(
    plain_terms,
    plain_terms,
    plain_terms,
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(lambda words: f'"{" ".join(words)}"'),
    st.sampled_from(WORDS).map(lambda word: f"-{word}"),
    st.sampled_from(["cop*", "copp*", "suppl*", "br*", "1*", "brk.*", "long-*"]),
    st.tuples(plain_terms, plain_terms).map(" OR ".join),
)
questions_text = st.lists(terms, max_size=5).map(" ".join)

narrowing = st.fixed_dictionaries(
    {},
    optional={
        "item_types": st.lists(st.sampled_from(["note", "news", "filing"]), min_size=1, max_size=2),
        "tags": st.sampled_from(["metal", ["metal", "asia"]]),
        "any_tags": st.just(["asia", "old"]),
        "exclude_tags": st.just("old"),
        "confidence": st.sampled_from(["low", ["high", "medium"]]),
        "source_kinds": st.just("local"),
        "sources": st.just(["article"]),
        "min_trust": st.sampled_from(["lineage", "deep_research"]),
        "kinds": st.just("memo"),
        "verdicts": st.just("keep"),
        "path_prefix": st.sampled_from(["desk", "desk/oil"]),
        "tickers": st.just("brk.b"),
        "periods": st.just("Q3 2024"),
        "as_of_after": st.just(day(-150)),
        "as_of_before": st.just(day(-100)),
        "available_at_after": st.just(day(3)),
        "doc_date_after": st.just("2024-01-05"),
        "doc_date_before": st.just("2024-01-05"),
        "artifact_kinds": st.sampled_from(["paper_summary", ["paper_chunk_set", "paper_tree"]]),
        "artifact_ids": st.lists(st.sampled_from(ARTIFACTS), min_size=1, max_size=12),
    },
)


@st.composite
def filters(draw: st.DrawFn) -> dict[str, Any]:
    """At most two narrowing filters, and often a cutoff."""
    drawn: dict[str, Any] = draw(st.one_of(st.just({}), st.just({}), narrowing))
    kept = dict(list(drawn.items())[:2])
    cutoff = draw(st.one_of(st.none(), instants, instants))
    if cutoff is not None and not ("available_at_after" in kept and cutoff < kept["available_at_after"]):
        kept["available_at_before"] = cutoff
    return kept


fusions = st.sampled_from([Fusion(), Fusion(), Fusion(method="convex"), Fusion(k=10.0, lexical_weight=0.5)])
questions = st.builds(
    Question,
    text=questions_text,
    top_k=st.sampled_from([1, 3, 10, 100]),
    fusion=fusions,
    collapse=st.sampled_from([None, None, None, "item", "document"]),
    min_score=st.sampled_from([None, None, None, 0.25]),
    match=st.sampled_from(["any", "any", "all", "all_first"]),
    filters=filters(),
)
