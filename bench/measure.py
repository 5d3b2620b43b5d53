"""Clocks, percentiles, and the facts of the machine that a figure depends on. No names, no paths."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import apsw
import numpy as np

import hybridkb

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("hybridkb", "apsw", "sqlite-vec", "numpy", "pystemmer", "pydantic")


def milliseconds(call: Callable[[], object]) -> float:
    """Time one call."""
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1e3


def processor_milliseconds(call: Callable[[], object]) -> float:
    """Processor time of one call: a busy machine blurs it less than wall clock."""
    started = time.process_time_ns()
    call()
    return (time.process_time_ns() - started) / 1e6


def spread(times: Sequence[float]) -> dict[str, float]:
    """Median, 95th percentile and the largest of times in milliseconds."""
    return {
        "p50": round(float(np.percentile(times, 50)), 3),
        "p95": round(float(np.percentile(times, 95)), 3),
        "max": round(float(np.max(times)), 3),
    }


def facts() -> dict[str, Any]:
    """When and on what a run was made."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "revision": _revision(),
        "machine": {
            "processor": _from_file("/proc/cpuinfo", "model name") or platform.machine(),
            "cores": os.cpu_count(),
            "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
            "load_average": round(os.getloadavg()[0], 1),
            "system": platform.system(),
        },
        "versions": {
            "python": platform.python_version(),
            "sqlite": apsw.sqlite_lib_version(),
            **{name: _version(name) for name in PACKAGES},
        },
    }


def resident_megabytes() -> dict[str, float]:
    """This process's resident memory: all of it, and what is its own (without the pages of mapped files)."""
    names = {"total": "VmRSS", "own": "RssAnon"}
    return {name: round(_kilobytes(field) / 1024, 1) for name, field in names.items()}


def store(name: str, results: dict[str, Any], path: str | None = None) -> Path:
    """Write results as JSON where the page is rendered from, or elsewhere."""
    target = Path(path) if path else RESULTS / f"{name}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return target


def _revision() -> str | None:
    """The commit of the engine that was measured, with a plus when its files differ from it."""
    folder = Path(hybridkb.__file__).parent
    try:
        commit = _git(folder, "rev-parse", "--short", "HEAD")
        return commit + ("+" if _git(folder, "status", "--porcelain", "--", ".", "../sql") else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _kilobytes(field: str) -> int:
    found = _from_file("/proc/self/status", field)
    return int(found.split()[0]) if found else 0


def _from_file(path: str, field: str) -> str | None:
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(field)), None)
