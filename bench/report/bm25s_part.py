"""The part about bm25s on every collection."""

from __future__ import annotations

from peers.cells import table, three

from report.parts import MEASURES, OURS, Found, Results, Run, dataset, paragraphs

PEER = "bm25s"
_TOP = """### Beside bm25s, on every collection

bm25s (`method="lucene", k1=1.2, b=0.75`) with Snowball's English stems and stop words, alone (`lexical`) and fused by
reciprocal rank with the same vectors (`hybrid`): hybridkb's figure, the peer's, and the difference with its 95 %
interval."""


def stored(results: Results) -> list[Found]:
    """The runs, by name."""
    return [found for name, found in sorted(results.items()) if name.startswith("beside-")]


def part(results: Results) -> str:
    """The table; nothing where no run is stored."""
    rows = [
        [found["dataset"], mode, *(_cell(one, label) for label in MEASURES)]
        for found in stored(results)
        for mode, one in found["modes"].items()
    ]
    return paragraphs(_TOP, table(["collection", "mode", *MEASURES.values()], rows)) if rows else ""


def runs(results: Results) -> list[Run]:
    """What made the figures."""
    return [
        Run(
            f"beside bm25s on {found['dataset']}",
            f"python bench/beside_bm25s.py {dataset(found['dataset'], found['judgements'])}",
            found,
        )
        for found in stored(results)
    ]


def _cell(one: Found, label: str) -> str:
    apart = one["difference"][label]
    ours, theirs = (three(one[engine][label]["value"]) for engine in (OURS, PEER))
    return f"{ours}, {theirs}: {apart['value']:+.3f} [{apart['low']:+.3f}, {apart['high']:+.3f}]"
