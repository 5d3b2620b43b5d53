"""What a copy needs to know of its source besides the rows: settings, numbers, and which state it is in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b

from hybridkb.copying.rows import named, tally_of
from hybridkb.copying.tables import TABLES
from hybridkb.database import Connection
from hybridkb.errors import SchemaTooOld
from hybridkb.store.candidate_note import NOTE
from hybridkb.store.settings import LibrarySettings, load_settings
from hybridkb.store.unfinished import require_whole
from hybridkb.text import ANALYSER_VERSION

_TELLING = 500
"""So many revisions from either end tell one library from another."""
_WITHOUT_GENERATION = frozenset({"run", "run_figure"})
"""Bookkeeping that is written without a new generation; small enough to be read whole."""


@dataclass(frozen=True, slots=True)
class Source:
    """A source as one read transaction sees it.

    Attributes:
        state: names its state; another one is another digest.
        settings: as its program reads them.
        stored: the settings by name, as they are stored; not that it is somebody's candidate, which no copy is.
        generation, packing: where it stands.
        numbers: by table, the highest number that was ever given.
        rows: by table, how many rows there are.
    """

    state: str
    settings: LibrarySettings
    stored: Mapping[str, str]
    generation: int
    packing: int
    numbers: Mapping[str, int]
    rows: Mapping[str, int]


def require_copyable(connection: Connection, path: str) -> LibrarySettings:
    """The settings of a library that can be copied by this program.

    Raises:
        UnfinishedCopy: it is itself a copy that was not finished.
        SchemaTooOld: its words were made by an older analyser, so that the word index cannot be made as it is.
        SchemaTooNew: it has settings that are not known here.
    """
    require_whole(connection, path)
    settings = load_settings(connection)
    if settings.analyser_version != ANALYSER_VERSION:
        raise SchemaTooOld(
            f"{path}: its words were made by analyser version {settings.analyser_version}, this hybridkb has "
            f"{ANALYSER_VERSION}; run hybridkb rebuild on it, then copy it",
            found=settings.analyser_version,
            supported=ANALYSER_VERSION,
            path=path,
        )
    return settings


def look_at(connection: Connection, path: str) -> Source:
    """Read everything about a source but its rows.

    Raises:
        UnfinishedCopy, SchemaTooOld, SchemaTooNew: as :func:`require_copyable`.
    """
    settings = require_copyable(connection, path)
    generation, packing = connection.row("state/get") or (0, 0)
    stored: dict[str, str] = {name: value for name, value in connection.rows("library/all") if name != NOTE}
    return Source(
        state=_state(connection, generation, packing, stored),
        settings=settings,
        stored=stored,
        generation=generation,
        packing=packing,
        numbers=dict(connection.rows("copy/numbers")),
        rows={table.name: connection.text_rows(named(connection, "count_rows", table))[0][0] for table in TABLES},
    )


def _state(connection: Connection, generation: int, packing: int, stored: Mapping[str, str]) -> str:
    ends = [connection.rows(f"copy/{name}", {"limit": _TELLING}) for name in ("oldest_revisions", "newest_revisions")]
    books = [tally_of(connection, table).name for table in TABLES if table.name in _WITHOUT_GENERATION]
    told = repr((generation, packing, sorted(stored.items()), ends, books))
    return blake2b(told.encode(), digest_size=16).hexdigest()
