"""Finds and reads gold sets: JSON Lines of judged queries, or a folder in the shape of the BEIR collections."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from hybridkb.errors import InvalidGoldSet, InvalidInput, UnreadableDocument
from hybridkb.evaluation.gold_beir import is_beir_folder, read_beir_folder
from hybridkb.evaluation.gold_entries import parse_json, read_record
from hybridkb.evaluation.gold_set import GoldRecord, GoldSet

ENVIRONMENT = "HYBRIDKB_GOLD_SET"
PACKAGED = "desk-gold.jsonl"
MAX_LINE_BYTES = 16 * 1024 * 1024
_SHOWN = 5
_BOM = b"\xef\xbb\xbf"

GoldArgument = GoldSet | str | os.PathLike[str] | Iterable[Mapping[str, Any]] | None


def resolve_gold_set(path: str | os.PathLike[str] | None = None) -> Path:
    """Say which gold set an evaluation uses: ``path``, else that of ``HYBRIDKB_GOLD_SET``, else the packaged one.

    What is named explicitly is never replaced by the next: a job that names a gold set that is not there fails. The
    packaged set judges the example knowledge of ``examples/items``.

    Args:
        path: JSON Lines, or a BEIR folder, with ``:NAME`` behind it for judgements other than ``qrels/test.tsv``.

    Raises:
        InvalidGoldSet: it is not there; the error lists the paths tried.
    """
    packaged = Path(str(files("hybridkb.evaluation") / PACKAGED))
    named = os.environ.get(ENVIRONMENT)
    ways = [(os.fspath(path), "given")] if path is not None else []
    ways += [(named, f"${ENVIRONMENT}")] if named else []
    if not ways:
        ways = [(str(packaged), "packaged with hybridkb")]
    chosen, _ = ways[0]
    if chosen and _place(chosen).exists():
        return Path(chosen)
    tried = [f"{one!r} ({why})" for one, why in ways[:1]]
    passed = [f"{one!r} ({why})" for one, why in ways[1:]]
    message = f"there is no gold set: tried {', '.join(tried)}; what is named explicitly is not replaced"
    if passed:
        message += f" by {', '.join(passed)}"
    raise InvalidGoldSet(message, tried=[chosen], path=chosen)


def load_gold_set(gold: GoldArgument = None, *, zone: str = "UTC", collection: str = "") -> GoldSet:
    """Read whatever names a gold set.

    Args:
        gold: a gold set, a path (see :func:`resolve_gold_set`), records as mappings, or None for the default.
        zone: the zone in which cutoffs that are days alone are read.
        collection: of a BEIR folder, the ``--collection`` its documents were added with.

    Raises:
        InvalidGoldSet: it is not there.
        UnreadableDocument: a file or a line cannot be read.
        InvalidInput: a record given as a mapping is wrong.
    """
    if isinstance(gold, GoldSet):
        return gold
    if gold is None or isinstance(gold, str | os.PathLike):
        return read_gold_set(resolve_gold_set(gold), zone=zone, collection=collection)
    return gold_set_of(gold, zone=zone)


def gold_set_of(records: Iterable[Mapping[str, Any]], *, zone: str = "UTC", name: str = "<records>") -> GoldSet:
    """Make a gold set of records as a file would hold them.

    Raises:
        InvalidInput: one is wrong; the text says which, counted from 1.
    """
    given: object = records
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise InvalidInput(f"a gold set is a path or records as mappings, not {given!r}", field="gold")
    found: list[GoldRecord] = []
    for number, fields in enumerate(records, start=1):
        try:
            found.append(read_record(fields, zone=zone, line=number))
        except InvalidInput as error:
            raise InvalidInput(f"record {number} of the gold set: {error}", field=error.field) from error
    return GoldSet(tuple(found), name)


def read_gold_set(path: str | os.PathLike[str], *, zone: str = "UTC", collection: str = "") -> GoldSet:
    """Read a gold set from JSON Lines or a BEIR folder.

    Raises:
        UnreadableDocument: the file cannot be read, or lines of it are wrong: all are counted, the first are told.
        InvalidGoldSet: a BEIR folder lacks a part.
    """
    text = os.fspath(path)
    place = _place(text)
    if place.is_dir():
        if not is_beir_folder(place):
            raise InvalidGoldSet(
                f"{text}: a folder is a gold set when it holds queries.jsonl and qrels/NAME.tsv; give a file of JSON "
                "Lines, or such a folder",
                path=text,
            )
        _, _, name = text.rpartition(":") if place != Path(text) else ("", "", "")
        return read_beir_folder(place, name or None, collection)
    return _read_lines(text, zone)


def _place(text: str) -> Path:
    """The path, without the name of judgements behind a colon."""
    whole = Path(text)
    if whole.exists():
        return whole
    folder, colon, _ = text.rpartition(":")
    return Path(folder) if colon and folder and Path(folder).is_dir() else whole


def _read_lines(path: str, zone: str) -> GoldSet:
    records: list[GoldRecord] = []
    faults: list[tuple[int, str]] = []
    for number, line in enumerate(file_lines(path), start=1):
        try:
            record = _read_line(line, number, zone)
        except InvalidInput as error:
            faults.append((number, str(error)))
            continue
        if record is not None:
            records.append(record)
    if faults:
        raise _report(path, faults)
    return GoldSet(tuple(records), path)


def file_lines(path: str) -> list[bytes]:
    """The lines of a file, without their line feeds.

    Raises:
        UnreadableDocument: it cannot be read.
    """
    try:
        return Path(path).read_bytes().removeprefix(_BOM).split(b"\n")
    except OSError as error:
        raise UnreadableDocument(f"{path} cannot be read: {error.strerror or error}", path=path) from error


def _read_line(line: bytes, number: int, zone: str) -> GoldRecord | None:
    data = line.strip(b" \t\r")
    if not data:
        return None
    if len(data) > MAX_LINE_BYTES:
        raise InvalidInput(f"the line is longer than {MAX_LINE_BYTES:,} bytes, the most allowed")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"the line is not UTF-8 ({error.reason} at {error.start}); save it as UTF-8") from None
    return read_record(parse_json(text), zone=zone, line=number)


def _report(path: str, faults: list[tuple[int, str]]) -> UnreadableDocument:
    shown = "; ".join(f"line {number}: {why}" for number, why in faults[:_SHOWN])
    more = f"; and {len(faults) - _SHOWN} more lines" if len(faults) > _SHOWN else ""
    return UnreadableDocument(f"{path}, {shown}{more}", path=path, place=faults[0][0])
