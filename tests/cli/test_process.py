"""The command as a process: installed script, missing extra, Ctrl-C, closed pipes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hybridkb import HybridLibrary
from hybridkb.cli import exit_codes
from oracles import items

DESK = Path(__file__).resolve().parents[2] / "examples" / "items"
COMMAND = [sys.executable, "-m", "hybridkb", "--embedder", "none"]


def run(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, encoding="utf-8", timeout=120, check=False, **options
    )  # type: ignore[call-overload,no-any-return]


def test_help_loads_neither_client_nor_model() -> None:
    code = (
        "import sys; from hybridkb.cli.root import cli\n"
        "try: cli(['--help'])\n"
        "except SystemExit: pass\n"
        "print(sorted({'openai', 'onnxruntime', 'rich'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_missing_extra_names_what_to_install() -> None:
    code = (
        "import sys, importlib.util as u\n"
        "find = u.find_spec\n"
        "u.find_spec = lambda name, package=None: None if name in ('click', 'rich') else find(name, package)\n"
        "import hybridkb.cli as c; c.find_spec = u.find_spec; c.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == exit_codes.MISSING_EXTRA
    assert 'pip install "hybridkb[cli]"' in done.stderr
    assert "Traceback" not in done.stderr


def test_whole_story_in_processes(tmp_path: Path) -> None:
    database = tmp_path / "desk.db"
    added = run("-d", database, "add", DESK / "notes.jsonl", DESK / "filings.jsonl")
    assert added.returncode == 0, added.stderr
    assert added.stderr == ""
    found = run("-d", database, "--json", "search", "库存")
    assert found.returncode == 0, found.stderr
    assert "[库存]" in json.loads(found.stdout)["hits"][0]["snippet"]


def test_narrow_encoding_does_not_break_output(tmp_path: Path) -> None:
    database = tmp_path / "desk.db"
    run("-d", database, "add", DESK / "notes.jsonl")
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    for arguments in (["search", "库存"], ["--json", "search", "库存"]):
        done = run("-d", database, *arguments, env=environment)
        assert done.returncode == 0, done.stderr
        assert done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_interrupt_is_clean(tmp_path: Path) -> None:
    """Interrupt an add that waits for standard input."""
    database = tmp_path / "desk.db"
    process = subprocess.Popen(
        [*COMMAND, "-d", str(database), "add", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not database.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == exit_codes.INTERRUPTED
    assert "interrupted" in errors
    assert "Traceback" not in errors
    assert run("-d", database, "check").returncode == 0


def test_a_reader_that_has_enough_is_no_error(tmp_path: Path) -> None:
    database = tmp_path / "desk.db"
    with HybridLibrary.open(database, embedder=None) as library:
        library.put_many([items.note(number, "copper " * 200) for number in range(300)])
    command = [sys.executable, "-m", "hybridkb", "-d", str(database), "export"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0
