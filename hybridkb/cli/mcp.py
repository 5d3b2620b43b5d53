"""``hybridkb mcp``: hand the library to agents, over the Model Context Protocol."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hybridkb.cli.instants import cutoff
from hybridkb.cli.memory_sources import OPTIONS, collect, source_options
from hybridkb.cli.session import Session, global_options, pass_session
from hybridkb.errors import InvalidInput

if TYPE_CHECKING:
    from hybridkb.knowledge_base import KnowledgeBase
    from hybridkb.library import HybridLibrary
    from hybridkb.tools.mcp_server import McpTools
    from hybridkb.tools.registry import Registry


@click.command()
@click.option("--folder", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER",
              help="Keep the library in step with this folder of documents before each search.")  # fmt: skip
@click.option("--transport", type=click.Choice(["stdio", "http"]), default="stdio", show_default=True,
              help="Standard input and output, or streamable HTTP.")  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS",
              help="HTTP: where to listen; other machines reach it only with a token.")  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True,
              help="HTTP: the port; 0 takes a free one.")  # fmt: skip
@click.option("--allowed-host", "allowed_hosts", multiple=True, metavar="NAME",
              help="HTTP: a further name under which clients and their pages may ask for this server.")  # fmt: skip
@click.option("--token-env", metavar="NAME", help="HTTP: the environment variable that holds the bearer token.")
@click.option("--token-file", type=click.Path(path_type=Path), metavar="FILE",
              help="HTTP: the file whose first line is the bearer token.")  # fmt: skip
@click.option("--available-before", type=cutoff, metavar="TIME",
              help="A cutoff that no call can pass: for agents in a backtest.")  # fmt: skip
@click.option("--allow-write", is_flag=True,
              help="Serve the tools of the managed memory as well: reindex_memory, evaluate_memory, ingest_scout, "
              "coverage.")  # fmt: skip
@click.option("--gold", metavar="GOLD", help="Write mode: the gold set that evaluate_memory asks.")
@source_options
@global_options
@pass_session
def mcp(session: Session, /, **options: Any) -> None:
    """Serve the library's tools to agents.

    The tools are search_knowledge, get_knowledge, list_sources and knowledge_status. They only read; --allow-write
    adds those that keep the managed memory, over the sources named here. With --folder the index is brought up to
    date by itself. Over stdio nothing but the protocol is printed on standard output; logs go to standard error. The
    server ends with its input, or when it is interrupted.
    """
    from hybridkb.tools.mcp_server import require_mcp

    require_mcp()
    _log_to_stderr()
    if options["transport"] == "http":
        _serve_http(session, options)
    else:
        _serve_stdio(session, options)


def _serve_stdio(session: Session, options: dict[str, Any]) -> None:
    from hybridkb.tools.serving import run_stdio
    from hybridkb.tools.stdio import StandardStreams

    streams = StandardStreams.claim()  # before anything else can print
    with _served(session, options) as tools:
        run_stdio(tools, streams)


def _serve_http(session: Session, options: dict[str, Any]) -> None:
    from hybridkb.tools.http import check_token, listen, server_names
    from hybridkb.tools.serving import run_http

    token = read_token(options["token_env"], options["token_file"])
    check_token(token, options["host"])
    names = server_names(options["host"], options["allowed_hosts"])
    with _served(session, options) as tools, listen(options["host"], options["port"]) as at:
        run_http(tools, at, names, token)


@contextmanager
def _served(session: Session, options: dict[str, Any]) -> Iterator[McpTools]:
    """Open what is served, and keep a folder's index current while it is."""
    from hybridkb.tools.desk import make_desk
    from hybridkb.tools.mcp_server import McpTools
    from hybridkb.tools.refresher import Refresher
    from hybridkb.tools.serving import leave

    with _source(session, options) as source:
        desk = make_desk(source, available_before=options["available_before"])
        refresher = Refresher(desk)
        if desk.has_folder:
            desk.refresh_by = refresher
            refresher.start()  # now, so that the first question waits less
        tools = McpTools(desk, _registry(options), allow_write=options["allow_write"])
        try:
            yield tools
        finally:
            refresher.stop()
    leave(lambda: tools.busy or refresher.busy)


def _registry(options: dict[str, Any]) -> Registry:
    """The tools, and in write mode those of the memory."""
    from hybridkb.tools.catalog import registry
    from hybridkb.tools.memory_tools import MemoryTools

    found = registry()
    named = [name for _, name, _ in OPTIONS if options[name]] + (["gold"] if options["gold"] else [])
    if not options["allow_write"]:
        if named:
            raise click.UsageError(f"--{named[0].replace('_', '-')} is of use with --allow-write only")
        return found
    if options["available_before"] is not None:
        raise click.UsageError("--available-before shows the past, and --allow-write changes the present; give one")
    for tool in MemoryTools(partial(collect, options), options["gold"]).tools():
        found.add(tool)
    return found


def _source(session: Session, options: dict[str, Any]) -> HybridLibrary | KnowledgeBase:
    folder: Path | None = options["folder"]
    if folder is None:
        return session.open(read_only=not options["allow_write"])
    from hybridkb.knowledge_base import KnowledgeBase

    if not session.database:
        raise click.UsageError("which library holds the index? Give --database LIBRARY or set HYBRIDKB_DATABASE")
    if not folder.is_dir():  # later it may go and come back; at the start it is a slip of the pen
        raise click.UsageError(f"there is no folder {folder}; to serve {session.database} as it is, leave out --folder")
    embedder = None if session.embedder == "none" else session.embedder
    knowledge = KnowledgeBase(folder, session.database, embedder=embedder)
    _ = knowledge.library  # what is wrong with the library is told before anybody asks
    return knowledge


def read_token(variable: str | None, file: Path | None) -> str | None:
    """Read the token from where the user keeps it; it is never given on the command line itself.

    Raises:
        InvalidInput: it is named twice, or it is not there.
    """
    if variable is not None and file is not None:
        raise InvalidInput("give --token-env or --token-file, not both", field="token")
    if variable is not None:
        token = os.environ.get(variable)
        if not token:
            raise InvalidInput(f"the environment variable {variable} is not set or empty", field="token")
        return token
    if file is None:
        return None
    if os.name == "posix" and file.stat().st_mode & 0o077:
        logging.getLogger("hybridkb.mcp").warning("%s can be read by others; chmod 600 mends it", file)
    lines = file.read_text(encoding="utf-8-sig").splitlines()
    if not lines or not lines[0].strip():
        raise InvalidInput(f"the first line of {file} is empty; it should hold the token", field="token")
    return lines[0].strip()


def _log_to_stderr() -> None:
    """Send logs and warnings to standard error, where they disturb no protocol."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(name)s: %(message)s", force=True)
    logging.getLogger("hybridkb").setLevel(logging.INFO)
    logging.captureWarnings(True)
