"""Write docs/cli.md from the commands themselves; with --check, only tell whether it is current."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from hybridkb.cli.exit_codes import MEANINGS
from hybridkb.cli.root import cli

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cli.md"
WIDTH = 100
HEAD = """\
# The command line

Made from the commands themselves by `make docs`; a test fails when it is behind.

`--database`, `--json`, `--embedder` and `--quiet` may stand before or behind the command's name. The database may
also be named by the environment variable `HYBRIDKB_DATABASE`. With `--json` every command prints one JSON document on
standard output (`export` always prints JSON Lines); an error is one JSON document on standard error, with its class,
its message and its facts. Progress bars go to standard error, and only to a terminal.

Times are a day (`2005-01-01`, read in the library's time zone) or a full instant (`2005-01-01T09:30:00-05:00`). As
a bound of a search a day means its first microsecond, as the time something became known its last: both err
towards seeing less.
"""


def render() -> str:
    """Return the page."""
    parts = [HEAD, "## Exit codes\n", "| code | meaning |\n|---|---|"]
    parts += [f"| {code} | {meaning} |" for code, meaning in MEANINGS.items()]
    parts += ["", *_section(cli, None, "hybridkb")]
    parent = click.Context(cli, info_name="hybridkb")
    for name, command in cli.commands.items():
        parts += _section(command, parent, name)
    return "\n".join(parts).rstrip() + "\n"


def _section(command: click.Command, parent: click.Context | None, name: str) -> list[str]:
    context = click.Context(
        command, parent=parent, info_name=name, max_content_width=WIDTH, terminal_width=WIDTH,
        help_option_names=cli.context_settings["help_option_names"],
    )  # fmt: skip
    title = context.command_path
    text = "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
    parts = [f"## {title}\n", "```text", text, "```", ""]
    if parent is not None and isinstance(command, click.Group):
        for inner, one in command.commands.items():
            parts += _section(one, context, inner)
    return parts


def main() -> int:
    """Write the page, or compare it."""
    page = render()
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page, encoding="utf-8")
        return 0
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == page:
        return 0
    print("docs/cli.md is behind the commands; run: make docs", file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
