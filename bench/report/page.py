"""The page "How good is it": its sections in order, and the files it is made of."""

from __future__ import annotations

from collections.abc import Sequence

from peers.cells import table

from report import across, elsewhere, found, languages, past, peers_section, speed_section
from report.parts import FOLDER, Results, Section, paragraphs

PAGE = "quality.md"
_TOP = """# How good is it

Does hybridkb find more than what one would use instead, and what does it cost? Every figure and plot here is rendered
from stored results by `python bench/render.py`; beside each stands the command that makes it again. Machines differ and
are rarely idle: trust ratios within one run more than milliseconds. All cases and how they were measured:
[benchmarks](benchmarks.md); how hits are ranked: [ranking](ranking.md)."""
_NOT = """## What was not measured

- A collection that nobody had looked at: the judged ones were at hand while hybridkb was built.
- Languages other than English on collections that others judged, and meaning in them: only our own questions above.
- Embedding models other than those named above. A better one lifts every engine, and can change who is ahead.
- Rerankers, query rewriting and answers by a language model: no engine here had any.
- Servers (Elasticsearch, PostgreSQL, hosted services): the peers are libraries in one process, as hybridkb is.
- Libraries larger than the largest above, collections larger than those of the table, graphics processors, slow disks,
  a page cache that is cold.
- Throughput of many clients that ask at once, beside peers; of hybridkb alone, in a file and on PostgreSQL, it stands
  in [a library on PostgreSQL](postgres.md#measured).
- What a user of yours would call relevant. `hybridkb evaluate` measures that on your own documents
  ([evaluation](evaluation.md))."""

_RUNS = """## The runs behind this page

`PATH` is where your collections lie, in the layout of BEIR; a file `emb-*` beside one holds its vectors, and `--embed`
makes them where there is none."""


def render_page(results: Results) -> dict[str, str]:
    """The page and its plots, by their paths within ``docs``."""
    sections = [
        found.section(results),
        peers_section.section(results),
        speed_section.section(results),
        past.past(results),
        past.desk(results),
        languages.section(results),
        across.section(results),
        elsewhere.section(results),
    ]
    text = paragraphs(_TOP, _in_short(results), *(one.text for one in sections), _NOT, _runs(sections)) + "\n"
    plots = {f"{FOLDER}/{name}": drawn for one in sections for name, drawn in one.plots.items()}
    return {PAGE: text, **plots}


def _in_short(results: Results) -> str:
    parts = (found, peers_section, speed_section, past, elsewhere)
    lines = [f"- {line}" for part in parts for line in part.in_short(results)]
    return "\n".join(["## In short", "", *lines]) if lines else ""


def _runs(sections: Sequence[Section]) -> str:
    rows = [run.cells for one in sections for run in one.runs]
    return paragraphs(_RUNS, table(["figures of", "made by", "day", "commit", "machine"], rows)) if rows else ""
