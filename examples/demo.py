"""`make demo`: keep the example desk's folder in step with an index, ask it questions, and ask as of a day in the past.

Everything happens on this machine; the index is made anew in .demo/desk.db. Under each hit stands where it comes from.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

from hybridkb import KnowledgeBase
from hybridkb.cli.output import print_text
from hybridkb.tools import search_knowledge

DESK = Path(__file__).resolve().parent / "desk"
WIDTH = 110

QUESTIONS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("In other words than the answer's", "buying a stock that climbs past its early-morning peak", {}),
    ("The page of a PDF", "default when the net asset value of the client falls", {}),
    ("A row of a table", "CUF settlement 2024-05-20", {}),
    ("Only what was learnt from mistakes", "metal that nobody wanted", {"kinds": ["post-mortem"]}),
    ("Chinese", "平今仓手续费", {}),
)
STEPS = "tick size between 10 and 50 crowns"


def main() -> None:
    """Index the folder and ask."""
    started = time.monotonic()
    shutil.rmtree(".demo", ignore_errors=True)
    Path(".demo").mkdir()
    folder = os.path.relpath(DESK)
    with KnowledgeBase(folder, ".demo/desk.db") as knowledge:
        keep_in_step(knowledge, folder)
        for what, query, filters in QUESTIONS:
            ask(knowledge, what, query, **filters)
        ask(knowledge, "What holds today: the circular of 2023", STEPS)
        ask(knowledge, "The same question as of the start of 2022", STEPS, available_at_before="2022-01-01T00:00:00Z")
        ask(knowledge, "By words alone: every word must be there", "rejected reason 1105", mode="lexical")
        as_an_agent(knowledge, "when is a margin call due?")
    say_what_next(folder, time.monotonic() - started)


def keep_in_step(knowledge: KnowledgeBase, folder: str) -> None:
    """Index the folder, then look at it again."""
    print(
        f"Reading {folder} and embedding what it says, offline, with the bundled model: less than a minute.", flush=True
    )
    print(f'\n>>> knowledge = KnowledgeBase("{folder}", ".demo/desk.db")\n>>> knowledge.refresh()', flush=True)
    counts = knowledge.refresh(progress=show_progress if sys.stderr.isatty() else None)
    print(f"{counts.indexed} files indexed, {counts.passages} passages, {len(counts.unreadable)} unreadable")
    for note in counts.notes:
        if "no text" in note.reason or "encoding" in note.reason:
            print(f"note: {note.path}: {note.reason}")
    again = knowledge.refresh()
    print(f"Looking again: {again.unchanged} files unchanged, {again.indexed} read, {again.embedded} texts embedded")


def show_progress(done: int, total: int | None) -> None:
    """Say on the terminal how far reading is."""
    print(f"\r{done} of {total} files", end="\n" if done == total else "", file=sys.stderr, flush=True)


def ask(knowledge: KnowledgeBase, what: str, query: str, **options: Any) -> None:
    """Show a question as Python would ask it, and its two best answers."""
    arguments = "".join(f", {name}={value!r}" for name, value in options.items())
    print(f"\n--- {what}\n")
    print_text(f">>> knowledge.search({query!r}, 2{arguments})")
    for number, hit in enumerate(knowledge.search(query, 2, **options), start=1):
        page = f", page {hit.page}" if hit.page else ""
        known = f"known since {hit.available_at:%Y-%m-%d}" if hit.available_at else "not known since when"
        print_text(f"{number}. {hit.path}{page}   ({known}, relevance {hit.relevance:.2f})")
        print_text(f"   {hit.heading}")
        snippet = textwrap.shorten(hit.snippet, 3 * WIDTH, placeholder=" …")
        print_text(textwrap.fill(snippet, WIDTH, initial_indent="   ", subsequent_indent="   "))


def as_an_agent(knowledge: KnowledgeBase, query: str) -> None:
    """Show what the tool hands to an agent."""
    print("\n--- What an agent is handed\n")
    print_text(f">>> search_knowledge(knowledge, {query!r}, limit=1)")
    answer = search_knowledge(knowledge, query, limit=1)
    print_text(json.dumps(answer, ensure_ascii=False, indent=1))


def say_what_next(folder: str, seconds: float) -> None:
    """Say what to try."""
    print(f"\n{seconds:.0f} s, no network. Next:")
    for what, command in (
        ("ask something else", '.venv/bin/hybridkb -d .demo/desk.db search "stop orders in a halt"'),
        ("see why a hit is there", '.venv/bin/hybridkb -d .demo/desk.db search "R05" --explain'),
        ("judge its answers", ".venv/bin/hybridkb -d .demo/desk.db evaluate examples/desk_questions.jsonl"),
        ("what could leak the future", ".venv/bin/hybridkb -d .demo/desk.db audit"),
        ("your own documents", ".venv/bin/hybridkb -d my.db sync PATH_TO_A_FOLDER"),
        ("single items with revisions", ".venv/bin/hybridkb -d items.db add examples/items/*.jsonl"),
    ):
        print(f"  {what:<28} {command}")


if __name__ == "__main__":
    main()
