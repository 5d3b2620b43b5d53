"""What an audit says: findings, each of one kind and severity, with counts and examples."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date, datetime
from typing import Any, Literal

Severity = Literal["severe", "note"]

KINDS: dict[str, tuple[Severity, str]] = {
    "unknown_availability": ("note", "available_at is unknown: no search with a cutoff ever finds these"),
    "available_before_publication": ("severe", "observable before the source was published: searches look ahead"),
    "as_of_after_available": ("severe", "represents knowledge later than it was observable: one of the times is wrong"),
    "back_filled": ("note", "recorded more than a day after it became available: the library did not hold it then"),
    "purge": ("note", "erased: answers that showed it cannot be had again"),
    "edit_of_the_past": ("note", "what the library holds about an earlier time was changed"),
    "written_by_newer_model": ("severe", "written by a model released after a cutoff in use: the text may know more"),
    "written_by_unknown_model": ("note", "written by a model of unknown age"),
    "newer_embedding_model": ("note", "the embedding model was released after a cutoff in use"),
    "unknown_embedding_model": ("note", "the age of the embedding model is unknown"),
    "newer_settings": ("note", "ranking or fusion was set after a cutoff in use: look-ahead if tuned on later data"),
}
"""Every kind of finding: its severity, and what it means.

Severe is what shows text or dates that could not be had, and what changed answers that
someone relied on. A note hides something, or only decides which observable texts come first.
"""

SEVERE_WITH_SINCE = ("back_filled", "purge", "edit_of_the_past")
"""Severe when ``since`` is given: answers given at that time can no longer be had."""


@dataclass(frozen=True, slots=True)
class Example:
    """One case.

    Attributes:
        subject: the item's id, or the model's name; None for what concerns the whole library.
        detail: what else there is to say.
        times: the times in question (UTC), by name; None is unknown.
    """

    subject: str | None
    detail: str = ""
    times: Mapping[str, datetime | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    """All cases of one kind.

    Attributes:
        kind: see :data:`KINDS`.
        severity: ``"severe"`` or ``"note"``.
        message: what the kind means.
        count: how many cases there are.
        groups: counts by ``"item_type"``, ``"source_kind"``, ``"edit"``, ``"model"``, whichever apply.
        examples: some of the cases; of edits and purges the newest 1,000.
    """

    kind: str
    severity: Severity
    message: str
    count: int
    groups: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelUse:
    """A model whose work is in the library.

    Attributes:
        model: its name.
        role: ``"embedding"`` (its space is serving or being built) or ``"writing"`` (it extracted items).
        released: the day on which it became public, where hybridkb knows it.
        count: distinct texts embedded, or revisions written.
    """

    model: str
    role: Literal["embedding", "writing"]
    released: date | None
    count: int


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What an audit found.

    Attributes:
        findings: one for each kind that has cases; severe ones first.
        since: from when on edits were looked for; None is from the beginning (UTC).
        cutoffs: how many cutoffs were given; first_cutoff, last_cutoff: their range (UTC).
        models: models in use; writing models are looked for only when cutoffs are given.
        items, revisions: what the library holds.
    """

    findings: tuple[Finding, ...]
    since: datetime | None
    cutoffs: int
    first_cutoff: datetime | None
    last_cutoff: datetime | None
    models: tuple[ModelUse, ...]
    items: int
    revisions: int

    @property
    def severe(self) -> tuple[Finding, ...]:
        """The severe findings."""
        return tuple(finding for finding in self.findings if finding.severity == "severe")

    @property
    def ok(self) -> bool:
        """Whether no finding is severe."""
        return not self.severe

    def finding(self, kind: str) -> Finding | None:
        """The finding of this kind, if there are cases."""
        return next((finding for finding in self.findings if finding.kind == kind), None)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: times as ISO text, and ``"ok"``."""
        return {"ok": self.ok, **_plain(self)}

    def to_json(self) -> str:
        """:meth:`to_dict` as one JSON document."""
        return json.dumps(self.to_dict(), ensure_ascii=False)


def make_finding(
    kind: str,
    count: int,
    *,
    since: int | None = None,
    groups: Mapping[str, Mapping[str, int]] | None = None,
    examples: tuple[Example, ...] = (),
) -> Finding:
    """A finding with the severity and the meaning of its kind."""
    severity, message = KINDS[kind]
    if since is not None and kind in SEVERE_WITH_SINCE:
        severity = "severe"
    return Finding(kind, severity, message, count, groups or {}, examples)


def _plain(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {name: _plain(entry) for name, entry in value.items()}
    if isinstance(value, tuple):
        return [_plain(entry) for entry in value]
    if is_dataclass(value):
        return {entry.name: _plain(getattr(value, entry.name)) for entry in fields(value)}
    return value
