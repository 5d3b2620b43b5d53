"""The knowledge base as a whole: modes, collapse, filters, what is degraded, what others did to its library."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from folder.desk import Desk, later
from hybridkb import INDEXED_SUFFIXES, AsyncHybridLibrary, HybridLibrary, KnowledgeBase, KnowledgeHit, RefreshCounts
from hybridkb.errors import DatabaseError, EmbedderUnavailable, InvalidFilter, InvalidQuery
from hybridkb.knowledge import Document, write_line
from oracles.items import note
from support.fake_embedder import HashEmbedder

KNOWN = "---\navailable_at: 2024-03-05T00:00:00Z\n---\n"


def test_the_first_values_of_hits_and_counts_are_those_people_write_down() -> None:
    hit = KnowledgeHit("a.md", "Heading", "the [gap]")
    assert (hit.path, hit.heading, hit.snippet, hit.page) == ("a.md", "Heading", "the [gap]", None)
    assert RefreshCounts(1, 2, 3) == RefreshCounts(indexed=1, removed=2, passages=3, unreadable=[], seconds=9.0)
    assert {".md", ".markdown", ".txt", ".csv", ".html", ".pdf"} <= set(INDEXED_SUFFIXES)


def test_keyword_mode_wants_every_word_if_any_passage_has_them(desk: Desk) -> None:
    desk.write("both.md", "copper and wheat")
    desk.write("one.md", "copper copper copper")
    assert desk.found("copper wheat") == ["both.md"]
    assert sorted(desk.found("copper zinc")) == ["both.md", "one.md"]
    assert sorted(desk.found("copper wheat", match="any")) == ["both.md", "one.md"]
    assert desk.found("zinc") == []


def test_the_default_asks_words_and_meaning(desk: Desk) -> None:
    desk.write("a.md", "copper")
    hits = desk.knowledge.search("copper")
    assert (hits.mode, hits.degraded, [hit.path for hit in hits]) == ("hybrid", None, ["a.md"])
    assert hits.counts is not None
    assert hits.counts.indexed == 1
    assert isinstance(hits, list)


def test_hits_collapse_by_file(desk: Desk) -> None:
    desk.write("a.md", "# One\n\ncopper\n\n# Two\n\ncopper\n")
    desk.write("b.md", "copper and much more text about other things")
    hits = desk.knowledge.search("copper", mode="lexical", collapse="document")
    assert [(hit.path, hit.others) for hit in hits] == [("a.md", 1), ("b.md", 0)]


def test_the_snippet_marks_words_in_the_text_as_it_is(desk: Desk) -> None:
    desk.write("a.md", "The déjà-vu of **Göteborg** 📈 gapped.")
    (hit,) = desk.knowledge.search("goteborg gap", mode="lexical")
    assert hit.snippet == "The déjà-vu of [Göteborg] 📈 [gapped]."


def test_wrong_arguments_are_told(desk: Desk) -> None:
    with pytest.raises(InvalidFilter, match="did you mean 'tags'"):
        desk.knowledge.search("copper", tag="x")
    with pytest.raises(InvalidQuery, match="top_k"):
        desk.knowledge.search("copper", 0)


def test_a_knowledge_base_shows_nothing_but_its_folder(desk: Desk) -> None:
    desk.library.put(note(1, "copper note"))
    desk.write("a.md", "copper")
    assert desk.found("copper") == ["a.md"]
    assert len(desk.library.search("copper")) == 2


# Without vectors


def test_where_the_local_model_is_missing_words_answer_and_say_so(
    make_desk: Callable[..., Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hybridkb.embedders.choose._local_installed", lambda: False)
    desk = make_desk(embedder="local")
    desk.write("a.md", "copper")
    hits = desk.knowledge.search("copper")
    assert (hits.mode, [hit.path for hit in hits]) == ("lexical", ["a.md"])
    assert "hybridkb[local]" in (hits.degraded or "")
    with pytest.raises(EmbedderUnavailable):
        desk.knowledge.search("copper", mode="semantic")


def test_a_model_that_fails_keeps_the_words_and_catches_up(desk: Desk) -> None:
    desk.write("a.md", "copper")
    desk.embedder.fail_with = RuntimeError("out of memory")
    hits = desk.knowledge.search("copper")
    assert (hits.mode, [hit.path for hit in hits]) == ("lexical", ["a.md"])
    assert "out of memory" in (hits.degraded or "")
    counts = desk.refresh()
    assert counts.pending == 1
    assert "out of memory" in (counts.degraded or "")
    desk.embedder.fail_with = None
    counts = desk.refresh()
    assert (counts.embedded, counts.pending, counts.degraded) == (1, 0, None)
    assert desk.knowledge.search("copper").degraded is None


def test_a_search_in_a_hurry_leaves_a_failing_model_alone(desk: Desk) -> None:
    desk.write("a.md", "copper")
    desk.embedder.fail_with = RuntimeError("out of memory")
    desk.refresh()
    calls = desk.embedder.document_calls
    for _ in range(3):
        desk.knowledge.search("copper")
    assert desk.embedder.document_calls == calls


def test_a_first_search_on_a_large_folder_answers_by_words_at_once(desk: Desk) -> None:
    sections = "".join(f"# Section {number}\n\ncopper number{number}\n\n" for number in range(300))
    desk.write("a.md", sections)
    base = desk.base(embed_seconds=0)
    hits = base.search("number7", limit=1)
    assert [hit.heading for hit in hits] == ["Section 7"]
    assert hits.counts is not None
    assert hits.counts.pending == 300 - 16
    assert "have no vector yet" in (hits.degraded or "")
    pending = [(base.search("number7").counts or RefreshCounts()).pending for _ in range(2)]
    assert pending == [300 - 32, 300 - 48]
    assert base.refresh().pending == 0
    assert base.search("number7").degraded is None
    base.close()


# What others do to the library


def test_a_document_that_was_taken_out_by_hand_comes_back_while_its_file_is_there(desk: Desk) -> None:
    desk.write("a.md", KNOWN + "copper")
    desk.write("b.md", "copper")
    desk.refresh()
    ids = {item.path: item.item_id for item in desk.library.list_items().items}
    desk.now = later(1)
    desk.library.delete(ids["a.md"])
    desk.library.delete(ids["b.md"])
    assert desk.library.search("copper", mode="lexical").hits == ()
    desk.now = later(2)
    assert sorted(desk.found("copper")) == ["a.md", "b.md"]
    assert [desk.then("copper", day) for day in (0, 1, 2)] == [["a.md"], [], ["a.md"]]


def test_a_purged_document_leaves_no_name_and_is_read_as_new_while_its_file_is_there(desk: Desk) -> None:
    desk.write("secret.md", KNOWN + "copper")
    desk.refresh()
    item_id = desk.library.list_items().items[0].item_id
    desk.library.purge(item_id)
    with desk.library._database.read() as connection:
        assert connection.rows("files/of_folder", {"folder_no": 1}) == []
    desk.write("secret.md", KNOWN.replace("03-05", "04-01") + "copper")
    assert desk.refresh(days=1).indexed == 1
    (revision,) = desk.library.history(item_id)
    assert f"{revision.available_at:%m-%d}" == "04-01"


@pytest.mark.sqlite_only("reads the bytes of the file")
def test_a_purged_file_that_was_deleted_leaves_nothing(desk: Desk) -> None:
    desk.write("secret.md", KNOWN + "copper")
    desk.refresh()
    item_id = desk.library.list_items().items[0].item_id
    desk.remove("secret.md")
    desk.refresh(days=1)
    desk.library.purge(item_id)
    desk.library.compact()
    assert b"secret.md" not in desk.index.read_bytes()


def test_a_document_that_was_put_over_by_hand_is_put_right(desk: Desk) -> None:
    desk.write("a.md", KNOWN + "copper")
    desk.refresh()
    document = desk.library.get(desk.library.list_items().items[0].item_id)
    assert isinstance(document, Document)
    nodes = {
        name: node.model_copy(update={"content": node.content and "wheat"}) for name, node in document.nodes.items()
    }
    desk.library.put(document.model_copy(update={"nodes": nodes, "available_at": later(0)}))
    assert desk.library.search("wheat", mode="lexical")
    desk.now = later(1)
    assert (desk.found("copper"), desk.found("wheat")) == (["a.md"], [])
    assert desk.then("wheat", 0) == ["a.md"]


def test_a_restored_library_takes_its_documents_up_again(desk: Desk, make_desk: Callable[..., Desk]) -> None:
    desk.write("a.md", KNOWN + "copper alpha")
    desk.write("b.md", KNOWN + "copper beta")
    desk.write("c.md", "copper gamma")
    desk.refresh()
    desk.remove("b.md")
    desk.refresh(days=1)
    other = make_desk("other")
    other.now = later(2)
    other.library.import_lines(desk.library.export())
    other.write("a.md", KNOWN + "copper alpha")
    other.write("b.md", KNOWN + "copper beta")
    counts = other.refresh()
    assert (counts.indexed, counts.removed, counts.passages) == (2, 1, 2)
    assert sorted(other.found("copper")) == ["a.md", "b.md"]
    assert [other.then("alpha", day) for day in (0, 2)] == [["a.md"], ["a.md"]]
    assert [other.then("beta", day) for day in (0, 1, 2)] == [["b.md"], [], ["b.md"]]
    assert len(other.library.history(other.library.list_items(path_prefix="a.md").items[0].item_id)) == 1


def test_the_folders_of_a_library_are_listed(desk: Desk) -> None:
    assert desk.library.folders() == ()
    desk.write("a.md", "copper")
    desk.write("noise.md", bytes(range(256)) * 20)
    desk.refresh(days=1)
    (folder,) = desk.library.folders()
    assert (folder.collection, folder.root, folder.changed_at) == ("documents", str(desk.folder.resolve()), later(1))
    assert (folder.files, folder.passages, folder.unreadable) == (1, 1, 1)


def test_settings_stay_with_the_collection(desk: Desk) -> None:
    desk.write("2024-03-04.md", "copper")
    desk.write("draft.md", "copper")
    desk.library.sync(desk.folder, availability="name-date", ignore=["draft.md"])
    assert desk.refresh() == RefreshCounts(indexed=0, removed=0, passages=1, unreadable=[])
    assert desk.then("copper", 0) == ["2024-03-04.md"]
    counts = desk.library.sync(desk.folder, ignore=[])
    assert (counts.indexed, sorted(desk.found("copper"))) == (1, ["2024-03-04.md", "draft.md"])


def test_other_passages_of_the_same_bytes_correct_the_record(desk: Desk) -> None:
    text = KNOWN + " ".join(f"word{number} is here." for number in range(200))
    desk.write("a.md", text)
    first = desk.refresh()
    counts = desk.library.sync(desk.folder, passage_characters=400)
    assert counts.passages > first.passages
    assert desk.then("word7", 0) == ["a.md"]
    assert len(desk.library.history(desk.library.list_items().items[0].item_id)) == 1


# Threads, and a library that may not be written


def test_threads_share_a_knowledge_base(desk: Desk) -> None:
    for number in range(20):
        desk.write(f"{number}.md", f"copper word{number}")
    answers: dict[int, list[str]] = {}

    def ask(number: int) -> None:
        answers[number] = desk.found(f"word{number}")

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {number: [f"{number}.md"] for number in range(20)}
    assert len(desk.embedder.document_texts) == 20


def test_who_came_before_a_refresh_began_shares_it(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go, calls = threading.Event(), threading.Event(), []
    real = HybridLibrary.sync

    def slow(self: HybridLibrary, *arguments: Any, **options: Any) -> RefreshCounts:
        calls.append(threading.current_thread().name)
        begun.set()
        assert go.wait(30)
        return real(self, *arguments, **options)

    monkeypatch.setattr(HybridLibrary, "sync", slow)
    desk.write("a.md", "copper")
    found: list[list[str]] = []
    threads = [threading.Thread(target=lambda: found.append(desk.found("copper"))) for _ in range(6)]
    threads[0].start()
    assert begun.wait(30)
    for thread in threads[1:]:
        thread.start()
    while desk.knowledge._turns.waiting < 5:
        pass
    go.set()
    for thread in threads:
        thread.join()
    assert found == [["a.md"]] * 6
    assert len(calls) == 2


def test_a_read_only_knowledge_base_answers_and_tells_that_the_folder_changed(desk: Desk) -> None:
    desk.write("a.md", "copper")
    desk.refresh()
    base = desk.base(read_only=True)
    hits = base.search("copper")
    assert ([hit.path for hit in hits], hits.degraded) == (["a.md"], None)
    desk.write("b.md", "copper")
    hits = base.search("copper")
    assert [hit.path for hit in hits] == ["a.md"]
    assert "the folder changed, but the library is open read-only" in (hits.degraded or "")
    with pytest.raises(DatabaseError, match="read-only"):
        base.refresh()
    base.close()


def test_a_closed_knowledge_base_opens_again(desk: Desk) -> None:
    desk.write("a.md", "copper")
    with desk.knowledge as knowledge:
        assert len(knowledge.search("copper")) == 1
    assert desk.found("copper") == ["a.md"]


def test_a_document_is_exported_and_read_back(desk: Desk) -> None:
    desk.write("a.md", KNOWN + "copper")
    desk.refresh()
    document = desk.library.get(desk.library.list_items().items[0].item_id)
    assert write_line(document) in list(desk.library.export())


def test_paths_of_all_kinds_are_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("copper")
    with KnowledgeBase("docs", "index.db", embedder=HashEmbedder(8)) as knowledge:
        assert [hit.path for hit in knowledge.search("copper")] == ["a.md"]
    with KnowledgeBase(Path("docs/"), tmp_path / "index.db", embedder=HashEmbedder(8)) as knowledge:
        assert knowledge.refresh().indexed == 0


def test_the_async_library_keeps_a_folder_in_step(desk: Desk) -> None:
    desk.write("a.md", "copper")

    async def work() -> list[str | None]:
        async with await AsyncHybridLibrary.open(desk.index, embedder=desk.embedder) as library:
            assert (await library.sync(desk.folder)).indexed == 1
            return [hit.path for hit in await library.search("copper")]

    assert asyncio.run(work()) == ["a.md"]


@pytest.mark.parametrize(
    ("title", "text", "heading"),
    [
        ("Margin rules", "# Calls\n\ncopper", "Margin rules > Calls"),
        ("Margin rules", "copper", "Margin rules"),
        ("Margin rules of 2024", "# Margin rules\n\ncopper", "Margin rules"),
        ("Margin", "# Margin rules\n\ncopper", "Margin rules"),
    ],
)
def test_a_title_stands_above_the_headings_if_it_says_anything_new(
    desk: Desk, title: str, text: str, heading: str
) -> None:
    desk.write("a.md", f"---\ntitle: {title}\n---\n{text}\n")
    assert [hit.heading for hit in desk.knowledge.search("copper", mode="lexical")] == [heading]


def test_the_heading_of_table_rows_and_of_plain_text_is_the_name_of_the_file(desk: Desk) -> None:
    desk.write("data/prices.csv", "date,close\n2024-03-04,copper 12\n")
    desk.write("notes.txt", "copper gap")
    hits = desk.knowledge.search("copper", mode="lexical")
    assert {(hit.path, hit.heading) for hit in hits} == {("data/prices.csv", "prices.csv"), ("notes.txt", "notes.txt")}
