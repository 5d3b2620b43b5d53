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
    queries = dict(_queries(folder / QUERIES))
    judged: dict[str, list[Judgement]] = {}
    for number, (query, document, grade) in _judgements(path):
        if query not in queries:
            raise UnreadableDocument(
                f"{path}, line {number}: {QUERIES} holds no query {query!r}", path=str(path), place=number
            )
        judged.setdefault(query, []).append(
            Judgement(f"item:{beir_item_id(document, collection)}", grade=grade, written=document)
        )
    records = (GoldRecord(queries[query], tuple(answers), id=query) for query, answers in judged.items())
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


def _queries(path: Path) -> Iterator[tuple[str, str]]:
    for number, line in _lines(path):
        try:
            fields = parse_json(line)
            if not isinstance(fields, Mapping) or not all(
                isinstance(fields.get(key), str) and fields[key] for key in ("_id", "text")
            ):
                raise InvalidInput('a query needs "_id" and "text"')
        except InvalidInput as error:
            raise UnreadableDocument(f"{path}, line {number}: {error}", path=str(path), place=number) from error
        yield fields["_id"], fields["text"]


def _judgements(path: Path) -> Iterator[tuple[int, tuple[str, str, int]]]:
    """Query, document and grade; what is below 0 counts as 0. The first line may be a heading."""
    for number, line in _lines(path):
        cells = line.split("\t")
        try:
            query, document, grade = cells
            yield number, (query, document, max(0, int(grade)))
        except ValueError:
            if number > 1:
                raise UnreadableDocument(
                    f"{path}, line {number}: expected query, document and a whole number between tabs, got {line!r}",
                    path=str(path),
                    place=number,
                ) from None


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
