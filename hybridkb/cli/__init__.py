"""The ``hybridkb`` command: what a person does with a library at a terminal.

One file a command. Nothing here knows how to search or store; every command asks
``HybridLibrary`` and shows the answer, as a table for people or, with ``--json``, for
programs. click and rich are the extra ``cli``, so they are imported only when the
command runs.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

from hybridkb.cli.exit_codes import MISSING_EXTRA

NEEDED = ("click", "rich")


def main() -> None:
    """Run the command line; say which extra to install when its packages are missing."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        print(
            f"hybridkb: the command line needs {' and '.join(missing)}; "
            'install the extra "cli": pip install "hybridkb[cli]"',
            file=sys.stderr,
        )
        raise SystemExit(MISSING_EXTRA)
    from hybridkb.cli.root import cli

    cli(prog_name="hybridkb")
