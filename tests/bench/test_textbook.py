"""The recipe that hybridkb is compared with does what it says."""

from __future__ import annotations

import numpy as np
import pytest
from corpus import DIMENSIONS, Block, Corpus
from engines import row_of
from textbook import Textbook, match


@pytest.fixture(scope="module")
def block() -> Block:
    return Corpus(1000).block(0)


@pytest.fixture(scope="module")
def recipe(block: Block, tmp_path_factory: pytest.TempPathFactory) -> Textbook:
    made = Textbook(str(tmp_path_factory.mktemp("recipe") / "textbook.db"), DIMENSIONS)
    made.add([row_of(passage) for passage in block.passages], block.vectors)
    return made


def test_nearest_are_those_of_numpy(recipe: Textbook, block: Block) -> None:
    query = Corpus(1000).queries(1)[0]
    scores = block.vectors.astype(np.float64) @ query.vector.astype(np.float64)
    expected = [row_of(block.passages[place]).name for place in np.argsort(-scores)[:10]]
    assert [found.name for found in recipe.semantic(query.vector)] == expected


@pytest.mark.parametrize("mode", ["lexical", "semantic", "hybrid"])
def test_filters_act_before_the_best_are_chosen(recipe: Textbook, block: Block, mode: str) -> None:
    query, before = Corpus(1000).queries(1)[0], Corpus(1000).cutoff(0.5)
    allowed = {
        row_of(passage).name
        for passage in block.passages
        if "tag-10" in passage.tags and passage.available_at <= before
    }
    asked = {"lexical": ("the of",), "semantic": (query.vector,), "hybrid": ("the of", query.vector)}[mode]
    found = getattr(recipe, mode)(*asked, tag="tag-10", before=before)
    assert len(found) == 10
    assert {one.name for one in found} <= allowed


def test_any_text_is_a_query(recipe: Textbook) -> None:
    assert match('say "x" AND') == '"say" OR """x""" OR "AND"'
    assert recipe.lexical('"') == []
    assert recipe.lexical("  ") == []
