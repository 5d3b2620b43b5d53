"""Gold sets are cared for: answers are proposed from all modes, stamped, and found again when they move."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import InvalidGoldSet, InvalidInput, UnreadableDocument
from hybridkb.evaluation import check_gold_set, load_gold_set, propose, stamp_gold_set
from hybridkb.evaluation.stamping import write_lines
from hybridkb.knowledge import TreeNode
from hybridkb.knowledge.card import CARD_ROOT, MemoryCard, card_id
from oracles.items import EPOCH, day, filing, item_id, note
from support.judged_library import documents, evaluate, fill


def card(slug: str, *chunks: str, **fields: Any) -> MemoryCard:
    nodes = {CARD_ROOT: TreeNode(node_id=CARD_ROOT)}
    for number, text in enumerate(chunks):
        nodes[str(number)] = TreeNode(node_id=str(number), parent_id=CARD_ROOT, position=number, content=text)
    common = {"as_of": EPOCH, "available_at": EPOCH, "created_at": EPOCH, "source": {"kind": "manual"}, **fields}
    return MemoryCard(id=card_id(slug), slug=slug, title=slug, root_node_id=CARD_ROOT, nodes=nodes, **common)


def write(path: Path, *entries: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return path


def states(library: HybridLibrary, path: Path) -> list[str]:
    report = check_gold_set(library, path)
    assert sum(report.states.values()) == report.judgements
    return [one.state for one in report.findings]


def test_candidates_of_all_modes_are_pooled_once_each(library: HybridLibrary) -> None:
    fill(library)
    (record,) = propose(library, ["word1 word2 word3"], per_mode=5)
    addresses = [one["locator"] for one in record["candidates"]]
    assert len(set(addresses)) == len(addresses)
    for mode in ("lexical", "semantic", "hybrid"):
        hits = library.search("word1 word2 word3", mode=mode, top_k=5)  # type: ignore[arg-type]
        ranks = {str(hit.locator): hit.rank for hit in hits}
        assert {one["locator"]: one["found"][mode] for one in record["candidates"] if mode in one["found"]} == ranks
    best = [min(one["found"].values()) for one in record["candidates"]]
    assert best == sorted(best)
    assert all(one["judgement"] is None for one in record["candidates"])


def test_what_is_judged_already_is_not_proposed_again(library: HybridLibrary) -> None:
    fill(library)
    given = {"query": "word1 word2", "relevant": [str(item_id(3))], "cutoff": "2024-06-01", "id": "mine"}
    (before,) = propose(library, [{**given, "relevant": []}])
    known = before["candidates"][0]["locator"]
    (record,) = propose(library, [{**given, "relevant": [known]}])
    assert known not in {one["locator"] for one in record["candidates"]}
    assert (record["id"], record["cutoff"], record["relevant"]) == ("mine", "2024-06-01", [known])


def test_proposals_become_a_gold_set_once_they_are_judged(library: HybridLibrary, tmp_path: Path) -> None:
    fill(library)
    proposed = list(propose(library, ["word1 word2", "word3 word4"], per_mode=4))
    path = write(tmp_path / "gold.jsonl", *proposed)
    with pytest.raises(UnreadableDocument, match="not judged yet"):
        load_gold_set(path)
    for record in proposed:
        for place, one in enumerate(record["candidates"]):
            one["judgement"] = int(place == 0)
    write(path, *proposed)
    assert evaluate(library, path, k=3).queries == 2
    assert check_gold_set(library, path).states == {"good": sum(len(record["candidates"]) for record in proposed)}


def test_whole_documents_can_be_proposed(library: HybridLibrary) -> None:
    library.put_many([filing(n, [f"steel {n} {m}" for m in range(5)]) for n in range(4)])
    (record,) = propose(library, ["steel"], by_document=True)
    assert {one["locator"] for one in record["candidates"]} == {f"item:{item_id(n)}" for n in range(4)}


def test_without_a_model_words_propose(open_library: Any) -> None:
    library = fill(open_library(embedder=None))
    (record,) = propose(library, ["word1"])
    assert all(set(one["found"]) <= {"lexical", "hybrid"} for one in record["candidates"])


def test_a_wrong_query_is_named_by_its_place(library: HybridLibrary) -> None:
    with pytest.raises(InvalidInput, match="query 2"):
        list(propose(library, ["fine", {"query": ""}]))


def test_stamping_keeps_everything_else(library: HybridLibrary, tmp_path: Path) -> None:
    library.put_many([card("rates/basis", "one", "two"), note(1, "copper"), filing("f", ["steel", "iron"])])
    path = write(
        tmp_path / "gold.jsonl",
        {"query": "a", "relevant": [["rates/basis", 1], str(item_id(1))], "note": "Übung", "kind": "code"},
        {"query": "b", "relevant": [{"locator": f"item:{item_id('f')}#s0", "grade": 2}], "cutoff": "2024-02-01"},
        {"query": "c", "relevant": []},
    )
    before = load_gold_set(path)
    report = stamp_gold_set(library, path)
    assert (report.stamped, report.unchanged, report.missing) == (3, 0, ())
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[0]["relevant"][0].keys() == {"slug", "chunk", "text_hash"}
    assert (lines[0]["note"], lines[0]["kind"], lines[1]["cutoff"]) == ("Übung", "code", "2024-02-01")
    assert load_gold_set(path).digest == before.digest
    assert states(library, path) == []
    assert stamp_gold_set(library, path, output=tmp_path / "copy.jsonl").unchanged == 3
    assert (tmp_path / "copy.jsonl").read_text() == path.read_text()


def test_a_folder_cannot_be_stamped(library: HybridLibrary, tmp_path: Path) -> None:
    with pytest.raises(InvalidGoldSet, match="folder"):
        stamp_gold_set(library, tmp_path)


def test_every_way_in_which_a_judgement_can_go_astray(library: HybridLibrary, tmp_path: Path) -> None:
    library.put_many([
        card("stays", "alpha beta", "gamma delta"),
        card("edited", "one two", "three four"),
        card("shifted", "red text", "green text", "blue text"),
        card("shortened", "first", "second"),
        note("withdrawn", "to be withdrawn"), note("purged", "to be purged"),
        note("late", "known later", available_at=day(50)),
        filing("quoted", ["Smelters compete for ore.", "Nothing else."]),
        *documents(5),
    ])  # fmt: skip
    path = write(tmp_path / "gold.jsonl", *(
        {"query": f"q{place}", "relevant": [answer], **more} for place, (answer, more) in enumerate([
            (["stays", 0], {}), (["edited", 1], {}), (["shifted", 1], {}), (["shortened", 1], {}),
            (str(item_id("withdrawn")), {}), (str(item_id("purged")), {}), (str(item_id("late")), {}),
            ({"item": str(item_id("quoted")), "quote": "compete for ore"}, {}), ({"slug": "stays"}, {}),
            ({"document": "nowhere.md"}, {}),
        ])
    ))  # fmt: skip
    assert stamp_gold_set(library, path).missing == ("nowhere.md",)
    library.put_many([
        card("edited", "one two", "three FOUR", available_at=day(5)),
        card("shifted", "new text", "red text", "green text", "blue text", available_at=day(5)),
        card("shortened", "first", available_at=day(5)),
        filing("quoted", ["Nothing of that.", "Nothing else."], available_at=day(5)),
    ])  # fmt: skip
    library.delete(item_id("withdrawn"), at=day(60))
    library.purge(item_id("purged"), reason="by order")
    report = check_gold_set(library, path)
    found = {one.query: one for one in report.findings}
    assert {query: one.state for query, one in found.items()} == {
        "q1": "changed", "q2": "moved", "q3": "chunk_gone", "q4": "gone", "q5": "gone", "q7": "quote_gone",
        "q9": "gone",
    }  # fmt: skip
    assert found["q2"].now_at == (f"item:{card_id('shifted')}#2",)
    assert "withdrawn" in found["q4"].detail
    assert "by order" in found["q5"].detail
    assert found["q1"].answer == "edited, chunk 1"
    assert not report.ok
    assert report.as_dict()["ok"] is False


def test_a_cutoff_is_checked_as_the_library_stood_then(library: HybridLibrary, tmp_path: Path) -> None:
    library.put_many([note("n", "as it was", available_at=day(1)), note("late", "later", available_at=day(50))])
    path = write(
        tmp_path / "gold.jsonl",
        {"query": "then", "relevant": [str(item_id("n"))], "cutoff": "2024-01-10"},
        {"query": "now", "relevant": [str(item_id("n"))]},
        {"query": "early", "relevant": [str(item_id("late"))], "cutoff": "2024-01-10"},
        {"query": "filtered", "relevant": [str(item_id("n"))], "filters": {"item_types": "filing"}},
    )
    stamp_gold_set(library, path)
    library.put(note("n", "as it is", available_at=day(20)))
    found = {one.query: one.state for one in check_gold_set(library, path).findings}
    assert found == {"now": "changed", "early": "hidden", "filtered": "hidden"}


def test_a_chunk_that_stands_elsewhere_too_is_good_where_it_was_judged(library: HybridLibrary, tmp_path: Path) -> None:
    library.put_many([card("first", "same words"), card("second", "same words")])
    path = write(tmp_path / "gold.jsonl", {"query": "a", "relevant": [["first", 0]]})
    stamp_gold_set(library, path)
    assert states(library, path) == []
    library.put(card("first", "other words", available_at=day(5)))
    (finding,) = check_gold_set(library, path).findings
    assert (finding.state, finding.now_at) == ("moved", (f"item:{card_id('second')}#0",))


def test_documents_are_judged_by_all_their_text(library: HybridLibrary, tmp_path: Path) -> None:
    library.put_many([card("whole", "one", "two")])
    path = write(tmp_path / "gold.jsonl", {"query": "a", "relevant": [{"slug": "whole"}]})
    stamp_gold_set(library, path)
    library.put(card("whole", "one", "two", available_at=day(5), tags=("new",)))
    assert states(library, path) == []
    library.put(card("whole", "one", "two", "three", available_at=day(9)))
    assert states(library, path) == ["changed"]


def test_candidates_that_are_judged_stay_when_more_are_proposed(library: HybridLibrary, tmp_path: Path) -> None:
    fill(library)
    (first,) = propose(library, ["word1 word2"], per_mode=2)
    judged = [{**one, "judgement": grade} for grade, one in enumerate(first["candidates"])]
    (again,) = propose(library, [{**first, "candidates": judged}], per_mode=20)
    assert again["candidates"][: len(judged)] == judged
    more = again["candidates"][len(judged) :]
    assert more
    assert not {one["locator"] for one in more} & {one["locator"] for one in judged}


@pytest.mark.parametrize("by_document", [True, False])
def test_a_document_that_is_judged_by_its_path_is_not_proposed(library: HybridLibrary, by_document: bool) -> None:
    library.put_many(card(f"cards/{number}", f"zinc{number} ore", f"tin{number} ore") for number in range(8))
    (record,) = propose(
        library, [{"query": "zinc1 ore", "relevant": [{"document": "cards/1"}]}], by_document=by_document
    )
    owners = {one["locator"].partition("#")[0] for one in record["candidates"]}
    assert owners
    assert f"item:{card_id('cards/1')}" not in owners


def test_a_text_that_left_with_its_document_is_found_elsewhere(library: HybridLibrary, tmp_path: Path) -> None:
    library.put_many([card("old", "zinc ore"), card("other", "tin ore")])
    path = write(tmp_path / "gold.jsonl", {"query": "zinc", "relevant": [["old", 0]]})
    stamp_gold_set(library, path)
    library.delete(card_id("old"))
    assert states(library, path) == ["gone"]
    library.put(card("new", "zinc ore"))
    (finding,) = check_gold_set(library, path).findings
    assert (finding.state, finding.now_at) == ("moved", (f"item:{card_id('new')}#0",))


def test_a_stamped_file_keeps_its_permissions_and_its_place(library: HybridLibrary, tmp_path: Path) -> None:
    fill(library)
    path = write(tmp_path / "gold.jsonl", {"query": "x", "relevant": [str(item_id(1))]})
    path.chmod(0o600)
    link = tmp_path / "link.jsonl"
    link.symlink_to(path)
    stamp_gold_set(library, link)
    assert link.is_symlink()
    assert "text_hash" in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_is_no_file_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_lines(str(pipe), [{"query": "x"}])
    assert os.read(reader, 100) == b'{"query": "x"}\n'
    os.close(reader)
    assert pipe.is_fifo()


def test_records_that_end_early_leave_the_file_as_it_was(tmp_path: Path) -> None:
    def records() -> Any:
        yield {"query": "x"}
        raise InvalidInput("query 2 is wrong")

    path = write(tmp_path / "gold.jsonl", {"query": "kept"})
    with pytest.raises(InvalidInput, match="query 2"):
        write_lines(str(path), records())
    assert json.loads(path.read_text()) == {"query": "kept"}
    assert [one.name for one in tmp_path.iterdir() if "gold" in one.name] == ["gold.jsonl"]
