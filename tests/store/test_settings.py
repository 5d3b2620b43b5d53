"""Settings belong to the file: every process reads the same ones."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hybridkb import HybridLibrary
from hybridkb.errors import InvalidInput, SchemaTooNew
from hybridkb.fusion import Fusion
from hybridkb.lexical.ranking import RankingSettings
from hybridkb.store.settings import LibrarySettings
from oracles.items import note
from support.raw_rows import address_of, run

GERMAN = LibrarySettings(
    language="german",
    ranking=RankingSettings(k1=0.9, formula="fts5", function_words="keep", closeness_window=3),
    fusion=Fusion("convex", alpha=0.25),
)


def test_settings_are_read_by_another_process(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    with HybridLibrary.open(path, embedder=None, settings=GERMAN) as library:
        library.put(note(1, "Die Häuser stehen"))
        assert library.settings == GERMAN
        mine = [(hit.score, hit.item_id) for hit in library.search("Haus", mode="lexical")]
    program = (
        "import sys; from hybridkb import HybridLibrary\n"
        "with HybridLibrary.open(sys.argv[1], embedder=None) as library:\n"
        "    print(library.settings.digest())\n"
        "    print([(hit.score, str(hit.item_id)) for hit in library.search('Haus', mode='lexical')])"
    )
    said = subprocess.run([sys.executable, "-c", program, address_of(path)], check=True, capture_output=True, text=True)
    assert said.stdout.splitlines() == [GERMAN.digest(), str([(score, str(one)) for score, one in mine])]
    assert len(mine) == 1


def test_a_library_keeps_its_own_settings(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    HybridLibrary.open(path, embedder=None, settings=GERMAN).close()
    for options in ({}, {"read_only": True}):
        with HybridLibrary.open(path, embedder=None, settings=LibrarySettings(), **options) as library:
            assert library.settings == GERMAN


def test_an_unknown_language_is_refused_before_it_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    with pytest.raises(InvalidInput, match="klingon"):
        HybridLibrary.open(path, embedder=None, settings=LibrarySettings(language="klingon"))
    assert not path.exists()
    with HybridLibrary.open(path, embedder=None) as library:
        assert library.settings == LibrarySettings()


def test_words_of_a_newer_analyser_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    HybridLibrary.open(path, embedder=None).close()
    run(path, "UPDATE library SET value = '99' WHERE name = 'analyser_version'")
    with pytest.raises(SchemaTooNew, match="analyser version 99"):
        HybridLibrary.open(path, embedder=None)


@pytest.mark.parametrize("name", ["ranking", "fusion"])
def test_a_setting_that_a_newer_version_made_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "library.db"
    HybridLibrary.open(path, embedder=None).close()
    run(path, f"UPDATE library SET value = '{json.dumps({'novelty': 1})}' WHERE name = '{name}'")
    with pytest.raises(SchemaTooNew, match="novelty"):
        HybridLibrary.open(path, embedder=None)


def test_an_older_library_goes_on_ranking_as_it_did(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    HybridLibrary.open(path, embedder=None).close()
    stored = {"method": "rrf", "k": 60.0, "lexical_weight": 1.0, "semantic_weight": 1.0, "alpha": 0.5}
    run(path, f"UPDATE library SET value = '{json.dumps(stored)}' WHERE name = 'fusion'")
    with HybridLibrary.open(path, embedder=None) as library:
        assert library.settings.fusion == Fusion(by_relevance=False)
        assert library.settings.digest() != LibrarySettings().digest()


def test_the_digest_tells_settings_apart() -> None:
    assert LibrarySettings().digest() == LibrarySettings().digest()
    assert len({LibrarySettings().digest(), GERMAN.digest(), LibrarySettings(language="german").digest()}) == 3
