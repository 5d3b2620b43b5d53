"""Papers are found by every name they have, and members by their locators; awaited, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hybridkb import AsyncHybridLibrary, HybridLibrary, Locator
from hybridkb.errors import InvalidInput, NotFound
from oracles.items import day, item_id, note
from support.fake_embedder import HashEmbedder
from support.papers import make_result, make_source


def test_a_paper_is_found_by_every_name(library: HybridLibrary) -> None:
    result = make_result(arxiv_id="1706.03762v7")
    library.put_paper(result)
    paper = library.get_paper(result.source.id)
    for name in (
        str(result.source.id), f"source:{result.source.id}", Locator("source", result.source.id), result.chunk_set.id,
        f"artifact:{result.chunk_set.id}#c0001", f"artifact:{result.tree.id}", "1706.03762", "1706.03762v7",  # type: ignore[union-attr]
        "arXiv:1706.03762v7", " arxiv: 1706.03762 ", "https://arxiv.org/abs/1706.03762v7",
        "https://arxiv.org/pdf/1706.03762v7.pdf", "http://export.arxiv.org/abs/1706.03762",
    ):  # fmt: skip
        assert library.get_paper(name) == paper, name


@pytest.mark.parametrize("name", ["1706.03762v6", "1706.0376", "1706", "", "  ", "source:nonsense", "%", "v7"])
def test_other_names_find_nothing(library: HybridLibrary, name: str) -> None:
    library.put_paper(make_result(arxiv_id="1706.03762v7"))
    with pytest.raises((NotFound, InvalidInput)):
        library.get_paper(name)


def test_without_a_version_the_newest_is_meant(library: HybridLibrary) -> None:
    for version, when in ((2, 2), (10, 1), (9, 3)):
        name = f"2101.00001v{version}"
        library.put_paper(make_result(name, arxiv_id=name, available_at=day(when), title=f"Version {version}"))
    assert library.get_paper("2101.00001").source.title == "Version 10"
    assert library.get_paper("2101.00001v9").source.title == "Version 9"
    library.delete(library.get_paper("2101.00001v10").source.id, at=day(5))
    assert library.get_paper("2101.00001").source.title == "Version 9"
    assert library.get_paper("2101.00001", at=day(4)).source.title == "Version 10"


def test_old_arxiv_ids_have_a_slash(library: HybridLibrary) -> None:
    library.put_paper(make_result("old", arxiv_id="hep-th/9901001v2"))
    for name in ("hep-th/9901001", "hep-th/9901001v2", "https://arxiv.org/abs/hep-th/9901001v2"):
        assert library.get_paper(name).source.arxiv_id == "hep-th/9901001v2"


def test_locators_lead_to_members(library: HybridLibrary) -> None:
    result = make_result()
    assert result.summary is not None
    assert result.tree is not None
    library.put_paper(result)
    for locator, expected in (
        (f"source:{result.source.id}", result.source),
        (f"artifact:{result.chunk_set.id}", result.chunk_set),
        (f"artifact:{result.chunk_set.id}#c0003", result.chunk_set.chunks[3]),
        (f"artifact:{result.summary.id}", result.summary),
        (f"artifact:{result.tree.id}#2", result.tree.nodes[2]),
    ):
        assert library.resolve(locator) == expected
        assert library.resolve(Locator.parse(locator), at=day(1)) == expected
    for hit in library.search("attention", top_k=50):
        assert library.resolve(hit.locator)
    chunk = library.resolve(f"artifact:{result.chunk_set.id}#c0002")
    assert (chunk.page, chunk.boxes[0].page, chunk.asset_ids) == (2, 2, ("p2-page",))  # type: ignore[union-attr]


def test_wrong_locators_are_told(library: HybridLibrary) -> None:
    result = make_result()
    library.put_paper(result)
    library.put(note("n", "text"))
    assert result.summary is not None
    for locator, error, said in (
        (f"artifact:{result.chunk_set.id}#c9999", NotFound, "no member"),
        (f"artifact:{result.summary.id}#c0000", InvalidInput, "has no members"),
        (f"source:{result.source.id}#1", InvalidInput, "has no members"),
        (f"item:{result.source.id}", NotFound, "source:"),
        (f"item:{result.chunk_set.id}", NotFound, "artifact:"),
        (f"artifact:{result.source.id}", NotFound, "not an artifact"),
        (f"source:{item_id('n')}", NotFound, "item:"),
        (f"artifact:{item_id('none')}", NotFound, "holds no artifact"),
        (f"source:{item_id('none')}", NotFound, "holds no source"),
    ):
        with pytest.raises(error, match=said):
            library.resolve(locator)
    with pytest.raises(NotFound, match="not an artifact"):
        library.get_artifact(item_id("n"))
    with pytest.raises(NotFound, match="not a paper"):
        library.get_paper(item_id("n"))


def test_blobs_of_nobody_are_not_found(library: HybridLibrary) -> None:
    library.put_paper(make_result())
    with pytest.raises(NotFound, match="no stored paper"):
        library.get_blob("0" * 64)
    with pytest.raises(NotFound):
        library.get_blob("'; DROP TABLE blob; --")


async def everything(path: Path) -> dict[str, Any]:
    result = make_result(arxiv_id="1706.03762v7")
    async with await AsyncHybridLibrary.open(path, embedder=HashEmbedder(16)) as library:
        told: list[int] = []
        report = await library.put_paper(result, progress=lambda done, total: told.append(done))
        await library.put_paper(make_result(arxiv_id="1706.03762v7", blocks_per_chunk=2, summary="Two."))
        assert await library.make_current(result.chunk_set.id)
        snapshot = await library.snapshot(at=day(1))
        locator = f"artifact:{result.chunk_set.id}#c0000"
        return {
            "told": told, "effect": report.effect, "paper": await library.get_paper("1706.03762"),
            "artifact": await library.get_artifact(result.chunk_set.id),
            "blob": await library.get_blob(result.source.sha256), "chunk": await library.resolve(locator),
            "then": (
                await snapshot.get_paper(result.source.id), await snapshot.get_artifact(result.chunk_set.id),
                await snapshot.get_blob(result.source.sha256), await snapshot.resolve(locator),
            ),
        }  # fmt: skip


def test_the_same_awaited(tmp_path: Path) -> None:
    import asyncio

    result = make_result(arxiv_id="1706.03762v7")
    found = asyncio.run(everything(tmp_path / "library.db"))
    assert found["effect"] == "added"
    assert found["told"]
    assert found["paper"].chunk_set == found["artifact"] == result.chunk_set
    assert found["blob"] == make_source()[1][result.source.sha256]
    assert found["then"] == (found["paper"], found["artifact"], found["blob"], found["chunk"])
