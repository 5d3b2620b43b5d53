"""The same knowledge on SQLite and on PostgreSQL: every answer of one is that of the other, to the last bit.

What is random here is what befalls both libraries and what they are asked. The engines' own tests compare each of them
with the reference; this one also compares what the reference does not know: snippets, fingerprints, lists, exports.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from hybridkb import HybridLibrary, SearchResults
from hybridkb.errors import HybridKBError
from hybridkb.filters.filters import FILTER_NAMES
from hybridkb.knowledge import Provenance, SourceRef
from oracles.items import day, document, item_id, note
from properties.test_engine_equals_reference import DIMENSIONS, MODES, write
from properties.worlds import Question, Step, Upkeep, questions, steps
from support.fake_embedder import HashEmbedder
from support.postgres import Namespaces

EXAMPLES = int(os.environ.get("HYBRIDKB_EXAMPLES", "25"))


_SECONDS = re.compile(r"seconds=[0-9.e-]+")


class Both:
    """One library on each engine, kept in step."""

    def __init__(self, *addresses: str) -> None:
        self.addresses = addresses
        self.embedders = [HashEmbedder(DIMENSIONS) for _ in addresses]
        self.embedder_answers = True
        self.opened = self._open()

    def _open(self) -> list[HybridLibrary]:
        return [
            HybridLibrary.open(address, embedder=embedder, clock=lambda: day(400))
            for address, embedder in zip(self.addresses, self.embedders, strict=True)
        ]

    def close(self) -> None:
        for library in self.opened:
            library.close()

    def take(self, step: Step) -> None:
        match step:
            case Upkeep(kind="reopen"):
                self.close()
                self.opened = self._open()
            case Upkeep(kind="embedder fails" | "embedder answers"):
                self.embedder_answers = step.kind == "embedder answers"
            case Upkeep():
                self.same(lambda library: keep_up(library, step.kind))
            case _:
                for embedder in self.embedders:
                    embedder.fail_with = None if self.embedder_answers else ConnectionError("down")
                self.same(lambda library: write(library, step))
                for embedder in self.embedders:
                    embedder.fail_with = None

    def same(self, ask: Callable[[HybridLibrary], Any]) -> None:
        """Both give the same, or refuse in the same words."""
        sqlite, postgres = (outcome(library, ask) for library in self.opened)
        assert postgres == sqlite

    def compare(self, asked: list[Question]) -> None:
        for question in asked:
            for mode in MODES:
                self.same(lambda library, mode=mode, question=question: found(library, mode, question))
            self.same(lambda library, question=question: library.count(**question.filters))
            self.same(lambda library, question=question: library.list_items(**question.filters))
        for look in LOOKS.values():
            self.same(look)


def outcome(library: HybridLibrary, ask: Callable[[HybridLibrary], Any]) -> str:
    """What is given, or the error, in writing; what an engine says of itself is left out."""
    try:
        return _SECONDS.sub("seconds=", repr(ask(library)))
    except HybridKBError as error:
        return f"{type(error).__name__}: {error}".replace(library.path, "PATH")


def keep_up(library: HybridLibrary, kind: str) -> Any:
    match kind:
        case "rebuild":
            return library.rebuild()
        case "optimize":
            return library.optimize()
        case "embed pending":
            return library.embed_pending()
    return found(library, "hybrid", Question("copper supply", 5, None, None, None, "any", {}))  # type: ignore[arg-type]


def found(library: HybridLibrary, mode: str, question: Question) -> SearchResults:
    return library.search(
        question.text, mode=mode, top_k=question.top_k, fusion=question.fusion, collapse=question.collapse,
        min_score=question.min_score, match=question.match, **question.filters,
    )  # type: ignore[arg-type] # fmt: skip


def counts(library: HybridLibrary) -> dict[str, Any]:
    stats = library.stats()
    engine = ("file_bytes", "sqlite", "sqlite_vec", "engine", "postgres", "pgvector", "server")
    return {name: getattr(stats, name) for name in stats.__slots__ if name not in engine}


LISTED = sorted(set(FILTER_NAMES) & {
    "item_types", "artifact_kinds", "source_kinds", "sources", "kinds", "verdicts", "confidence", "tags", "tickers",
    "periods", "collections", "path_prefix",
})  # fmt: skip
LOOKS: dict[str, Callable[[HybridLibrary], Any]] = {
    "check": lambda library: library.check(),
    "counts": counts,
    "audit": lambda library: library.audit(since=day(3), cutoffs=[day(2), day(6)]),
    "export": lambda library: sorted(library.export()),
    "inventory": lambda library: library.inventory(),
    "items": lambda library: library.list_items(),
    "values": lambda library: [library.list_values(name) for name in LISTED],
    "history": lambda library: [library.history(item.item_id) for item in library.list_items().items],
    "snapshot": lambda library: (
        library.snapshot(at=day(5)).fingerprint,
        library.snapshot(at=day(5)).stats(),
        library.snapshot(at=day(5)).search("copper supply"),
    ),
    "settings": lambda library: library.settings,
}




@settings(max_examples=EXAMPLES, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(what_befell=steps, asked=st.lists(questions, min_size=1, max_size=4))
def test_both_engines_answer_the_same(
    all_namespaces: Namespaces, what_befell: list[Step], asked: list[Question]
) -> None:
    with tempfile.TemporaryDirectory() as folder, all_namespaces.borrowed():
        both = Both(str(Path(folder) / "library.db"), all_namespaces.fresh())
        try:
            both.take(Upkeep("search"))
            for step in what_befell:
                both.take(step)
            both.compare(asked)
            both.take(Upkeep("rebuild"))
            both.compare(asked)
        finally:
            both.close()


ODD = (
    "\0", "a\0b", "\ufdd0", "\ufdd1\0\ufdd0", "\\u0000", "\\\\u0000", "[\\ufdd0]", "\ud7ff\ue000", "ß ſ ﬁ", "𝔘𝔫𝔦", "'",
    "naïve", '"', "\\", "%s %(x)s", ":x ?", "{}", "$1", "NULL", "\u202e", "é", "e\u0301", "Ω", "\ufeff",
    "用户", "ｆｕｌｌ", "\x7f\x01", "I İ ı", "--", "/* */", "; DROP",
)  # fmt: skip


def test_odd_characters_are_kept_and_ordered_alike(all_namespaces: Namespaces, tmp_path: Path) -> None:
    with all_namespaces.borrowed():
        both = Both(str(tmp_path / "library.db"), all_namespaces.fresh())
        for number, text in enumerate(ODD):
            source = SourceRef(kind="local", uri=f"a/{text}")
            card = Provenance("scout", kind=text.strip()[:100] or "none", link=f"l{text}")
            fields = {"source": source, "provenance": card}
            fields |= {"tags": (text,) if text.strip() else (), "body": f"copper {text} {text}x", "title": f"t {text}"}
            both.same(lambda library, n=number, f=fields: library.put(note(n, available_at=day(n % 5), **f)))
            path = f"desk/{text}.md"
            both.same(lambda library, n=number, p=path: library.put(document(f"d{n}", ["supply"], path=p)))
        queries = (*ODD, *(f'"copper {odd}"' for odd in ODD))
        asked = [Question(text, 50, None, None, None, "any", {}) for text in queries]
        tagged = [Question("copper", 50, None, None, None, "any", {"tags": [odd]}) for odd in ODD if odd.strip()]
        paths = [Question("supply", 50, None, None, None, "any", {"path_prefix": f"desk/{odd}.md"}) for odd in ODD]
        both.compare([*asked, *tagged, *paths])  # type: ignore[list-item]
        both.same(lambda library: [library.get(item_id(number)) for number in range(3)])
        assert len(both.opened[0].list_items().items) > len(ODD)
        both.close()
