"""Every limit, tripped: code keeps it, whatever the model or the service does."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from hybridkb.errors import InvalidInput
from hybridkb.papers.summary_config import ONLY_ENDING, SummaryLimits
from support.scripted_model import SUMMARY, Asked, Reply, ScriptedModel, answer, call, refuse, say
from support.small_paper import small_paper
from support.summary_run import LIMITS, failing, summarise_now

READ = call(("read_chunks", {"ids": ["c0001", "c0004", "c0007"]}))
LOOK = call(("find", {"words": "encoder"}))


def endless(asked: Asked) -> Reply:
    """Reads on and on."""
    return say("Notes.") if asked.is_part else LOOK


def told(error: Any, limit: str) -> None:
    assert error.limit == limit
    assert f"limit {limit} (" in str(error)
    assert f"SummaryLimits({limit}=...)" in str(error)
    assert f"{error.calls} model calls" in str(error)


def test_model_calls(model: ScriptedModel) -> None:
    model.brain = endless
    error = failing(model, model_calls=4)
    told(error, "model_calls")
    assert len(model.asked) == error.calls == 4
    assert model.asked[-1].body["tool_choice"] == "none"
    assert "last call" in model.asked[-1].messages[-1]["content"]


def test_the_last_call_may_still_be_answered(model: ScriptedModel) -> None:
    def brain(asked: Asked) -> Reply:
        return answer(SUMMARY, ["c0001", "c0004", "c0007"]) if asked.body.get("tool_choice") == "none" else READ

    model.brain = brain
    assert summarise_now(model, model_calls=3).use.calls == 3


def test_an_answer_beside_forbidden_calls_counts(model: ScriptedModel) -> None:
    both = dict(
        answer(SUMMARY, ["c0001", "c0004", "c0007"]).message or {}, tool_calls=(READ.message or {})["tool_calls"]
    )
    model.script(READ, Reply(both))
    assert summarise_now(model, model_calls=2).text == SUMMARY


def test_parts_leave_calls_for_the_summary(model: ScriptedModel) -> None:
    model.script(call(*(("summarise_part", {"ids": [f"c{n:04d}"], "question": ""}) for n in range(1, 10))))
    assert summarise_now(model, model_calls=5).use.calls <= 5
    assert sum(asked.is_part for asked in model.asked) == 2
    assert sum("Not done" in str(one["content"]) for one in model.asked[-1].messages) == 7


def test_tool_calls(model: ScriptedModel) -> None:
    model.brain = endless
    error = failing(model, tool_calls=3)
    told(error, "tool_calls")
    assert len(model.asked) == 4


def test_tool_calls_of_one_answer(model: ScriptedModel) -> None:
    model.script(call(*[("find", {"words": "encoder"})] * 100), READ)
    error = failing(model, tool_calls=5)
    told(error, "tool_calls")
    assert sum(one["role"] == "tool" for one in model.asked[1].messages) == 5
    assert "95 tool calls were left out" in model.asked[1].messages[-2]["content"]


def test_tool_calls_at_once(model: ScriptedModel) -> None:
    model.script(call(*[("find", {"words": "encoder"})] * 30))
    assert summarise_now(model, tool_calls=60).text == SUMMARY
    assert sum(one["role"] == "tool" for one in model.asked[1].messages) == 16


def test_concurrency(model: ScriptedModel) -> None:
    model.script(call(*(("summarise_part", {"ids": [f"c{n:04d}"], "question": ""}) for n in range(1, 9))))

    def brain(asked: Asked) -> Reply:
        return say("Notes.", together=2) if asked.is_part else answer(SUMMARY, ["c0001", "c0004", "c0007"])

    model.brain = brain
    assert summarise_now(model, concurrency=2).use.calls == 10
    assert model.most_in_flight == 2


def test_input_tokens_are_estimated_before(model: ScriptedModel) -> None:
    error = failing(model, input_tokens=500)
    told(error, "input_tokens")
    assert not model.asked


def test_input_tokens_end_the_reading(model: ScriptedModel) -> None:
    model.brain = endless
    error = failing(model, input_tokens=14_000, answer_tokens=500)
    told(error, "input_tokens")
    assert error.input_tokens <= 14_000
    assert model.asked[-1].body["tool_choice"] == "none"


def test_input_tokens_that_the_service_counts(model: ScriptedModel) -> None:
    model.script(
        call(("find", {"words": "encoder"}), usage={"prompt_tokens": 10**9, "completion_tokens": 1, "total_tokens": 1})
    )
    told(failing(model), "input_tokens")
    assert len(model.asked) == 1


def test_output_tokens(model: ScriptedModel) -> None:
    model.brain = lambda asked: call(
        ("find", {"words": "encoder"}), usage={"prompt_tokens": 1, "completion_tokens": 350, "total_tokens": 1}
    )
    error = failing(model, output_tokens=1_000, answer_tokens=400)
    told(error, "output_tokens")
    assert [asked.body["max_tokens"] for asked in model.asked] == [400, 400, 300]


def test_output_tokens_that_the_service_hides(model: ScriptedModel) -> None:
    model.brain = lambda asked: say("word " * 2_000, usage=None)
    told(failing(model, output_tokens=3_000, answer_tokens=3_000), "output_tokens")
    assert len(model.asked) == 1


def test_request_tokens_are_not_passed_before_anything_is_read(model: ScriptedModel) -> None:
    told(failing(model, request_tokens=500), "request_tokens")
    assert not model.asked


def test_request_tokens_end_the_reading(model: ScriptedModel) -> None:
    model.script(
        *[call(("read_chunks", {"ids": [f"c{n:04d}" for n in range(first, first + 5)]})) for first in (1, 6, 11)]
    )
    model.brain = lambda asked: answer(SUMMARY, ["c0001", "c0002", "c0004"])
    made = summarise_now(model, paper=small_paper(9, 3), request_tokens=8_000, answer_tokens=500)
    assert made.text == SUMMARY
    answers = [one["content"] for one in model.asked[-1].messages if one["role"] == "tool"]
    assert any(one.startswith("No room is left") for one in answers)


@pytest.mark.parametrize("room", range(7_500, 12_000, 750))
def test_what_tools_answer_never_makes_the_next_request_too_long(model: ScriptedModel, room: int) -> None:
    many = [("read_chunks", {"ids": ["c0001", "c0004", "c0007"]}), ("list_chunks", {"first": 1, "last": 27})]

    def brain(asked: Asked) -> Reply:
        if asked.body.get("tool_choice") == "none" or asked.number > 3:
            return answer(SUMMARY, ["c0001", "c0004", "c0007"])
        calls = call(*(many * 5)).message or {}
        return Reply({**calls, "content": "I think that I should read. " * 100})

    model.brain = brain
    assert summarise_now(model, paper=small_paper(9, 3), request_tokens=room, answer_tokens=1_500).text == SUMMARY


def test_answer_tokens(model: ScriptedModel) -> None:
    model.script(READ, say("word " * 5_000))
    made = summarise_now(model, answer_tokens=500)
    assert {asked.body["max_tokens"] for asked in model.asked} == {500}
    assert "too long: at most 500 tokens" in model.asked[2].messages[-1]["content"]
    assert "word word" not in model.asked[2].text
    assert made.use.calls == 3


def test_tool_characters(model: ScriptedModel) -> None:
    everything = [f"c{n:04d}" for n in range(1, 61)]
    model.script(
        call(
            ("read_chunks", {"ids": everything}),
            ("list_chunks", {"first": 1, "last": 10**9}),
            ("find", {"words": "encoder decoder passage"}),
            ("read_chunks", {"ids": ["c0061"]}),
        ),
        READ,
    )
    paper = small_paper(1, 61, texts={60: "endless " * 50_000})
    source, chunks = paper
    made = summarise_now(model, paper=paper, tool_characters=2_000, cited_pages=1)
    answers = [one["content"] for one in model.asked[1].messages if one["role"] == "tool"]
    assert len(answers) == 4
    assert all(len(one) <= 2_000 for one in answers)
    assert "No room for" in answers[0]
    assert "Go on with list_chunks(first=" in answers[1]
    assert "[cut here]" in answers[3]
    assert len(model.asked[0].messages[1]["content"]) < 2_600
    assert made.cited


@pytest.mark.parametrize("most", [1_000, 1_100, 2_500])
def test_no_tool_answers_more_than_it_may(model: ScriptedModel, most: int) -> None:
    everything = [f"c{n:04d}" for n in range(1, 62)]
    invented = [f"{n}{'x' * 300}" for n in range(8)]
    questions: list[tuple[str, Any]] = [
        ("read_chunks", {"ids": everything[:60]}),
        ("read_chunks", {"ids": [*everything[:40], *invented]}),
        ("read_chunks", {"ids": [*reversed(everything), "nothing"]}),
        ("list_chunks", {"first": 1, "last": 61}),
        ("list_chunks", {"first": 99, "last": 1}),
        ("find", {"words": "encoder decoder passage attention layer score"}),
        ("summarise_part", {"ids": everything[:3], "question": "q " * 200}),
        ("summarise_part", {"ids": [*everything[:3], *invented], "question": ""}),
    ]
    model.script(call(*questions), say("notes " * 5_000), READ)
    paper = small_paper(1, 61, texts={60: "endless " * 50_000})
    summarise_now(model, paper=paper, tool_characters=most, argument_characters=10_000, cited_pages=1, cited_chunks=1)
    answers = [one["content"] for one in model.asked[2].messages if one["role"] == "tool"]
    assert len(answers) == len(questions)
    assert [len(one) for one in answers if len(one) > most] == []
    assert all(one.count("<untrusted") == one.count("</untrusted") <= 1 for one in answers)


def test_argument_characters(model: ScriptedModel) -> None:
    model.script(call(("find", {"words": "x" * 10_000})), READ)
    assert summarise_now(model, argument_characters=300).use.calls == 3
    assert "the arguments of find have 10013 characters" in model.asked[1].messages[-1]["content"]
    assert "xxx" not in model.asked[1].text


def test_response_bytes(model: ScriptedModel) -> None:
    model.script(Reply(raw=b" " * 60_000))
    error = failing(model, response_bytes=50_000)
    assert error.reason == "service"
    assert "response_bytes" in str(error)
    assert len(model.asked) == 1


def test_response_bytes_hold_for_compressed_ones(model: ScriptedModel) -> None:
    model.script(Reply(raw=b"x", headers={"Content-Encoding": "gzip"}))
    assert "compressed" in str(failing(model))


def test_seconds(model: ScriptedModel) -> None:
    model.brain = lambda asked: Reply(raw=b"", drip=0.02)
    error = failing(model, seconds=0.4)
    told(error, "seconds")
    assert error.temporary


def test_request_seconds_and_retries(model: ScriptedModel) -> None:
    model.brain = lambda asked: Reply(raw=b"", drip=0.02)
    error = failing(model, request_seconds=0.2, retries=1)
    assert (error.reason, error.limit, error.temporary) == ("service", None, True)
    assert "did not answer within 0.2 seconds" in str(error)
    assert error.calls == len(model.asked) == 2


def test_retries(model: ScriptedModel) -> None:
    model.brain = lambda asked: refuse(500, "boom")
    assert failing(model, retries=2).calls == 3
    assert failing(model, retries=0).calls == 1


def test_retries_count_as_model_calls(model: ScriptedModel) -> None:
    model.brain = lambda asked: refuse(500, "boom")
    told(failing(model, retries=50, model_calls=4), "model_calls")
    assert len(model.asked) == 4


def test_answers(model: ScriptedModel) -> None:
    model.brain = lambda asked: say("I would rather talk about something else.")
    error = failing(model, answers=3)
    told(error, "answers")
    assert error.reason == "answer"
    assert error.faults == ("no JSON object was found in the answer",)
    assert len(model.asked) == 3


@pytest.mark.parametrize(
    ("limits", "fault"),
    [
        ({"cited_chunks": 4}, "cite at least 4 on 2 pages"),
        ({"cited_pages": 4}, "cite at least 3 on 4 pages"),
        ({"cited_chunks": 1, "cited_pages": 1, "most_cited": 2}, "cite the 2 that matter most"),
        ({"least_characters": 1_000}, "write at least 1000"),
        ({"most_characters": 100, "least_characters": 1}, "write at most 100"),
    ],
)
def test_what_a_summary_must_be(model: ScriptedModel, limits: dict[str, int], fault: str) -> None:
    model.script(READ)
    model.brain = lambda asked: answer(SUMMARY, ["c0001", "c0004", "c0007"])
    error = failing(model, answers=2, **limits)
    assert [fault in one for one in error.faults] == [True]


@pytest.mark.parametrize("name", sorted(LIMITS))
def test_numbers_out_of_range_are_refused(name: str) -> None:
    for value in (-1, float("nan"), "many", True):
        with pytest.raises(InvalidInput, match=name):
            SummaryLimits(**{name: value})  # type: ignore[arg-type]


def test_limits_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(InvalidInput, match="least_characters"):
        SummaryLimits(least_characters=10, most_characters=5)
    with pytest.raises(InvalidInput, match="cited_chunks"):
        SummaryLimits(cited_chunks=10, most_cited=5)


def test_the_page_names_every_limit_with_its_default() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "paper_summaries.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| ([\d,.]+) \|.*\| (yes|no) \|$", page, re.MULTILINE)
    expected = [
        (one.name, f"{one.default:,}" if isinstance(one.default, int) else f"{one.default:g}",
         "no" if one.name in ONLY_ENDING else "yes")
        for one in fields(SummaryLimits)
    ]  # fmt: skip
    assert rows == expected
