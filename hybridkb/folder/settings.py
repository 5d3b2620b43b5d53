"""How a folder is read. Kept with the library, so that every process reads it alike."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from importlib.util import find_spec
from typing import Any, Literal, get_args

from hybridkb.documents import PASSAGE_CHARACTERS, READER_VERSION
from hybridkb.errors import InvalidInput

Availability = Literal["unknown", "file-time", "name-date"]

DEFAULT_COLLECTION = "documents"
MAX_FILE_BYTES = 50 * 1024 * 1024
"""The largest file that is read, unless the caller says otherwise."""

_PACKAGES = ("charset_normalizer", "markdown_it", "pypdfium2", "selectolax", "yaml")  # of the extra `folder`
_MOST_FILE_BYTES = 2**31 - 1  # a file is read into memory


@dataclass(frozen=True, slots=True)
class FolderSettings:
    """How a folder is read.

    Attributes:
        availability: when a file that does not say so itself became observable: ``"unknown"``, its ``"file-time"``, or
            the end of the day in its name, ``"name-date"``.
        ignore: patterns as in ``.gitignore``, besides those of the folder's own ``.hybridkbignore``.
        max_bytes: larger files are not read.
        passage_characters: about how long a passage is.
    """

    availability: Availability = "unknown"
    ignore: tuple[str, ...] = ()
    max_bytes: int = MAX_FILE_BYTES
    passage_characters: int = PASSAGE_CHARACTERS

    @classmethod
    def stored(cls, text: str) -> FolderSettings:
        """Read back what :meth:`as_json` wrote; what a newer version added is passed over."""
        values = {name: value for name, value in json.loads(text).items() if name in cls.__dataclass_fields__}
        return cls(**{**values, "ignore": tuple(values.get("ignore", ()))})

    def as_json(self) -> str:
        """Write the settings as JSON."""
        return json.dumps(asdict(self), sort_keys=True)

    def changed(self, **given: Any) -> FolderSettings:
        """The same settings but for what was given; None changes nothing.

        Raises:
            InvalidInput: a value cannot be.
        """
        checked = {name: _CHECKS[name](value) for name, value in given.items() if value is not None}
        return replace(self, **checked)

    @property
    def reader(self) -> str:
        """Names the way files are read: another name may mean other passages or times."""
        return f"{READER_VERSION}/{self.passage_characters}/{self.availability}"

    @property
    def lacking_reader(self) -> str:
        """The same for files that cannot be read for want of packages; with other packages it is another name."""
        missing = [name for name in _PACKAGES if find_spec(name) is None]
        return f"{self.reader}/without {','.join(missing)}"


def check_collection(name: Any) -> str:
    """Check a collection's name.

    Raises:
        InvalidInput: it is blank, long, or holds control characters.
    """
    if not isinstance(name, str) or not name.strip() or len(name) > 200 or not name.isprintable():
        raise InvalidInput(f"a collection has a short name on one line, not {name!r}", field="collection")
    return name


def _availability(value: Any) -> Availability:
    known = get_args(Availability)
    if value not in known:
        near = get_close_matches(str(value).replace("_", "-"), known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "choose from " + ", ".join(map(repr, known))
        raise InvalidInput(f"availability cannot be {value!r}; {hint}", field="availability")
    return value  # type: ignore[no-any-return]


def _patterns(value: Any) -> tuple[str, ...]:
    lines = (value,) if isinstance(value, str) or not isinstance(value, Iterable) else tuple(value)
    if not all(isinstance(line, str) for line in lines):
        raise InvalidInput(f"ignore takes patterns such as 'drafts/' or '*.tmp.md', not {value!r}", field="ignore")
    return tuple(dict.fromkeys(lines))


def _max_bytes(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MOST_FILE_BYTES:
        raise InvalidInput(
            f"max_bytes is a whole number from 1 to {_MOST_FILE_BYTES:,}, not {value!r}", field="max_bytes"
        )
    return value


def _passage_characters(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 200 <= value <= 100_000:
        raise InvalidInput(
            f"passage_characters is a whole number from 200 to 100,000, not {value!r}", field="passage_characters"
        )
    return value


_CHECKS: dict[str, Any] = {
    "availability": _availability,
    "ignore": _patterns,
    "max_bytes": _max_bytes,
    "passage_characters": _passage_characters,
}
