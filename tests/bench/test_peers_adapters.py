"""Every adapter has one small interface; those that need nothing extra are run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from corpus import DIMENSIONS, TAGS, Corpus
from peers import tasks
from peers.adapters import ADAPTERS
from peers.dense import DenseVectors
from peers.prepare import write_generated
from peers.shape import MODES, Document, Filter, Hit, Mode, Peer, fuse

HERE = tuple(name for name, adapter in ADAPTERS.items() if adapter.requirements is None)
PASSAGES = 50


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("peers")
    write_generated(PASSAGES, 5, folder)
    return folder


@pytest.fixture(scope="module")
def inputs(written: Path) -> tasks.Inputs:
    return tasks.read_inputs(written)


@pytest.fixture(params=HERE)
def peer(request: pytest.FixtureRequest, tmp_path: Path, inputs: tasks.Inputs) -> Iterator[Peer]:
    made = ADAPTERS[request.param].load(tmp_path, DIMENSIONS)
    made.build(inputs.documents[:40], inputs.vectors[:40])
    yield made
    made.close()


def test_what_is_written_is_the_generated_corpus(inputs: tasks.Inputs) -> None:
    passages = Corpus(PASSAGES).block(0, PASSAGES).passages
    assert [one.text for one in inputs.documents] == [passage.text for passage in passages]
    assert [one.tags for one in inputs.documents] == [passage.tags for passage in passages]
    assert np.allclose(np.linalg.norm(inputs.vectors, axis=1), 1.0, atol=1e-6)
    assert set(inputs.facts["tags"]) == set(TAGS)
    halves = [one.name for one in inputs.documents if "tag-50" in one.tags]
    assert inputs.facts["tags"]["tag-50"] == halves
    assert 0 < sum(one.available_at <= inputs.facts["cutoff"] for one in inputs.documents) < PASSAGES


@pytest.mark.parametrize("mode", MODES)
def test_hits_come_best_first_with_their_texts(peer: Peer, inputs: tasks.Inputs, mode: Mode) -> None:
    texts = {one.name: one.text for one in inputs.documents}
    hits = peer.search(inputs.queries[0], inputs.query_vectors[0], 10, mode=mode)
    assert hits
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(hit.text.split() == texts[hit.name].split() for hit in hits)
    assert len({hit.name for hit in hits}) == len(hits) <= 10


def test_the_nearest_are_those_of_numpy(peer: Peer, inputs: tasks.Inputs) -> None:
    exact = np.argsort(-(inputs.vectors[:40] @ inputs.query_vectors[1]), kind="stable")[:5]
    hits = peer.search(inputs.queries[1], inputs.query_vectors[1], 5, mode="semantic")
    assert [hit.name for hit in hits] == [inputs.documents[place].name for place in exact]


@pytest.mark.parametrize("mode", ["semantic", "hybrid"])
def test_a_filter_leaves_what_it_allows_and_as_many_as_there_are(
    peer: Peer, inputs: tasks.Inputs, mode: Mode
) -> None:
    narrow = Filter(tag="tag-50", before=inputs.facts["cutoff"])
    allowed = {one.name for one in inputs.documents[:40] if narrow.allows(one)}
    assert 0 < len(allowed) < 40
    hits = peer.search(inputs.queries[0], inputs.query_vectors[0], 40, narrow, mode=mode)
    assert {hit.name for hit in hits} == allowed


def test_later_documents_are_found_and_what_was_built_is_opened_again(
    peer: Peer, inputs: tasks.Inputs, tmp_path: Path
) -> None:
    peer.add(inputs.documents[40:], inputs.vectors[40:])
    name = inputs.documents[45].name
    assert peer.search("x", inputs.vectors[45], 1, mode="semantic")[0].name == name
    peer.close()
    assert tasks.bytes_on_disk(tmp_path) > 50 * DIMENSIONS
    peer.open()
    assert peer.search("x", inputs.vectors[45], 1, mode="semantic")[0].name == name


def test_dense_vectors_are_exact_filtered_first_and_kept(inputs: tasks.Inputs, tmp_path: Path) -> None:
    first = DenseVectors.of(inputs.documents[:20], inputs.vectors[:20])
    first.joined(DenseVectors.of(inputs.documents[20:], inputs.vectors[20:])).save(tmp_path)
    dense = DenseVectors.load(tmp_path)
    scores = inputs.vectors @ inputs.query_vectors[0]
    for narrow in (None, Filter(tag="tag-10"), Filter(before=inputs.facts["cutoff"]), Filter(tag="none has it")):
        places = [place for place, one in enumerate(inputs.documents) if narrow is None or narrow.allows(one)]
        expected = sorted(places, key=lambda place: (-scores[place], place))[:7]
        found = dense.nearest(inputs.query_vectors[0], 7, narrow)
        assert [name for name, _ in found] == [inputs.documents[place].name for place in expected]


def test_equal_vectors_stand_in_the_order_of_their_rows() -> None:
    documents = [Document(str(number), "", "") for number in range(9)]
    dense = DenseVectors.of(documents, np.ones((9, 1), np.float32))
    assert [name for name, _ in dense.nearest(np.ones(1, np.float32), 4)] == ["0", "1", "2", "3"]


def test_fusion_adds_reciprocal_ranks() -> None:
    assert fuse("ab", "bc") == [("b", 1 / 62 + 1 / 61), ("a", 1 / 61), ("c", 1 / 62)]
    assert fuse([], []) == []


def test_compare_sees_hits_order_and_single_bits() -> None:
    one, two, near = Hit("a", 1.0, "x"), Hit("b", 0.5, "y"), Hit("a", float(np.nextafter(1.0, 2.0)), "x")
    assert tasks.compare([[one, two]], [[one, two]]) == {"hits": 0.0, "order": 0.0, "scores": 0.0}
    assert tasks.compare([[one, two]], [[two, one]]) == {"hits": 0.0, "order": 1.0, "scores": 1.0}
    assert tasks.compare([[one, two]], [[near, two]]) == {"hits": 0.0, "order": 0.0, "scores": 1.0}
    assert tasks.compare([[one], [two]], [[one], [one]]) == {"hits": 0.5, "order": 0.5, "scores": 0.5}


@pytest.mark.parametrize("name", [name for name in ADAPTERS if name not in HERE])
def test_an_environment_is_names_and_versions_alone(name: str) -> None:
    pinned = ADAPTERS[name].pinned
    assert pinned is not None
    lines = pinned.read_text(encoding="utf-8").splitlines()
    assert lines
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][0-9A-Za-z.]*", line)] == []


@pytest.mark.parametrize("name", list(ADAPTERS))
def test_an_adapter_is_small_and_has_the_whole_interface(name: str) -> None:
    """Read, not imported: the packages of the peers are not here."""
    path = Path(tasks.__file__).parent / "adapters" / f"{ADAPTERS[name].module}.py"
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 200
    (adapted,) = [one for one in ast.parse(text).body if isinstance(one, ast.ClassDef) and one.name == "Adapted"]
    methods = {one.name for one in adapted.body if isinstance(one, ast.FunctionDef)}
    assert {"build", "open", "add", "search"} <= methods


def test_worker_and_adapters_of_others_need_nothing_of_ours() -> None:
    folder = Path(tasks.__file__).parent
    files = [folder / f"{name}.py" for name in ("shape", "dense", "hostile", "tasks", "worker")]
    files += [folder / "adapters" / f"{ADAPTERS[name].module}.py" for name in ADAPTERS if name not in HERE]
    for path in files:
        assert not re.search(r"^\s*(import|from) (hybridkb|corpus|measure|beir)\b", path.read_text("utf-8"), re.M), path
