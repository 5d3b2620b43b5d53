"""A virtual environment for each peer, made from its pinned requirements and made again only when they change."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

from peers.adapters import Adapter

_ACCELERATORS = ("nvidia-", "cuda-", "triton")
_TOO_LARGE = "not measured: here its torch would bring accelerator libraries of several gigabytes"


class NotInstalled(Exception):
    """A peer has no environment; the text says why, for the table."""


def interpreter_of(adapter: Adapter, folder: Path, say: Callable[[str], None]) -> str:
    """The Python that has a peer.

    Raises:
        NotInstalled: pip could not install it, or it would be several gigabytes.
    """
    if adapter.requirements is None or adapter.pinned is None:
        return sys.executable
    place = folder / adapter.requirements
    python = place / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    stamp, wanted = place / "made-from", _digest(adapter.pinned)
    if not (stamp.exists() and stamp.read_text(encoding="utf-8") == wanted):
        say(f"{adapter.title}: making its environment from {adapter.pinned.name}")
        venv.create(place, with_pip=True, clear=True)
        if adapter.large:
            _refuse_accelerators(python, adapter.pinned)
        _pip(python, "install", "--quiet", "--requirement", str(adapter.pinned))
        stamp.write_text(wanted, encoding="utf-8")
    return str(python)


def would_bring_accelerators(report: str) -> bool:
    """Whether pip's report of what it would install names such libraries."""
    names = [one["metadata"]["name"].lower() for one in json.loads(report)["install"]]
    return any(name.startswith(_ACCELERATORS) for name in names)


def _refuse_accelerators(python: Path, requirements: Path) -> None:
    """Only metadata is downloaded for this."""
    report = _pip(python, "install", "--quiet", "--dry-run", "--report", "-", "--requirement", str(requirements))
    if would_bring_accelerators(report):
        raise NotInstalled(_TOO_LARGE)


def _pip(python: Path, *arguments: str) -> str:
    command = [str(python), "-m", "pip", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        raise NotInstalled("not measured: pip could not install its pinned requirements")
    return done.stdout


def _digest(requirements: Path) -> str:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return hashlib.sha256(version.encode() + requirements.read_bytes()).hexdigest()
