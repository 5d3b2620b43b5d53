"""A library with something of everything that a library can hold, and everything that it says when it is asked."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hybridkb import HybridLibrary, SearchResults
from hybridkb.audit import AuditReport
from hybridkb.knowledge import KnowledgeItem
from oracles.items import day, earnings, filing, item_id, news, note
from support.fake_embedder import HashEmbedder
from support.judged_library import evaluate, records
from support.papers import make_result

WORDS = ("copper", "supply", "mines", "chile", "wheat", "rising", "prices", "BRK.B", "10-K", "Straße", "用户增长",
         "naïve")  # fmt: skip
QUESTIONS = ("copper supply", "the price of copper in chile", '"copper supply" prices', "cop* whe*", "BRK.B 10-K",
             "attention translation", "batteries", "用户", "of the")  # fmt: skip
CUTOFFS = (None, day(-400), day(3), day(9), day(10), day(400))
MODES = ("lexical", "semantic", "hybrid")
UNREADABLE = "unembeddable"


class Choosy(HashEmbedder):
    """An embedder that answers texts with one word in them with nothing usable."""

    def _vector(self, text: str) -> NDArray[np.float64]:
        vector = super()._vector(text)
        return vector * np.nan if UNREADABLE in text else vector


def embedder(model: str = "second") -> HashEmbedder:
    return Choosy(16, model)


def fill_with_everything(place: str | Path, folder: Path) -> None:
    """Fill a new library: kinds, times, removals, papers, spaces, runs, a folder; packed, unpacked and changed rows.

    ``folder`` is made, and read as a folder of documents.
    """
    clock = _Clock()
    with HybridLibrary.open(place, embedder=embedder("first"), clock=clock) as library:
        library.put_many(_items(60))
        library.put_paper(make_result(arxiv_id="1706.03762v7", tags=("nlp",)))
        library.optimize()
    with HybridLibrary.open(place, embedder=embedder(), clock=clock) as library:
        library.embed_pending()  # the first space retires
        _change(library)
        _read(library, folder)
        _judge(library)
        library.change_settings(ranking=library.settings.ranking, fusion=library.settings.fusion, why="as they were")
        library.put_many(_items(8, "late"), embed=False)  # pending, and not packed


def everything_said(library: HybridLibrary) -> dict[str, Any]:
    """What a library answers: hits bit for bit, fingerprints, snapshots, counts, lists, history, export, audit."""
    said: dict[str, Any] = {}
    for cutoff in CUTOFFS:
        for mode in MODES:
            for text in QUESTIONS:
                found = library.search(text, mode=mode, top_k=30, available_at_before=cutoff)
                said[f"{mode} {text} {cutoff}"] = _shown(found)
        if cutoff is not None:
            view = library.snapshot(at=cutoff)
            said[f"snapshot {cutoff}"] = (view.fingerprint, view.changed, view.stats())
    for name, filters in _FILTERS.items():
        said[f"filter {name}"] = _shown(library.search("copper", top_k=50, **filters))
    said["count"] = library.count()
    said["items"] = library.list_items(limit=1000)
    said["tags"] = library.list_values("tags")
    said["history"] = {one.item_id: library.history(one.item_id) for one in library.list_items(limit=1000).items}
    said["folders"] = library.folders()
    said["settings"] = library.settings
    said["inventory"] = library.inventory().items
    said["audit"] = _audited(library.audit(since=day(-1000), cutoffs=[day(3), day(400)]))
    said["export"] = list(library.export())
    return said


_FILTERS: dict[str, dict[str, Any]] = {
    "tag": {"tags": ["metal"]},
    "ticker": {"tickers": ["BRK.B"], "mode": "lexical"},
    "type": {"item_types": ["filing"], "available_at_before": day(9)},
    "collapse": {"collapse": "document"},
    "exact": {"exact": True, "mode": "semantic"},
}


class _Clock:
    """Every look at it is a second later than the last, so that times of recording tell writes apart."""

    def __init__(self) -> None:
        self._now = day(500)

    def __call__(self) -> datetime:
        self._now += timedelta(seconds=1)
        return self._now


def _items(count: int, prefix: str = "") -> list[KnowledgeItem]:
    draw = random.Random(f"items {prefix}")

    def text(words: int) -> str:
        return " ".join(draw.choices(WORDS, k=words))

    items: list[KnowledgeItem] = [
        note(f"{prefix}note {number}", f"{text(25)} {number}", text(2), available_at=day(number % 12),
             tags=("metal",) if number % 3 else ())
        for number in range(count)
    ]  # fmt: skip
    items += [filing(f"{prefix}filing {number}", [text(12), text(9)], available_at=day(number)) for number in range(5)]
    items += [earnings(f"{prefix}earnings {number}", "BRK.B", f"Q{number} 2024", guidance=text(8)) for number in (1, 2)]
    items.append(news(f"{prefix}unknown", text(10), "no date", available_at=None))
    items.append(note(f"{prefix}nothing", f"{UNREADABLE} {prefix}", available_at=day(1)))
    odd = "a NUL \0 and \ufdd0 and \ufdd1 in it, a quote ' and \"two\", \\N, a tab\t."
    items.append(note(f"{prefix}odd", odd, "\\x00 [\"\\u0000\"]"))
    items.append(note(f"{prefix}list", '["a list \\u0000 in JSON", 1]', "[\\u0000]"))
    return items


def _change(library: HybridLibrary) -> None:
    library.put(note("note 1", "copper batteries, revised", available_at=day(20)))
    library.put(note("note 2", "copper batteries, corrected", available_at=day(2)))
    library.put(note("note 3", "found later, true earlier", available_at=day(-3)))
    library.delete(item_id("note 4"), at=day(30))
    library.delete(item_id("unknown"))
    library.purge(item_id("note 5"), reason="asked for")
    library.purge(item_id("note 59"))
    library.put(note("passing", "here for a moment", available_at=None))
    library.delete(item_id("passing"))  # its numbers are never given again
    for model in ("gpt-4o-mini-2024-07-18", "gpt-5-mini-2025-08-07"):  # the later summary is current
        library.put_paper(make_result("another", summary=f"Attention, by {model}.", tree=False, model=model))


def _read(library: HybridLibrary, folder: Path) -> None:
    folder.mkdir()
    (folder / "a.md").write_text("# Mines\n\nThe copper mines of Chile.\n", encoding="utf-8")
    (folder / "b.md").write_text("# Wheat\n\nRising prices.\n", encoding="utf-8")
    (folder / "broken.html").write_bytes(b"\x00\x01")
    library.sync(folder)
    (folder / "b.md").unlink()
    library.sync(folder)


def _judge(library: HybridLibrary) -> None:
    evaluate(library, [{**one, "relevant": [str(item_id(f"note {at}"))]} for at, one in enumerate(records(12), 7)])


def _shown(found: SearchResults) -> Any:
    return found.fingerprint, found.mode, found.pending, found.degraded, found.approximate, list(found)


def _audited(report: AuditReport) -> Any:
    return [(one.kind, one.severity, one.count, one.examples) for one in report.findings]
