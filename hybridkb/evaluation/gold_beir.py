"""Judgements in the shape of the BEIR collections: ``queries.jsonl`` and ``qrels/NAME.tsv`` in one folder.

A document is the item that ``hybridkb add`` makes of a line of such a corpus.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from uuid import UUID

from hybridkb.errors import InvalidGoldSet, InvalidInput, UnreadableDocument
from hybridkb.evaluation.gold_entries import parse_json
from hybridkb.evaluation.gold_set import GoldRecord, GoldSet, Judgement
from hybridkb.knowledge import stable_id

QUERIES = "queries.jsonl"
JUDGEMENTS = "qrels"
DEFAULT = "test"


def beir_item_id(document: str, collection: str = "") -> UUID:
    """The id of the item that ``hybridkb add`` makes of a document's ``_id``."""
    return stable_id("beir", collection, document)


def is_beir_folder(folder: Path) -> bool:
    """Tell whether a folder holds queries and judgements."""
    return (folder / QUERIES).is_file() and (folder / JUDGEMENTS).is_dir()


def read_beir_folder(folder: Path, name: str | None = None, collection: str = "") -> GoldSet:
    """Read the judged queries of a folder; queries without a judgement are left out.

    Args:
        folder: holds ``queries.jsonl`` and ``qrels/``.
        name: which judgements; ``test``, or the only ones there, when None.
        collection: the ``--collection`` that the documents were added with.

    Raises:
        InvalidGoldSet: there are no such judgements.
        UnreadableDocument: a file or a line cannot be read.
    """
    path = folder / JUDGEMENTS / f"{_choose(folder, name)}.tsv"
    queries = _distinct_queries(folder / QUERIES)
    judged: dict[str, dict[str, Judgement]] = {}
    for number, (query, document, grade) in _judgements(path):
        if query not in queries:
            raise _unreadable(path, number, f"{QUERIES} holds no query {query!r}")
        one = Judgement(f"item:{beir_item_id(document, collection)}", grade=grade, written=document)
        if judged.setdefault(query, {}).setdefault(document, one) != one:
            raise _unreadable(path, number, f"{document!r} is judged twice for {query!r}, in two ways; keep one")
    records = (GoldRecord(queries[query], tuple(answers.values()), id=query) for query, answers in judged.items())
    return GoldSet(tuple(records), f"{folder}:{path.stem}")


def _choose(folder: Path, name: str | None) -> str:
    there = sorted(path.stem for path in (folder / JUDGEMENTS).glob("*.tsv"))
    wanted = name or (DEFAULT if DEFAULT in there or len(there) != 1 else there[0])
    if wanted not in there:
        raise InvalidGoldSet(
            f"{folder / JUDGEMENTS} holds no {wanted}.tsv; there are: {', '.join(there) or 'none'}. Write "
            "FOLDER:NAME to choose",
            tried=[str(folder / JUDGEMENTS / f"{wanted}.tsv")],
            path=str(folder),
        )
    return wanted


def _distinct_queries(path: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, name, text in _queries(path):
        if found.setdefault(name, text) != text:
            raise _unreadable(path, number, f"the query {name!r} stands there twice, with two texts; keep one")
    return found


def _unreadable(path: Path, number: int, reason: str) -> UnreadableDocument:
    return UnreadableDocument(f"{path}, line {number}: {reason}", path=str(path), place=number)


def _queries(path: Path) -> Iterator[tuple[int, str, str]]:
    """Line, id and text of each query."""
    for number, line in _lines(path):
        try:
            fields = parse_json(line)
            if not isinstance(fields, Mapping) or not all(
                isinstance(fields.get(key), str) and fields[key].strip() for key in ("_id", "text")
            ):
                raise InvalidInput('a query needs "_id" and "text"')
        except InvalidInput as error:
            raise _unreadable(path, number, str(error)) from error
        yield number, fields["_id"], fields["text"]


def _judgements(path: Path) -> Iterator[tuple[int, tuple[str, str, int]]]:
    """Query, document and grade; what is below 0 counts as 0. The first line may be a heading."""
    for place, (number, line) in enumerate(_lines(path)):
        cells = line.split("\t")
        try:
            query, document, grade = cells
            yield number, (query, document, max(0, int(grade)))
        except ValueError:
            if place > 0 or _is_number(cells[-1]):
                raise _unreadable(
                    path, number, f"expected query, document and a whole number between tabs, got {line!r}"
                ) from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableDocument(f"{path} cannot be read: {reason}", path=str(path)) from error
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.rstrip("\r")
        if stripped.strip():
            yield number, stripped
