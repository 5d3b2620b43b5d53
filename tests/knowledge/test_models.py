"""What the models accept, keep and refuse."""

from __future__ import annotations

import copy
import pickle
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import pydantic
import pytest

import hybridkb.knowledge as public
from hybridkb.errors import InvalidInput
from hybridkb.knowledge import (
    MAX_TEXT_CHARACTERS,
    Citation,
    Earnings,
    ExtractionRef,
    Factor,
    News,
    Note,
    Provenance,
    SourceRef,
    Thesis,
    at_least_as_trusted,
    provenance,
    stable_id,
)
from knowledge.samples import AS_OF, ID, common, filing, note


def test_every_public_name_exists() -> None:
    assert all(hasattr(public, name) for name in public.__all__)


def test_defaults_are_sensible() -> None:
    item = Note(id=ID, as_of=AS_OF, source=SourceRef(kind="manual"), body="b")
    assert (item.item_type, item.schema_version, item.confidence) == ("note", 1, "medium")
    assert (item.available_at, item.extraction, item.provenance) == (None, None, None)
    assert (item.citations, item.tags, item.disclaimers, item.title) == ((), (), (), "")
    assert item.created_at.tzinfo is UTC
    assert abs(datetime.now(UTC) - item.created_at).total_seconds() < 60


@pytest.mark.parametrize("missing", ["id", "as_of", "source", "body"])
def test_what_is_required_is_named(missing: str) -> None:
    fields = common(body="b")
    del fields[missing]
    with pytest.raises(InvalidInput, match=f"{missing}: is required") as caught:
        Note(**fields)
    assert caught.value.field == missing


def test_an_id_is_never_made_by_chance() -> None:
    with pytest.raises(InvalidInput, match="stable_id"):
        Note(as_of=AS_OF, source=SourceRef(kind="manual"), body="b")  # type: ignore[call-arg]


def test_an_unknown_field_suggests_the_right_one() -> None:
    with pytest.raises(InvalidInput, match="tilte: no such field; did you mean 'title'"):
        note(tilte="x")


def test_an_unknown_nested_field_is_named_by_its_path() -> None:
    with pytest.raises(InvalidInput, match=r"source\.urn: no such field") as caught:
        note(source={"kind": "manual", "urn": "x"})
    assert caught.value.field == "source.urn"


def test_several_faults_are_told_together() -> None:
    with pytest.raises(InvalidInput) as caught:
        note(as_of=datetime(2024, 1, 1), confidence="sure", tags="copper", citations=[{"page": 0}])
    assert all(name in str(caught.value) for name in ("as_of:", "confidence:", "tags:", "citations.0.page:"))
    assert caught.value.field == "as_of"


def test_many_faults_are_counted() -> None:
    with pytest.raises(InvalidInput, match="and 3 more"):
        note(**{f"extra{number}": 1 for number in range(8)})


@pytest.mark.parametrize("field", ["as_of", "available_at", "created_at"])
@pytest.mark.parametrize(
    "value", [datetime(2024, 1, 1), "2024-01-01T00:00:00", "2024-01-01", date(2024, 1, 1), 1_700_000_000, "soon"]
)
def test_naive_times_days_and_numbers_are_refused(field: str, value: Any) -> None:
    with pytest.raises(InvalidInput, match=f"{field}: .*(write a full instant|give it one)") as caught:
        note(**{field: value})
    assert caught.value.field == field


def test_times_inside_the_source_are_checked_too() -> None:
    with pytest.raises(InvalidInput, match=r"source\.fetched_at: .*naive"):
        note(source={"kind": "http", "fetched_at": datetime(2024, 1, 1)})


def test_times_are_kept_in_utc_and_rounded_up() -> None:
    item = note(available_at="2024-03-10T23:30:00.0000001-05:00", as_of="2024-03-01T00:00:00.9999999Z")
    assert item.available_at == datetime(2024, 3, 11, 4, 30, 0, 1, tzinfo=UTC)
    assert item.available_at.tzinfo is UTC
    assert item.as_of == datetime(2024, 3, 1, 0, 0, 1, tzinfo=UTC)


def test_nul_is_kept_in_text() -> None:
    assert note(body="abc\0def").body == "abc\0def"


@pytest.mark.parametrize("fields", [{"body": "a\ud800"}, {"title": "\udfff"}, {"tags": ["\ud800"]}])
def test_lone_surrogates_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="lone surrogate"):
        note(**fields)


def test_text_has_a_named_limit() -> None:
    longest = "x" * MAX_TEXT_CHARACTERS
    assert len(note(body=longest).body) == MAX_TEXT_CHARACTERS
    with pytest.raises(InvalidInput, match="body: is longer than 16,777,216 characters"):
        note(body=longest + "x")


def test_lists_come_in_and_tuples_are_kept() -> None:
    item = note(tags=["b", "a", "b"], disclaimers=["d"], citations=[Citation(page=1)])
    assert item.tags == ("b", "a")
    assert item.disclaimers == ("d",)
    assert item.citations == (Citation(page=1),)


def test_a_set_of_tags_comes_in_sorted() -> None:
    assert note(tags={"b", "c", "a"}).tags == ("a", "b", "c")


@pytest.mark.parametrize(("tag", "why"), [("", "empty"), (" ", "empty"), ("a\0b", "control"), ("x" * 1001, "1000")])
def test_tags_are_names(tag: str, why: str) -> None:
    with pytest.raises(InvalidInput, match=rf"tags\.0: .*{why}"):
        note(tags=[tag])


def test_items_cannot_be_changed() -> None:
    item = filing()
    with pytest.raises(pydantic.ValidationError, match="frozen"):
        item.title = "x"
    with pytest.raises(TypeError, match="immutable"):
        item.nodes["x"] = item.nodes["root"]  # type: ignore[index]
    with pytest.raises(TypeError, match="immutable"):
        item.nodes.clear()  # type: ignore[attr-defined]
    assert len(item.nodes) == 4


def test_copies_are_validated() -> None:
    item = note()
    assert item.model_copy(update={"tags": ["x"]}).tags == ("x",)
    assert item.model_copy() == item
    with pytest.raises(InvalidInput, match="naive"):
        item.model_copy(update={"as_of": datetime(2024, 1, 1)})
    with pytest.raises(InvalidInput, match="no such field"):
        item.model_copy(update={"tilte": "x"})


def test_items_can_be_hashed_pickled_and_copied() -> None:
    for item in (note(tags=["a"]), filing()):
        assert pickle.loads(pickle.dumps(item)) == copy.deepcopy(item) == item
        assert hash(copy.deepcopy(item)) == hash(item)
    with pytest.raises(TypeError, match="immutable"):
        copy.deepcopy(filing()).nodes.pop("root")  # type: ignore[attr-defined]


def test_every_door_raises_invalid_input() -> None:
    with pytest.raises(InvalidInput):
        Note.model_validate({})
    with pytest.raises(InvalidInput):
        Note.model_validate_json("{}")
    with pytest.raises(InvalidInput, match="not JSON"):
        Note.model_validate_json("{")
    with pytest.raises(InvalidInput, match="mapping of fields or a Note"):
        Note.model_validate(7)
    with pytest.raises(InvalidInput, match="source: give a mapping of fields or a SourceRef"):
        note(source="manual")


def test_inside_another_pydantic_model_pydantics_own_error_is_raised() -> None:
    class Envelope(pydantic.BaseModel):
        item: Note

    with pytest.raises(pydantic.ValidationError) as caught:
        Envelope(item={"id": ID})  # type: ignore[arg-type]
    assert ("item", "body") in [error["loc"] for error in caught.value.errors()]


def test_the_types_have_json_schemas() -> None:
    assert Note.model_json_schema()["properties"]["as_of"]["format"] == "date-time"
    assert "nodes" in type(filing()).model_json_schema()["properties"]


def test_item_type_cannot_be_changed() -> None:
    with pytest.raises(InvalidInput, match="item_type"):
        note(item_type="news")


def test_quotes_have_at_most_500_characters() -> None:
    assert Citation(quote="x" * 500)
    with pytest.raises(InvalidInput, match="quote: is longer than 500 characters"):
        Citation(quote="x" * 501)


def test_parts_of_a_subclass_are_refused_rather_than_cut() -> None:
    class Wider(SourceRef):
        desk: str = "metals"

    with pytest.raises(InvalidInput, match=r"source\.desk: no such field"):
        note(source=Wider(kind="manual"))


def test_a_citation_points_somewhere() -> None:
    with pytest.raises(InvalidInput, match="a citation needs"):
        Citation(char_offset=3)
    with pytest.raises(InvalidInput, match="char_offset"):
        Citation(page=1, char_offset=-1)


def test_foreign_ids_are_kept_as_text() -> None:
    assert Citation(source_id=ID).source_id == str(ID)  # type: ignore[arg-type]
    assert ExtractionRef(run_id=ID).run_id == str(ID)  # type: ignore[arg-type]
    assert Citation(tree_id=str(ID)).tree_id == ID  # type: ignore[arg-type]


def test_source_kinds_are_a_closed_set() -> None:
    with pytest.raises(InvalidInput, match="'arxiv', 'http', 'doi', 'local', 'rss', 'transcript' or 'manual'"):
        SourceRef(kind="web")  # type: ignore[arg-type]


@pytest.mark.parametrize("number", [94.5, Decimal("94.5"), np.float32(94.5), np.float64(94.5)])
def test_figures_of_any_numeric_kind_become_floats(number: Any) -> None:
    item = Earnings(**common(ticker="AAPL", period="Q3 2024", revenue=number, eps=np.int64(2)))
    assert type(item.revenue) is float
    assert (item.revenue, item.eps) == (94.5, 2.0)


def test_figures_may_be_words() -> None:
    assert Earnings(**common(ticker="AAPL", period="Q3 2024", revenue="$94.9bn")).revenue == "$94.9bn"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), True, [], 10**400, Decimal("NaN")])
def test_figures_that_say_nothing_are_refused(value: Any) -> None:
    with pytest.raises(InvalidInput, match="eps"):
        Earnings(**common(ticker="AAPL", period="Q3 2024", eps=value))


@pytest.mark.parametrize("value", ["positive", 0.4, -1, None])
def test_sentiment_is_a_word_or_on_a_scale(value: Any) -> None:
    assert News(**common(headline="h", sentiment=value)).sentiment == value


@pytest.mark.parametrize(("field", "value"), [("sentiment", 1.5), ("sentiment", -2), ("materiality", -0.1)])
def test_numbers_off_their_scale_are_refused(field: str, value: float) -> None:
    with pytest.raises(InvalidInput, match=f"{field}: as a number lies from"):
        News(**common(headline="h", **{field: value}))


def test_the_short_types_need_only_their_text() -> None:
    assert Thesis(**common(claim="c")).rationale == ""
    assert Factor(**common(factor_name="momentum")).universe is None
    assert News(**common(headline="h")).body == ""


def test_a_provenance_card_reads_as_a_row_and_back() -> None:
    card = Provenance("lineage", "experiment", date(2024, 3, 1), "keep", "https://example.org")
    assert card.as_row() == ("lineage", "experiment", "2024-03-01", "keep", "https://example.org")
    assert Provenance(*card.as_row()) == card == Provenance.model_validate(card.model_dump())
    assert note(provenance=card.model_dump()).provenance == card


def test_the_known_source_classes_are_guarded() -> None:
    with pytest.raises(InvalidInput, match="'blog' is not a known source class; use one of article, lineage"):
        Provenance("blog")
    with pytest.raises(InvalidInput, match=r"provenance\.source: 'blog'"):
        note(provenance={"source": "blog"})


def test_trust_follows_the_order_of_the_classes() -> None:
    assert [Provenance(name).trust for name in public.SOURCE_CLASSES] == [0, 1, 2, 3]
    assert at_least_as_trusted("article") == ("article",)
    assert at_least_as_trusted("scout") == ("article", "lineage", "scout")
    with pytest.raises(InvalidInput, match="not a known source class"):
        at_least_as_trusted("blog")


def test_the_known_set_is_extended_in_one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provenance, "SOURCE_CLASSES", ("article", "blog"))
    assert Provenance("blog").trust == 1


@pytest.mark.parametrize("day", ["2024-3-1", "2024-02-30", "20240301", "2024-W10-5", "", datetime(2024, 3, 1)])
def test_a_document_date_is_a_calendar_day(day: Any) -> None:
    with pytest.raises(InvalidInput, match=r"doc_date: is .*a calendar day"):
        Provenance("article", doc_date=day)


def test_stable_ids_depend_on_their_parts_alone() -> None:
    assert stable_id("a", 1) == stable_id("a", 1) == UUID("9535ff3c-2961-5e91-a802-257e3afc2293")
    assert len({stable_id("ab"), stable_id("a", "b"), stable_id("b", "a"), stable_id("a", "")}) == 4
    assert stable_id(ID, date(2024, 3, 1)).version == 5
    assert stable_id("\ud800\0")
    with pytest.raises(InvalidInput, match="at least one part"):
        stable_id()
    with pytest.raises(InvalidInput, match="cannot name anything"):
        stable_id(1.5)  # type: ignore[arg-type]
