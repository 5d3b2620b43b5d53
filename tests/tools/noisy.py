"""The command ``hybridkb`` with two more tools: one that prints in every way there is, one that takes its time.

Started by tests as a program; arguments are those of the command.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Mapping
from typing import Any

from hybridkb.cli.progress import progress
from hybridkb.cli.root import cli
from hybridkb.cli.session import Session
from hybridkb.tools import catalog
from hybridkb.tools.desk import Desk
from hybridkb.tools.parameters import Parameter
from hybridkb.tools.registry import Tool


def shout(desk: Desk, arguments: Mapping[str, Any]) -> dict[str, Any]:
    print("NOISE from print", flush=True)
    sys.stdout.write("NOISE from sys.stdout without an end")
    os.write(1, b"NOISE from the descriptor\n")
    libc = ctypes.CDLL(None)
    libc.puts(b"NOISE from C")
    libc.fflush(None)
    subprocess.run([sys.executable, "-c", "print('NOISE from a child')"], check=True)
    read = subprocess.run([sys.executable, "-c", "import sys; print(len(sys.stdin.read()))"], check=True,
                          capture_output=True)  # fmt: skip
    warnings.warn("NOISE from a warning", stacklevel=1)
    with progress(Session(), "NOISE from a bar") as move:
        for done in range(5):
            move(done, 5)
    return {"child_read": int(read.stdout)}


def wait(desk: Desk, arguments: Mapping[str, Any]) -> dict[str, Any]:
    print("WAITING", flush=True)
    time.sleep(float(arguments["seconds"]))
    return {"waited": arguments["seconds"]}


def crash(desk: Desk, arguments: Mapping[str, Any]) -> dict[str, Any]:
    raise RuntimeError("a secret of the server")


SECONDS = Parameter("seconds", "number", "How long.", required=True, least=0, most=600)
catalog.BUILT_IN = (
    *catalog.BUILT_IN,
    Tool("shout", "Shout", "Prints.", (), shout),
    Tool("wait", "Wait", "Takes its time.", (SECONDS,), wait),
    Tool("crash", "Crash", "Fails.", (), crash),
    Tool("change", "Change", "Writes.", (), shout, writes=True),
)

if __name__ == "__main__":
    print("NOISE before the server is up", flush=True) if os.environ.get("NOISE_FIRST") else None
    cli(prog_name="hybridkb")
