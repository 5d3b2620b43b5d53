"""Generated corpora: the same from the same seed, unique texts, the stated shares, vectors of unit length."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from corpus import BLOCK, DIMENSIONS, TAGS, Block, Corpus


@pytest.fixture(scope="module")
def blocks() -> list[Block]:
    return list(islice(Corpus(20_000).blocks(), 3))


def test_the_same_seed_gives_the_same_block(blocks: list[Block]) -> None:
    again = Corpus(20_000).block(2)
    assert again.passages == blocks[2].passages
    assert np.array_equal(again.vectors, blocks[2].vectors)
    assert Corpus(20_000, seed=8).block(2).passages != again.passages


def test_every_text_is_unique_and_as_long_as_stated(blocks: list[Block]) -> None:
    texts = [passage.text for block in blocks for passage in block.passages]
    assert len(set(texts)) == len(texts) == 3 * BLOCK
    assert 170 < np.mean([len(text.split()) for text in texts]) < 195
    assert 1050 < np.mean([len(text) for text in texts]) < 1300


def test_vectors_are_unit_vectors(blocks: list[Block]) -> None:
    lengths = np.linalg.norm(blocks[0].vectors.astype(np.float64), axis=1)
    assert blocks[0].vectors.shape == (BLOCK, DIMENSIONS)
    assert np.allclose(lengths, 1.0, atol=2e-3)


def test_tags_select_their_shares(blocks: list[Block]) -> None:
    passages = [passage for block in blocks for passage in block.passages]
    for tag, share in TAGS.items():
        expected = share * len(passages)
        assert abs(sum(tag in passage.tags for passage in passages) - expected) < 6 * expected**0.5 + 3


def test_dates_rise_but_for_late_arrivals(blocks: list[Block]) -> None:
    dates = np.array([passage.available_at for block in blocks for passage in block.passages])
    falling = np.count_nonzero(np.diff(dates) < 0)
    assert 0.01 * len(dates) < falling < 0.1 * len(dates)


def test_a_cutoff_leaves_its_share() -> None:
    corpus = Corpus(2000)
    dates = [passage.available_at for block in corpus.blocks() for passage in block.passages]
    for share in (0.1, 0.5, 1.0):
        assert abs(sum(date <= corpus.cutoff(share) for date in dates) / len(dates) - share) < 0.06


def test_queries_have_their_words_in_both_forms_and_a_near_passage(blocks: list[Block]) -> None:
    corpus = Corpus(2000)
    vectors = np.concatenate([block.vectors for block in corpus.blocks()]).astype(np.float32)
    for query in corpus.queries(7):
        content, natural = query.content.split(), query.natural.split()
        assert 2 <= len(content) <= 5
        assert 1 <= len(natural) - len(content) <= 3
        assert set(content) <= set(natural)
        assert (vectors @ query.vector.astype(np.float32)).max() > 0.7
