"""The read flow, start to end.

The query is embedded first, outside any transaction. Everything else happens in one read
transaction: the same filter for both legs, statistics of everything visible at the
cutoff, fusion in a total order, and a last check that every hit passes the filter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from hybridkb.database import Connection, Database, ids_parameter
from hybridkb.database.conditions import with_conditions
from hybridkb.embedders.space import EmbeddingSpace
from hybridkb.errors import BrokenInvariant
from hybridkb.filters import compile_filters
from hybridkb.fusion import Fused, Fusion, LegShare, fuse, in_order, rank
from hybridkb.knowledge import Locator
from hybridkb.knowledge.times import from_microseconds
from hybridkb.lexical.feedback import Feedback, FeedbackWord
from hybridkb.lexical.postings import PostingReader
from hybridkb.lexical.search import LexicalHits, LexicalLeg
from hybridkb.resident import Follower, Resident, Visibility
from hybridkb.search.candidates import passing_records
from hybridkb.search.collapse import Chosen, collapsed, owner_of
from hybridkb.search.guard import guarded_records
from hybridkb.search.hit import FeedbackUsed, SearchResults
from hybridkb.search.hydrate import HitFacts, hydrate
from hybridkb.search.legs import RankedLegs
from hybridkb.search.meaning import NO_VECTORS, QueryMeaning, embed_query, require_meaning
from hybridkb.search.request import SearchQuery
from hybridkb.store.embedders import EmbedderChoice
from hybridkb.store.papers import papers_of
from hybridkb.store.settings import LibrarySettings, SettingsReader
from hybridkb.text import Analyser, ParsedQuery, SnippetMaker, parse_query, shared_analyser
from hybridkb.vector.hnsw import require_hnsw
from hybridkb.vector.search import VectorHits, VectorLeg
from hybridkb.vector.spaces import StoredSpace, serving_space

LEG_DEPTH = 200
DEEPER = 5
Found = TypeVar("Found")
MOST_PENDING = 0.5  # share of candidates that may wait for a vector before words alone rank


@dataclass(frozen=True, slots=True)
class _Legs:
    """Both ranked lists, by record id, and what else the legs found out."""

    lexical: dict[int, LegShare]
    semantic: dict[int, LegShare]
    lexical_hits: LexicalHits | None
    semantic_hits: VectorHits | None
    guarded: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query, read by one language's analyser and embedded for one space, both of which may no longer serve."""

    query: SearchQuery
    analyser: Analyser
    parsed: ParsedQuery
    serving: StoredSpace | None
    meaning: QueryMeaning

    def fits(self, serving: StoredSpace | None, settings: LibrarySettings) -> bool:
        """Whether it can be compared with what a transaction sees."""
        if self.analyser.language != settings.language:
            return False
        return self.serving is None or (serving is not None and serving.number == self.serving.number)


@dataclass(frozen=True, slots=True)
class _Otherwise:
    """What a transaction saw in which a query could not be answered as it was read."""

    serving: StoredSpace | None
    settings: LibrarySettings


class Search:
    """Answers searches on one database. Thread-safe."""

    def __init__(
        self,
        database: Database,
        follower: Follower,
        analyser: Analyser,
        settings: SettingsReader,
        embedders: EmbedderChoice,
    ) -> None:
        """Keep what every search reads."""
        self._database = database
        self._follower = follower
        self._analyser = analyser
        self._settings = settings
        self._embedders = embedders
        self._serving: StoredSpace | None = None  # as the last answer saw it; an answer that sees another asks again

    def search(self, query: SearchQuery) -> SearchResults:
        """Answer a query.

        Raises:
            EmbedderUnavailable: ``mode="semantic"`` and the query cannot be embedded.
            BrokenInvariant, StaleIndex: derived rows contradict the rest; ``rebuild()`` mends them.
            DatabaseError: the file cannot be read.
        """
        return self._answer(query, lambda answer: answer.results())

    def legs(self, query: SearchQuery) -> RankedLegs:
        """Return what the fusion of a search gets, for those who fuse it in other ways.

        Raises:
            As :meth:`search`.
        """
        return self._answer(query, lambda answer: answer.ranked_legs())

    def _answer(self, query: SearchQuery, read: Callable[[_Answer], Found]) -> Found:
        asked = self._read(query, self._serving)
        while True:
            looked = self._database.repeated(partial(self._look, asked, read))
            if not isinstance(looked, _Otherwise):
                return looked
            self._analyser = shared_analyser(looked.settings.language)
            asked = self._read(query, looked.serving)  # another space or language began to serve in between

    def _look(self, asked: _Asked, read: Callable[[_Answer], Found]) -> Found | _Otherwise:
        """Answer in one transaction, if that sees the language and space that the query was read by."""
        with self._follower.follow(self._database) as (connection, resident):
            serving, settings = serving_space(connection), self._settings.at(connection, resident.generation)
            self._serving = serving
            if not asked.fits(serving, settings):
                return _Otherwise(serving, settings)
            return read(_Answer(connection, resident, settings, serving, asked))

    def _read(self, query: SearchQuery, serving: StoredSpace | None) -> _Asked:
        analyser = self._analyser
        parsed = parse_query(query.text, analyser)
        if query.mode == "lexical" or not parsed.units or not parsed.meaning.strip():
            return _Asked(query, analyser, parsed, None, QueryMeaning(None, None, None))
        if serving is None:
            serving = self._database.reading(serving_space)
        return _Asked(query, analyser, parsed, serving, embed_query(self._embedders, serving, parsed.meaning))


class _Answer:
    """One answer in one read transaction."""

    def __init__(
        self,
        connection: Connection,
        resident: Resident,
        settings: LibrarySettings,
        serving: StoredSpace | None,
        asked: _Asked,
    ) -> None:
        query = asked.query
        if query.approximate:
            require_hnsw(connection, serving)
        self._connection = connection
        self._resident = resident
        self._serving = serving
        self._query = query
        self._parsed = asked.parsed
        self._analyser = asked.analyser
        self._settings = settings
        self._filter = compile_filters(query.filters)
        self._visibility: Visibility = resident.visibility(query.filters.cutoff)
        self._beyond = self._named_siblings()
        self._meaning = self._as_seen(asked.meaning)
        postings = PostingReader(connection, resident.tail, resident.postings)
        self._texts = resident.texts.reader(self._analyser)
        self._leg = LexicalLeg(
            connection, postings, self._analyser, self._settings.ranking, resident.groups, self._texts
        )
        self._vectors = self._vector_leg()
        self._depth = max(LEG_DEPTH, query.top_k)
        self._covered = True
        self._match: Literal["any", "all"] = "any"
        self._unquoted = False

    def results(self) -> SearchResults:
        """Run both legs, fuse, hydrate."""
        allowed = self._allowed()
        pending = self._pending(allowed)
        self._covered = bool(pending <= MOST_PENDING * np.count_nonzero(allowed))
        legs, fused = self._rank(allowed)
        chosen = self._choose(legs, fused)
        keys = [one.fused.key for one in chosen]
        self._confirm(keys)
        relevance = self._relevance(keys, legs)
        members = legs.lexical_hits.members if legs.lexical_hits else self._leg.members(self._parsed)
        hits = hydrate(
            self._connection,
            [self._facts(one, legs, relevance[one.fused.key]) for one in chosen],
            self._texts,
            SnippetMaker(members.__contains__, self._analyser),
            members,
            self._space_of,
        )
        cutoff = self._query.filters.cutoff
        return SearchResults(
            hits=tuple(hits),
            query=self._query.text,
            mode=self._mode(legs, pending),
            match=self._match,
            degraded=self._degraded(pending),
            cutoff=None if cutoff is None else from_microseconds(cutoff),
            pending=pending,
            approximate=legs.semantic_hits is not None and legs.semantic_hits.approximate,
            fingerprint=self._fingerprint(pending),
            feedback=self._told(legs.lexical_hits.feedback if legs.lexical_hits else None),
        )

    def _told(self, feedback: Feedback | None) -> FeedbackUsed | None:
        """What was sought beside the words of the query, in words of the caller."""
        if feedback is None:
            return None
        names = sorted(self._locators(feedback.records).values())
        return FeedbackUsed(feedback.words, tuple(Locator.parse(name.decode()) for name in names))

    def ranked_legs(self) -> RankedLegs:
        """Run both legs as deep as the fusion wants them."""
        allowed = self._allowed()
        self._covered = bool(self._pending(allowed) <= MOST_PENDING * np.count_nonzero(allowed))
        legs, _ = self._rank(allowed)
        semantic = legs.semantic if self._fused(legs) else {}
        keys = list({*legs.lexical, *semantic, *legs.guarded})
        return RankedLegs(legs.lexical, semantic, legs.guarded, self._locators(keys))

    def _as_seen(self, meaning: QueryMeaning) -> QueryMeaning:
        """The query's meaning as far as what is visible can be compared with it.

        Vectors of records that nobody could see at the cutoff must not make a difference: without a
        visible vector the answer is that of a library without vectors.

        Raises:
            EmbedderUnavailable: ``mode="semantic"``, there is something to find, and nothing to compare.
        """
        if self._query.mode == "lexical" or not self._parsed.units or not self._seen().any():
            return QueryMeaning(None, None, None)
        columns = self._resident.vectors
        if meaning.vector is not None and (columns is None or not self._any_vector(columns.embedding_ids)):
            meaning = QueryMeaning(None, None, NO_VECTORS)
        if self._query.mode == "semantic":
            require_meaning(meaning)
        return meaning

    def _any_vector(self, embedding_ids: NDArray[np.int64]) -> bool:
        return bool((self._seen() & (embedding_ids > 0)).any())

    def _seen(self) -> NDArray[np.bool_]:
        """By record id, whether it is visible, or named by the filter though another artifact is current."""
        return self._visibility.mask if self._beyond is None else self._visibility.mask | self._beyond

    def _named_siblings(self) -> NDArray[np.bool_] | None:
        """Candidates that searches see only because their artifact is named; None when the filter names none."""
        if not self._filter.beyond_visible:
            return None
        asked = replace(self._filter, conditions=(self._filter.standing, *self._filter.conditions))
        standing = passing_records(self._connection, self._resident, asked)
        return None if standing is None else standing & ~self._visibility.mask

    def _space_of(self, record_id: int) -> EmbeddingSpace | None:
        """The space that holds the record's vector."""
        columns = self._resident.vectors
        if columns is None or self._serving is None or not columns.embedding_ids[record_id]:
            return None
        return self._serving.space

    def _allowed(self) -> NDArray[np.bool_]:
        """By record id: visible, and passing every filter and the query's own syntax."""
        allowed = self._seen()
        passing = passing_records(self._connection, self._resident, self._filter)
        if passing is not None:
            allowed = passing & allowed
        return self._by_words(self._by_phrases(self._leg.without_excluded(self._parsed, allowed)))

    def _by_phrases(self, allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Those that hold what is quoted; all of them when none does and the query says more than its quotes."""
        holding = self._leg.holding_phrases(self._parsed, allowed)
        strict = not self._parsed.required or not self._parsed.beside or self._query.match == "all"
        if strict or holding.any() or not allowed.any():
            return holding
        self._unquoted = True
        return allowed

    def _by_words(self, allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Those that hold every word, when that is asked for."""
        if self._query.match == "any" or not self._parsed.units:
            return allowed
        every = self._leg.holding_every_word(self._parsed, allowed)
        if self._query.match == "all_first" and not every.any():
            return allowed
        self._match = "all"
        return every

    def _run_legs(self, allowed: NDArray[np.bool_]) -> _Legs:
        semantic = self._search_meaning(allowed) if self._query.mode != "lexical" else None
        words_alone = semantic is None or not len(semantic.records)
        by_words = self._query.mode != "semantic" and bool(self._parsed.units)
        lexical = self._search_words(allowed, words_alone=words_alone) if by_words else None
        guarded = self._guarded(allowed) if self._query.mode != "semantic" else frozenset()
        return _Legs(
            self._shares(lexical.records, lexical.scores, lexical.bound) if lexical else {},
            self._shares(semantic.records, semantic.scores, 1.0) if semantic else {},
            lexical,
            semantic,
            guarded,
        )

    def _shares(
        self, records: NDArray[np.integer], scores: NDArray[np.float64], bound: float
    ) -> dict[int, LegShare]:
        """A leg's best by rank."""
        ids = records.tolist()
        order = np.argsort(-scores, kind="stable")
        falling = scores[order]
        if (falling[1:] == falling[:-1]).any():  # names decide among equals
            order = np.array(in_order(ids, (-scores).tolist(), self._locators, self._depth), np.int64)
        order = order[: self._depth]
        values = scores[order]
        relevance = np.clip(values / bound, 0.0, 1.0) if bound > 0 else np.zeros(len(values))
        shares = map(LegShare, range(1, len(order) + 1), values.tolist(), relevance.tolist())
        return dict(zip(records[order].tolist(), shares, strict=True))

    def _search_words(self, allowed: NDArray[np.bool_], *, words_alone: bool) -> LexicalHits:
        ranking = self._settings.ranking
        wanted = ranking.feedback == "always" or (ranking.feedback == "alone" and words_alone)
        return self._leg.search(
            self._parsed,
            visible=self._visibility.mask if self._visibility.records < len(allowed) - 1 else None,
            allowed=None if allowed is self._visibility.mask else allowed,
            norms=self._resident.norms(self._visibility, ranking),
            statistics=self._visibility.statistics(ranking),
            depth=self._depth,
            beyond=self._beyond,
            feedback=self._visibility.holding if wanted else None,
        )

    def _vector_leg(self) -> VectorLeg | None:
        space, columns = self._meaning.space, self._resident.vectors
        if space is None or columns is None or self._query.mode == "lexical":
            return None
        return VectorLeg(self._connection, space, columns.embedding_ids, columns.codes, columns.cache)

    def _search_meaning(self, allowed: NDArray[np.bool_]) -> VectorHits | None:
        vector = self._meaning.vector
        if vector is None or self._vectors is None or not (self._covered or self._query.mode == "semantic"):
            return None
        query = self._query
        return self._vectors.search(
            vector, allowed, depth=self._depth, exact=query.exact, approximate=query.approximate
        )

    def _guarded(self, allowed: NDArray[np.bool_]) -> frozenset[int]:
        named = guarded_records(self._connection, self._parsed, self._analyser)
        return frozenset(record_id for record_id in named if record_id < len(allowed) and allowed[record_id])

    def _locators(self, record_ids: Iterable[int]) -> dict[int, bytes]:
        wanted = set(record_ids)
        rows = self._connection.rows("records/locators", ids_parameter(wanted))
        if len(rows) != len(wanted):
            raise BrokenInvariant("an index names records that are not there; run check(), then rebuild()")
        return {record_id: locator.encode() for record_id, locator in rows}

    def _rank(self, allowed: NDArray[np.bool_]) -> tuple[_Legs, list[Fused]]:
        """Both legs and the fused list; deeper legs when one long document would leave no room for others."""
        while True:
            legs = self._run_legs(allowed)
            fused = self._order(legs)
            was_cut = self._depth in (len(legs.lexical), len(legs.semantic))
            if self._query.collapse is None or not was_cut:
                return legs, fused
            if len(set(self._owners(fused))) >= max(LEG_DEPTH, self._query.top_k):
                return legs, fused
            self._depth *= DEEPER

    def _choose(self, legs: _Legs, fused: list[Fused]) -> list[Chosen]:
        """The hits to show."""
        if self._query.min_score is not None:
            relevance = self._relevance([one.key for one in fused], legs)
            fused = [one for one in fused if relevance[one.key] >= self._query.min_score]
        if self._query.collapse is None:
            return [Chosen(one) for one in fused[: self._query.top_k]]
        return collapsed(fused, self._owners(fused), names=self._locators, limit=self._query.top_k)

    def _order(self, legs: _Legs) -> list[Fused]:
        if self._fused(legs):
            return fuse(
                legs.lexical,
                legs.semantic,
                fusion=self._fusion(),
                guarded=legs.guarded,
                names=self._locators,
                limit=self._wanted(),
            )
        shares = legs.semantic if self._query.mode == "semantic" else legs.lexical
        scores = {**dict.fromkeys(legs.guarded, 0.0), **{key: share.score for key, share in shares.items()}}
        return rank(scores, guarded=legs.guarded, names=self._locators, limit=self._wanted())

    def _wanted(self) -> int | None:
        """How much of the fused list is read: all of it where hits are left out or put together."""
        every = self._query.collapse is not None or self._query.min_score is not None
        return None if every else self._query.top_k

    def _owners(self, fused: list[Fused]) -> list[bytes]:
        """The item or artifact that each belongs to; with ``collapse="document"`` the paper of an artifact."""
        locators = self._locators([one.key for one in fused])
        owners = [owner_of(locators[one.key]) for one in fused]
        if self._query.collapse != "document":
            return owners
        return papers_of(self._connection, owners)

    def _fused(self, legs: _Legs) -> bool:
        """Whether two legs are fused: when no candidate has a vector, words alone rank."""
        return self._query.mode == "hybrid" and legs.semantic_hits is not None and len(legs.semantic_hits.records) > 0

    def _relevance(self, record_ids: list[int], legs: _Legs) -> dict[int, float]:
        """The larger of both legs' scores on their fixed scales, also where a leg left the record out of its best."""
        relevance = dict.fromkeys(record_ids, 0.0)
        if legs.lexical_hits is not None:
            scores = {key: share.score for key, share in legs.lexical.items() if key in relevance}
            scores.update(legs.lexical_hits.scores_of([key for key in record_ids if key not in scores]))
            for record_id, score in scores.items():
                relevance[record_id] = on_scale(score, legs.lexical_hits.bound)
        if self._vectors is not None and self._meaning.vector is not None:
            known = {key: share.score for key, share in legs.semantic.items() if key in relevance}
            others = np.array([key for key in record_ids if key not in known], np.int64)
            known.update(self._vectors.scores_of(self._meaning.vector, others))
            for record_id, score in known.items():
                relevance[record_id] = max(relevance[record_id], on_scale(score, 1.0))
        return relevance

    def _confirm(self, record_ids: list[int]) -> None:
        """Whatever computed the candidates: no hit leaves that does not pass the filter in SQL."""
        rows = self._connection.text_rows(
            with_conditions(self._connection, "filters/confirm", (self._filter.standing, *self._filter.conditions)),
            {**self._filter.bindings, **ids_parameter(record_ids)},
        )
        if len(rows) != len(record_ids):
            raise BrokenInvariant("a hit does not pass the filter; run check(), then rebuild()")

    def _facts(self, chosen: Chosen, legs: _Legs, relevance: float) -> HitFacts:
        one, hits, matched, held = chosen.fused, legs.lexical_hits, 0, 0
        if hits is not None:
            place = np.flatnonzero(hits.records == one.key)
            matched, held = (int(hits.units[place[0]]), int(hits.held[place[0]])) if len(place) else (0, 0)
        return HitFacts(
            record_id=one.key,
            score=one.score + chosen.added,
            relevance=relevance,
            guarded=one.guarded,
            others=chosen.others,
            added=chosen.added,
            lexical=legs.lexical.get(one.key),
            semantic=legs.semantic.get(one.key),
            matched_units=matched,
            frequencies=hits.frequencies if hits else (),
            feedback=_words_held(hits.feedback, held) if hits and hits.feedback else (),
            statistics=hits.statistics if hits else self._visibility.statistics(self._settings.ranking),
            cutoff=self._query.filters.cutoff,
            fusion=self._fusion() if self._fused(legs) else None,
        )

    def _fusion(self) -> Fusion:
        return self._query.fusion or self._settings.fusion

    def _mode(self, legs: _Legs, pending: int) -> str:
        """What really ran: without a query vector, or without any vector to compare it with, only words."""
        if self._query.mode != "hybrid" or self._fused(legs):
            return self._query.mode
        return "lexical" if self._meaning.trouble or pending else "hybrid"

    def _pending(self, allowed: NDArray[np.bool_]) -> int:
        """Candidates without a vector in the space that serves; all of them when none does."""
        if self._query.mode == "lexical" or not self._parsed.units:
            return 0
        columns = self._resident.vectors
        return int(np.count_nonzero(allowed if columns is None else allowed & (columns.embedding_ids == 0)))

    def _degraded(self, pending: int) -> str | None:
        reasons = [self._meaning.trouble] if self._meaning.trouble else []
        if pending and self._meaning.vector is not None and not self._covered and self._query.mode == "hybrid":
            reasons.append(
                f"words only: {pending} candidates, more than half, have no vector yet, and meaning would rank the "
                "others first for having one; run embed_pending() (hybridkb embed)"
            )
        elif pending and self._meaning.vector is not None:
            reasons.append(
                f"{pending} candidates have no vector yet and were found by words only; run embed_pending() "
                "(hybridkb embed)"
            )
        if self._unquoted:
            reasons.append("nothing holds what is quoted as it is written; it was sought by its words")
        if self._parsed.truncated:
            reasons.append("the query is longer than is read; its end was left out")
        return "; ".join(reasons) or None

    def _fingerprint(self, pending: int) -> str:
        space = self._meaning.space.space.fingerprint if self._meaning.space else ""
        seen: tuple[object, ...] = (
            self._settings.digest(), space, self._visibility.digest, self._visibility.records, pending
        )  # fmt: skip
        if self._beyond is not None:
            seen = (*seen, int(self._resident.columns.digest.sum(where=self._beyond, dtype=np.uint64)))
        return blake2b(repr(seen).encode(), digest_size=16).hexdigest()


def _words_held(feedback: Feedback, held: int) -> tuple[FeedbackWord, ...]:
    return tuple(word for place, word in enumerate(feedback.words) if held >> place & 1)


def on_scale(score: float, bound: float) -> float:
    """A raw score as a share of the most it could be, 0 to 1."""
    return min(1.0, max(0.0, score / bound)) if bound > 0 else 0.0
