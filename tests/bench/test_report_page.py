"""The page "How good is it" says what stored results say, and names what is not stored."""

from __future__ import annotations

import copy
import random
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import render
from report import elsewhere
from report.page import PAGE, render_page

Results = dict[str, dict[str, Any]]
MODES = ("lexical", "semantic", "hybrid")
CASES = (*MODES, "hybrid, function words", "hybrid, tag-1", "hybrid, cutoff 50%")
NAMES = re.compile(
    r"`[^`]*`|nDCG@10|recall@100|BM25|bm25s|FTS5|vec0|95 %|95th percentile|10k, 100k and 1M|\(plots/\S+\)"
)
NUMBERS_IN_NAMES = {"10", "100", "50", "95", "01"}  # depths of recall, a cutoff, a percentile, the days below


_DEPTHS = ("ndcg_at_10", "recall_at_100")


class Maker:
    """Makes results as the benches store them; another seed has no figure in common."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def score(self, label: str = "") -> dict[str, Any]:
        value = round(self._random.uniform(0.3, 0.8), 4)
        found = {"value": value, "low": round(value - 0.0317, 4), "high": round(value + 0.0323, 4)}
        return found | ({"leg": label} if label else {})

    def scores(self) -> dict[str, Any]:
        found: dict[str, Any] = {mode: self._measures() for mode in MODES}
        return found | {"hybrid_minus_best": self._measures("lexical")}

    def _measures(self, leg: str = "") -> dict[str, Any]:
        return {label: self.score(leg) for label in ("ndcg_at_10", "recall_at_10", "recall_at_100", "mrr")}

    def facts(self) -> dict[str, Any]:
        machine = {
            "processor": "P",
            "cores": self.count(),
            "memory_gib": 24,
            "load_average": self.time(),
            "system": "L",
        }
        return {"date": f"{self.count()}-01-01", "revision": "abc", "machine": machine, "versions": {}}

    def count(self) -> int:
        return self._random.randint(1_001, 999_999)

    def time(self) -> float:
        return round(self._random.uniform(1, 90), 3)

    def spread(self) -> dict[str, Any]:
        middle = self.time()
        return {"p50": middle, "p95": 2 * middle, "max": 3 * middle, "cpu": middle}

    def quality(self, name: str) -> dict[str, Any]:
        both = {"hybridkb": self.scores(), "textbook": self.scores()}
        named = {"dataset": name, "judgements": "test", "documents": self.count(), "queries": self.count()}
        fed = {mode: self._compared("never", "always") for mode in ("lexical", "hybrid")}
        seconds = {"by_document": {mode: self._compared("best", "second") for mode in MODES}}
        return {**named, "vectors": "m", **self.facts(), "scores": both, "feedback": fed, **seconds}

    def beside(self, name: str) -> dict[str, Any]:
        modes = {mode: self._compared("hybridkb", "bm25s") for mode in ("lexical", "hybrid")}
        return {"dataset": name, "judgements": "test", **self.facts(), "modes": modes}

    def _compared(self, first: str, second: str) -> dict[str, Any]:
        return {part: self._measures() for part in (first, second, "difference")}

    def cjk(self) -> dict[str, Any]:
        def one() -> dict[str, Any]:
            engines = ("hybridkb", "segmented", "textbook")
            scores = {engine: {label: self.score()["value"] for label in _DEPTHS} for engine in engines}
            apart = {label: self.score() for label in _DEPTHS}
            return {"documents": self.count(), "queries": self.count(), "scores": scores,
                    "hybridkb_minus_segmented": apart}  # fmt: skip

        return {**self.facts(), "languages": {"zh": one(), "ja": one()}}

    def across(self) -> dict[str, Any]:
        def one(cell: str) -> dict[str, Any]:
            scores = {engine: self.scores() for engine in ("hybridkb", "segmented", "textbook")}
            difference = {"segmented": {mode: self._measures() for mode in MODES}}
            return {"cell": cell, "documents": self.count(), "queries": self.count(), "vectors": "m",
                    "scores": scores, "difference": difference}  # fmt: skip

        return {**self.facts(), "cells": [one("en-zh"), one("de-notes-among-all"), one("zh-desk")]}

    def speed(self, size: str) -> dict[str, Any]:
        def both(make: Any) -> dict[str, Any]:
            return {engine: make() for engine in ("hybridkb", "textbook")}

        exact = {"hybrid, exact=True": {"hybridkb": self.spread()}}
        return {
            "size": size, "passages": self.count(), **self.facts(), "method": {"queries": self.count()},
            "ingest": both(lambda: {"passages_per_second": self.count()}),
            "storage": both(lambda: {"file": float(self.count())}),
            "new_process": both(lambda: {"memory_mb": {"own": self.time()}, "open_and_first_query_ms": self.time()}),
            "latency": {case: both(self.spread) for case in CASES} | exact,
            "recall": {"at_10": self.score()["value"], "at_100": self.score()["value"]},
        }  # fmt: skip

    def lookahead(self) -> dict[str, Any]:
        def changed() -> dict[str, Any]:
            return {mode: {part: self.score()["value"] for part in ("hits", "order", "scores")} for mode in MODES}

        corpus = {"name": "generated", "passages_at_cutoff": self.count(), "passages_later": self.count()}
        return {**self.facts(), "corpora": [corpus | {"changed": {"hybridkb": changed(), "textbook": changed()}}]}

    def desk(self) -> dict[str, Any]:
        kinds = {mode: {kind: {"questions": 1_001 + self.count(), "ndcg_at_10": self.score()["value"]}
                        for kind in ("code", "all")} for mode in MODES}  # fmt: skip
        return {**self.facts(), "scores": kinds}

    def peer(self, title: str, modes: tuple[str, ...] = MODES) -> dict[str, Any]:
        cases = {mode: self.spread() | {"queries": self.count()} for mode in modes}
        cases |= {f"{mode}, tag-1": self.spread() | {"queries": self.count(), "short": 0} for mode in modes}
        return {
            "title": title, "modes": list(modes), "quality": {"scores": {mode: self._measures() for mode in modes}},
            "build": {"documents_per_second": self.count(), "bytes_per_document": self.count()},
            "asked": {"memory_mb": self.count(), "cases": cases},
            "past": {"changed": {mode: {"hits": self.score()["value"]} for mode in modes}},
            "hostile": {"texts": self.count(), "raised": [], "died": []},
        }  # fmt: skip

    def peers(self, name: str) -> dict[str, Any]:
        every = {
            "hybridkb": self.peer("hybridkb"),
            "other": self.peer("Other"),
            "near": self.peer("Near", ("semantic",)),
        }
        gone = {"gone": {"title": "Gone", "unavailable": "not measured: too large"}}
        collection = {"name": name, "judgements": "binary", "documents": self.count(), "queries": self.count()}
        return {
            "collection": collection,
            "generated": {"passages": self.count()},
            **self.facts(),
            "peers": every | gone,
        }


def made(seed: int = 1) -> Results:
    """Everything that the page can show."""
    maker = Maker(seed)
    return {
        "quality-made": maker.quality("made"),
        "quality-other": maker.quality("other"),
        "peers-made-10k": maker.peers("made"),
        **{f"speed-{size}": maker.speed(size) for size in ("10k", "100k", "1M")},
        "lookahead": maker.lookahead(),
        "desk": maker.desk(),
        "beside-bm25s-made": maker.beside("made"),
        "cjk": maker.cjk(),
        "cross-lingual": maker.across(),
    }


@pytest.fixture
def results() -> Results:
    return made()


def page(results: Results) -> str:
    return render_page(results)[PAGE]


def test_files_are_what_render_makes() -> None:
    made = render.files(render.load())
    for path, text in made.items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is not current; run: python bench/render.py"
    assert set((render.DOCS / "plots").glob("*.svg")) <= set(made), "a plot is left over; run: python bench/render.py"


def test_without_results_the_page_has_commands_and_no_figure() -> None:
    files = render_page({})
    assert set(files) == {PAGE}
    for command in (
        "quality.py DATASET",
        "peers/run.py DATASET",
        "speed.py --size 1M",
        "lookahead.py",
        "desk_quality.py",
        "cross_lingual.py",
    ):
        assert f"python bench/{command}" in files[PAGE]
    assert not re.findall(r"\d", NAMES.sub("", files[PAGE]))


def test_no_figure_stays_when_all_results_differ() -> None:
    every = [{one for text in render_page(made(seed)).values() for one in figures(text)} for seed in range(12)]
    assert min(map(len, every)) > 150
    assert set.intersection(*every) <= NUMBERS_IN_NAMES | set("0123456789")


def figures(text: str) -> list[str]:
    """Every figure of a page, and of the words of a drawing."""
    if text.startswith("<svg"):
        text = "".join(ElementTree.fromstring(text).find("{*}desc").itertext())  # type: ignore[union-attr]
    return re.findall(r"\d[\d,.%]*\d|\d", NAMES.sub("", text))


def test_what_is_stored_appears_and_what_is_not_is_named(results: Results) -> None:
    whole = render_page(results)
    assert {name for name in whole if name.endswith(".svg")} == {
        f"plots/{name}.svg" for name in ("quality", "hybrid-gain", "latency-by-size", "peers-quality", "peers-latency")
    }
    assert all(name in whole[PAGE] for name in whole if name != PAGE)
    assert "Not stored yet: libraries" not in whole[PAGE]
    assert "Not stored yet: peers on other. `python bench/peers/run.py PATH/other` makes them." in whole[PAGE]
    for name in ("peers-made-10k", "speed-1M"):
        del results[name]
    rest = render_page(results)
    assert {"plots/peers-quality.svg", "plots/peers-latency.svg"}.isdisjoint(rest)
    assert "libraries of 1M passages. `python bench/speed.py --size 1M` makes them." in rest[PAGE]
    assert "`python bench/peers/run.py PATH/made` and `python bench/peers/run.py PATH/other` make them." in rest[PAGE]
    assert "1,000 passages" not in rest["plots/latency-by-size.svg"]


def test_a_figure_that_changes_changes_table_and_plot(results: Results) -> None:
    before = render_page(results)
    results["quality-made"]["scores"]["hybridkb"]["hybrid"]["ndcg_at_10"]["value"] = 0.9876
    after = render_page(results)
    assert "| made | hybridkb |" in after[PAGE]
    assert "**0.988**" in after[PAGE]
    assert "0.988" in after["plots/quality.svg"]
    assert {name for name in after if before[name] != after[name]} == {PAGE, "plots/quality.svg"}


def test_the_short_answer_counts_collections(results: Results) -> None:
    for name, value in (("quality-made", 0.02), ("quality-other", -0.01)):
        scores = results[name]["scores"]["hybridkb"]
        scores["lexical"]["ndcg_at_10"]["value"] = 0.5
        scores["hybrid"]["ndcg_at_10"]["value"] = 0.5 + value
        scores["hybrid_minus_best"]["ndcg_at_10"] = {
            "value": value,
            "low": value - 0.001,
            "high": 0.1,
            "leg": "lexical",
        }
    text = page(results)
    assert "on 1 of 2 collections (nDCG@10; on 1 the whole 95 % interval lies above zero), on average by +1.0%" in text
    assert "+0.020 [+0.019, +0.100], +4.0% (lexical)" in text


def test_where_another_is_better_is_said(results: Results) -> None:
    results = {name: results[name] for name in ("quality-made", "speed-10k", "speed-100k", "peers-made-10k", "desk")}
    for name in ("speed-10k", "speed-100k"):
        level(results[name]["latency"], {"hybridkb": {"p50": 5.0, "p95": 6.0}, "textbook": {"p50": 9.0, "p95": 9.5}})
        for part in ("ingest", "storage", "new_process"):
            results[name][part]["textbook"] = copy.deepcopy(results[name][part]["hybridkb"])
        results[name]["latency"]["lexical"]["textbook"] = {"p50": 0.5, "p95": 1.0}
        results[name]["latency"]["hybrid, exact=True"]["hybridkb"] = {"p50": 99.0, "p95": 100.0}
    level(results["quality-made"]["scores"], {"value": 0.5, "low": 0.4, "high": 0.6, "leg": "semantic"})
    results["quality-made"]["scores"]["textbook"]["hybrid"]["recall_at_100"]["value"] = 0.75
    for mode in MODES:
        results["desk"]["scores"][mode]["all"]["ndcg_at_10"] = 0.9 if mode == "lexical" else 0.25
    peers = results["peers-made-10k"]["peers"]
    peers["other"] = copy.deepcopy(peers["hybridkb"]) | {"title": "Other"}
    peers["near"] = copy.deepcopy(peers["hybridkb"]) | {"title": "Near"}
    peers["near"]["asked"]["cases"]["hybrid"]["p50"] = 0.125
    found = {(one.what, one.who): one for one in elsewhere.losses(results)}
    assert set(found) == {
        ("hybrid, recall@100", "textbook recipe"),
        ("hybrid, nDCG@10", "its own lexical leg"),
        ("lexical, ms", "textbook recipe"),
        ("hybrid, exact=True, ms", "textbook recipe"),
        ("hybrid, p50 ms", "Near"),
    }
    lexical = found["lexical, ms", "textbook recipe"]
    assert (lexical.ours, lexical.best) == ("5.00; 5.00", "0.50; 0.50")
    assert "(place 3 of 3)" not in page(results)
    assert "| hybrid, p50 ms | peers," in page(results)
    assert "**Not the best:** in 5 things" in page(results)


def level(found: Any, figures: dict[str, Any]) -> None:
    """The same figures at every place of that shape."""
    for value in found.values():
        if isinstance(value, dict) and set(figures) & set(value):
            value |= {name: copy.deepcopy(one) for name, one in figures.items() if name in value}
        elif isinstance(value, dict):
            level(value, figures)


def test_a_peer_that_fails_everywhere_is_in_plot_and_tables(results: Results) -> None:
    failed = {part: {"failed": f"died at {part}"} for part in ("quality", "build", "asked", "past", "hostile")}
    results["peers-made-10k"]["peers"]["other"] |= failed
    files = render_page(results)
    assert "| Other | died at quality |" in files[PAGE]
    assert "| Other | failed | failed | failed | - | - | failed | died at hostile |" in files[PAGE]
    assert "Gone: not measured: too large." in files[PAGE]
    assert "died at quality" in files["plots/peers-quality.svg"]
    assert ">Other<" not in files["plots/peers-latency.svg"]


def test_when_nothing_of_the_peers_could_be_measured_there_is_no_plot_of_them(results: Results) -> None:
    for peer in results["peers-made-10k"]["peers"].values():
        peer |= {part: {"failed": "died"} for part in ("quality", "build", "asked", "past", "hostile")}
    assert not [name for name in render_page(results) if "peers" in name]


def test_quality_is_of_the_largest_run_and_costs_are_of_every_size(results: Results) -> None:
    small, large = results.pop("peers-made-10k"), Maker(3).peers("made")
    small["generated"]["passages"], large["generated"]["passages"] = 10_000, 100_000
    results |= {"peers-made-100k": large, "peers-made-10k": small}
    text = page(results)
    assert f"| Other | {large['peers']['other']['quality']['scores']['hybrid']['ndcg_at_10']['value']:.3f} / " in text
    assert "| 10,000 generated passages |" in text
    assert "| 100,000 generated passages |" in text
    assert "PATH/made:binary --generated 100k" in text


def test_figures_of_lucene_stand_beside_the_collection_they_are_of(results: Results) -> None:
    assert "Lucene" not in page(results)
    results["quality-nfcorpus"] = Maker(4).quality("nfcorpus")
    assert "| nfcorpus | " in page(results).partition("published figures of Lucene")[2]


@pytest.mark.parametrize("name", ["quality", "hybrid-gain", "latency-by-size", "peers-quality", "peers-latency"])
def test_drawings_are_whole_and_say_what_they_show(results: Results, name: str) -> None:
    text = render_page(results)[f"plots/{name}.svg"]
    assert text == render_page(copy.deepcopy(results))[f"plots/{name}.svg"]
    root = ElementTree.fromstring(text)
    title, description = (root.find(f"{{*}}{part}") for part in ("title", "desc"))
    assert title is not None
    assert description is not None
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert re.search(r"\d", description.text or "")
    assert "prefers-color-scheme: dark" in text
    assert not re.search(r"nan|inf|<script|href|http://(?!www\.w3\.org/2000/svg)", text)


def test_render_removes_plots_that_are_no_longer_made(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(render, "DOCS", tmp_path)
    for name in ("PAGE", "RANKING", "POSTGRES"):
        monkeypatch.setattr(render, name, tmp_path / getattr(render, name).name)
    monkeypatch.setattr(render, "render", lambda results: "")
    monkeypatch.setattr(render, "render_ranking", lambda results: "")
    monkeypatch.setattr(render, "render_postgres", lambda results: "")
    monkeypatch.setattr(render, "load", lambda: results)
    assert render.main(["--check"]) == 1
    assert render.main([]) == 0
    assert render.main(["--check"]) == 0
    assert (tmp_path / "plots" / "peers-quality.svg").exists()
    del results["peers-made-10k"]
    assert render.main(["--check"]) == 1
    assert render.main([]) == 0
    assert render.main(["--check"]) == 0
    assert not (tmp_path / "plots" / "peers-quality.svg").exists()
