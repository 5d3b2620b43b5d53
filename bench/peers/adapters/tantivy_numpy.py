"""Tantivy for words, exact numpy cosine for vectors, fused here: what a careful engineer joins by hand.

Query terms come from Tantivy's own analyser, not from its query parser, so that no text is syntax.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tantivy

from peers.dense import DenseVectors
from peers.shape import DEPTH, Document, Filter, Hit, Mode, Peer, Vector, Vectors, fuse

_HEAP = 300_000_000
_LEAST = -(2**62)


class Adapted(Peer):
    """One index folder and three numpy files."""

    distributions = ("tantivy", "numpy")
    note = "vectors in memory; as typed: parse_query"

    def build(self, documents: Sequence[Document], vectors: Vectors) -> None:
        (self.folder / "words").mkdir()
        self._dense: DenseVectors | None = None
        self._open_words()
        self.add(documents, vectors)

    def open(self) -> None:
        self._open_words()
        self._dense = DenseVectors.load(self.folder)

    def add(self, documents: Sequence[Document], vectors: Vectors) -> None:
        writer = self._index.writer(_HEAP, num_threads=1)
        for one in documents:
            found = tantivy.Document(name=one.name, text=one.text, available_at=one.available_at, tag=list(one.tags))
            writer.add_document(found)
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()
        self._searcher = self._index.searcher()
        added = DenseVectors.of(documents, vectors)
        self._dense = added if self._dense is None else self._dense.joined(added)
        self._dense.save(self.folder)

    def search(
        self, text: str, vector: Vector, k: int, narrow: Filter | None = None, *, mode: Mode = "hybrid"
    ) -> list[Hit]:
        if mode == "lexical":
            return [self._hit(score, address) for score, address in self._words(text, k, narrow)]
        assert self._dense is not None
        if mode == "semantic":
            return self._with_texts(self._dense.nearest(vector, k, narrow))
        depth = max(k, DEPTH)
        worded = [self._searcher.doc(address)["name"][0] for _, address in self._words(text, depth, narrow)]
        nearest = [name for name, _ in self._dense.nearest(vector, depth, narrow)]
        return self._with_texts(fuse(worded, nearest)[:k])

    def search_as_typed(self, text: str, k: int) -> list[Hit]:
        query = self._index.parse_query(text, ["text"])
        return [self._hit(score, address) for score, address in self._searcher.search(query, k).hits]

    def _open_words(self) -> None:
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("text", stored=True, tokenizer_name="english")
        builder.add_text_field("name", stored=True, tokenizer_name="raw", index_option="basic")
        builder.add_text_field("tag", tokenizer_name="raw", index_option="basic")
        builder.add_integer_field("available_at", indexed=True, fast=True)
        self._schema = builder.build()
        kinds = tantivy.Filter
        steps = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(kinds.remove_long(80))
        self._analyser = steps.filter(kinds.lowercase()).filter(kinds.stemmer("English")).build()
        self._index = tantivy.Index(self._schema, path=str(self.folder / "words"))
        self._index.register_tokenizer("english", self._analyser)
        self._index.reload()
        self._searcher = self._index.searcher()

    def _words(self, text: str, k: int, narrow: Filter | None) -> list[Any]:
        query, occur = tantivy.Query, tantivy.Occur
        terms = list(dict.fromkeys(self._analyser.analyze(text)))
        if not terms:
            return []
        any_of = query.boolean_query([(occur.Should, query.term_query(self._schema, "text", term)) for term in terms])
        conditions = [query.const_score_query(one, 0.0) for one in self._conditions(narrow)]
        if conditions:
            any_of = query.boolean_query([(occur.Must, one) for one in (any_of, *conditions)])
        return list(self._searcher.search(any_of, k, count=False).hits)

    def _conditions(self, narrow: Filter | None) -> list[Any]:
        found = []
        if narrow is not None and narrow.tag is not None:
            found.append(tantivy.Query.term_query(self._schema, "tag", narrow.tag))
        if narrow is not None and narrow.before is not None:
            integer = tantivy.FieldType.Integer
            found.append(tantivy.Query.range_query(self._schema, "available_at", integer, _LEAST, narrow.before))
        return found

    def _hit(self, score: float, address: Any) -> Hit:
        stored = self._searcher.doc(address)
        return Hit(stored["name"][0], score, stored["text"][0])

    def _with_texts(self, ranked: Sequence[tuple[str, float]]) -> list[Hit]:
        """The stored texts of all hits by one search."""
        wanted = tantivy.Query.term_set_query(self._schema, "name", [name for name, _ in ranked])
        found = self._searcher.search(wanted, max(1, len(ranked)), count=False).hits
        stored = [self._searcher.doc(address) for _, address in found]
        texts = {one["name"][0]: one["text"][0] for one in stored}
        return [Hit(name, score, texts[name]) for name, score in ranked]
