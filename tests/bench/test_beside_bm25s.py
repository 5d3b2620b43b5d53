"""Two rankings of the same queries are compared pair by pair."""

from __future__ import annotations

from typing import Any

import beside_bm25s
import pytest
import quality
from peers.prepare import Judged

JUDGED = {str(number): {"right": 1} for number in range(20)}


def test_ours_minus_the_peers_is_paired() -> None:
    pytest.importorskip("ir_measures")
    judged = Judged(2, list(JUDGED), JUDGED, "model", by_window=False)
    first: dict[str, Any] = {"rankings": {mode: [["right"]] * 20 for mode in ("lexical", "hybrid")}}
    second: dict[str, Any] = {"rankings": {mode: [["wrong", "right"]] * 20 for mode in ("lexical", "hybrid")}}
    second["versions"] = {"bm25s": "1"}
    found = beside_bm25s.judge(judged, {"hybridkb": first, "bm25s": second})
    assert found["modes"]["lexical"]["difference"]["mrr"] == {"value": 0.5, "low": 0.5, "high": 0.5}
    assert found["peer_versions"] == {"bm25s": "1"}


def test_a_peer_that_failed_is_named_and_nothing_is_stored() -> None:
    judged = Judged(2, list(JUDGED), JUDGED, "model", by_window=False)
    with pytest.raises(SystemExit, match="bm25s: died"):
        beside_bm25s.judge(judged, {"hybridkb": {"rankings": {}}, "bm25s": {"failed": "died"}})


def test_with_words_of_the_best_candidates_minus_without_is_paired() -> None:
    pytest.importorskip("ir_measures")
    without = {query: ["wrong", "right"] for query in JUDGED}
    compared = quality.compare({"never": without, "always": {query: ["right"] for query in JUDGED}}, JUDGED)
    assert compared["difference"]["mrr"]["value"] == 0.5
    assert compared["always"]["recall_at_100"]["value"] == 1.0
