"""One task with one peer in a process of its own: ``python -m peers.worker``, started by the command.

Its only argument is a JSON object; what it found goes to the file named there.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from peers import tasks
from peers.adapters import ADAPTERS


def main(arguments: Sequence[str]) -> int:
    """Do one task."""
    job: dict[str, Any] = json.loads(arguments[0])
    found = do(job)
    Path(job["out"]).write_text(json.dumps(found), encoding="utf-8")
    return 0


def do(job: dict[str, Any]) -> dict[str, Any]:
    """The task's answer, with the versions of the peer."""
    make = ADAPTERS[job["peer"]].load
    folder, task = Path(job["folder"]), job["task"]
    folder.mkdir(parents=True, exist_ok=True)
    facts = make(folder, 1)
    about = {"versions": tasks.versions(facts), "modes": list(facts.modes), "note": facts.note}
    if task == "hostile":
        tasks.hostile_texts(make, folder, Path(job["log"]), job["skip"])
        return about
    inputs = tasks.read_inputs(Path(job["inputs"]), documents=task != "ask")
    if task == "quality":
        found = tasks.rankings(make, inputs, folder, job["depth"])
    elif task == "build":
        found = tasks.build(make, inputs, folder)
    elif task == "ask":
        found = tasks.ask(make, inputs, folder, job["k"], job["budget"])
    elif task == "later":
        found = tasks.later(make, inputs, folder, job["k"])
    else:
        raise ValueError(f"there is no task {task!r}")
    return about | found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
