"""A service that fails, refuses, babbles or lies: typed errors, bounded retries, and no key anywhere."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import traceback
from typing import Any

import pytest

from hybridkb.errors import InvalidInput, MissingExtra, SummaryFailed
from hybridkb.papers import PaperFlowConfig, summary_agent
from hybridkb.papers.summary_agent import summarise
from hybridkb.papers.summary_agent_client import Failure, explain, make_client
from hybridkb.papers.summary_config import SummaryConfig, service_of, summary_configuration
from support.scripted_model import SUMMARY, Reply, ScriptedModel, answer, call, refuse
from support.small_paper import small_paper
from support.summary_run import KEY, failing, settings, summarise_now

READ = call(("read_chunks", {"ids": ["c0001", "c0004", "c0007"]}))
GOOD = answer(SUMMARY, ["c0001", "c0004", "c0007"])


@pytest.mark.parametrize(
    "reply",
    [
        refuse(429, headers={"Retry-After": "0"}),
        refuse(408),
        refuse(500),
        refuse(503, headers={"retry-after-ms": "1"}),
        Reply(raw=b"<html>gateway</html>", headers={"Content-Type": "text/html"}),
        Reply(raw=b"<html>gateway</html>"),
        Reply(raw=b""),
        Reply(raw=b"null"),
        Reply(raw=b"[]"),
        Reply(raw=b'"text"'),
        Reply(raw=b"\xff\xfe\x00"),
        Reply(raw=b'{"choices": 5}'),
        Reply(raw=b'{"choices": [{"message": null, "index": 0}]}'),
        Reply(raw=b'{"choices": [{"message": {"role": "assistant", "content": 7}}]}'),
        Reply(raw=b'{"choices": [{"message": {"tool_calls": [{"type": "function"}]}}]}'),
        Reply(raw=b'{"error": {"message": "overloaded"}}'),
        Reply(None),
    ],
)
def test_a_bad_response_is_tried_again(model: ScriptedModel, reply: Reply) -> None:
    model.script(READ, reply, GOOD)
    made = summarise_now(model)
    assert made.text == SUMMARY
    assert made.use.calls == len(model.asked) == 3
    model.brain = lambda asked: reply
    error = failing(model, retries=1)
    assert (error.reason, error.calls) in (("service", 2), ("answer", 4))


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_refusal_is_final(model: ScriptedModel, status: int) -> None:
    model.brain = lambda asked: refuse(status, "who are you")
    error = failing(model)
    assert (error.reason, error.temporary) == ("service", False)
    assert f"refused with {status}: " in str(error)
    assert error.input_tokens == 0
    assert ["response_format" in asked.body for asked in model.asked] == [True, False][
        : 2 if status in (400, 422) else 1
    ]


def test_an_empty_account_is_not_tried_again(model: ScriptedModel) -> None:
    model.brain = lambda asked: refuse(429, "quota", code="insufficient_quota")
    assert failing(model).calls == 1


def test_a_wait_longer_than_the_time_left_gives_up_at_once(model: ScriptedModel) -> None:
    model.brain = lambda asked: refuse(429, headers={"Retry-After": "3600"})
    error = failing(model)
    assert (error.calls, error.temporary) == (1, True)
    assert "asks to wait 3600 seconds" in str(error)


def test_no_one_there_is_told() -> None:
    pytest.importorskip("agents")
    error = failing(ScriptedModel(), base_url="http://127.0.0.1:9/v1", retries=1)
    assert "cannot be reached" in str(error)
    assert (error.reason, error.temporary, error.calls) == ("service", True, 2)


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        {"prompt_tokens": -(10**9), "completion_tokens": -(10**9), "total_tokens": 0},
    ],
)
def test_a_service_that_counts_too_little_is_not_believed(model: ScriptedModel, usage: Any) -> None:
    honest = summarise_now(model)
    model.script(Reply(READ.message, usage=usage), Reply(GOOD.message, usage=usage))
    lying = summarise_now(model)
    assert lying.use.input_tokens >= honest.use.input_tokens * 0.5 > 100
    assert lying.use.output_tokens > 10


def test_usage_that_is_no_number_is_contained(model: ScriptedModel) -> None:
    model.brain = lambda asked: Reply(READ.message, usage={"prompt_tokens": "many", "completion_tokens": [1]})
    assert failing(model, retries=1).reason in ("service", "limit")


def test_a_response_that_is_cut_off_is_refused(model: ScriptedModel) -> None:
    model.script(READ, Reply({"role": "assistant", "content": '{"summary": "It begi'}, finish="length"), GOOD)
    assert summarise_now(model).use.calls == 3
    assert "the JSON cannot be read" in model.asked[-1].messages[-1]["content"]


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_the_key_stays_secret(model: ScriptedModel, status: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    model.brain = lambda asked: refuse(status, f"Incorrect API key provided: {KEY}, or Bearer {KEY[:12]}")
    error = failing(model, retries=0)
    config = settings(model)
    told = "".join(traceback.format_exception(error)) + repr(config) + repr(service_of(config)) + caplog.text
    assert set(model.authorizations) == {f"Bearer {KEY}"}
    assert KEY not in told
    assert KEY[:12] not in told
    assert error.__context__ is None
    assert error.__cause__ is None


def test_a_key_that_the_model_writes_is_not_kept(model: ScriptedModel) -> None:
    model.script(READ, answer(f"{SUMMARY} The key is {KEY}.", ["c0001", "c0004", "c0007"]))
    assert KEY not in summarise_now(model).model_dump_json()


def test_a_key_in_an_answer_that_is_refused_is_not_told(model: ScriptedModel) -> None:
    model.brain = lambda asked: Reply({"role": "assistant", "content": None, "refusal": f"No, {KEY}."})
    error = failing(model)
    assert "you refused: No" in str(error)
    assert KEY not in str(error) + "".join(error.faults)


def test_an_address_with_a_password_is_shown_without(model: ScriptedModel) -> None:
    model.brain = lambda asked: refuse(401)
    error = failing(model, base_url=model.url.replace("http://", "http://user:hidden@"))
    assert "hidden" not in str(error)


def test_without_a_key_openai_is_not_called() -> None:
    pytest.importorskip("agents")
    with pytest.raises(InvalidInput, match="HYBRIDKB_SUMMARY_KEY or OPENAI_API_KEY"):
        asyncio.run(summarise(*small_paper(), SummaryConfig()))


def test_a_service_of_ones_own_needs_no_key(model: ScriptedModel) -> None:
    assert summarise_now(model, api_key=None).text == SUMMARY
    assert model.authorizations == ["Bearer no-key"] * 2


def test_settings_come_from_the_environment(model: ScriptedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("HYBRIDKB_SUMMARY_URL", model.url)
    monkeypatch.setenv("HYBRIDKB_SUMMARY_MODEL", "from-outside")
    monkeypatch.setenv("OPENAI_API_KEY", "second")
    made = asyncio.run(summarise(*small_paper(), SummaryConfig()))
    monkeypatch.setenv("HYBRIDKB_SUMMARY_KEY", "first")
    asyncio.run(summarise(*small_paper(), SummaryConfig()))
    assert made.configuration["model"] == model.asked[0].body["model"] == "from-outside"
    assert list(dict.fromkeys(model.authorizations)) == ["Bearer second", "Bearer first"]


def test_a_redirect_is_not_followed(model: ScriptedModel) -> None:
    with ScriptedModel() as elsewhere:
        model.brain = lambda asked: Reply(
            status=307, headers={"Location": f"{elsewhere.url}/chat/completions"}, raw=b""
        )
        assert failing(model, retries=0).reason == "service"
        assert not elsewhere.asked


def test_nothing_is_sent_elsewhere_and_nothing_is_traced(model: ScriptedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    from agents import trace
    from agents.tracing import TracingProcessor, set_trace_processors

    seen: list[object] = []

    class Watching(TracingProcessor):
        def on_trace_start(self, trace: Any) -> None:
            seen.append(trace.name)

        def on_trace_end(self, trace: Any) -> None:
            seen.append(trace.name)

        def on_span_start(self, span: Any) -> None:
            seen.append(span)

        def on_span_end(self, span: Any) -> None:
            seen.append(span)

        def shutdown(self) -> None:
            pass

        def force_flush(self) -> None:
            pass

    addresses: set[Any] = set()
    connect = socket.socket.connect
    monkeypatch.setattr(socket.socket, "connect", lambda self, at: (addresses.add(at), connect(self, at))[1])
    monkeypatch.setenv("OPENAI_API_KEY", "for-tracing")
    set_trace_processors([Watching()])
    try:
        model.script(call(("summarise_part", {"ids": ["c0001"], "question": ""})), READ)
        with trace("mine"):
            summarise_now(model)
    finally:
        set_trace_processors([])
    assert seen == ["mine", "mine"]
    assert {at[1] for at in addresses} <= {int(model.url.split(":")[2].split("/")[0])}
    assert set(model.paths) == {"/v1/chat/completions"}


def test_openai_is_told_to_keep_nothing() -> None:
    pytest.importorskip("agents")
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

    sent: list[dict[str, Any]] = []

    async def stop(request: Any) -> None:
        sent.append(json.loads(request.content))
        raise ConnectionError("stopped")

    async def run() -> None:
        http = DefaultAsyncHttpxClient(event_hooks={"request": [stop]})
        async with AsyncOpenAI(api_key="x", http_client=http, max_retries=0) as client:
            await summarise(*small_paper(), SummaryConfig(), client=client)

    with pytest.raises(SummaryFailed):
        asyncio.run(run())
    assert sent
    assert all(one["store"] is False for one in sent)


def test_a_missing_extra_is_named(model: ScriptedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary_agent, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra) as caught:
        summarise_now(model)
    assert caught.value.extra == "papers"


@pytest.mark.parametrize(
    "fields",
    [{"base_url": "nowhere"}, {"base_url": "file:///etc/passwd"}, {"base_url": "http://"}, {"base_url": "http://a:b/v1"},
     {"structured": "xml"}, {"temperature": 3.0}],
)  # fmt: skip
def test_settings_that_cannot_work_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(fields))):
        SummaryConfig(**fields)


@pytest.mark.parametrize("key", ["sk-line-end\n", "sk two words", " ", "schl\u00fcssel", "sk-\x1b[31m"])
def test_a_key_that_cannot_be_sent_is_refused_before_anything_is_sent(
    model: ScriptedModel, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InvalidInput, match="copy it again|no key has") as caught:
        SummaryConfig(api_key=key)
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(InvalidInput) as from_environment:
        summarise_now(model, api_key=None)
    for error in (caught.value, from_environment.value):
        assert key.strip() == "" or key not in str(error)
    assert not model.asked


@pytest.mark.parametrize("key", ["none", "EMPTY", "ollama", "x"])
def test_a_word_in_place_of_a_key_is_no_secret(model: ScriptedModel, key: str) -> None:
    text = f"{SUMMARY} They leave {key} of it open."
    model.script(READ, answer(text, ["c0001", "c0004", "c0007"]))
    assert summarise_now(model, api_key=key).text == text


def test_an_account_at_openai_is_told_to_openai_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-mine")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-mine")
    told = {}
    for base_url in (None, "http://127.0.0.1:1/v1"):
        service = service_of(SummaryConfig(base_url=base_url, api_key=KEY))
        client = make_client(service, seconds=1, response_bytes=1)
        told[base_url] = [value for value in client.default_headers.values() if str(value).endswith("-mine")]
        asyncio.run(client.close())
    assert told == {None: ["org-mine", "proj-mine"], "http://127.0.0.1:1/v1": []}


def test_one_temperature_is_one_configuration() -> None:
    written = {json.dumps(summary_configuration(SummaryConfig(temperature=one))) for one in (0, 0.0, -0.0)}
    assert len(written) == 1
    assert PaperFlowConfig(temperature=1).summary_config() == SummaryConfig(temperature=1)
    assert summary_configuration(SummaryConfig(temperature=1)) != summary_configuration(SummaryConfig(temperature=0.5))


@pytest.mark.parametrize(
    "fields",
    [{"temperature": "hot"}, {"temperature": True}, {"temperature": float("nan")}, {"model": 3}, {"variant": None},
     {"api_key": b"x"}, {"base_url": 3}, {"limits": None}, {"limits": {"model_calls": 1}}],
)  # fmt: skip
def test_settings_of_another_type_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        SummaryConfig(**fields)


def test_unknown_faults_are_told_without_commands_to_a_terminal() -> None:
    config = SummaryConfig(base_url="http://127.0.0.1:9/v1", api_key=KEY)
    failure = explain(ValueError(f"\x1b]0;title\x07bad\n{KEY}"), service_of(config), seconds=1)
    assert isinstance(failure, Failure)
    assert failure.told.endswith("cannot be read: bad ***")
