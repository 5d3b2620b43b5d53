"""Stamps a gold set with the texts that were judged, so that a later check can tell what no longer says the same."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from hybridkb.errors import InvalidGoldSet, InvalidInput, UnreadableDocument
from hybridkb.evaluation.gold_entries import parse_json
from hybridkb.evaluation.gold_reading import file_lines, read_gold_set
from hybridkb.evaluation.targets import Target, resolve_targets
from hybridkb.library import HybridLibrary


@dataclass(frozen=True, slots=True)
class StampReport:
    """What was stamped.

    Attributes:
        path: the file written.
        stamped: answers whose text is noted now.
        unchanged: of those, how many were noted just so before.
        missing: answers that cannot be found, as the gold set writes them; they are left as they were.
    """

    path: str
    stamped: int
    unchanged: int
    missing: tuple[str, ...]


def stamp_of(target: Target) -> str | None:
    """Name what a judgement points at now: its text, or, of several, all of them. None when there is nothing."""
    if not target.texts:
        return None
    if len(target.texts) == 1:
        return target.texts[0].hex()
    return blake2b(b"".join(target.texts), digest_size=16).hexdigest()


def is_stale(target: Target) -> bool:
    """Whether a judgement points at another text than was judged, as far as the gold set says which that was."""
    judged, stamp = target.judgement.text_hash, stamp_of(target)
    return judged is not None and stamp is not None and stamp != judged


def stamp_gold_set(
    library: HybridLibrary, path: str | os.PathLike[str], *, output: str | os.PathLike[str] | None = None
) -> StampReport:
    """Write ``text_hash`` beside every answer of a gold set; everything else in the file stays as it is.

    Args:
        library: what the answers are in, as it is now.
        path: a file of JSON Lines.
        output: where to write; the file itself when None, replaced in one step.

    Raises:
        InvalidGoldSet: a folder cannot be stamped.
        UnreadableDocument: a line cannot be read; nothing was written.
    """
    source, target = os.fspath(path), os.fspath(output if output is not None else path)
    if Path(source).is_dir():
        raise InvalidGoldSet(f"{source}: a folder of judgements has no place for stamps; use JSON Lines", path=source)
    gold = read_gold_set(source, zone=library.settings.zone)
    resolved = iter(resolve_targets(library, gold, k=1))
    stamped = unchanged = 0
    missing: list[str] = []
    records = read_lines(source)
    for fields in records:
        targets = iter(next(resolved).targets)
        for entry, one in zip(_entries(fields), targets, strict=True):
            stamp = stamp_of(one)
            if stamp is None:
                missing.append(one.judgement.written)
                continue
            stamped += 1
            unchanged += entry.get("text_hash") == stamp
            entry["text_hash"] = stamp
    write_lines(target, records)
    return StampReport(target, stamped, unchanged, tuple(missing))


def _entries(fields: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The answers of a record in the order in which they are read, each made an object that can be stamped."""
    relevant = [_as_object(entry) for entry in fields.get("relevant") or []]
    if "relevant" in fields:
        fields["relevant"] = relevant
    yield from relevant
    yield from fields.get("candidates") or []


def _as_object(entry: Any) -> dict[str, Any]:
    if isinstance(entry, Mapping):
        return dict(entry)
    if isinstance(entry, str):
        return {"locator" if ":" in entry else "item": entry}
    slug, chunk = entry
    return {"slug": slug, "chunk": chunk}


def read_lines(path: str) -> list[dict[str, Any]]:
    """The objects of a file of JSON Lines, as they are written.

    Raises:
        UnreadableDocument: the file or a line cannot be read.
    """
    found = []
    for number, line in enumerate(file_lines(path), start=1):
        if not line.strip():
            continue
        try:
            fields = parse_json(line.decode())
            if not isinstance(fields, dict):
                raise InvalidInput("a record is a JSON object")
        except (InvalidInput, UnicodeDecodeError) as error:
            raise UnreadableDocument(f"{path}, line {number}: {error}", path=path, place=number) from error
        found.append(fields)
    return found


def write_lines(path: str, records: Iterable[Mapping[str, Any]]) -> None:
    """Write objects as JSON Lines. A file is replaced in one step, when all are there; it keeps its permissions.

    Raises:
        UnreadableDocument: the file cannot be written. What the records raise is passed on; the file is as it was.
    """
    target = os.path.realpath(path)
    straight = os.path.exists(target) and not os.path.isfile(target)  # a pipe or a device is nothing to replace
    partial = target if straight else f"{target}.partial"
    try:
        with open(partial, "w", encoding="utf-8") as file:
            for record in records:
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
        if not straight:
            _put_in_place(partial, target)
    except BaseException as error:
        if not straight:
            with suppress(OSError):
                os.unlink(partial)
        if isinstance(error, OSError):
            raise UnreadableDocument(f"{path} cannot be written: {error.strerror or error}", path=path) from error
        raise


def _put_in_place(partial: str, target: str) -> None:
    if os.path.exists(target):
        shutil.copymode(target, partial)
    os.replace(partial, target)
