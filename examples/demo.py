"""`make demo`: load the example desk into .demo/desk.db and ask it a few questions, offline.

Each step is a command that you could type; under each hit stands why it is there.
"""

from __future__ import annotations

import os
import shlex
import shutil
import time
from pathlib import Path

from hybridkb.cli.root import cli

HERE = Path(__file__).resolve().parent
RESTATED = "Meridian revenue for 2022 and sales to distributors"

QUESTIONS: tuple[tuple[str, list[str]], ...] = (
    ("A question in other words than the answer's", ["shortage of the red metal as pits disappoint"]),
    ("A ticker with a dot in it", ["HVL.B"]),
    ("A code, as written", ["XS2419384757"]),
    ("2022 as it was known at the start of 2024", [RESTATED, "--type", "filing", "--available-before", "2024-01-01"]),
    ("The same after the restatement of July 2024", [RESTATED, "--type", "filing", "--available-before", "2024-09-01"]),
    ("Only what was said on calls", ["credit losses", "--type", "transcript", "--tag", "banks"]),
    ("Two characters inside a run of Chinese", ["库存"]),
)


def run(*arguments: str) -> None:
    """Show a command and run it."""
    print(f"\n$ hybridkb {shlex.join(arguments)}", flush=True)
    try:
        cli.main(args=list(arguments), prog_name="hybridkb")
    except SystemExit as done:
        if done.code:
            raise


def main() -> None:
    """Make the library anew and ask."""
    started = time.monotonic()
    demo = Path.cwd() / ".demo"
    shutil.rmtree(demo, ignore_errors=True)
    demo.mkdir()
    database = ("--database", ".demo/desk.db")
    files = [os.path.relpath(path) for path in sorted((HERE / "items").glob("*.jsonl"))]
    run(*database, "add", *files)
    for what, arguments in QUESTIONS:
        print(f"\n--- {what} ---")
        run(*database, "search", *arguments, "--top-k", "3")
    run(*database, "check")
    print(f"\n{time.monotonic() - started:.1f} s, no network. Ask more: .venv/bin/hybridkb -d .demo/desk.db search ...")


if __name__ == "__main__":
    main()
