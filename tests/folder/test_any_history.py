"""Whatever happens to a folder: searches now are those of a fresh index, and no past answer ever changes.

The past may be added to by who says so: a new file, or a later date, that names an instant before the last refresh.
That is back-fill, on purpose, so here dates are either after the last refresh, or not after what is known already.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from folder.desk import START, Desk, later
from support.fake_embedder import HashEmbedder

NAMES = st.sampled_from(["a.md", "b.md", "c.txt", "sub/a.md", "sub/d.md", "sub/deep/e.md"])
TEXTS = st.sampled_from(["copper", "copper wheat", "wheat\n\n# Part\n\ncopper gap", "# Part\n\ngap", "gap filled"])
pytestmark = pytest.mark.slow
QUERIES = ("copper", "wheat gap", "part", "filled")
STALE = "---\navailable_at: 2020-01-01T00:00:00Z\n---\n"


class AnyHistory(RuleBasedStateMachine):
    """A folder to which anything happens, and its index."""

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp())
        self.desk = Desk(self.place, embedder=HashEmbedder(8))
        self.pasts: dict[int, list[object]] = {}
        self.day = 0
        self.dated: set[str] = set()  # paths whose item is of known availability
        self.written: set[str] = set()  # since the last refresh

    def path(self, name: str) -> Path:
        return self.desk.folder / name

    @rule(name=NAMES, text=TEXTS, date=st.sampled_from(["none", "fresh", "stale"]))
    def write(self, name: str, text: str, date: str) -> None:
        if date == "fresh":
            text = f"---\navailable_at: {later(self.day + 0.5).isoformat()}\n---\n{text}"
        elif date == "stale" and name in self.dated:
            text = STALE + text
        self.desk.write(name, text)
        self.written.add(name)

    @rule(name=NAMES)
    def write_noise(self, name: str) -> None:
        self.desk.write(name, bytes(range(256)) * 20)
        self.written.add(name)

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        if self.path(name).exists():
            self.desk.remove(name)
            self.written.discard(name)

    @rule(name=NAMES, other=NAMES)
    def move(self, name: str, other: str) -> None:
        if name != other and self.path(name).exists() and name not in self.written:
            self.path(other).parent.mkdir(parents=True, exist_ok=True)
            os.replace(self.path(name), self.path(other))
            self.written.discard(other)

    @rule(name=NAMES, other=NAMES)
    def exchange(self, name: str, other: str) -> None:
        both = {name, other}
        if len(both) == 2 and all(self.path(one).exists() for one in both) and not both & self.written:
            aside = self.place / "aside"
            os.replace(self.path(name), aside)
            os.replace(self.path(other), self.path(name))
            os.replace(aside, self.path(other))

    @rule(name=NAMES)
    def touch(self, name: str) -> None:
        if self.path(name).exists():
            os.utime(self.path(name))

    @rule()
    def refresh(self) -> None:
        self.day += 1
        self.desk.now = START + timedelta(days=self.day)
        self.desk.refresh()
        self.written.clear()
        items = self.desk.library.list_items().items
        self.dated |= {item.path or "" for item in items if item.available_at is not None}
        assert self.now(self.desk) == self.fresh()
        for day, answers in self.pasts.items():
            assert self.desk.answers(day, *QUERIES) == answers, f"the past of day {day} changed"
        self.pasts[self.day] = self.desk.answers(self.day, *QUERIES)

    def now(self, desk: Desk) -> list[object]:
        return [
            [(hit.path, hit.heading, hit.snippet, hit.score) for hit in desk.knowledge.search(query, 50, mode=mode)]
            for query in QUERIES
            for mode in ("lexical", "hybrid")
        ]  # type: ignore[list-item]

    def fresh(self) -> list[object]:
        place = Path(tempfile.mkdtemp(dir=self.place))
        desk = Desk(place, embedder=HashEmbedder(8))
        desk.folder.rmdir()
        desk.folder = self.desk.folder
        desk.knowledge = desk.base()
        try:
            return self.now(desk)
        finally:
            desk.knowledge.close()
            shutil.rmtree(place)

    def teardown(self) -> None:
        try:
            if self.day:
                report = self.desk.library.check()
                assert report.ok, report.findings
        finally:
            self.desk.knowledge.close()
            shutil.rmtree(self.place)


TestAnyHistory = AnyHistory.TestCase
TestAnyHistory.settings = settings(max_examples=15, stateful_step_count=30, deadline=None)
