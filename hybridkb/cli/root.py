"""The group that all commands belong to: global options, errors in one line, exit codes."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import click

from hybridkb.cli import exit_codes
from hybridkb.cli.add import add
from hybridkb.cli.adopt import adopt
from hybridkb.cli.audit import audit
from hybridkb.cli.backfill import backfill
from hybridkb.cli.check import check
from hybridkb.cli.compact import compact
from hybridkb.cli.copy import copy
from hybridkb.cli.coverage import coverage
from hybridkb.cli.delete import delete
from hybridkb.cli.embed import embed
from hybridkb.cli.evaluate import evaluate
from hybridkb.cli.export import export
from hybridkb.cli.get import get
from hybridkb.cli.gold import gold
from hybridkb.cli.grant import grant
from hybridkb.cli.history import history
from hybridkb.cli.index import index
from hybridkb.cli.ingest import ingest
from hybridkb.cli.init import init
from hybridkb.cli.mcp import mcp
from hybridkb.cli.output import CONTROL
from hybridkb.cli.paper import paper
from hybridkb.cli.promote import promote
from hybridkb.cli.purge import purge
from hybridkb.cli.rebuild import rebuild
from hybridkb.cli.reindex import reindex
from hybridkb.cli.runs import runs
from hybridkb.cli.search import search
from hybridkb.cli.session import Session, global_options_from_environment
from hybridkb.cli.stats import stats
from hybridkb.cli.sync import sync
from hybridkb.errors import HybridKBError

EPILOG = "\b\nExit codes:\n" + "\n".join(f"{code:>5}  {meaning}" for code, meaning in exit_codes.MEANINGS.items())


class Commands(click.Group):
    """A group whose commands answer every known error with one line and a code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List commands in the order in which people need them, not by letter."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; translate errors."""
        ctx.ensure_object(Session)  # one for the command too, whose own --json the errors heed
        try:
            return super().invoke(ctx)
        except HybridKBError as error:
            show_error(error, as_json=ctx.ensure_object(Session).as_json)
            ctx.exit(exit_codes.exit_code(error))
        except BrokenPipeError:  # whoever read the output has enough, as `| head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing is left to say at the end
            ctx.exit(exit_codes.OK)
        except OSError as error:
            click.echo("hybridkb: " + _line(f"{error.filename or 'output'}: {error.strerror or error}"), err=True)
            ctx.exit(exit_codes.INVALID)
        except UnicodeEncodeError as error:
            click.echo(f"hybridkb: {error.object!r} is not valid text; write it as UTF-8", err=True)
            ctx.exit(exit_codes.INVALID)
        except KeyboardInterrupt:
            click.echo("hybridkb: interrupted; what was committed stays", err=True)
            ctx.exit(exit_codes.INTERRUPTED)


def show_error(error: HybridKBError, *, as_json: bool) -> None:
    """Print an error on stderr: one line, or one JSON document with its facts."""
    if as_json:
        facts = {name: value for name, value in vars(error).items() if not name.startswith("_")}
        document = {"error": type(error).__name__, "message": str(error), **facts}
        click.echo(json.dumps(document, default=str), err=True)
        return
    line = _line(str(error))
    click.echo(f"{click.style('hybridkb:', fg='red')} {line}" if sys.stderr.isatty() else f"hybridkb: {line}", err=True)


def _line(text: str) -> str:
    """Put what an error says on one line; names of files and words of servers command no terminal."""
    return " ".join(CONTROL.sub("", text).split())


@click.group(
    "hybridkb", cls=Commands, epilog=EPILOG, no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)  # fmt: skip
@global_options_from_environment
@click.version_option(package_name="hybridkb", message="hybridkb %(version)s")
def cli() -> None:
    """Hybrid search over dated financial knowledge, without look-ahead; one SQLite file, or PostgreSQL."""


for _command in (
    init, add, ingest, sync, paper, search, get, history, delete, purge, embed, stats, coverage, audit, backfill, check,
    rebuild, compact, index, grant, adopt, export, copy, evaluate, gold, reindex, promote, runs, mcp,
):  # fmt: skip
    cli.add_command(_command)
