"""What a good model and a patient one come to, against a scripted service on loopback."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from hybridkb.errors import InvalidInput
from hybridkb.papers.summary_agent import summarise
from hybridkb.papers.summary_config import SummaryConfig, summary_configuration
from support.scripted_model import SUMMARY, Asked, Reply, ScriptedModel, answer, call, good_reader, refuse, say
from support.small_paper import chunk_set, passage, small_paper
from support.summary_run import failing, settings, summarise_now


def test_a_good_model_makes_a_summary_that_rests_on_passages(model: ScriptedModel) -> None:
    source, chunks = small_paper()
    made = summarise_now(model, paper=(source, chunks))
    assert made.text == SUMMARY
    assert [(one.chunk_id, one.page) for one in made.cited] == [("c0001", 1), ("c0004", 2), ("c0007", 3)]
    assert (made.source_id, made.chunk_set_id, made.lineage) == (source.id, chunks.id, (chunks.id,))
    assert (made.available_at, made.as_of, made.source) == (source.available_at, source.as_of, source.source)
    assert made.parse_hash == source.parse_hash
    assert made.use.calls == len(model.asked) == 2
    assert made.use.input_tokens > 0 < made.use.output_tokens


def test_citations_quote_the_passage_on_its_page(model: ScriptedModel) -> None:
    source, chunks = small_paper()
    made = summarise_now(model, paper=(source, chunks))
    for cited, shown in zip(made.cited, made.citations, strict=True):
        assert shown.source_id == str(source.id)
        assert shown.page == cited.page
        assert shown.quote
        assert source.pages[cited.page - 1].text[shown.char_offset :].startswith(shown.quote)


def test_configuration_is_exact_and_holds_no_key(model: ScriptedModel) -> None:
    made = summarise_now(model, variant="second", temperature=0.5)
    assert made.configuration == summary_configuration(settings(model, variant="second", temperature=0.5))
    assert made.configuration["variant"] == "second"
    assert made.configuration["service"] == "127.0.0.1"
    assert made.extraction.model == made.configuration["model"] == "scripted"
    assert "sk-secret" not in made.model_dump_json()
    assert model.asked[0].body["temperature"] == 0.5


def test_limits_that_only_end_a_run_do_not_make_a_sibling(model: ScriptedModel) -> None:
    first, second = summarise_now(model), summarise_now(model, seconds=77, concurrency=2)
    other = summarise_now(model, tool_calls=9)
    assert first.id == second.id != other.id


def test_several_rounds_of_tools_are_followed(model: ScriptedModel) -> None:
    def read_found(asked: Asked) -> Reply:
        assert "5 Section" not in asked.messages[-1]["content"]
        return call(("read_chunks", {"ids": ["c0002", "c0005"]}), ("read_chunks", {"ids": ["c0009"]}))

    model.script(
        call(("list_chunks", {"first": 4, "last": 6})), call(("find", {"words": "encoder Decoder"})), read_found
    )
    made = summarise_now(model)
    assert [one.chunk_id for one in made.cited] == ["c0002", "c0005", "c0009"]
    assert made.use.calls == 4
    listed, found = (asked.messages[-1]["content"] for asked in model.asked[1:3])
    assert "c0004 | p. 2" in listed
    assert "c0007" not in listed
    assert "hold some of these words" in found


def test_a_paper_that_fits_is_shown_at_once_and_needs_no_tools(model: ScriptedModel) -> None:
    made = summarise_now(model, tool_characters=20_000)
    assert made.use.calls == 1
    assert not model.asked[0].tools
    assert passage(11) in model.asked[0].text


def test_parts_are_read_in_parallel_and_their_passages_may_be_cited(model: ScriptedModel) -> None:
    groups = [["c0001", "c0002"], ["c0004", "c0005"], ["c0007"]]
    model.script(call(*(("summarise_part", {"ids": ids, "question": "the result"}) for ids in groups)))

    def brain(asked: Asked) -> Reply:
        if asked.is_part:
            return say("Notes on " + " ".join(asked.shown), together=3)
        return answer(SUMMARY, [ids[0] for ids in groups])

    model.brain = brain
    made = summarise_now(model, concurrency=3)
    assert made.use.calls == 5
    assert model.most_in_flight == 3
    notes = [one["content"] for one in model.asked[-1].messages if one["role"] == "tool"]
    assert [f"Notes on {' '.join(ids)}" in note for ids, note in zip(groups, notes, strict=True)] == [True] * 3
    assert all(note.startswith("<untrusted") for note in notes)
    assert "the result" in model.asked[1].text


def test_an_answer_that_is_refused_is_told_why_and_mended(model: ScriptedModel) -> None:
    read = call(("read_chunks", {"ids": ["c0001", "c0004", "c0007"]}))
    model.script(read, answer(SUMMARY, ["c0001", "c0004", "c9999"]), answer(SUMMARY, ["c0001"]))
    made = summarise_now(model)
    assert made.use.calls == 4
    told = [asked.messages[-1]["content"] for asked in model.asked[2:]]
    assert "there is no passage 'c9999'" in told[0]
    assert "1 passages on 1 pages are cited; cite at least 3 on 2 pages" in told[1]


@pytest.mark.parametrize(
    ("pages", "each", "cited"), [(1, 1, ["c0001"]), (1, 2, ["c0001", "c0002"]), (2, 1, ["c0001", "c0002"])]
)
def test_a_short_paper_needs_fewer_citations(model: ScriptedModel, pages: int, each: int, cited: list[str]) -> None:
    made = summarise_now(model, paper=small_paper(pages, each))
    assert [one.chunk_id for one in made.cited] == cited
    model.script(answer(SUMMARY, []))
    assert summarise_now(model, paper=small_paper(pages, each)).use.calls == made.use.calls + 1


@pytest.mark.parametrize("told", ["Unknown parameter: response_format", "bad request"])
def test_a_service_without_schemas_is_asked_in_words(model: ScriptedModel, told: str) -> None:
    def brain(asked: Asked) -> Reply:
        if "response_format" in asked.body:
            return refuse(400, told)
        reply = good_reader()(asked)
        if reply.message and reply.message.get("content"):
            return say(f"Sure, here it is:\n```json\n{reply.message['content']}\n```\nAnything else?")
        return reply

    model.brain = brain
    assert summarise_now(model).text == SUMMARY
    assert ["response_format" in asked.body for asked in model.asked] == [True, False, False]
    assert summarise_now(model, structured="plain").text == SUMMARY
    assert "response_format" not in model.asked[3].body
    assert failing(model, structured="schema").reason == "service"


def test_a_model_that_counts_otherwise_is_asked_otherwise(model: ScriptedModel) -> None:
    def brain(asked: Asked) -> Reply:
        if "max_tokens" in asked.body:
            return refuse(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        return good_reader()(asked)

    model.brain = brain
    assert summarise_now(model, answer_tokens=777).use.calls == 3
    assert [asked.body.get("max_completion_tokens") for asked in model.asked] == [None, 777, 777]


def test_a_service_that_cannot_be_told_to_call_no_tools_is_told_in_words(model: ScriptedModel) -> None:
    def brain(asked: Asked) -> Reply:
        if "tool_choice" in asked.body:
            return refuse(400, "tool_choice is not supported")
        return good_reader()(asked)

    model.brain = brain
    assert summarise_now(model, tool_calls=1).use.calls == 3
    assert "last call" in model.asked[2].messages[-1]["content"]


def test_marks_of_ids_are_taken_out_of_the_text(model: ScriptedModel) -> None:
    marked = SUMMARY.replace("systems.", "systems [c0001, c0004].")
    model.brain = good_reader(marked)
    assert summarise_now(model).text == SUMMARY


def test_progress_is_told(model: ScriptedModel) -> None:
    seen: list[tuple[str, int, int]] = []
    summarise_now(model, progress=lambda *step: seen.append(step), model_calls=7)
    assert seen == [
        ("model calls", 0, 7), ("passages read", 0, 12),
        ("model calls", 1, 7), ("passages read", 0, 12),
        ("model calls", 2, 7), ("passages read", 3, 12),
    ]  # fmt: skip


@pytest.mark.parametrize("at", [0, 1])
def test_what_progress_raises_comes_out(model: ScriptedModel, at: int) -> None:
    def stop(step: str, done: int, total: int) -> None:
        if done >= at:
            raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        summarise_now(model, progress=stop)
    assert len(model.asked) == at


def test_what_progress_raises_in_a_part_comes_out(model: ScriptedModel) -> None:
    model.script(call(*[("summarise_part", {"ids": ["c0001"], "question": ""})] * 3))
    model.brain = lambda asked: say("Notes.", together=100 if asked.number > 3 else 1)

    def stop(step: str, done: int, total: int) -> None:
        if step == "model calls" and done > 1:
            raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        summarise_now(model, progress=stop)


def test_a_cancelled_summary_leaves_nothing_running(model: ScriptedModel) -> None:
    model.script(call(*(("summarise_part", {"ids": [name], "question": ""}) for name in ("c0001", "c0002"))))
    model.brain = lambda asked: say("never", together=100)

    async def run() -> None:
        source, chunks = small_paper()
        task = asyncio.create_task(summarise(source, chunks, settings(model)))
        while len(model.asked) < 3:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(run())
    assert len(model.asked) == 3


def test_passages_of_another_paper_are_refused(model: ScriptedModel) -> None:
    source, chunks = small_paper()
    other, _ = small_paper(title="Other")
    with pytest.raises(InvalidInput, match="another paper"):
        summarise_now(model, paper=(other, chunks))
    with pytest.raises(InvalidInput, match="empty"):
        summarise_now(model, paper=(source, chunk_set(source, [])))
    assert not model.asked


def test_a_client_of_ones_own_is_used_and_left_open(model: ScriptedModel) -> None:
    from openai import AsyncOpenAI

    async def run() -> Any:
        async with AsyncOpenAI(base_url=model.url, api_key="mine", max_retries=0) as client:
            made = await summarise(*small_paper(), SummaryConfig(model="scripted"), client=client)
            assert not client.is_closed()
            return made

    assert asyncio.run(run()).text == SUMMARY
    assert model.authorizations == ["Bearer mine"] * len(model.asked)


def test_commands_to_a_terminal_in_a_paper_are_not_sent(model: ScriptedModel) -> None:
    paper = small_paper(1, 1, texts={0: "odd text and a \x1b[31mcolour " + passage(1)})
    assert summarise_now(model, paper=paper).cited[0].chunk_id == "c0001"
    assert "[31m" not in json.dumps(model.asked[0].body)
