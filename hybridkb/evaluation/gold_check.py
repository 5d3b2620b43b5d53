"""Which judgements no longer point at what was judged? Items leave, chunks shift, texts are edited."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from hybridkb.errors import InvalidGoldSet, NotFound
from hybridkb.evaluation.gold_reading import GoldArgument, load_gold_set
from hybridkb.evaluation.gold_set import GoldRecord, Judgement
from hybridkb.evaluation.stamping import stamp_of
from hybridkb.evaluation.targets import ResolvedRecord, Target, resolve_targets
from hybridkb.knowledge.times import from_microseconds
from hybridkb.library import HybridLibrary, parts_of

State = Literal["good", "unstamped", "changed", "moved", "hidden", "chunk_gone", "quote_gone", "gone"]

MEANINGS: dict[State, str] = {
    "good": "points at the text that was judged",
    "unstamped": "points at a text, but the gold set does not say which was judged: stamp it",
    "changed": "the text there is another than was judged",
    "moved": "the text that was judged stands elsewhere now",
    "hidden": "the library holds it, and the query's filters or cutoff hide it",
    "chunk_gone": "the document is there, the chunk is not",
    "quote_gone": "the document is there, no passage of it holds the quote",
    "gone": "the document is not there",
}
FAULTS: tuple[State, ...] = ("changed", "moved", "hidden", "chunk_gone", "quote_gone", "gone")


@dataclass(frozen=True, slots=True)
class GoldFinding:
    """A judgement that should be looked at.

    Attributes:
        line: of the gold set; 0 when it came from no file.
        query: the query's text. answer: the judgement, as the gold set writes it.
        state: see ``MEANINGS``.
        detail: what happened, as far as it can be told.
        now_at: addresses at which the text that was judged stands now.
    """

    line: int
    query: str
    answer: str
    state: State
    detail: str
    now_at: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GoldCheckReport:
    """What a check of a gold set found.

    Attributes:
        gold: its name. queries, judgements: how many it holds.
        states: how many judgements are in each state.
        findings: every judgement that is not good, stamped or not.
    """

    gold: str
    queries: int
    judgements: int
    states: dict[str, int]
    findings: tuple[GoldFinding, ...]

    @property
    def ok(self) -> bool:
        """Whether every judgement points at something, and, as far as it is stamped, at what was judged."""
        return not any(self.states.get(state) for state in FAULTS)

    def as_dict(self) -> dict[str, Any]:
        """Everything, as JSON holds it; it names queries."""
        return {**asdict(self), "ok": self.ok}


def check_gold_set(library: HybridLibrary, gold: GoldArgument = None, *, collection: str = "") -> GoldCheckReport:
    """Compare every judgement with what the library shows to its query now, or at the query's cutoff.

    Args:
        library: where the answers should be.
        gold, collection: as in ``evaluate``.

    Raises:
        InvalidGoldSet, UnreadableDocument: it is not there, cannot be read, or holds no query.
    """
    found = load_gold_set(gold, zone=library.settings.zone, collection=collection)
    if len(found) == 0:
        raise InvalidGoldSet(
            f"{found.name} holds no query: there is nothing to check; write records of JSON Lines into it, one a query "
            "(docs/evaluation.md)",
            reasons=("it holds no query",),
        )
    checked = [_check(library, one) for one in resolve_targets(library, found, k=1)]
    findings = [finding for record in checked for finding in record]
    states = Counter(one.state for one in findings)
    return GoldCheckReport(
        gold=found.name,
        queries=len(found),
        judgements=len(findings),
        states={state: states[state] for state in MEANINGS if states[state]},
        findings=tuple(one for one in findings if one.state != "good"),
    )


def _check(library: HybridLibrary, one: ResolvedRecord) -> list[GoldFinding]:
    return [_finding(library, one.record, target) for target in one.targets]


def _finding(library: HybridLibrary, record: GoldRecord, target: Target) -> GoldFinding:
    judgement, stamp = target.judgement, stamp_of(target)
    state: State = "good"
    detail = ""
    now_at: tuple[str, ...] = ()
    if stamp is None:
        state, detail = _missing(library, record, target)
    elif judgement.text_hash is None:
        state = "unstamped"
    elif stamp != judgement.text_hash:
        state = "changed"
    if state in ("changed", "chunk_gone", "gone") and judgement.text_hash is not None:
        now_at = _elsewhere(library, record, judgement)
        state = "moved" if now_at else state
    return GoldFinding(
        record.line, record.query, judgement.written or judgement.name, state, detail or MEANINGS[state], now_at
    )


def _missing(library: HybridLibrary, record: GoldRecord, target: Target) -> tuple[State, str]:
    """Why a judgement points at nothing."""
    judgement, cutoff = target.judgement, record.filters.cutoff
    if judgement.document_path is not None and not target.visible:
        return ("hidden" if cutoff is not None and target.held else "gone"), ""
    if judgement.document_path is not None:
        return ("quote_gone" if judgement.quote else "hidden"), ""
    try:
        library.get(judgement.owner.partition(":")[2], at=None if cutoff is None else from_microseconds(cutoff))
    except NotFound as error:
        return ("hidden" if cutoff is not None and target.held else "gone"), str(error)
    if judgement.quote is not None:
        return "quote_gone", ""
    return ("hidden" if target.visible or judgement.member is None else "chunk_gone"), ""


def _elsewhere(library: HybridLibrary, record: GoldRecord, judgement: Judgement) -> tuple[str, ...]:
    """Where the text that was judged stands now, visible to the query's cutoff."""
    parts = parts_of(library)
    with parts.follower.follow(parts.database) as (connection, resident):
        mask = resident.visibility(record.filters.cutoff).mask
        rows: Sequence[Any] = connection.rows("gold/records_of_text", {"hashes": json.dumps([judgement.text_hash])})
        return tuple(locator for _, record_id, locator in rows if mask[record_id] and locator != judgement.name)
