"""A whole library in plain Python: what SEMANTICS.md and ARCHITECTURE.md say, with loops and dicts.

It takes from hybridkb only what it is not meant to judge: the analyser and the query
parser, the projection to records, and the ranking constants.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal
from uuid import UUID

from hybridkb.embedders import Embedder
from hybridkb.fusion import Fusion
from hybridkb.knowledge import KnowledgeItem
from hybridkb.knowledge.paper_artifacts import PaperArtifact
from hybridkb.knowledge.paper_result import PaperFlowResult
from hybridkb.knowledge.paper_source import PaperSourceRevision
from hybridkb.knowledge.times import to_microseconds
from hybridkb.lexical.ranking import RankingSettings
from hybridkb.records import Record, project
from hybridkb.records.paper_projection import paper_context, project_artifact
from hybridkb.text import Analyser, ParsedQuery, parse_query
from oracles.filtering import passes, several
from oracles.meaning import similarity, stored_vector
from oracles.papers import Papers
from oracles.timeline import Cutoff, Effect, Timeline
from oracles.words import (
    CLOSE_CHARACTERS,
    FedWord,
    LexicalScorer,
    Words,
    holds_every_word,
    holds_excluded,
    holds_required,
    leaves_open,
    lexical_scores,
    make_corpus,
    porter_stem,
    sources_of,
)

Mode = Literal["hybrid", "lexical", "semantic"]
LEG_SIZE = 200
DEEPER = 5
IDENTIFIER_SIGNS = frozenset(".-&$/^+#=")
EDGES = "\"'“”‘’()[]{}<>,;:!?"


@dataclass(frozen=True)
class Share:
    """A record's place in one leg; relevance is its score on a scale of 0 to 1."""

    rank: int
    score: float
    relevance: float


@dataclass(frozen=True)
class Hit:
    """One answer."""

    locator: str
    score: float
    lexical: Share | None
    semantic: Share | None
    relevance: float
    guarded: bool
    fed: tuple[FedWord, ...] = ()


@dataclass(frozen=True)
class Visible:
    """A record as it stands at the cutoff, with the revision it was made from."""

    record: Record
    item: KnowledgeItem
    words: Words

    @property
    def name(self) -> bytes:
        return str(self.record.locator).encode()


class ReferenceLibrary:
    """Stores items in a list and looks at all of them for every question."""

    def __init__(
        self,
        embedder: Embedder | None = None,
        *,
        settings: RankingSettings | None = None,
        analyser: Analyser | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.timeline = Timeline()
        self.papers = Papers(self.timeline)
        self._embedder = embedder
        self._settings = settings or RankingSettings()
        self._analyser = analyser or Analyser()
        self._clock = clock
        self._vectors: dict[str, tuple[int, ...] | None] = {}
        self._embedded: set[str] = set()
        self.embedder_answers = True
        self._words: dict[str, tuple[str, ...]] = {}
        self._records: dict[int, tuple[KnowledgeItem, tuple[Record, ...]]] = {}

    # Writing

    def put(self, item: KnowledgeItem) -> Effect:
        """Do what the table of puts says; its texts get vectors if the embedder answers."""
        effect = self.timeline.put(item)
        if effect != "unchanged" and self.embedder_answers:
            self._embedded |= self._texts_of([item])
        return effect

    def put_paper(self, result: PaperFlowResult, *, require_embeddings: bool = False) -> None:
        """Put a paper with what was made of it; new or changed records get vectors if the embedder answers."""
        assert not require_embeddings, "the reference stores what it cannot embed"
        before = self._shown()
        self.papers.put(result)
        if self.embedder_answers:
            self._embedded |= {record.text for _, record in self._shown() - before}

    def make_current(self, artifact_id: UUID) -> None:
        """Let searches see another artifact of its kind."""
        self.papers.make_current(artifact_id)

    def delete(self, item_id: UUID, *, at: datetime | None = None) -> None:
        """Withdraw from an instant on."""
        self.timeline.delete(item_id, at or self._clock())
        if item_id in self.papers.shelves:
            self.papers.delete(item_id)

    def purge(self, item_id: UUID) -> None:
        """Erase, also the vectors of texts that nothing else holds."""
        self.timeline.purge(item_id)
        self.papers.purge(item_id)
        self._embedded &= self._texts_of(self._all_revisions())

    def _shown(self) -> set[tuple[object, Record]]:
        """Every record with the times of its revision."""
        return {(one.available_at, record) for one in self._all_revisions() for record in self._project(one)}

    def embed_pending(self) -> None:
        """Give every text a vector."""
        self._embedded |= self._texts_of(self._all_revisions())

    def _all_revisions(self) -> list[KnowledgeItem]:
        return [revision for story in self.timeline.stories.values() for revision in story.revisions]

    def _texts_of(self, items: Sequence[KnowledgeItem]) -> set[str]:
        return {record.text for item in items for record in self._project(item)}

    # Reading

    def visible(self, cutoff: Cutoff, *, named: Sequence[str] = ()) -> list[Visible]:
        """Every record that is visible at the cutoff, or now; of artifacts those that are seen, and the named ones."""
        found = []
        for item in self.timeline.everything(cutoff):
            if not (self.papers.is_seen(item) or str(item.id) in named):
                continue
            for record in self._project(item):
                words = Words(
                    self._analyse(record.title),
                    self._analyse(record.body),
                    (self._analyse(record.title[:CLOSE_CHARACTERS]), self._analyse(record.body[:CLOSE_CHARACTERS])),
                )
                found.append(Visible(record, item, words))
        return found

    def search(
        self,
        text: str,
        *,
        top_k: int = 10,
        mode: Mode = "hybrid",
        fusion: Fusion | None = None,
        collapse: Literal["item", "document"] | None = None,
        min_score: float | None = None,
        match: Literal["any", "all", "all_first"] = "any",
        **filters: Any,
    ) -> list[Hit]:
        """Answer a question, best first."""
        query = parse_query(text, self._analyser)
        before = filters.get("available_at_before")
        cutoff = None if before is None else to_microseconds(before)
        visible, named = self.visible(cutoff), [str(one) for one in several(filters.get("artifact_ids") or ())]
        found = self.visible(cutoff, named=named) if named else visible
        candidates = [one for one in found if self._may_be_hit(one, query, filters)]
        holding = [one for one in candidates if holds_required(one.words, query, porter_stem)]
        if holding or match == "all" or not query.beside:
            candidates = holding
        if match != "any":
            every = [one for one in candidates if holds_every_word(one.words, query, self._settings, self._analyser)]
            candidates = every if match == "all" or every else candidates
        meaning = {} if mode == "lexical" else self._semantic_leg(query, candidates)
        fed: dict[bytes, tuple[FedWord, ...]] = {}
        words: dict[bytes, Share] = {}
        if mode != "semantic":
            words, fed = self._lexical_leg(query, visible, candidates, alone=not meaning)
        guarded = {one.name for one in candidates if mode != "semantic" and self._is_guarded(one, query)}
        relevance = {
            name: max((leg[name].relevance for leg in (words, meaning) if name in leg), default=0.0)
            for name in words.keys() | meaning.keys() | guarded
        }
        size = wanted = max(LEG_SIZE, top_k)
        while True:
            lexical, semantic = (
                {name: share for name, share in leg.items() if share.rank <= size} for leg in (words, meaning)
            )
            hits = _fuse(mode, lexical, semantic, guarded, relevance, fusion or Fusion())
            hits = [replace(hit, fed=fed.get(hit.locator.encode(), ()) if hit.lexical else ()) for hit in hits]
            deep = collapse is None or max(len(words), len(meaning)) <= size
            if deep or len(self._collapse(hits, collapse)) >= wanted:
                break
            size *= DEEPER
        if min_score is not None:
            hits = [hit for hit in hits if hit.relevance >= min_score]
        return self._collapse(hits, collapse)[:top_k]

    def _project(self, item: KnowledgeItem) -> tuple[Record, ...]:
        if id(item) not in self._records:
            self._records[id(item)] = (item, self._records_of(item))
        return self._records[id(item)][1]

    def _records_of(self, item: KnowledgeItem) -> tuple[Record, ...]:
        if isinstance(item, PaperSourceRevision):
            return ()
        if isinstance(item, PaperArtifact):
            return project_artifact(item, paper_context(self.papers.source_of(item)))
        return project(item)

    def _collapse(self, hits: list[Hit], collapse: Literal["item", "document"] | None) -> list[Hit]:
        """The best hit of each owner, which earns a quarter of what the next of that owner has."""
        if collapse is None:
            return hits
        owners: dict[str, list[Hit]] = {}
        for hit in hits:
            owners.setdefault(self._owner(hit.locator, collapse), []).append(hit)
        best = [replace(one[0], score=one[0].score + _quarter(one[1:])) for one in owners.values()]
        return sorted(best, key=lambda hit: (not hit.guarded, -hit.score, hit.locator.encode()))

    def _owner(self, locator: str, collapse: str | None) -> str:
        """What a hit belongs to: its item or artifact or, for documents, the paper of the artifact."""
        owner = locator.partition("#")[0]
        if collapse == "document" and owner.startswith("artifact:"):
            artifact = self.timeline.stories[UUID(owner.removeprefix("artifact:"))].revisions[0]
            assert isinstance(artifact, PaperArtifact)
            return f"source:{artifact.source_id}"
        return owner

    def _analyse(self, text: str) -> tuple[str, ...]:
        if text not in self._words:
            self._words[text] = tuple(self._analyser.words(text))
        return self._words[text]

    def _may_be_hit(self, one: Visible, query: ParsedQuery, filters: dict[str, Any]) -> bool:
        return passes(one.record, one.item, filters) and not holds_excluded(one.words, query, porter_stem)

    # The two legs

    def _lexical_leg(
        self, query: ParsedQuery, visible: Sequence[Visible], candidates: Sequence[Visible], *, alone: bool
    ) -> tuple[dict[bytes, Share], dict[bytes, tuple[FedWord, ...]]]:
        """The ranked leg, and of each record which words of the best candidates it holds."""
        corpus = make_corpus([one.words for one in visible], self._settings)
        scorer = LexicalScorer(query, corpus, self._settings, self._analyser)
        texts = {one.name: one.words for one in candidates}
        scores = lexical_scores(scorer, texts, self._settings)
        fed: list[FedWord] = []
        wanted = self._settings.feedback == "always" or (self._settings.feedback == "alone" and alone)
        if wanted and leaves_open(query, scorer.units) and not scorer.is_answered_whole(texts[name] for name in scores):
            fed = scorer.fed_words([(scores[name], texts[name]) for name in sources_of(scores)])
        held = {}
        if fed:
            for name in scores:
                added, held[name] = scorer.fed_score(texts[name], fed)
                scores[name] += added
        bound = scorer.bound(fed)
        return _ranked(scores, lambda score: min(1.0, score / bound) if bound > 0 else 0.0), held

    def _semantic_leg(self, query: ParsedQuery, candidates: Sequence[Visible]) -> dict[bytes, Share]:
        if self._embedder is None or not query.units or not query.meaning.strip():
            return {}
        asked = stored_vector(self._embedder.embed_queries([query.meaning])[0])
        scores = {}
        for one in candidates:
            vector = self._vector(one.record.text)
            if vector is not None and asked is not None:
                scores[one.name] = similarity(vector, asked)
        return _ranked(scores, lambda score: min(1.0, max(0.0, score)))

    def _vector(self, text: str) -> tuple[int, ...] | None:
        assert self._embedder is not None
        if text not in self._embedded:
            return None
        if text not in self._vectors:
            self._vectors[text] = stored_vector(self._embedder.embed_documents([text])[0]) if text.strip() else None
        return self._vectors[text]

    # Together

    def _is_guarded(self, one: Visible, query: ParsedQuery) -> bool:
        asked = self._analyser.key(query.meaning)
        if asked and self._analyser.key(one.record.title) == asked:
            return True
        names = {self._analyse(name) for name in _names_in(query.meaning)} - {()}
        return any(self._analyse(identifier) in names for identifier in one.record.identifiers)


def _quarter(further: list[Hit]) -> float:
    return max(0.0, further[0].score) / 4.0 if further else 0.0


def _names_in(text: str) -> set[str]:
    """What in a query is written as an identifier, and the query as a whole."""
    tokens = [token.strip(EDGES).rstrip(".") for token in text.split()]
    tokens = [token for token in tokens if token]
    shouting = text.isupper()
    names = {token for token in tokens if _is_written_as_name(token, shouting=shouting)} | {" ".join(tokens)}
    return names | {name.lstrip("$^") for name in names}


def _is_written_as_name(token: str, *, shouting: bool) -> bool:
    if any(character in "0123456789" or character in IDENTIFIER_SIGNS for character in token):
        return True
    return token.isupper() and sum(character.isalpha() for character in token) >= 2 and not shouting


def _fuse(
    mode: Mode,
    lexical: dict[bytes, Share],
    semantic: dict[bytes, Share],
    guarded: set[bytes],
    relevance: dict[bytes, float],
    fusion: Fusion,
) -> list[Hit]:
    hits = []
    for name in lexical.keys() | semantic.keys() | guarded:
        words, meaning = lexical.get(name), semantic.get(name)
        score = _final_score(mode, words, meaning, fusion)
        hits.append(Hit(name.decode(), score, words, meaning, relevance[name], name in guarded))
    return sorted(hits, key=lambda hit: (not hit.guarded, -hit.score, hit.locator.encode()))


def _ranked(scores: dict[bytes, float], relevance: Callable[[float], float]) -> dict[bytes, Share]:
    ordered = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
    return {name: Share(rank, score, relevance(score)) for rank, (name, score) in enumerate(ordered, start=1)}


def _final_score(mode: Mode, words: Share | None, meaning: Share | None, fusion: Fusion) -> float:
    if mode != "hybrid":
        only = words if mode == "lexical" else meaning
        return only.score if only else 0.0
    if fusion.method == "rrf":
        left = _words_weight(words, fusion) / (fusion.k + words.rank) if words else 0.0
        right = fusion.semantic_weight / (fusion.k + meaning.rank) if meaning else 0.0
    else:
        left = (1.0 - fusion.alpha) * words.relevance if words else 0.0
        right = fusion.alpha * meaning.relevance if meaning else 0.0
    return left + right


def _words_weight(words: Share, fusion: Fusion) -> float:
    """A quarter of the most that the query could reach weighs as much as a place by meaning."""
    return fusion.lexical_weight * (words.relevance * 4.0) if fusion.by_relevance else fusion.lexical_weight
