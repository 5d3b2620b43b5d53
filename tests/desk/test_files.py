"""The example desk is as varied as a real one, and what scripts make of it is what they make today."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from desk import make_pdfs, make_tables
from hybridkb.documents import read_document

DESK = Path(__file__).resolve().parents[2] / "examples" / "desk"
FILES = sorted(path for path in DESK.glob("**/*") if path.is_file())


def test_all_formats_are_there() -> None:
    counts = Counter(path.suffix for path in FILES)
    assert sum(counts.values()) >= 34
    assert counts.keys() == {".md", ".txt", ".csv", ".html", ".pdf"}
    assert min(counts.values()) >= 4


@pytest.mark.parametrize("name", make_pdfs.pdfs(), ids=str)
def test_pdf_is_what_its_text_makes(name: Path) -> None:
    assert (DESK / name).read_bytes() == make_pdfs.pdfs()[name], "run: python tests/desk/make_pdfs.py"


@pytest.mark.parametrize("name", make_tables.tables())
def test_table_is_what_its_script_makes(name: str) -> None:
    assert (DESK / "tables" / name).read_bytes() == make_tables.tables()[name], "run: python tests/desk/make_tables.py"


def test_long_table_has_about_fifteen_hundred_rows() -> None:
    rows = (DESK / "tables" / "cuf-copper-settlements.csv").read_text(encoding="utf-8").splitlines()
    assert 1400 < len(rows) < 1600


@pytest.mark.parametrize(
    ("name", "encoding", "sign"),
    [
        ("notes/mail-2021-11-12-orlf-squeeze.txt", "utf-16", b"\xff\xfe"),
        ("notes/mail-2022-09-08-quellensteuer.txt", "cp1252", b"\xfc"),
        ("circulars/rheinau-handelszeiten.html", "cp1252", b"charset=windows-1252"),
        ("tables/gebuehren-rheinau.csv", "utf-8-sig", b"\xef\xbb\xbf"),
        ("rules/cut-off-times.txt", "ascii", b"\r\n"),
    ],
)
def test_encodings_survive_a_checkout(name: str, encoding: str, sign: bytes) -> None:
    data = (DESK / name).read_bytes()
    assert sign in data
    assert data.decode(encoding)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(DESK).as_posix())
def test_documents_are_read_without_complaint_and_say_nothing_they_could_not_know(path: Path) -> None:
    read = read_document(path.read_bytes(), path.name)
    assert read.passages
    assert not [note for note in read.notes if note.startswith("front matter")]
    says = read.front_matter
    assert says.as_of is None or says.available_at is None or says.as_of <= says.available_at


def test_when_documents_became_known_is_spread_over_years_and_unknown_of_some() -> None:
    known = [read_document(path.read_bytes(), path.name).front_matter.available_at for path in FILES]
    years = Counter(moment.year for moment in known if moment is not None)
    assert sum(years.values()) > len(FILES) / 2
    assert known.count(None) >= 5
    assert years.keys() >= set(range(2019, 2026))


def test_pdfs_have_pages_an_outline_and_a_page_without_text() -> None:
    agreement = read_document((DESK / "rules/pell-strand-prime-agreement-2019.pdf").read_bytes(), "a.pdf")
    assert agreement.pages == 4
    assert {passage.page for passage in agreement.passages} == {1, 2, 4}
    assert any("page 3" in note for note in agreement.notes)
    paper = read_document((DESK / "research/earnings-drift-replication.pdf").read_bytes(), "b.pdf")
    assert any("5 Costs" in passage.heading for passage in paper.passages)
