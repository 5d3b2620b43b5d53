"""What makes nodes a tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkb.errors import InvalidInput
from hybridkb.knowledge import Citation, Filing, Locator, Transcript, TreeNode
from knowledge.samples import ID, common, filing, forests, nodes


def tree(made: dict[str, TreeNode], root: str = "root") -> Filing:
    return filing(root_node_id=root, nodes=made)


def node(node_id: str, parent_id: str | None = None, position: int = 0, **fields: Any) -> TreeNode:
    return TreeNode(node_id=node_id, parent_id=parent_id, position=position, **fields)


def test_nodes_are_kept_in_reading_order_with_their_children() -> None:
    item = filing()
    assert list(item.nodes) == ["root", "business", "risk", "rates"]
    assert item.nodes["root"].children_ids == ("business", "risk")
    assert item.nodes["risk"].children_ids == ("rates",)


def test_order_given_does_not_matter() -> None:
    item = filing()
    again = filing(nodes=dict(reversed(item.nodes.items())))
    assert again == item
    assert list(again.nodes) == list(item.nodes)


def test_children_given_are_kept() -> None:
    made = {"root": node("root", children_ids=["a", "b"]), "b": node("b", "root", 7), "a": node("a", "root", 3)}
    assert tree(made).nodes["root"].children_ids == ("a", "b")


def test_a_root_alone_is_a_tree() -> None:
    assert len(tree(nodes(("root", None, 0))).nodes) == 1


FAULTS: dict[str, tuple[Callable[[], Any], str]] = {
    "no nodes": (lambda: tree({}), "root_node_id 'root' is not among the nodes"),
    "root missing": (lambda: tree(nodes(("a", None, 0))), "root_node_id 'root' is not among the nodes"),
    "root with parent": (
        lambda: tree(nodes(("root", "a", 0), ("a", None, 0))),
        "the root 'root' has the parent 'a'",
    ),
    "two roots": (lambda: tree(nodes(("root", None, 0), ("a", None, 1))), "'a' has no parent.*one root"),
    "orphan": (lambda: tree(nodes(("root", None, 0), ("a", "gone", 0))), "the parent 'gone' of 'a'"),
    "own parent": (lambda: tree(nodes(("root", None, 0), ("a", "a", 0))), "'a' is on or below a cycle"),
    "cycle": (
        lambda: tree(nodes(("root", None, 0), ("a", "b", 0), ("b", "a", 0), ("c", "a", 1))),
        "'a' is on or below a cycle",
    ),
    "wrong key": (lambda: tree({"root": node("root"), "x": node("a", "root")}), "'a' is listed under 'x'"),
    "same position": (
        lambda: tree(nodes(("root", None, 0), ("a", "root", 1), ("b", "root", 1))),
        "'a' and 'b' under 'root' share position 1",
    ),
    "child forgotten": (
        lambda: tree({"root": node("root", children_ids=["a"]), "a": node("a", "root"), "b": node("b", "root", 1)}),
        r"children_ids of 'root' is \['a'\], but .* \['a', 'b'\]",
    ),
    "child in wrong order": (
        lambda: tree(
            {"root": node("root", children_ids=["b", "a"]), "a": node("a", "root"), "b": node("b", "root", 1)}
        ),
        "children_ids of 'root'",
    ),
    "child of another": (
        lambda: tree({"root": node("root", children_ids=["a"]), "a": node("a", "root", children_ids=["root"])}),
        r"children_ids of 'a' is \['root'\]",
    ),
    "blank title": (lambda: filing(title=" "), "title: is blank"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_no_tree_is_refused(fault: str) -> None:
    make, words = FAULTS[fault]
    with pytest.raises(InvalidInput, match=words):
        make()


def test_a_tree_fault_names_its_field() -> None:
    with pytest.raises(InvalidInput) as caught:
        tree({})
    assert caught.value.field == "nodes"


@pytest.mark.parametrize("node_id", ["", " ", "a\0b", "a\nb"])
def test_node_ids_are_names(node_id: str) -> None:
    with pytest.raises(InvalidInput, match="node_id"):
        node(node_id)


def test_a_hash_sign_in_a_node_id_survives_its_locator() -> None:
    assert node("a#b").node_id == "a#b"
    assert Locator.parse(str(Locator("item", ID, "a#b"))) == Locator("item", ID, "a#b")


def test_positions_are_not_negative() -> None:
    with pytest.raises(InvalidInput, match="position"):
        node("a", position=-1)


def test_none_is_read_as_empty_text() -> None:
    made = TreeNode(node_id="a", content=None, summary=None)  # type: ignore[arg-type]
    assert (made.content, made.summary) == ("", "")


def test_a_fault_inside_a_node_is_named_by_its_path() -> None:
    with pytest.raises(InvalidInput) as caught:
        filing(nodes={"root": {"node_id": "root", "citations": [{"quote": "x" * 501}]}})
    assert caught.value.field == "nodes.root.citations.0.quote"


def test_a_thousand_nodes_and_a_deep_chain_are_fine() -> None:
    wide = nodes(("root", None, 0), *((f"n{number}", "root", number) for number in range(999)))
    assert len(tree(wide).nodes["root"].children_ids) == 999
    deep = nodes(("n0", None, 0), *((f"n{number}", f"n{number - 1}", 0) for number in range(1, 5000)))
    assert list(tree(deep, root="n0").nodes)[-1] == "n4999"


@given(forests())
def test_any_tree_is_read_parent_first_and_by_position(made: dict[str, TreeNode]) -> None:
    item = tree(made, root="n0")
    order = {node_id: place for place, node_id in enumerate(item.nodes)}
    assert order.keys() == made.keys()
    for one in item.nodes.values():
        assert one.parent_id is None or order[one.parent_id] < order[one.node_id]
        below = [item.nodes[child] for child in one.children_ids]
        assert [child.position for child in below] == sorted(child.position for child in below)


@given(forests(), st.data())
def test_any_wrong_parent_is_noticed_or_makes_another_tree(made: dict[str, TreeNode], data: st.DataObject) -> None:
    victim = data.draw(st.sampled_from(sorted(made)))
    parent = data.draw(st.sampled_from([*sorted(made), "gone", None]))
    changed = made | {victim: made[victim].model_copy(update={"parent_id": parent})}
    try:
        item = tree(changed, root="n0")
    except InvalidInput:
        return
    assert item.nodes.keys() == changed.keys()


def test_filings_and_transcripts_have_their_own_fields() -> None:
    made = nodes(("root", None, 0))
    assert filing(form="10-K", ticker="BRK.B", period="FY 2023").form == "10-K"
    call = Transcript(**common(title="Call", root_node_id="root", nodes=made, ticker="AAPL", event="Earnings call"))
    assert (call.item_type, call.period) == ("transcript", None)
    assert tree(nodes(("root", None, 0), citations=[Citation(page=2)])).nodes["root"].citations[0].page == 2
