"""The figures that ``bench/quality.py`` is expected to find, kept beside it: ``bench/expected/COLLECTION.toml``.

So are those of ``bench/cross_lingual.py``, each of its cells as a collection of its own.

``python bench/expectations.py`` compares the stored results with them; ``--accept NAME...`` takes the stored results of
these collections for what is expected from now on. ``quality.py`` itself compares every run, and fails when a figure is
off. A figure is OK within 0.0005, near within 0.005 (another processor's rounding of a vector may swap two documents),
and off beyond, also upwards: a ranking that became better is accepted on purpose.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

FOLDER = Path(__file__).parent / "expected"
RESULTS = Path(__file__).parent / "results"
OK, NEAR = 0.0005, 0.005
ENGINE = "hybridkb"
MODES = ("lexical", "semantic", "hybrid")
MEASURES = ("ndcg_at_10", "recall_at_10", "recall_at_100", "mrr")
CONDITIONS = ("judgements", "documents", "queries", "vectors")

Verdict = Literal["OK", "near", "off"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One expected figure, and what a run found; None where it found none."""

    mode: str
    measure: str
    expected: float
    found: float | None

    @property
    def verdict(self) -> Verdict:
        """OK, near or off."""
        if self.found is None:
            return "off"
        distance = round(abs(self.found - self.expected), 6)
        return "OK" if distance <= OK else "near" if distance <= NEAR else "off"


class OtherRun(Exception):
    """A run that was made under other conditions; the text names them."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare what is stored, or accept it."""
    parser = argparse.ArgumentParser(description="Compare stored results of quality.py with what is expected.")
    parser.add_argument("--accept", nargs="+", default=[], metavar="NAME", help="collections, as in the file names")
    options = parser.parse_args(arguments)
    found = stored()
    for name in options.accept:
        if name not in found:
            parser.error(f"there is no stored result of {name}")
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / f"{name}.toml").write_text(written(found[name]), encoding="utf-8")
    return max([report(results) for results in found.values()], default=0)


def stored() -> dict[str, dict[str, Any]]:
    """The stored results of which figures can be expected, by collection."""
    every = [json.loads(path.read_text("utf-8")) for path in sorted(RESULTS.glob("quality-*.json"))]
    across = RESULTS / "cross-lingual.json"
    if across.exists():
        every += json.loads(across.read_text("utf-8"))["cells"]
    return {results["dataset"]: results for results in every}


def report(results: Mapping[str, Any]) -> int:
    """Say how a run compares; 1 when a figure is off, 0 else, also when nothing is expected of such a run."""
    name = results["dataset"]
    expected = read(name)
    if expected is None:
        print(f"{name}: nothing is expected of it", file=sys.stderr)
        return 0
    try:
        figures = compare(expected, results)
    except OtherRun as other:
        print(f"{name}: {other}", file=sys.stderr)
        return 0
    worst = max((figure.verdict for figure in figures), key=("OK", "near", "off").index)
    print(f"{name}: {worst}", file=sys.stderr)
    for figure in figures:
        if figure.verdict != "OK":
            found = "nothing" if figure.found is None else f"{figure.found:.4f}"
            print(f"  {figure.verdict}: {figure.mode} {figure.measure} {found}, expected {figure.expected:.4f}",
                  file=sys.stderr)  # fmt: skip
    return int(worst == "off")


def read(name: str, folder: Path | None = None) -> dict[str, Any] | None:
    """What is expected of a collection; None when nothing is."""
    path = (folder or FOLDER) / f"{name}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def compare(expected: Mapping[str, Any], results: Mapping[str, Any]) -> list[Figure]:
    """Every expected figure beside what a run found.

    Raises:
        OtherRun: the run had other documents, judgements or vectors.
    """
    differ = [
        f"{name} {results.get(name)}, not {expected[name]}"
        for name in CONDITIONS
        if name in expected and results.get(name) != expected[name]
    ]
    if differ:
        raise OtherRun(f"not the run of which figures are expected: {'; '.join(differ)}")
    scores = results["scores"][ENGINE]
    return [
        Figure(mode, measure, value, scores.get(mode, {}).get(measure, {}).get("value"))
        for mode in MODES
        for measure, value in expected.get(mode, {}).items()
    ]


def written(results: Mapping[str, Any]) -> str:
    """A run as the text of a file of expected figures."""
    judgements = "" if results["judgements"] == "test" else f":{results['judgements']}"
    command = "cross_lingual.py" if "cell" in results else f"quality.py PATH/{results['dataset']}{judgements}"
    lines = [f"# Expected of `python bench/{command}`; hybridkb's own figures."]
    lines += [f"{name} = {json.dumps(results[name])}" for name in CONDITIONS if results.get(name) is not None]
    for mode in MODES:
        if mode in (scores := results["scores"][ENGINE]):
            lines += ["", f"[{mode}]"]
            lines += [f"{measure} = {scores[mode][measure]['value']:.4f}" for measure in MEASURES]
    return "\n".join(lines) + "\n"


def render_expected(every: Sequence[Mapping[str, Any]], folder: Path | None = None) -> str:
    """The stored results against what is expected of them, as a table; empty when nothing is expected."""
    rows = []
    for results in every:
        expected = read(results["dataset"], folder)
        if expected is None:
            continue
        try:
            figures = compare(expected, results)
        except OtherRun as other:
            rows.append([results["dataset"], str(other), *[""] * len(MEASURES)])
            continue
        for mode in MODES:
            cells = {figure.measure: _cell(figure) for figure in figures if figure.mode == mode}
            if cells:
                rows.append([results["dataset"], mode, *(cells.get(measure, "") for measure in MEASURES)])
    if not rows:
        return ""
    heads = ["against what is expected", "mode", "nDCG@10", "recall@10", "recall@100", "MRR"]
    about = (
        "`bench/expected/*.toml` keeps the figures that a run is expected to find: OK is within 0.0005, near within "
        "0.005, off is beyond, also upwards."
    )
    lines = [heads, ["---"] * len(heads), *rows]
    return about + "\n\n" + "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(figure: Figure) -> str:
    if figure.verdict == "OK":
        return f"{figure.expected:.3f} OK"
    found = "nothing" if figure.found is None else f"{figure.found:.3f}"
    return f"{found}, expected {figure.expected:.3f}: **{figure.verdict}**"


if __name__ == "__main__":
    sys.exit(main())
