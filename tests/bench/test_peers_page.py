"""The peers' section says what a run found, also where a peer is better, failed, or was not to be had."""

from __future__ import annotations

from typing import Any

import pytest
import render
from peers.page import render_peers, summary


def _peer(title: str, ndcg: float, p50: float, **more: Any) -> dict[str, Any]:
    score = {"ndcg_at_10": {"value": ndcg, "low": ndcg, "high": ndcg}, "recall_at_100": {"value": 0.8}}
    spread = {"p50": p50, "p95": 2 * p50, "max": 3 * p50, "queries": 40}
    came = {"matching": 50, "fewest": 10, "short": 0, "wrong": 0}
    modes = more.pop("modes", ["lexical", "semantic", "hybrid"])
    shares = dict.fromkeys(("hits", "order", "scores"), more.pop("changed", 0.0))
    words = ["hybrid, function words"] if "hybrid" in modes else []
    tags = {f"{mode}, {tag}": spread | came for mode in modes for tag in ("tag-0.1", "tag-1", "tag-10", "tag-50")}
    return {
        "title": title,
        "versions": {"package": "1.2.3"},
        "modes": modes,
        "note": "a note",
        "quality": {"scores": dict.fromkeys(modes, score), "queries_that_raised": {}},
        "build": {"documents": 10_000, "seconds": 4.0, "documents_per_second": 2_500, "bytes_per_document": 6_000},
        "asked": {
            "rounds": 3, "open_ms": 5.0, "memory_mb": 90,
            "cases": dict.fromkeys([*modes, *words], spread) | tags,
        },
        "past": {
            "changed": dict.fromkeys(modes, shares), "asked_again": dict.fromkeys(modes, dict.fromkeys(shares, 0.0)),
            "too_new": dict.fromkeys(modes, 0),
        },
        "hostile": {
            "texts": 57, "died": [], "raised": [], "as_typed": False, "as_typed_raised": {}, "with_a_right_answer": 16,
            "not_first": [],
        },
        **more,
    }  # fmt: skip


@pytest.fixture
def found() -> dict[str, Any]:
    return {
        "collection": {"name": "cranfield", "judgements": "test", "documents": 1_398, "queries": 225, "vectors": "m"},
        "generated": {"passages": 10_000, "queries": 40, "past": 10_000},
        "date": "2026-01-01",
        "revision": "abc",
        "machine": {"processor": "P", "cores": 2, "memory_gib": 24, "load_average": 0.5},
        "method": {"rounds": 3},
        "seconds": 600,
        "peers": {
            "hybridkb": _peer("hybridkb", 0.44, 4.0),
            "quick": _peer("Quick", 0.45, 1.0, changed=0.5),
            "near": _peer("Near", 0.38, 30.0, modes=["semantic"]),
            "gone": {"title": "Gone", "unavailable": "not measured: too large"},
        },
    }


def _row(page: str, start: str) -> list[str]:
    (line,) = [line for line in page.splitlines() if line.startswith(f"| {start} |")]
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_a_peer_that_wins_is_named_as_the_best(found: dict[str, Any]) -> None:
    page = render_peers(found)
    assert _row(page, "hybrid nDCG@10") == ["hybrid nDCG@10", "Quick", "0.450", "0.440", "2 of 2"]
    assert _row(page, "semantic, p50 ms") == ["semantic, p50 ms", "Quick", "1.00", "4.00", "2 of 3"]
    assert _row(page, "passages/s")[1] == "hybridkb and 2 more"


def test_ratios_are_against_this_library_in_the_same_run(found: dict[str, Any]) -> None:
    page = render_peers(found)
    assert "| Quick | 1.00 / 2.00 (0.25x) |" in page
    assert "| Near | - | - | - | 30.0 / 60.0 (7.5x) |" in page
    assert "| Near (semantic) | 30.0 / 60.0 (7.5x) |" in page
    assert "| hybridkb | 4.00 / 8.00 |" in page


def test_changed_pasts_short_answers_and_strays_are_said(found: dict[str, Any]) -> None:
    found["peers"]["quick"]["asked"]["cases"]["hybrid, tag-1"] |= {"fewest": 0, "short": 7, "wrong": 2}
    page = render_peers(found)
    assert "| Quick | 50% / 50% / 50% |" in page
    assert "**short in 7 of 40**, fewest 0; **2 hits outside**" in page


def test_a_peer_that_is_not_there_or_fails_is_a_line(found: dict[str, Any]) -> None:
    quick = found["peers"]["quick"]
    for part in ("quality", "build", "asked", "past", "hostile"):
        quick[part] = {"failed": f"died at {part}"}
    page = render_peers(found)
    assert all(f"| Quick | died at {part} |" in page for part in ("quality", "build", "asked", "past", "hostile"))
    assert "- Gone: not measured: too large." in page
    assert "| Gone | not measured: too large |" in page
    assert "| Gone | not measured: too large |" in summary(found)
    assert "| Quick |" in summary(found)


def test_hostile_texts_are_counted_and_quoted(found: dict[str, Any]) -> None:
    found["peers"]["quick"]["hostile"] |= {
        "raised": [{"kind": f"kind {number}", "error": "ValueError"} for number in range(6)],
        "died": [{"kind": "a NUL", "how": "died by SIGSEGV"}],
        "as_typed": True, "as_typed_raised": {"SyntaxError": 20}, "not_first": ["C++", "a|b"],
    }  # fmt: skip
    page = render_peers(found)
    assert "7 (kind 0: ValueError; kind 1: ValueError; kind 2: ValueError; and 4 more)" in page
    assert "20 of 56" in page
    assert "2 of 16 (`C++`, `a\\|b`)" in page


def test_the_section_stands_in_the_page_once(found: dict[str, Any]) -> None:
    page = render.render({"peers-cranfield-10k": found, "peers-cranfield-100k": found})
    assert page.count("## Peers") == 1
    assert page.count("### cranfield and 10,000 generated passages") == 2
    assert "python bench/peers/run.py PATH/cranfield:test --generated 10k" in page
