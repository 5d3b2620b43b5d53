"""Starts the workers: one process a task and peer, a time limit, and a plain word for whatever ends one early."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

_BENCH = Path(__file__).resolve().parents[1]
_LIMITS = {"hostile": 300.0}
_LIMIT = 900.0
_QUIET = {"HF_HUB_OFFLINE": "1", "ANONYMIZED_TELEMETRY": "False", "TOKENIZERS_PARALLELISM": "false"}
_ERROR = re.compile(r"^([A-Za-z_][\w.]*)(?::|$)")


class Jobs:
    """The workers of one run. What was found lies in ``found/`` of the work folder and is not measured twice."""

    def __init__(self, work: Path, interpreters: Mapping[str, str], say: Callable[[str], None]) -> None:
        """Say where, with which Python for each peer, and how to tell."""
        self._work = work
        self._interpreters = interpreters
        self._say = say
        self._began = time.perf_counter()

    def run(
        self,
        peer: str,
        task: str,
        job: Mapping[str, Any],
        *,
        folder: str | None = None,
        label: str | None = None,
        keep: bool = False,
    ) -> dict[str, Any]:
        """One task; its answer, or ``{"failed": why}``. A task that builds gets an empty folder of its own."""
        label = label or task
        out = self._place("found", f"{peer}-{label}.json")
        if out.exists():
            return self._read(out)
        place = self._place("index", peer, folder or label)
        if folder is None:
            shutil.rmtree(place, ignore_errors=True)
        started = time.perf_counter()
        failed = self._start({"peer": peer, "task": task, "folder": str(place), "out": str(out), **job}, label)
        ended = time.perf_counter()
        took = f"{ended - started:.1f} s{f', {failed}' if failed else ''}"
        self._say(f"[{ended - self._began:5.0f} s] {peer}: {label}, {took}")
        if folder is None and not keep:
            shutil.rmtree(place, ignore_errors=True)
        if failed:
            out.write_text(json.dumps({"failed": failed}), encoding="utf-8")
        return self._read(out)

    def run_hostile(self, peer: str, texts: int) -> list[dict[str, Any]]:
        """Every hostile text's line; where a process died, the next one begins after the text that killed it."""
        log = self._place("found", f"{peer}-hostile.jsonl")
        lines = self._without_interrupted(log)
        while (done := 1 + max((line["place"] for line in lines), default=-1)) < texts:
            before = len(lines)
            found = self.run(peer, "hostile", {"log": str(log), "skip": done}, label=f"hostile-from-{done}")
            lines = self._lines(log)
            if len(lines) == before and "failed" in found:
                return [{"place": -1, "died": found["failed"]}]
            lines = self._with_deaths(log, lines, found.get("failed"))
        return [line for line in lines if "begun" not in line]

    def _without_interrupted(self, log: Path) -> list[dict[str, Any]]:
        """What an earlier run found; a text that it was stopped at is asked again."""
        lines = self._lines(log)
        if lines and lines[-1].get("begun"):
            lines.pop()
            log.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return lines

    def _with_deaths(self, log: Path, lines: list[dict[str, Any]], failed: str | None) -> list[dict[str, Any]]:
        """Say of a text that was begun and not ended what happened to it."""
        if lines and lines[-1].get("begun"):
            line = {"place": lines[-1]["place"], "died": failed or "ended without an answer"}
            with log.open("a", encoding="utf-8") as more:
                more.write(json.dumps(line) + "\n")
            return [*lines, line]
        return lines

    def _start(self, job: dict[str, Any], label: str) -> str | None:
        """Run a worker; why it failed, or None."""
        log = self._place("logs", f"{job['peer']}-{label}.log")
        python = self._interpreters[job["peer"]]
        environment = {**os.environ, **_QUIET, "PYTHONPATH": _path(python)}
        command = [python, "-m", "peers.worker", json.dumps(job)]
        limit = _LIMITS.get(job["task"], _LIMIT)
        with log.open("w", encoding="utf-8") as output:
            try:
                done = subprocess.run(
                    command, cwd=self._work, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                    timeout=limit, check=False,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                return f"took longer than {limit:.0f} s"
        return None if done.returncode == 0 else why(done.returncode, log.read_text("utf-8", "replace"))

    def _place(self, *parts: str) -> Path:
        place = self._work.joinpath(*parts)
        place.parent.mkdir(parents=True, exist_ok=True)
        return place

    def _read(self, path: Path) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found

    def _lines(self, path: Path) -> list[dict[str, Any]]:
        if not path.exists():
            return []
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _path(python: str) -> str:
    """Where a worker looks first: the benches; our own Python also where it was told to look, others not."""
    told = os.environ.get("PYTHONPATH") if python == sys.executable else None
    return os.pathsep.join([str(_BENCH), *([told] if told else [])])


def why(status: int, log: str) -> str:
    """How a process ended: the signal, or the name of its error; messages stay in the log, they hold paths."""
    if status < 0:
        return f"died by {signal.Signals(-status).name}"
    errors = [match[1] for line in log.splitlines() if (match := _ERROR.match(line))]
    return f"failed with {errors[-1]}" if errors else f"ended with status {status}"
