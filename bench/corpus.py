"""Generated corpora: passages of some 180 words with vectors, dates, tags and queries, made block by block.

Every block of 1,000 passages has a random source of its own, so a corpus of a million is streamed in constant
memory and any block can be made again. Passages are about topics: a topic has words of its own, and a region of the
vector space. Words a passage has used once come again (burstiness). Dates rise with the passage's number, but for
one in twenty, which arrives late.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from vocabulary import FUNCTION_WORDS, Vocabulary, draw_endings, make_vocabulary

from hybridkb.embedders.space import EmbeddingSpace

BLOCK = 1000
DIMENSIONS = 384
TOPICS = 2000
TAGS = {"tag-0.1": 0.001, "tag-1": 0.01, "tag-10": 0.1, "tag-50": 0.5}
"""Tags by name, and the share of passages that carry them."""

_TOPIC_WORDS = 150
_TOPICAL, _REPEATED, _LATE = 0.18, 0.06, 0.05
_FIRST = int(datetime(2004, 1, 1, tzinfo=UTC).timestamp()) * 1_000_000
_SPAN = 20 * 365 * 86_400 * 1_000_000
_MOST_LATE = 3 * 365 * 86_400 * 1_000_000

Vectors = NDArray[np.float16]


@dataclass(frozen=True, slots=True)
class Passage:
    """One passage. ``available_at`` is in microseconds since 1970 UTC."""

    number: int
    title: str
    body: str
    available_at: int
    tags: tuple[str, ...]

    @property
    def text(self) -> str:
        """Title and body as they are ranked and embedded."""
        return f"{self.title}\n\n{self.body}"


@dataclass(frozen=True, slots=True)
class Query:
    """Two to five content words of one passage; the same among one to three function words; a vector near it."""

    content: str
    natural: str
    vector: Vectors


@dataclass(frozen=True, slots=True)
class Block:
    """A thousand passages and their vectors, shape (passages, 384)."""

    passages: list[Passage]
    vectors: Vectors


class Corpus:
    """A corpus of ``size`` passages. The same size and seed give the same passages."""

    def __init__(self, size: int, seed: int = 7) -> None:
        """Say how large; nothing is made before it is asked for."""
        self.size = size
        self.seed = seed

    def blocks(self) -> Iterator[Block]:
        """All passages in order of their numbers."""
        for first in range(0, self.size, BLOCK):
            yield self.block(first // BLOCK, min(BLOCK, self.size - first))

    def block(self, number: int, count: int = BLOCK) -> Block:
        """Make one block."""
        source = np.random.default_rng((self.seed, 2, number))
        topics = source.choice(TOPICS, size=BLOCK, p=self._space.popularity)
        texts = self._writer.texts(source, topics)[:count]
        dates, tags = self._dates(source, number), _tags(source)
        passages = [
            Passage(number * BLOCK + place, title, body, dates[place], tags[place])
            for place, (title, body) in enumerate(texts)
        ]
        return Block(passages, self._space.vectors(source, topics)[:count])

    def queries(self, count: int) -> list[Query]:
        """Make queries from passages spread over the corpus."""
        source = np.random.default_rng((self.seed, 3))
        numbers = np.unique(np.linspace(0, max(0, self.size // BLOCK - 1), min(20, count)).astype(int)).tolist()
        made: list[Query] = []
        for number in numbers:
            block = self.block(number, min(BLOCK, self.size))
            places = source.integers(len(block.passages), size=-(-count // len(numbers)))
            made += [self._query(source, block, place) for place in places.tolist()]
        return made[:count]

    def cutoff(self, share: float) -> int:
        """An instant by which about ``share`` of the passages were available (all of them for 1.0)."""
        return _FIRST + int(_SPAN * share) if share < 1.0 else _FIRST + 2 * _SPAN

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return make_vocabulary(self.seed)

    @cached_property
    def _writer(self) -> _Writer:
        return _Writer(self._vocabulary, self.seed)

    @cached_property
    def _space(self) -> _Space:
        return _Space(self.seed)

    def _dates(self, source: np.random.Generator, number: int) -> list[int]:
        places = number * BLOCK + np.arange(BLOCK) + source.random(BLOCK)
        risen = _FIRST + places / self.size * _SPAN
        late = np.where(source.random(BLOCK) < _LATE, source.random(BLOCK) * _MOST_LATE, 0.0)
        return np.maximum(_FIRST, risen - late).astype(np.int64).tolist()  # type: ignore[no-any-return]

    def _query(self, source: np.random.Generator, block: Block, place: int) -> Query:
        words = self._writer.query_words(source, block.passages[place])
        natural = list(words)
        for word in source.choice(FUNCTION_WORDS[:40], size=int(source.integers(1, 4)), replace=False):
            natural.insert(int(source.integers(len(natural) + 1)), str(word))
        return Query(" ".join(words), " ".join(natural), self._space.near(source, block.vectors[place]))


class _Writer:
    """Writes passages: running text, the topic's words, repetitions, sentences."""

    def __init__(self, vocabulary: Vocabulary, seed: int) -> None:
        self._vocabulary = vocabulary
        source = np.random.default_rng((seed, 4))
        self._topic_stems = source.integers(100, 6_000, (TOPICS, _TOPIC_WORDS))
        weights = 1.0 / (np.arange(_TOPIC_WORDS) + 3.0)
        self._within_topic = np.cumsum(weights / weights.sum())
        self._frequent = {str(word) for word in vocabulary.words[: vocabulary.first_content + 7 * 60]}

    def texts(self, source: np.random.Generator, topics: NDArray[np.int64]) -> list[tuple[str, str]]:
        """Title and body of one passage for each topic."""
        lengths = np.clip(source.normal(180, 40, len(topics)), 40, 320).astype(np.int64)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        words = self._words(source, topics, lengths, offsets)
        titles = self._topical(source, np.repeat(topics, 4))
        written = self._vocabulary.words[words]
        named = self._vocabulary.words[titles]
        return [
            (_title(named[4 * place : 4 * place + 4]), _sentences(source, written[offsets[place] : offsets[place + 1]]))
            for place in range(len(topics))
        ]

    def _words(
        self,
        source: np.random.Generator,
        topics: NDArray[np.int64],
        lengths: NDArray[np.int64],
        offsets: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        words = self._vocabulary.draw(source, int(offsets[-1]))
        passage = np.repeat(np.arange(len(topics)), lengths)
        topical = np.flatnonzero(source.random(len(words)) < _TOPICAL)
        words[topical] = self._topical(source, topics[passage[topical]])
        again = np.flatnonzero(source.random(len(words)) < _REPEATED)
        within = (source.random(len(again)) * lengths[passage[again]]).astype(np.int64)
        words[again] = words[offsets[passage[again]] + within]
        return words

    def _topical(self, source: np.random.Generator, topics: NDArray[np.int64]) -> NDArray[np.int64]:
        ranks = np.minimum(np.searchsorted(self._within_topic, source.random(len(topics))), _TOPIC_WORDS - 1)
        return self._vocabulary.content(self._topic_stems[topics, ranks], draw_endings(source, len(topics)))

    def query_words(self, source: np.random.Generator, passage: Passage) -> list[str]:
        """Two to five distinct words of the passage that are neither function words nor the most frequent."""
        written = [word.strip(".,").lower() for word in passage.text.split()]
        counts = {word: written.count(word) for word in dict.fromkeys(written) if word not in self._frequent}
        shares = np.array(list(counts.values()), float) ** 1.5
        size = min(int(source.integers(2, 6)), len(counts))
        return [str(word) for word in source.choice(list(counts), size=size, replace=False, p=shares / shares.sum())]


def _title(words: NDArray[np.object_]) -> str:
    return " ".join(str(word).capitalize() for word in words)


def _sentences(source: np.random.Generator, words: NDArray[np.object_]) -> str:
    """Join words into sentences of 8 to 24 words."""
    parts: list[str] = []
    place = 0
    for length in source.integers(8, 25, len(words) // 8 + 1).tolist():
        sentence = " ".join(words[place : place + length])
        if not sentence:
            break
        parts.append(sentence[0].upper() + sentence[1:] + ".")
        place += length
    return " ".join(parts)


class _Space:
    """Clustered unit vectors whose spectrum decays like that of sentence embeddings."""

    def __init__(self, seed: int) -> None:
        source = np.random.default_rng((seed, 5))
        popularity = 1.0 / (np.arange(TOPICS) + 1.0) ** 0.6
        self.popularity = popularity / popularity.sum()
        self._mean = source.standard_normal(DIMENSIONS)
        self._regions = source.standard_normal((200, DIMENSIONS))
        self._topics = source.standard_normal((TOPICS, DIMENSIONS))
        rotation, _ = np.linalg.qr(source.standard_normal((DIMENSIONS, DIMENSIONS)))
        spectrum = (np.arange(DIMENSIONS) + 1.0) ** -0.45
        self._shape = (spectrum[:, np.newaxis] * rotation).astype(np.float32)

    def vectors(self, source: np.random.Generator, topics: NDArray[np.int64]) -> Vectors:
        """One vector for each topic."""
        own = 0.9 * source.standard_normal((len(topics), DIMENSIONS), np.float32)
        centre = 0.6 * self._mean + 0.7 * self._regions[topics % 200] + 0.6 * self._topics[topics]
        return _unit((centre + own).astype(np.float32) @ self._shape)

    def near(self, source: np.random.Generator, vector: Vectors) -> Vectors:
        """A vector near another, as a question is near its answer."""
        own = 0.5 * source.standard_normal((1, DIMENSIONS), np.float32)
        spread = own @ self._shape
        return np.asarray(_unit(vector[np.newaxis].astype(np.float32) + spread / np.linalg.norm(spread) * 0.6)[0])


def _unit(rows: NDArray[np.float32]) -> Vectors:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float16)


def _tags(source: np.random.Generator) -> list[tuple[str, ...]]:
    drawn = source.random((BLOCK, len(TAGS))) < np.array(list(TAGS.values()))
    names = list(TAGS)
    return [tuple(name for name, has in zip(names, row, strict=True) if has) for row in drawn.tolist()]


class GivenVectors:
    """An embedder that answers with the vectors it was given: no model, no waiting."""

    def __init__(self, dimensions: int = DIMENSIONS, model: str = "given-vectors") -> None:
        """Name the space."""
        self.space = EmbeddingSpace(model=model, dimensions=dimensions, version="1")
        self._documents: dict[bytes, Vectors] = {}
        self._queries: dict[str, Vectors] = {}
        self._any: Vectors | None = None

    def expect(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Give the vectors of the documents to come; earlier ones are forgotten."""
        self._documents = {_digest(text): vector for text, vector in zip(texts, vectors, strict=True)}

    def answer(self, vectors: Mapping[str, Vectors]) -> None:
        """Give the vectors of queries to come, by their texts."""
        self._queries |= vectors

    def answer_anything_with(self, vector: Vectors) -> None:
        """Give one vector for whatever query comes next."""
        self._any = vector

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors that were given."""
        return np.array([self._documents[_digest(text)] for text in texts], np.float32)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors that were given."""
        found = [self._queries[text] if self._any is None else self._any for text in texts]
        return np.array(found, np.float32)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()
