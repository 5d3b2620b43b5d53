"""Settings that belong to the file, not to a process: they decide what an answer is."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from hybridkb.database import Connection
from hybridkb.errors import InvalidInput, SchemaTooNew
from hybridkb.fusion import Fusion
from hybridkb.lexical.ranking import RankingSettings
from hybridkb.store.canonical import note_in_journal
from hybridkb.text import ANALYSER_VERSION

_BEFORE: dict[str, dict[str, Any]] = {
    "ranking": {"repeat_weight": 0.0, "feedback": "never", "feedback_weight": 0.25},
    "fusion": {"by_relevance": False},
}
"""What a library that was made before a setting came does: nothing is silently ranked in another way."""
_OTHER = object()


@dataclass(frozen=True, slots=True)
class LibrarySettings:
    """What every process must agree on.

    Attributes:
        language: the analyser's language; another takes a rebuild (:mod:`hybridkb.upkeep.take_over`).
        analyser_version: version of the analyser that made the words in the file.
        ranking: how words are scored.
        fusion: how the legs become one list.
        zone: IANA name of the time zone in which a day alone is read (command line, readers).
    """

    language: str = "english"
    analyser_version: int = ANALYSER_VERSION
    ranking: RankingSettings = field(default_factory=RankingSettings)
    fusion: Fusion = field(default_factory=Fusion)
    zone: str = "UTC"

    def __post_init__(self) -> None:
        """Refuse what could be stored and never be read again.

        Raises:
            InvalidInput: a value is of another kind.
        """
        kinds = (("language", str), ("ranking", RankingSettings), ("fusion", Fusion), ("zone", str))
        for name, kind in kinds:
            value = getattr(self, name)
            if not isinstance(value, kind):
                raise InvalidInput(f"{name} is a {kind.__name__}, not {value!r}", field=name)

    def digest(self) -> str:
        """Name the settings that decide answers by sixteen hexadecimal digits; the zone only reads days."""
        return _digest(self)


@lru_cache(maxsize=64)
def _digest(settings: LibrarySettings) -> str:
    deciding = {name: value for name, value in asdict(settings).items() if name != "zone"}
    for name, before in _BEFORE.items():  # an older library's answers are the same, and so is their name
        known = {setting: value for setting, value in deciding[name].items() if before.get(setting, _OTHER) != value}
        deciding[name] = known
    return blake2b(json.dumps(deciding, sort_keys=True).encode(), digest_size=8).hexdigest()


def load_settings(connection: Connection) -> LibrarySettings:
    """Read the settings of the file.

    Raises:
        SchemaTooNew: a newer analyser made the words in it, or it holds settings that are not known here.
    """
    stored = {name: json.loads(value) for name, value in connection.rows("library/all")}
    version = int(stored.get("analyser_version", ANALYSER_VERSION))
    if version > ANALYSER_VERSION:
        raise SchemaTooNew(
            f"the words in this library were made by analyser version {version}, this hybridkb has "
            f"{ANALYSER_VERSION}; upgrade hybridkb",
            found=version,
            supported=ANALYSER_VERSION,
        )
    return LibrarySettings(
        language=stored.get("language", "english"),
        analyser_version=version,
        ranking=RankingSettings(**_known("ranking", RankingSettings, stored)),
        fusion=Fusion(**_known("fusion", Fusion, stored)),
        zone=stored.get("zone", "UTC"),
    )


class SettingsReader:
    """The file's settings as of a generation; read again only when the library moved on. Thread-safe."""

    def __init__(self) -> None:
        self._latest: tuple[int, LibrarySettings] | None = None

    def at(self, connection: Connection, generation: int) -> LibrarySettings:
        """Return the settings that the connection's transaction, which is at ``generation``, sees."""
        latest = self._latest
        if latest is None or latest[0] != generation:
            self._latest = latest = (generation, load_settings(connection))
        return latest[1]


def _known(name: str, kind: type[RankingSettings] | type[Fusion], stored: dict[str, Any]) -> dict[str, Any]:
    """The stored settings of one kind. Leaving one out would give other answers than the library's own."""
    values: dict[str, Any] = {**_BEFORE[name], **stored[name]} if name in stored else {}
    unknown = sorted(values.keys() - {entry.name for entry in fields(kind)})
    if unknown:
        raise SchemaTooNew(
            f"this library has a {name} setting {unknown[0]!r} that this hybridkb does not know; upgrade hybridkb",
            found=ANALYSER_VERSION,
            supported=ANALYSER_VERSION,
        )
    return values


def save_settings(connection: Connection, settings: LibrarySettings) -> None:
    """Store the settings, inside the caller's write transaction."""
    for name, value in asdict(settings).items():
        connection.rows("library/set", {"name": name, "value": json.dumps(value)})


def change_settings(connection: Connection, settings: LibrarySettings, *, now: int, why: str) -> None:
    """Store other ranking or fusion settings, and say so in the journal: every past answer may change.

    Args:
        connection: inside a write transaction.
        settings: the settings from now on; language and analyser version stay what they are.
        now: the library's clock, microseconds since 1970 UTC.
        why: what they were tuned on, for the audit.
    """
    save_settings(connection, settings)
    connection.rows("state/next_generation")
    note_in_journal(
        connection,
        now=now,
        kind="settings",
        subject=None,
        affected_from=connection.value("records/first_of_all"),
        detail=why,
    )
