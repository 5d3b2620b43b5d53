"""Findings about what was made later than a cutoff in use: models, what they wrote, tuned weights."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from hybridkb.audit.availability import MOST_EXAMPLES
from hybridkb.audit.models import released
from hybridkb.audit.report import Example, Finding, ModelUse, make_finding
from hybridkb.database import Connection
from hybridkb.knowledge.times import from_microseconds, to_microseconds
from hybridkb.store.canonical import unpack_payload
from hybridkb.vector.spaces import stored_spaces

_STEP = 1000
_NEVER = 2**62


@dataclass(slots=True)
class _Written:
    """Revisions written by models, counted while they are read."""

    by_model: Counter[str] = field(default_factory=Counter)
    newer: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    newer_examples: list[Example] = field(default_factory=list)
    unknown_examples: list[Example] = field(default_factory=list)


def embedding_models(connection: Connection) -> list[ModelUse]:
    """The models whose spaces are in the library, retired ones left out."""
    return [
        ModelUse(
            stored.space.model,
            "embedding",
            released(stored.space.model),
            int(connection.value("vector/count_embeddings", {"space_no": stored.number})),
        )
        for stored in stored_spaces(connection)
        if stored.state != "retired"
    ]


def look_ahead_findings(
    connection: Connection, embedding: Sequence[ModelUse], cutoffs: Sequence[int]
) -> Iterator[Finding | ModelUse]:
    """Compare models and settings with the cutoffs (ascending, at least one); yield writing models as well."""
    yield from _spaces(embedding, cutoffs)
    written = _read_written(connection, cutoffs)
    for model, count in sorted(written.by_model.items()):
        yield ModelUse(model, "writing", released(model), count)
    yield from _by_model("written_by_newer_model", written.newer, written.newer_examples)
    yield from _by_model("written_by_unknown_model", written.unknown, written.unknown_examples)
    yield from _settings(connection, cutoffs)


def _spaces(models: Sequence[ModelUse], cutoffs: Sequence[int]) -> Iterator[Finding]:
    newer = [one for one in models if one.released is not None and cutoffs[0] < _known_from(one.released)]
    unknown = [one for one in models if one.released is None]
    for kind, found in (("newer_embedding_model", newer), ("unknown_embedding_model", unknown)):
        examples = [
            Example(one.model, f"{one.count} texts embedded", {"released": _day(one.released)}) for one in found
        ]
        yield from _by_model(kind, Counter(one.model for one in found), examples)


def _by_model(kind: str, counts: Counter[str], examples: Sequence[Example]) -> Iterator[Finding]:
    if counts:
        yield make_finding(
            kind, counts.total(), groups={"model": dict(sorted(counts.items()))}, examples=tuple(examples)
        )


def _read_written(connection: Connection, cutoffs: Sequence[int]) -> _Written:
    """Read the extraction of every revision that some cutoff sees."""
    written, after = _Written(), 0
    while rows := connection.rows("audit/payloads", {"after": after, "last": cutoffs[-1], "limit": _STEP}):
        for revision_no, item_id, available_at, until, payload in rows:
            after = revision_no
            model = _writer(unpack_payload(payload, item_id))
            place = bisect_left(cutoffs, available_at)
            if model is not None and place < len(cutoffs) and cutoffs[place] < (until or _NEVER):
                _count(written, model, item_id, available_at, cutoffs[place])
    return written


def _writer(data: bytes) -> str | None:
    if b'"extraction":{' not in data:
        return None
    extraction = json.loads(data).get("extraction") or {}
    return extraction.get("model") or None


def _count(written: _Written, model: str, item_id: str, available_at: int, first_cutoff: int) -> None:
    written.by_model[model] += 1
    day = released(model)
    if day is not None and first_cutoff >= _known_from(day):
        return
    counts, examples = (
        (written.unknown, written.unknown_examples) if day is None else (written.newer, written.newer_examples)
    )
    counts[model] += 1
    if len(examples) < MOST_EXAMPLES:
        times = {"available_at": from_microseconds(available_at), "released": _day(day)}
        examples.append(Example(item_id, f"written by {model}", times))


def _settings(connection: Connection, cutoffs: Sequence[int]) -> Iterator[Finding]:
    rows = connection.rows("audit/settings_after", {"cutoff": cutoffs[0]})
    examples = [Example(None, detail, {"recorded_at": from_microseconds(at)}) for at, detail in rows]
    if examples:
        yield make_finding("newer_settings", len(examples), examples=tuple(examples))


def _day(day: date | None) -> datetime | None:
    return None if day is None else datetime(day.year, day.month, day.day, tzinfo=UTC)


def _known_from(day: date) -> int:
    """The first instant after a day; a model released on it counts as newer than every cutoff before."""
    return to_microseconds(datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1))
