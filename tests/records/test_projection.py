"""From knowledge to records: one for a flat item; one for a tree and one for each node with text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal

import pytest
from hypothesis import given

from hybridkb.errors import InvalidInput, UnregisteredType
from hybridkb.knowledge import (
    Citation,
    Document,
    Earnings,
    Factor,
    FlatKnowledge,
    KnowledgeItem,
    Locator,
    News,
    Note,
    Provenance,
    SourceRef,
    Thesis,
    Transcript,
    TreeKnowledge,
    TreeNode,
    canonical_json,
    parse_item,
    registered_types,
)
from hybridkb.records import Projection, Record, project, register_projection
from knowledge.samples import ID, common, filing, items, nodes, note


def only(item: KnowledgeItem) -> Record:
    (record,) = project(item)
    return record


def test_a_note_gives_one_record() -> None:
    record = only(note())
    assert (record.locator, record.item_type) == (Locator("item", ID), "note")
    assert (record.title, record.body, record.text) == ("Copper", "Supply gap widens.", "Copper\n\nSupply gap widens.")
    assert (record.identifiers, record.tickers, record.periods) == ((), (), ())
    assert (record.tree_id, record.path, record.artifact_kind, record.projection_version) == (None, None, None, 1)


def test_filter_values_are_copied() -> None:
    record = only(
        note(
            tags=["metals"],
            confidence="high",
            source=SourceRef(kind="rss", uri="https://example.org"),
            provenance=Provenance("scout", "paper", "2024-03-01", "keep", "https://example.org"),
            citations=[Citation(source_id="s", page=3)],
        )
    )
    assert (record.tags, record.confidence, record.source_kind) == (("metals",), "high", "rss")
    card = (record.source_class, record.kind, record.doc_date, record.verdict, record.link)
    assert card == ("scout", "paper", "2024-03-01", "keep", "https://example.org")
    assert json.loads(record.citations) == [{"source_id": "s", "page": 3}]


def test_without_a_card_or_citations_the_values_are_empty() -> None:
    record = only(note())
    assert (record.source_class, record.kind, record.doc_date, record.verdict, record.link) == (None,) * 5
    assert record.citations == "[]"


def test_blank_card_values_are_none() -> None:
    record = only(note(provenance=Provenance("scout", "", None, "a\0b", " ")))
    assert (record.kind, record.verdict, record.link) == (None, "a b", None)


def test_control_characters_are_shown_as_spaces_and_kept_in_the_item() -> None:
    item = note(title="a\0b", body="x\x01\ty\nz\r\x1f")
    record = only(item)
    assert (record.title, record.body) == ("a b", "x \ty\nz  ")
    assert parse_item(canonical_json(item)).model_dump()["body"] == "x\x01\ty\nz\r\x1f"


def test_earnings_say_their_numbers_readably() -> None:
    record = only(
        Earnings(
            **common(
                ticker="BRK.B",
                period="Q3 2024",
                revenue=94_900_000_000,
                eps=1.64,
                guidance="Flat margins",
                surprise_flags=["revenue_beat", "eps_miss"],
                transcript_quote="A record quarter.",
            )
        )
    )
    assert record.title == "BRK.B Q3 2024 earnings"
    assert record.body.splitlines() == [
        "Period: Q3 2024",
        "Revenue: 94,900,000,000 (94.9 billion)",
        "Earnings per share (EPS): 1.64",
        "Guidance: Flat margins",
        "Surprises: revenue beat, eps miss",
        "Quote: A record quarter.",
    ]
    assert (record.identifiers, record.tickers, record.periods) == (("BRK.B",), ("BRK.B",), ("Q3 2024",))


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        (0, "0"),
        (-0.35, "-0.35"),
        (1234.5, "1,234.5"),
        (999_999, "999,999"),
        (-2_500_000, "-2,500,000 (-2.5 million)"),
        (3.1e12, "3,100,000,000,000 (3.1 trillion)"),
        ("about $5bn", "about $5bn"),
    ],
)
def test_figures_are_said_as_people_search_for_them(figure: Any, said: str) -> None:
    record = only(Earnings(**common(ticker="X", period="FY 2023", revenue=figure)))
    assert record.body == f"Period: FY 2023\nRevenue: {said}"


def test_the_other_flat_types() -> None:
    news = only(News(**common(headline="Fed holds", body="No change.", event_type="rates", entities=["Fed", "FOMC"])))
    assert (news.title, news.body) == ("Fed holds", "No change.\n\nEvent: rates\n\nEntities: Fed, FOMC")
    assert news.identifiers == ()
    assert only(News(**common(headline="Fed holds", body="No change."))).text == "Fed holds\n\nNo change."
    factor = only(Factor(**common(factor_name="12-1 momentum", description="Past returns", universe="US large caps")))
    assert (factor.identifiers, factor.body) == (("12-1 momentum",), "Past returns\n\nUniverse: US large caps")
    thesis = only(Thesis(**common(claim="Copper doubles", rationale="No new mines.")))
    assert (thesis.title, thesis.body) == ("Copper doubles", "No new mines.")


@pytest.mark.parametrize("body", ["", " \n\t", "\0\x01"])
def test_an_item_without_text_is_refused(body: str) -> None:
    with pytest.raises(InvalidInput, match="holds no text to search"):
        project(note(title="", body=body))


def test_a_tree_gives_its_root_once_and_each_node_with_text() -> None:
    made = {
        "root": TreeNode(node_id="root", title="Annual report", summary="All of it", content="All of it"),
        "a": TreeNode(node_id="a", parent_id="root", position=0, title="Risk", summary="Rates", content="Rates rose."),
        "b": TreeNode(node_id="b", parent_id="root", position=1),
        "c": TreeNode(node_id="c", parent_id="b", title="\0"),
        "d": TreeNode(node_id="d", parent_id="b", position=1, content="Only content"),
    }
    records = project(filing(nodes=made, form="10-K", ticker="AAPL", period="FY 2023", tags=["t"]))
    assert [record.locator for record in records] == [
        Locator("item", ID),
        Locator("item", ID, "a"),
        Locator("item", ID, "d"),
    ]
    assert [record.text for record in records] == [
        "Annual report\n\nAll of it",
        "Risk\n\nRates\n\nRates rose.",
        "Only content",
    ]
    assert {record.tree_id for record in records} == {str(ID)}
    assert {(record.tickers, record.periods, record.tags) for record in records} == {(("AAPL",), ("FY 2023",), ("t",))}
    assert [record.identifiers for record in records] == [("10-K", "AAPL"), (), ()]


def test_a_root_title_of_its_own_is_not_lost() -> None:
    record = project(filing(title="Annual report", nodes=nodes(("root", None, 0))))[0]
    assert record.text == "Annual report\n\nRoot"


def test_citations_belong_to_their_node() -> None:
    made = nodes(("root", None, 0), ("a", "root", 0), citations=[Citation(page=2)])
    own, node = project(filing(nodes=made, citations=[Citation(page=1)]))
    assert json.loads(own.citations) == [{"page": 1}, {"page": 2}]
    assert json.loads(node.citations) == [{"page": 2}]


def test_a_transcript_shows_its_event() -> None:
    tree = nodes(("root", None, 0))
    call = Transcript(**common(title="Root", root_node_id="root", nodes=tree, ticker="AAPL", event="Investor day"))
    assert only(call).text == "Root\n\nInvestor day"
    assert only(call).identifiers == ("AAPL",)


def test_a_thousand_nodes_give_a_thousand_records() -> None:
    tree = nodes(("root", None, 0), *((f"n{number}", "root", number) for number in range(999)), content="text")
    records = project(filing(nodes=tree))
    assert len(records) == 1000
    assert len({record.locator for record in records}) == 1000


@pytest.mark.parametrize(
    ("kind", "uri", "path"),
    [
        ("local", "desk/notes/a.md", "desk/notes/a.md"),
        ("local", "./desk/a.md", "desk/a.md"),
        ("local", "desk\\notes\\a.md", "desk/notes/a.md"),
        ("local", "file:///srv/desk/a%20b.md", "/srv/desk/a b.md"),
        ("local", None, None),
        ("local", "", None),
        ("http", "https://example.org/a.md", None),
    ],
)
def test_a_local_source_gives_the_path(kind: Any, uri: str | None, path: str | None) -> None:
    assert only(note(source=SourceRef(kind=kind, uri=uri))).path == path


@given(items)
def test_every_item_gives_distinct_records_with_text_or_is_refused(item: KnowledgeItem) -> None:
    try:
        records = project(item)
    except InvalidInput:
        return
    assert records == project(parse_item(canonical_json(item)))
    assert len({record.locator for record in records}) == len(records)
    assert records[0].locator.member_id is None
    for record in records:
        assert record.text.strip()
        assert not any(character < " " and character not in "\n\t" for character in record.text)
        assert record.text.encode()


class Deal(FlatKnowledge):
    """A flat type of someone's own."""

    item_type: Literal["test_deal"] = "test_deal"
    target: str
    buyer: str | None = None
    terms: tuple[str, ...] = ()
    isin: str = ""
    price: float | None = None
    folder: str | None = None


class Report(TreeKnowledge):
    """A tree type of someone's own."""

    item_type: Literal["test_report"] = "test_report"
    desk: str


def deal(**changes: Any) -> Deal:
    return Deal(
        **common(target="Acme", buyer="Bidco", terms=["cash", " ", "all shares"], isin="US0378331005") | changes
    )


@pytest.fixture(autouse=True)
def _registered() -> None:
    register_projection(
        Deal,
        Projection(
            title=("target", "buyer"), body=("terms", "price"), identifiers=("isin", "isin"), path="folder", version=3
        ),
    )
    register_projection(Report, Projection(body="desk", tickers=lambda report: [report.desk, None]))


def test_a_flat_type_of_ones_own() -> None:
    record = only(deal(price=12.5, folder="deals\\acme"))
    assert (record.title, record.body) == ("Acme Bidco", "cash\n\nall shares\n\n12.5")
    assert (record.identifiers, record.path, record.projection_version) == (("US0378331005",), "deals/acme", 3)
    assert parse_item(canonical_json(deal(created_at="2024-03-02T00:00:00Z"))) == deal()


def test_what_is_none_or_blank_is_passed_over() -> None:
    record = only(deal(buyer=None, terms=(), isin=" "))
    assert (record.title, record.body, record.identifiers, record.path) == ("Acme", "", (), None)


def test_a_tree_type_of_ones_own() -> None:
    item = Report(**common(title="Week", desk="metals", root_node_id="root", nodes=nodes(("root", None, 0))))
    record = only(item)
    assert (record.text, record.tickers) == ("Week\n\nmetals\n\nRoot", ("metals",))


def test_functions_may_choose() -> None:
    def clauses(item: Deal) -> Iterator[str]:
        yield from (f"- {term}" for term in item.terms)

    register_projection(Deal, Projection(title=lambda item: item.target.upper(), body=clauses))
    assert only(deal(terms=["cash"])).text == "ACME\n\n- cash"


def test_an_unregistered_type_is_refused_with_the_cure() -> None:
    class Unknown(Note):
        item_type: Literal["test_unknown"] = "test_unknown"  # type: ignore[assignment]

    with pytest.raises(UnregisteredType, match="register_projection") as caught:
        project(Unknown(**common(body="b")))
    assert caught.value.item_type == "test_unknown"


def test_a_subclass_does_not_pass_for_its_parent() -> None:
    class Private(Note):
        secret: str = ""

    with pytest.raises(UnregisteredType):
        project(Private(**common(body="b")))
    with pytest.raises(InvalidInput, match="'note' belongs to"):
        register_projection(Private, Projection(body="body"))


def test_a_projection_names_fields_that_exist() -> None:
    with pytest.raises(InvalidInput, match="title names 'targt', which Deal has not; did you mean 'target'") as caught:
        register_projection(Deal, Projection(title="targt"))
    assert caught.value.field == "title"


def test_only_flat_and_tree_classes_are_projected() -> None:
    class Bare(KnowledgeItem):
        item_type: Literal["test_bare"] = "test_bare"
        title: str

    for cls in (Bare, int, "note"):
        with pytest.raises(InvalidInput, match="subclass FlatKnowledge or TreeKnowledge"):
            register_projection(cls, Projection())  # type: ignore[type-var]
    assert "test_bare" not in registered_types()


def test_registering_works_as_a_step_of_definition() -> None:
    assert register_projection(Deal, Projection(title="target")) is Deal
    assert "test_deal" in registered_types()


def document(**changes: Any) -> Document:
    passages = [("Margin", "Initial margin is 12 %."), ("Margin > Calls", "By noon.")]
    tree = {"document": TreeNode(node_id="document")}
    for place, (title, content) in enumerate(passages):
        name = f"p{place}"
        tree[name] = TreeNode(node_id=name, parent_id="document", position=place, title=title, content=content)
    fields = common(
        title="Margin rules", path="rules/margin.md", collection="documents", root_node_id="document", nodes=tree
    )
    return Document(**fields | changes)


def test_a_document_shows_its_passages_alone() -> None:
    first, second = project(document())
    assert (first.locator.member_id, first.title, first.body) == ("p0", "Margin", "Initial margin is 12 %.")
    assert (second.title, second.path, second.tree_id) == ("Margin > Calls", "rules/margin.md", str(ID))


def test_where_the_root_has_no_text_the_first_node_has_the_identifiers() -> None:
    first, second = project(document())
    assert (first.identifiers, second.identifiers) == (("margin.md",), ())


def test_the_type_that_a_document_gives_itself_is_what_the_filter_sees() -> None:
    assert {record.item_type for record in project(document())} == {"document"}
    assert {record.item_type for record in project(document(kind="thesis"))} == {"thesis"}
