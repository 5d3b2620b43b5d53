"""One door for every format: any bytes are read or refused in words, the same way on every machine."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkb.documents import INDEXED_SUFFIXES, PASSAGE_CHARACTERS, Passage, ReadDocument, read_document
from hybridkb.errors import InvalidInput, MissingExtra, UnreadableDocument

HEAVY = ("charset_normalizer", "markdown_it", "pypdfium2", "selectolax", "yaml")
BYTES = st.one_of(
    st.binary(max_size=400),
    st.text(max_size=400).map(str.encode),
    st.text(max_size=200).map(lambda text: text.encode("utf-16")),
    st.text('aé\x00,;"\t\n<>&#*-|`[]()', max_size=300).map(lambda text: text.encode("latin-1")),
)


def attempt(data: bytes, name: str) -> ReadDocument | UnreadableDocument:
    try:
        return read_document(data, name, passage_characters=200)
    except UnreadableDocument as error:
        return error


@given(BYTES, st.sampled_from(INDEXED_SUFFIXES))
def test_any_bytes_are_read_or_refused(data: bytes, suffix: str) -> None:
    name = f"a/b{suffix}"
    found = attempt(data, name)
    if isinstance(found, UnreadableDocument):
        assert found.path == name
        assert str(found).startswith(name)
        assert "; " in str(found)
        return
    assert found.title
    assert found.passages or found.notes
    assert attempt(data, name) == found
    for passage in found.passages:
        assert passage.text.strip()
        assert not set(passage.text) & {"\r", "\x00"}


@pytest.mark.parametrize("suffix", INDEXED_SUFFIXES)
def test_the_ending_may_be_written_in_any_case(suffix: str) -> None:
    if suffix == ".pdf":
        with pytest.raises(UnreadableDocument, match="not a PDF"):
            read_document(b"words", "A.PDF")
        return
    assert "words" in read_document(b"words", "A" + suffix.upper()).passages[0].text


@pytest.mark.parametrize("name", ["a.docx", "a", "a.md.bak", ""])
def test_another_ending_names_those_that_are_read(name: str) -> None:
    with pytest.raises(UnreadableDocument, match=r"\.md, \.markdown"):
        read_document(b"words", name)


@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.csv", "a.html"])
def test_an_empty_file_has_no_passages_and_says_so(name: str) -> None:
    document = read_document(b"", name)
    assert (document.passages, document.notes, document.title) == ((), ("the file is empty",), "a")
    assert read_document(b" \n\t\n", name).notes == ("holds no text",)


@pytest.mark.parametrize(
    ("name", "title"), [("x/y/margin rules.md", "margin rules"), (".md", ".md"), ("v1.2.txt", "v1.2")]
)
def test_the_title_falls_back_to_the_name(name: str, title: str) -> None:
    assert read_document(b"words", name).title == title


def test_a_title_that_is_too_long_is_shortened() -> None:
    assert len(read_document(b"# " + b"word " * 500 + b"\n\ntext", "a.md").title) <= 300


def test_passages_are_as_long_as_asked_for() -> None:
    data = b"One sentence of it. " * 2000
    for characters in (200, PASSAGE_CHARACTERS, 5000):
        lengths = [len(p.text) for p in read_document(data, "a.txt", passage_characters=characters).passages]
        assert max(lengths) <= 1.2 * characters
        assert min(lengths) >= 0.5 * characters


@pytest.mark.parametrize("characters", [0, 199, 100_001])
def test_a_length_out_of_range_is_refused(characters: int) -> None:
    with pytest.raises(InvalidInput, match="200 to 100,000"):
        read_document(b"words", "a.md", passage_characters=characters)


def test_the_limit_of_passages_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hybridkb.documents.reading.MAX_PASSAGES", 3)
    document = read_document(b"word " * 1000, "a.txt", passage_characters=200)
    assert len(document.passages) == 3
    assert document.notes == ("more than 3 passages; the rest is left out (split the file to have all of it)",)


def test_notes_are_bounded() -> None:
    front = "".join(f"titel{at % 3}{at}: x\ntag_s{at}: y\nconfidance{at}: z\n" for at in range(100))
    notes = read_document(f"---\n{front}---\n".encode(), "a.md").notes
    assert len(notes) <= 40


@pytest.fixture
def without_packages(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in HEAVY:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "selectolax.lexbor", None)
    from hybridkb.documents.markdown import _parser

    _parser.cache_clear()
    yield
    _parser.cache_clear()


@pytest.mark.usefixtures("without_packages")
@pytest.mark.parametrize(
    ("name", "data", "package"),
    [
        ("a.md", b"words", "markdown_it"),
        ("a.html", b"words", "selectolax"),
        ("a.pdf", b"%PDF-1.7", "pypdfium2"),
        ("a.txt", b"---\ntitle: x\n---\nwords", "yaml"),
        ("a.txt", "Центральный банк".encode("cp1251"), "charset_normalizer"),
    ],
)
def test_a_missing_package_names_its_extra(name: str, data: bytes, package: str) -> None:
    with pytest.raises(MissingExtra, match=package) as caught:
        read_document(data, name)
    assert caught.value.extra == "folder"


@pytest.mark.usefixtures("without_packages")
@pytest.mark.parametrize("name", ["a.txt", "a.csv"])
def test_text_and_tables_need_no_package(name: str) -> None:
    document = read_document("Préis\nwörds".encode(), name)
    assert document.passages


def test_importing_loads_no_package_and_no_reader() -> None:
    modules = (*HEAVY, "hybridkb.documents.reading")
    code = f"import sys, hybridkb.documents; print(sorted(set({modules!r}) & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_what_is_given_is_a_value() -> None:
    document = read_document(b"# A\n\nwords", "a.md")
    assert document == ReadDocument("A", (Passage("words", ("A",)),), encoding="utf-8")
    assert hash(document.passages)
