"""Front matter: the YAML between two lines of dashes at the very beginning of a text.

It is read as plain strings, lists and mappings: no YAML types (so that the ticker ``ON`` is no truth value and an
instant keeps all its digits), no aliases, no tags, no objects. A part that is not YAML is read line by
line, so that one bad line does not lose the others.
"""

from __future__ import annotations

import re
from typing import Any

from hybridkb.documents.faults import load_extra
from hybridkb.documents.limits import MAX_FRONT_MATTER_CHARACTERS

_BEGIN = re.compile(r"---[ \t]*\n")
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.MULTILINE)
_FIELD = re.compile(r"^(?P<key>[^\W\d][\w .-]{0,60}?)[ \t]*:(?=\s|$)", re.MULTILINE)
_MAY_REFER = re.compile(r"\*\S")

Fields = dict[str, Any]


def split_front_matter(text: str) -> tuple[Fields, str, list[str]]:
    """Part the front matter of a text from what follows it.

    Returns:
        Its fields as strings, lists and mappings (empty when there is none), the text behind it, and notes.

    Raises:
        MissingExtra: there is front matter, and the package PyYAML is not installed.
    """
    begin = _BEGIN.match(text)
    if begin is None:
        return {}, text, []
    end = _END.search(text, begin.end())
    if end is None:
        return {}, text, []
    inner, body = text[begin.end() : end.start()], text[end.end() :]
    if len(inner) > MAX_FRONT_MATTER_CHARACTERS:
        note = f"front matter holds more than {MAX_FRONT_MATTER_CHARACTERS:,} characters and was read as text"
        return {}, text, [note]
    fields, notes = _read(inner)
    return (fields, body, notes) if fields is not None else ({}, text, notes)


def _read(inner: str) -> tuple[Fields | None, list[str]]:
    """The fields of a block between dashes; None when it is no front matter but text between two rules."""
    if not inner.strip():
        return {}, []
    repeated = _repeated(inner)
    if not repeated:
        try:
            loaded = _load(inner)
        except ValueError:
            pass
        else:
            return (_named(loaded), []) if isinstance(loaded, dict) else (None, [])
    return _read_line_by_line(inner, repeated)


def _repeated(inner: str) -> set[str]:
    keys = [found["key"] for found in _FIELD.finditer(inner)]
    return {key for key in keys if keys.count(key) > 1}


def _load(inner: str) -> Any:
    """Parse YAML in which every scalar is a string.

    Raises:
        ValueError: it is not YAML, or uses what is not accepted here.
    """
    yaml = load_extra("yaml", "reading front matter")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    plain = type("_PlainLoader", (loader,), {"yaml_implicit_resolvers": {}})
    try:
        if _MAY_REFER.search(inner) and any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(inner, plain)):
            raise ValueError("it uses YAML aliases, which are not accepted")
        return yaml.load(inner, plain)
    except (yaml.YAMLError, ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise ValueError(str(getattr(error, "problem", None) or "it is not YAML")) from None


def _named(fields: dict[Any, Any]) -> Fields:
    return {key: value for key, value in fields.items() if isinstance(key, str)}


def _read_line_by_line(inner: str, repeated: set[str]) -> tuple[Fields | None, list[str]]:
    """Each field for itself. What cannot be read is kept under its name as None, so that it counts as given."""
    starts = [(found.start(), found["key"]) for found in _FIELD.finditer(inner)]
    if not starts or inner[: starts[0][0]].strip():
        return None, []
    fields: Fields = {}
    notes: list[str] = []
    for (start, key), end in zip(starts, [*(at for at, _ in starts[1:]), len(inner)], strict=True):
        why = "it is given twice" if key in repeated else None
        if why is None:
            try:
                fields |= _named(_load(inner[start:end]))
                continue
            except ValueError as error:
                why = str(error)
        if key not in fields:
            notes.append(f"front matter: {key} is left out, {why}")
        fields[key] = None
    return fields, notes
