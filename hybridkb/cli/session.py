"""What the global options say, and the one place where commands open a library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hybridkb.errors import HybridKBError

if TYPE_CHECKING:
    from hybridkb.library import HybridLibrary
    from hybridkb.store.settings import LibrarySettings

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(slots=True)
class Session:
    """The global options of one run.

    Attributes:
        database: the library's file or address, from ``--database`` or the environment.
        as_json: print one JSON document instead of text for people.
        embedder: ``"auto"``, ``"local"``, ``"multilingual"``, ``"openai:MODEL"`` or ``"none"``.
        quiet: no progress bars.
    """

    database: str | None = None
    as_json: bool = False
    embedder: str = "auto"
    quiet: bool = False

    def open(
        self,
        *,
        read_only: bool = True,
        create: bool = False,
        embedder: str | None = None,
        settings: LibrarySettings | None = None,
    ) -> HybridLibrary:
        """Open the library the user named, reading only unless the command writes."""
        from hybridkb.library import HybridLibrary

        if not self.database:
            raise click.UsageError("which library? Give --database LIBRARY or set HYBRIDKB_DATABASE")
        chosen = embedder or self.embedder
        return HybridLibrary.open(
            self.database,
            embedder=None if chosen == "none" else chosen,
            read_only=read_only,
            create=create,
            settings=settings,
        )

    def may_exist(self) -> bool:
        """Whether the user named a library that is there; what a server has, only opening tells."""
        from hybridkb.database import is_address

        return bool(self.database) and (is_address(self.database or "") or Path(self.database or "").exists())


def zone_of_library() -> str:
    """The time zone in which the library of this run reads a day alone; UTC where there is no library yet."""
    context = click.get_current_context(silent=True)
    session = context.find_object(Session) if context else None
    if session is None or not session.database or not session.may_exist():
        return "UTC"
    try:
        with session.open(embedder="none") as library:
            return library.settings.zone
    except HybridKBError:
        return "UTC"  # the command itself will say what is wrong with the library


pass_session = click.make_pass_decorator(Session, ensure=True)


def _remember(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    """Keep a global option in the session; one given after the command's name wins."""
    if value is not None and value is not False and parameter.name is not None:
        setattr(context.ensure_object(Session), parameter.name, value)


def global_options(function: Function) -> Function:
    """Add the global options to a command, so that they may stand behind its name as well."""
    return _add_options(function, environment=False)


def global_options_from_environment(function: Function) -> Function:
    """Add the global options to the group; these also listen to the environment."""
    return _add_options(function, environment=True)


def _add_options(function: Function, *, environment: bool) -> Function:
    options = (
        click.option(
            "--database", "-d", metavar="LIBRARY", expose_value=False, is_eager=True, callback=_remember,
            envvar="HYBRIDKB_DATABASE" if environment else None,
            help="The library: a file, or postgresql://... (or set HYBRIDKB_DATABASE).",
        ),
        click.option(
            "--json", "as_json", is_flag=True, expose_value=False, callback=_remember,
            help="Print one JSON document instead of text.",
        ),
        click.option(
            "--embedder", metavar="NAME", expose_value=False, callback=_remember,
            help="auto (default), local, multilingual, openai:MODEL, or none for words only.",
        ),
        click.option(
            "--quiet", "-q", is_flag=True, expose_value=False, callback=_remember, help="Show no progress bars.",
        ),
    )  # fmt: skip
    for option in reversed(options):
        function = option(function)
    return function
