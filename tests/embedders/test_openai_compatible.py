"""OpenAI-compatible services, against a scripted server on loopback."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator
from email.utils import formatdate
from typing import Any

import numpy as np
import pytest

from hybridkb.embedders import service_call
from hybridkb.embedders.guard import embed_checked, embed_query_checked
from hybridkb.embedders.openai_compatible import OpenAIEmbedder
from hybridkb.errors import EmbedderError, EmbedderUnavailable, InvalidInput
from support.embedding_server import EmbeddingServer, Reply, changed, refuse, stall

KEY = "sk-secret-0123456789abcdef"


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HYBRIDKB_EMBED_URL", "HYBRIDKB_EMBED_MODEL", "HYBRIDKB_EMBED_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(service_call, "_FIRST_WAIT", 0.01)


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as running:
        yield running


@pytest.fixture
def embedder(server: EmbeddingServer) -> OpenAIEmbedder:
    return make(server)


def make(server: EmbeddingServer, **settings: Any) -> OpenAIEmbedder:
    return OpenAIEmbedder("fake", **{"base_url": server.url, "api_key": KEY, "dimensions": 8, **settings})


def expected(server: EmbeddingServer, *texts: str) -> Any:
    return server.embedder._embed(texts)


@pytest.mark.parametrize("encoding", ["base64", "float"])
def test_vectors_arrive_in_either_encoding(server: EmbeddingServer, encoding: str) -> None:
    vectors = make(server, encoding=encoding).embed_documents(["copper prices", "rates"])
    assert vectors.dtype == np.float32
    np.testing.assert_array_equal(vectors, expected(server, "copper prices", "rates"))
    assert server.requests[0]["encoding_format"] == encoding
    assert server.authorizations == [f"Bearer {KEY}"]


def test_floats_are_understood_although_base64_was_asked_for(server: EmbeddingServer, embedder: OpenAIEmbedder) -> None:
    plain = b'{"data": [{"index": 0, "embedding": [1, 0, 0, 0, 0, 0, 0, 0]}], "model": "fake", "object": "list"}'
    server.script(Reply(raw=plain))
    assert embedder.embed_queries(["x"])[0, 0] == 1


def test_nothing_to_embed_calls_nobody(server: EmbeddingServer, embedder: OpenAIEmbedder) -> None:
    assert embedder.embed_documents([]).shape == (0, 8)
    assert server.requests == []


def test_batches_keep_to_size_and_tokens(server: EmbeddingServer) -> None:
    texts = [f"text number {number}" for number in range(7)]
    make(server, batch_size=3).embed_documents(texts)
    assert [len(request["input"]) for request in server.requests] == [3, 3, 1]
    server.requests.clear()
    make(server, batch_tokens=12).embed_documents(texts)
    assert [len(request["input"]) for request in server.requests] == [2, 2, 2, 1]


def test_rate_limit_is_waited_for_as_the_service_says(server: EmbeddingServer, embedder: OpenAIEmbedder) -> None:
    server.script(refuse(429, headers={"Retry-After": "0.3"}), refuse(429, headers={"retry-after-ms": "50"}))
    started = time.monotonic()
    embedder.embed_documents(["a"])
    assert time.monotonic() - started >= 0.35
    assert len(server.requests) == 3


def test_retry_after_may_be_a_date(server: EmbeddingServer, embedder: OpenAIEmbedder) -> None:
    server.script(refuse(503, headers={"Retry-After": formatdate(time.time() - 60, usegmt=True)}))
    embedder.embed_documents(["a"])
    assert len(server.requests) == 2


def test_a_wait_longer_than_the_time_left_gives_up_at_once(server: EmbeddingServer, embedder: OpenAIEmbedder) -> None:
    server.always(refuse(429, headers={"Retry-After": "3600"}))
    started = time.monotonic()
    with pytest.raises(EmbedderUnavailable):
        embedder.embed_documents(["a"])
    assert time.monotonic() - started < 5
    assert len(server.requests) == 1


def test_server_errors_are_tried_again_until_given_up(server: EmbeddingServer) -> None:
    server.always(refuse(500, "boom"))
    with pytest.raises(EmbedderUnavailable, match="answered 500"):
        make(server, max_retries=2).embed_documents(["a"])
    assert len(server.requests) == 3


def test_an_empty_account_is_not_tried_again(server: EmbeddingServer, embedder: OpenAIEmbedder) -> None:
    server.always(refuse(429, "quota", code="insufficient_quota"))
    with pytest.raises(EmbedderUnavailable):
        embedder.embed_documents(["a"])
    assert len(server.requests) == 1


def test_a_late_answer_is_tried_again(server: EmbeddingServer) -> None:
    server.script(stall(3))
    vectors = make(server, timeout=0.3).embed_documents(["a"])
    np.testing.assert_array_equal(vectors, expected(server, "a"))
    assert len(server.requests) == 2


def test_a_query_does_not_wait_longer_than_its_time(server: EmbeddingServer) -> None:
    server.always(stall(5))
    started = time.monotonic()
    with pytest.raises(EmbedderUnavailable, match="cannot be reached"):
        make(server, query_timeout=0.3).embed_queries(["a"])
    assert time.monotonic() - started < 2


def test_a_call_that_hangs_outside_the_client_is_abandoned() -> None:
    class Hanging:
        class embeddings:  # noqa: N801 - the client's name
            @staticmethod
            def create(**arguments: Any) -> Any:
                time.sleep(3)

    started = time.monotonic()
    with pytest.raises(EmbedderUnavailable):
        OpenAIEmbedder("m", dimensions=8, query_timeout=0.2, client=Hanging()).embed_queries(["a"])
    assert time.monotonic() - started < 2


def test_no_one_there_is_unavailable() -> None:
    embedder = OpenAIEmbedder("fake", base_url="http://127.0.0.1:9/v1", dimensions=8, max_retries=1)
    with pytest.raises(EmbedderUnavailable, match="cannot be reached") as caught:
        embedder.embed_documents(["a"])
    assert caught.value.model == "fake"


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_refusal_is_final_even_for_many_texts(server: EmbeddingServer, embedder: OpenAIEmbedder, status: int) -> None:
    server.always(refuse(status, "who are you"))
    with pytest.raises(EmbedderError, match=f"refused with {status}") as caught:
        embed_checked(embedder, [f"text {number}" for number in range(100)])
    assert not isinstance(caught.value, EmbedderUnavailable)
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_the_key_stays_secret(server: EmbeddingServer, status: int) -> None:
    server.always(refuse(status, f"Incorrect API key provided: {KEY}, or Bearer {KEY[:12]}"))
    embedder = make(server, max_retries=0)
    with pytest.raises(EmbedderError) as caught:
        embedder.embed_documents(["a"])
    told = "".join(traceback.format_exception(caught.value)) + repr(embedder) + repr(embedder._service)
    assert KEY not in told
    assert KEY[:12] not in told
    assert caught.value.__context__ is None or KEY not in str(caught.value.__context__)


def test_an_address_with_a_password_is_shown_without() -> None:
    embedder = OpenAIEmbedder("m", base_url="http://user:hidden@127.0.0.1:9/v1?token=hidden")
    assert "hidden" not in repr(embedder)
    assert "127.0.0.1:9/v1" in repr(embedder)


def test_without_a_key_openai_is_not_called() -> None:
    with pytest.raises(EmbedderError, match="HYBRIDKB_EMBED_KEY or OPENAI_API_KEY"):
        OpenAIEmbedder().embed_queries(["a"])


def test_a_bad_text_is_found_and_its_neighbours_are_embedded(server: EmbeddingServer, embedder: OpenAIEmbedder) -> None:
    texts = [f"text {number}" for number in range(16)]
    server.bad_texts = {"text 5"}
    results = embed_checked(embedder, texts)
    assert [place for place, result in enumerate(results) if isinstance(result, str)] == [5]
    assert "refused with 400" in results[5]
    assert len(server.requests) <= 9
    with pytest.raises(EmbedderError, match="text 5 of 16"):
        embedder.embed_documents(texts)


def test_a_service_that_refuses_every_text_is_given_up(server: EmbeddingServer, embedder: OpenAIEmbedder) -> None:
    server.always(refuse(400, "unknown parameter"))
    with pytest.raises(EmbedderError, match="unknown parameter"):
        embed_checked(embedder, [f"text {number}" for number in range(500)])
    assert len(server.requests) < 30


def test_a_shuffled_answer_is_put_in_order(server: EmbeddingServer, embedder: OpenAIEmbedder) -> None:
    server.script(changed(lambda entries: entries[::-1]))
    np.testing.assert_array_equal(embedder.embed_documents(["a", "b", "c"]), expected(server, "a", "b", "c"))


def _with_first(entry: dict[str, Any]) -> Callable[[Any], Any]:
    return lambda entries: [{**entries[0], **entry}, *entries[1:]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda entries: entries[:-1], "expected 2 vectors, got 1"),
        (lambda entries: [*entries, entries[0]], "expected 2 vectors, got 3"),
        (lambda entries: [entries[0], entries[0]], r"numbered 0 to 1, got \[0, 0\]"),
        (_with_first({"embedding": [1.0] * 7}), "expected vectors of 8 numbers, got 7"),
        (_with_first({"embedding": [float("nan")] + [1.0] * 7}), "expected finite numbers, got nan at place 0"),
        (_with_first({"embedding": [1.0] * 7 + [float("inf")]}), "expected finite numbers, got inf at place 7"),
        (_with_first({"embedding": []}), "expected vectors of 8 numbers, got 0"),
    ],
)
@pytest.mark.parametrize("encoding", ["base64", "float"])
def test_a_wrong_answer_names_model_expected_and_got(
    server: EmbeddingServer, change: Callable[[Any], Any], message: str, encoding: str
) -> None:
    server.always(changed(change))
    with pytest.raises(EmbedderError, match=message) as caught:
        make(server, encoding=encoding).embed_documents(["a", "b"])
    assert "fake" in str(caught.value)
    assert not isinstance(caught.value, EmbedderUnavailable)


@pytest.mark.parametrize(
    "raw",
    [
        b"<html>",
        b"[]",
        b"{}",
        b'{"data": null}',
        b'{"data": [{"index": 0, "embedding": "!!"}]}',
        b'{"data": [{"index": 0, "embedding": {"a": 1}}]}',
        b'{"data": [{"index": 0}]}',
        b'{"data": [{"index": 0, "embedding": [[1], [2]]}]}',
        b'{"data": [null]}',
    ],
)
def test_an_answer_that_is_none_is_an_error_not_a_crash(
    server: EmbeddingServer, embedder: OpenAIEmbedder, raw: bytes
) -> None:
    server.always(Reply(raw=raw))
    with pytest.raises(EmbedderError):
        embedder.embed_documents(["a"])
    assert len(server.requests) == 1


def test_one_bad_vector_costs_one_text(server: EmbeddingServer, embedder: OpenAIEmbedder) -> None:
    server.script(changed(_with_first({"embedding": [float("nan")] * 8})))
    results = embed_checked(embedder, ["a", "b"])
    assert "got nan" in results[0]
    assert not isinstance(results[1], str)


def test_long_texts_are_read_to_the_end(server: EmbeddingServer) -> None:
    embedder = make(server, max_tokens=20)
    text = " ".join(f"word{chr(97 + number % 26)}" for number in range(60))
    windows = embedder.count_windows(text)
    assert windows > 3
    vector = embedder.embed_documents([text, "short"])
    assert np.linalg.norm(vector[0]) == pytest.approx(1, abs=1e-6)
    assert len(server.texts()) == windows + 1
    assert {word for part in server.texts()[:-1] for word in part.split()} == set(text.split())
    assert embedder.count_windows("short") == 1
    assert not embedder.is_truncated(text)
    assert embedder.is_truncated(text * 100)
    assert embedder.count_windows(text * 100) == 64


def test_a_window_that_is_refused_is_the_texts_fault(server: EmbeddingServer) -> None:
    embedder = make(server, max_tokens=20)
    text = " ".join("word" for _ in range(60))
    embedder.embed_documents([text])
    server.bad_texts = {server.texts()[-1]}
    results = embedder.embed_each([text, "short"])
    assert "refused with 400" in results[0]
    assert not isinstance(results[1], str)


def test_the_size_of_an_unknown_models_vectors_is_found_once(server: EmbeddingServer) -> None:
    embedder = make(server, dimensions=None)
    assert server.requests == []
    assert embedder.space.dimensions == 8
    assert embedder.space == embedder.space
    assert len(server.requests) == 1
    learned = make(server, dimensions=None)
    learned.embed_documents(["a"])
    assert learned.space.dimensions == 8
    assert len(server.requests) == 2


def test_a_size_that_cannot_be_found_is_an_error(server: EmbeddingServer) -> None:
    server.always(refuse(400))
    with pytest.raises(EmbedderError):
        _ = make(server, dimensions=None).space


def test_known_models_ask_nobody_for_their_space() -> None:
    space = OpenAIEmbedder().space
    assert (space.model, space.dimensions, space.max_tokens) == ("text-embedding-3-small", 1536, 8191)
    assert OpenAIEmbedder("text-embedding-3-large").space.dimensions == 3072
    assert OpenAIEmbedder("bge-small", dimensions=384).space.max_tokens == 512


def test_dimensions_are_sent_only_to_shorten(server: EmbeddingServer) -> None:
    make(server).embed_documents(["a"])
    make(server, send_dimensions=True).embed_documents(["a"])
    OpenAIEmbedder("text-embedding-3-small", dimensions=8, base_url=server.url).embed_documents(["a"])
    assert [request.get("dimensions") for request in server.requests] == [None, 8, 8]


def test_settings_come_from_the_environment(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYBRIDKB_EMBED_URL", server.url)
    monkeypatch.setenv("HYBRIDKB_EMBED_MODEL", "fake")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-second")
    OpenAIEmbedder(dimensions=8).embed_documents(["a"])
    monkeypatch.setenv("HYBRIDKB_EMBED_KEY", "first")
    OpenAIEmbedder(dimensions=8).embed_documents(["a"])
    assert server.authorizations == ["Bearer sk-second", "Bearer first"]
    assert server.requests[0]["model"] == "fake"


def test_prefixes_part_documents_from_queries(server: EmbeddingServer) -> None:
    embedder = make(server, document_prefix="passage: ", query_prefix="query: ")
    embedder.embed_documents(["a"])
    embedder.embed_queries(["b"])
    assert server.texts() == ["passage: a", "query: b"]
    assert embedder.space.prefix == "passage: "
    assert embedder.space.fingerprint != make(server).space.fingerprint


def test_odd_texts_are_sendable(server: EmbeddingServer, embedder: OpenAIEmbedder) -> None:
    results = embed_checked(embedder, ["lone \ud800 surrogate", "nul\0inside", " \n ", "emoji 😀"])
    assert [isinstance(result, str) for result in results] == [False, False, True, False]
    assert "nul inside" in server.texts()
    assert len(server.texts()) == 3


def test_a_query_is_checked_too(server: EmbeddingServer, embedder: OpenAIEmbedder) -> None:
    vector = embed_query_checked(embedder, "copper")
    assert vector.dtype == np.float64
    server.always(changed(_with_first({"embedding": [0.0] * 8})))
    with pytest.raises(EmbedderError, match="all zeros"):
        embed_query_checked(embedder, "copper")


@pytest.mark.parametrize(
    "settings", [{"batch_size": 0}, {"timeout": 0}, {"dimensions": -1}, {"max_tokens": -5}, {"max_retries": -1}]
)
def test_numbers_out_of_range_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(settings))):
        OpenAIEmbedder("m", **settings)
