"""A study over time that comes out the same, to the byte, whatever becomes known later.

    python examples/backtest.py                     # a small corpus of an invented central bank, in this file
    python examples/backtest.py fomc/corpus.jsonl.gz   # JSON Lines: _id, title, text, metadata.date, metadata.doc_type

The question: does the central bank speak more of inflation or of employment? For the
first day of each month a *snapshot* of the library is handed to the study, which cannot
see further. The study runs once while the library holds the earlier half of the
documents, and again after the later half was added. Words only: no model is needed.

When could a researcher have had a document? Its date alone does not say. The rule used here:

* statement: its day, 14:00 New York time (14:15 before 2013, when they came out later in the day);
* press conference: its day, 15:30 New York time: it begins at 14:30 and lasts an hour;
* speech: the end of its day in New York, since the hour is not known;
* minutes: three weeks after the meeting, 14:00 New York time. That is the practice since the meeting of December
  2004; earlier minutes came out after the *next* meeting, so for those 60 days are taken, which is never too soon.

Where a rule is uncertain it errs towards the later time, that is towards seeing less.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from hybridkb import HybridLibrary
from hybridkb.knowledge import Note, SourceRef, stable_id
from hybridkb.snapshot import Snapshot

NEW_YORK = ZoneInfo("America/New_York")
QUICK_MINUTES = date(2004, 12, 14)
INFLATION = re.compile(r"\b(?:inflation\w*|price\w*|cost\w*)\b", re.IGNORECASE)
EMPLOYMENT = re.compile(r"\b(?:employ\w*|unemploy\w*|job\w*|labor|wage\w*)\b", re.IGNORECASE)


def available_at(day: date, doc_type: str) -> datetime:
    """When the document could first be read, by the rule above."""
    if doc_type == "statement":
        return datetime.combine(day, time(14, 0) if day.year >= 2013 else time(14, 15), NEW_YORK)
    if doc_type == "press_conference":
        return datetime.combine(day, time(15, 30), NEW_YORK)
    if doc_type == "minutes":
        wait = timedelta(days=21 if day >= QUICK_MINUTES else 60)
        return datetime.combine(day + wait, time(14, 0), NEW_YORK)
    return datetime.combine(day, time.max, NEW_YORK)


def to_note(document: dict[str, Any]) -> Note:
    """Turn a document into an item: what it is about, and when it could be had, are two times."""
    card = document["metadata"]
    day = date.fromisoformat(card["date"])
    return Note(
        id=stable_id("central bank", document["_id"]),
        title=document["title"],
        body=document["text"],
        as_of=datetime.combine(day, time.min, NEW_YORK),
        available_at=available_at(day, card["doc_type"]),
        source=SourceRef(kind="http"),
        tags=(card["doc_type"],),
    )


def per_thousand(words: re.Pattern[str], text: str) -> float:
    """How often such words occur in a thousand."""
    return 1000 * len(words.findall(text)) / max(1, len(text.split()))


def look(snapshot: Snapshot) -> str:
    """The strategy: what the best ten documents of the last year say. It is handed nothing but the snapshot."""
    recent: dict[str, Any] = {
        "available_at_after": snapshot.at - timedelta(days=365), "mode": "lexical", "collapse": "item",
    }  # fmt: skip
    hits = {
        hit.locator: hit
        for question in ("inflation and price pressures", "employment and the labor market")
        for hit in snapshot.search(question, top_k=10, **recent)
    }
    inflation = sum(per_thousand(INFLATION, hit.matched_text) for hit in hits.values()) / max(1, len(hits))
    employment = sum(per_thousand(EMPLOYMENT, hit.matched_text) for hit in hits.values()) / max(1, len(hits))
    late = max((hit.available_at for hit in hits.values() if hit.available_at), default=snapshot.at)
    assert late <= snapshot.at
    return (
        f"{snapshot.at:%Y-%m}  documents {snapshot.stats().items:4}  inflation {inflation:7.3f}  employment "
        f"{employment:7.3f}  balance {inflation - employment:+8.3f}  rests on {snapshot.fingerprint[:12]}\n"
    )


def months(first: datetime, last: datetime) -> Iterator[datetime]:
    """The first instant of each month after ``first``, up to ``last`` (UTC)."""
    moment = datetime(first.year, first.month, 1, tzinfo=UTC)
    while True:
        moment = (moment + timedelta(days=32)).replace(day=1)
        if moment > last:
            return
        yield moment


def study(library: HybridLibrary, moments: Iterable[datetime]) -> str:
    """Walk through time."""
    return "".join(look(library.snapshot(at=moment)) for moment in moments)


def read_corpus(path: Path | None) -> list[Note]:
    """Read the documents, earliest availability first."""
    if path is None:
        documents = list(invented_documents())
    else:
        with (gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8")) as file:
            documents = [json.loads(line) for line in file]
    notes = [to_note(document) for document in documents]
    return sorted(notes, key=lambda note: (note.available_at or datetime.max, str(note.id)))


def main(arguments: list[str]) -> int:
    """Run the study twice, with later documents put in between; exit code 1 when it came out otherwise."""
    notes = read_corpus(Path(arguments[0]) if arguments else None)
    half = len(notes) // 2
    first, today = notes[0].available_at, notes[half - 1].available_at
    assert first is not None
    assert today is not None
    moments = list(months(first, today))
    with tempfile.TemporaryDirectory() as folder, HybridLibrary.open(f"{folder}/bank.db", embedder=None) as library:
        library.put_many(notes[:half])
        before = study(library, moments)
        held = library.snapshot(at=moments[-1])
        library.put_many(notes[half:])
        after = study(library, moments)
        assert not held.changed
    sys.stdout.write(after)
    digests = [hashlib.sha256(run.encode()).hexdigest()[:16] for run in (before, after)]
    print(f"\n{len(moments)} months, {half} documents, then {len(notes) - half} later ones were added")
    print(f"first run {digests[0]}, second run {digests[1]}: {'identical' if before == after else 'DIFFERENT'}")
    return int(before != after)


def invented_documents() -> Iterator[dict[str, Any]]:
    """Two and a half years of an invented central bank, so that the example runs anywhere."""
    moods = (
        ("Inflation moved up again and price pressures broadened; the labor market stayed calm.", 5, 1),
        ("Costs of energy drove prices, and inflation expectations are being watched.", 4, 1),
        ("Employment grew at a steady pace while inflation was near its goal.", 2, 3),
        ("Job losses mounted, unemployment rose, and wages stood still.", 1, 6),
        ("The labor market recovers slowly; prices rise little and inflation is below the goal.", 2, 5),
    )
    for meeting in range(20):
        day = date(2003, 11, 4) + timedelta(days=45 * meeting)
        text, inflation, employment = moods[meeting // 2 % len(moods)]
        body = " ".join(
            [text, f"The Committee met for the {meeting + 1}th time."]
            + ["Members spoke of inflation and of what firms pay for their inputs."] * inflation
            + ["Members spoke of employment and of people who look for a job."] * employment
        )
        for doc_type, offset in (("statement", 0), ("minutes", 0), ("speech", 12), ("press_conference", 1)):
            yield {
                "_id": f"{doc_type}-{day:%Y%m%d}",
                "title": f"{doc_type.replace('_', ' ').capitalize()} of the Committee",
                "text": f"{body} This is the {doc_type.replace('_', ' ')} number {meeting + 1}.",
                "metadata": {"date": (day + timedelta(days=offset)).isoformat(), "doc_type": doc_type},
            }


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
