"""Bytes to text: which encoding is it, is it text at all, and what had to be guessed?

Order: byte order mark, UTF-16 or UTF-32 by the pattern of its NUL bytes, Japanese escapes, UTF-8 strictly, what the
document declares, UTF-8 with a few foreign bytes, and only then a guess (`charsets`), which is always told. Line
breaks become line feeds, NUL becomes a space; no other character is changed.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from dataclasses import dataclass

from hybridkb.documents.charsets import guess_charset, lenient
from hybridkb.documents.faults import count_of, unreadable
from hybridkb.documents.limits import MAX_UNREADABLE_SHARE

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MAGIC = (
    (b"%PDF-", "a PDF"),
    (b"\x7fELF", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"\xd0\xcf\x11\xe0", "an old Office file"),
    (b"SQLite format 3\x00", "an SQLite database"),
)
_MAGIC_THAT_TEXT_MAY_HAVE = (
    (b"PK", "a zip archive or an Office file"),
    (b"MZ", "a program"),
    (b"GIF8", "a GIF image"),
    (b"BM", "a bitmap image"),
    (b"RIFF", "a sound, film or image"),
    (b"OggS", "a sound"),
    (b"ID3", "a sound"),
    (b"BZh", "a bzip2 archive"),
    (b"Rar!", "a RAR archive"),
)
_SAMPLE = 65_536
_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\r\x0b\x0c\x1b")
_FEW = 4
_FREQUENT = 0.4
"""Share of the units with a NUL from which on it is taken for UTF-16 although the bytes are valid UTF-8 as well."""
_SWITCH = re.compile(rb"\x1b\$[@AB]")
_ESCAPED = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text, the encoding it was read in, and what had to be guessed or replaced."""

    text: str
    encoding: str
    notes: tuple[str, ...] = ()


def decode(data: bytes, name: str, *, declared: str | None = None) -> Decoded:
    """Turn the bytes of a text file into text.

    Args:
        data: the whole file.
        name: the file's name, for errors.
        declared: the encoding that the document itself names, if it does.

    Raises:
        UnreadableDocument: the bytes are not text, or too much of them belongs to no encoding.
        MissingExtra: the encoding has to be guessed, and the package for it is not installed.
    """
    _refuse_other_formats(data, name)
    text, encoding, notes = _decode(data, name, declared)
    return _cleaned(text, encoding, notes, name)


def _refuse_other_formats(data: bytes, name: str) -> None:
    head = data[:1024]
    found = next((kind for magic, kind in _MAGIC if head.startswith(magic)), None)
    if found is None and (b"\x00" in head or any(code in head for code in b"\x01\x02\x03\x04\x05\x06")):
        found = next((kind for magic, kind in _MAGIC_THAT_TEXT_MAY_HAVE if head.startswith(magic)), None)
    if found is not None:
        ending = " .pdf" if found == "a PDF" else " of its kind"
        raise unreadable(
            name, f"is {found} by its first bytes, not text", f"give it the ending{ending}, or export it as text"
        )


def _decode(data: bytes, name: str, declared: str | None) -> tuple[str, str, list[str]]:
    marked = _by_mark(data) or _by_nul_pattern(data) or _by_escapes(data)
    if marked is not None:
        return marked
    _refuse_binary(data, name)
    if data.isascii():
        return data.decode("ascii"), "utf-8", []
    return _by_utf8(data, declared) or _by_declaration(data, declared) or _mostly_utf8(data) or _guessed(data)


def _by_mark(data: bytes) -> tuple[str, str, list[str]] | None:
    """The text after a byte order mark. UTF-32 must fit exactly: its mark is also that of UTF-16 before a NUL."""
    for mark, encoding in _BOMS:
        if not data.startswith(mark):
            continue
        rest = data[len(mark) :]
        try:
            return rest.decode(encoding), encoding, []
        except UnicodeDecodeError:
            if encoding.startswith("utf-32"):
                continue
            text = lenient(rest, "cp1252") if encoding == "utf-8" and not _plausible_utf8(rest) else None
            if text is not None:
                return text, "cp1252", ["begins with the mark of UTF-8 but is not UTF-8; read as Windows-1252"]
            return rest.decode(encoding, "replace"), encoding, []
    return None


def _by_nul_pattern(data: bytes) -> tuple[str, str, list[str]] | None:
    """UTF-16 or UTF-32 without a mark: its NUL bytes stand at every second or fourth place only."""
    sample = data[:_SAMPLE]
    if len(data) < 2 or b"\x00" not in sample:
        return None
    for encoding, width, places in (
        ("utf-32-le", 4, (2, 3)),
        ("utf-32-be", 4, (0, 1)),
        ("utf-16-le", 2, (1,)),
        ("utf-16-be", 2, (0,)),
    ):
        if len(data) % width or not _nul_only_at(sample, width, places):
            continue
        is_rare = sample.count(0) * width < _FREQUENT * len(sample)
        if is_rare and _is_utf8(data):
            continue  # a text with a stray NUL
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if _is_plausible(text[:4096]):
            return text, encoding, [f"has no byte order mark; read as {encoding.upper()} by the pattern of its bytes"]
    return None


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _by_escapes(data: bytes) -> tuple[str, str, list[str]] | None:
    """Japanese in seven bits, as old mail has it: escape sequences switch between sets of characters."""
    if not _SWITCH.search(data):
        return None
    try:
        return data.decode("iso2022_jp_2"), "iso2022_jp_2", ["names no encoding; read as ISO-2022-JP by its escapes"]
    except UnicodeDecodeError:
        return None


def _nul_only_at(sample: bytes, width: int, places: tuple[int, ...]) -> bool:
    """Whether NUL is frequent at these places of each unit. At the lowest byte of a unit it is all but absent."""
    units = max(1, len(sample) // width)
    if width == 4:
        return all(sample[place::4].count(0) >= 0.9 * units for place in places[: 1 + (places[0] == 2)]) and (
            sample[(0 if places[0] == 2 else 3) :: 4].count(0) <= 0.02 * units
        )
    return sample[places[0] :: 2].count(0) > 0 and sample[1 - places[0] :: 2].count(0) <= 0.02 * units


def _is_plausible(text: str) -> bool:
    """Whether nearly all characters are assigned, and few are controls."""
    odd = sum(unicodedata.category(c) in ("Cn", "Co", "Cs", "Cc") and c not in "\t\n\r\f" for c in text)
    return odd <= 0.01 * len(text)


def _refuse_binary(data: bytes, name: str) -> None:
    controls = len(data) - len(data.translate(None, _CONTROLS))
    if controls > _FEW and controls > MAX_UNREADABLE_SHARE * len(data):
        raise unreadable(
            name,
            f"is not text: {controls / len(data):.0%} of its bytes are control characters",
            "export it as text, or keep it out of the folder",
        )


def _by_utf8(data: bytes, declared: str | None) -> tuple[str, str, list[str]] | None:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if declared in (None, "utf-8"):
        return text, "utf-8", []
    return text, "utf-8", [f"declares the encoding {declared} but is valid UTF-8; read as UTF-8"]


def _by_declaration(data: bytes, declared: str | None) -> tuple[str, str, list[str]] | None:
    if declared in (None, "utf-8"):
        return None
    try:
        return data.decode(declared), declared, []
    except (UnicodeDecodeError, LookupError):
        text = lenient(data, declared)
        if text is None or text.count("\ufffd") > 0.01 * len(text):
            return None
        return text, declared, []


def _plausible_utf8(data: bytes) -> bool:
    """Whether bytes that are not UTF-8 hold far more whole UTF-8 characters than foreign bytes."""
    text = data.decode("utf-8", "surrogateescape")
    foreign = len(_ESCAPED.findall(text))
    whole = sum(c > "\x7f" for c in text) - foreign
    return whole >= 2 * foreign


def _mostly_utf8(data: bytes) -> tuple[str, str, list[str]] | None:
    if not _plausible_utf8(data):
        return None
    text = data.decode("utf-8", "surrogateescape")
    foreign = len(_ESCAPED.findall(text))
    text = _ESCAPED.sub(lambda found: lenient(bytes([ord(found[0]) - 0xDC00]), "cp1252") or "\ufffd", text)
    return text, "utf-8", [f"{count_of(foreign, 'byte is', 'bytes are')} not UTF-8 and read as Windows-1252"]


def _guessed(data: bytes) -> tuple[str, str, list[str]]:
    encoding = guess_charset(data)
    text = lenient(data, encoding)
    if text is None:
        encoding, text = "cp1252", lenient(data, "cp1252") or ""
    return text, encoding, [f"names no encoding and is not UTF-8; its encoding was guessed as {encoding}"]


def _cleaned(text: str, encoding: str, notes: list[str], name: str) -> Decoded:
    """Judge what came out, and give it one kind of line break and no NUL."""
    replaced = text.count("\ufffd")
    controls = 0 if encoding == "utf-8" else sum(map(text.count, map(chr, (*_CONTROLS, *range(0x80, 0xA0)))))
    if replaced + controls > _FEW and replaced + controls > MAX_UNREADABLE_SHARE * len(text):
        raise unreadable(
            name,
            f"is not readable as text: read as {encoding}, {(replaced + controls) / len(text):.0%} of it are "
            "replacement or control characters",
            "save it as UTF-8, or keep it out of the folder",
        )
    if replaced:
        notes.append(f"{count_of(replaced, 'character is', 'characters are')} unreadable and shown as \ufffd")
    if "\x00" in text:
        notes.append(f"{count_of(text.count(chr(0)), 'NUL character is', 'NUL characters are')} shown as a space")
        text = text.replace("\x00", " ")
    if text.startswith("\ufeff"):
        text = text[1:]
    return Decoded(text.replace("\r\n", "\n").replace("\r", "\n"), encoding, tuple(notes))
