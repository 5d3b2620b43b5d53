"""Encodings: what is certain is read, what is guessed is told, what is noise is refused."""

from __future__ import annotations

import codecs

import pytest

from hybridkb.documents import read_document
from hybridkb.documents.encodings import Decoded, decode
from hybridkb.errors import UnreadableDocument

TEXT = "Naïve “quotes” — 5 €, Łódź, Ελλάδα, 库存 👍\nsecond line"


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_a_mark_decides(mark: bytes, encoding: str) -> None:
    assert decode(mark + TEXT.encode(encoding), "a.txt") == Decoded(TEXT, encoding)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("text", ["plain words, no mark", "库存下降。\n原油库存 2024", "Łódź rośnie\r\n"])
def test_without_a_mark_the_pattern_of_nul_bytes_decides(text: str, encoding: str) -> None:
    decoded = decode(text.encode(encoding), "a.txt")
    assert (decoded.text, decoded.encoding) == (text.replace("\r\n", "\n"), encoding)
    assert "no byte order mark" in decoded.notes[0]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "Le résumé du café a été préparé; “guillemets” – 25 €."),
        ("cp1252", "Copper supply gap widens — Chile’s output falls."),
        ("cp1252", "Resumé"),
        ("cp1252", "El año pasado la producción cayó; ¿qué pasó?"),
        ("cp1252", "Ørsted A/S øgede sin produktion på havet i år."),
        ("cp1250", "Rynek miedzi rośnie, a podaż w Chile spada. Źródło: własne, złoty się umocnił."),
        ("cp1250", "Česká národní banka zvýšila úrokové sazby o čtvrt bodu."),
        ("cp1250", "A jegybank kamatot emelt, erősödő forint, gyűjtött tőke."),
        ("cp1251", "Центральный банк повысил ключевую ставку. Рынок меди растёт."),
        ("koi8_r", "Центральный банк повысил ключевую ставку. Рынок меди растёт, а добыча падает."),
        ("cp1253", "Η τράπεζα αύξησε τα επιτόκια και η αγορά του χαλκού ανεβαίνει."),
        ("cp1254", "Şirket kârını açıkladı ve hisse yükseldi."),
        ("cp1257", "Lietuvos bankas padidino palūkanų normas, rinka auga."),
        ("cp932", "日本銀行は金利を引き上げた。銅の供給不足が続いている。"),
        ("euc_jp", "日本銀行は金利を引き上げた。銅の供給不足が続いている。"),
        ("gb18030", "本季度用户增长放缓，原油库存下降。"),
        ("gb18030", "AAPL财报超预期"),
        ("big5", "本季度用戶增長放緩，原油庫存下降。"),
        ("euc_kr", "한국은행이 금리를 인상했다. 구리 공급 부족이 계속되고 있다."),
    ],
)
def test_a_guess_is_right_and_told(encoding: str, text: str) -> None:
    decoded = decode(text.encode(encoding), "a.txt")
    assert decoded.text == text
    assert "guessed" in decoded.notes[0]


def test_words_of_another_script_are_told_from_the_markup_around_them() -> None:
    text = "<item><title>Рынок меди</title><link>http://example.com/news/copper/market</link></item>\n" * 20
    assert decode(text.encode("cp1251"), "a.txt").text == text


def test_japanese_mail_in_seven_bits_is_read() -> None:
    assert decode("銅の在庫 2024".encode("iso2022_jp"), "a.txt").text == "銅の在庫 2024"


def test_the_telling_part_of_a_long_text_may_stand_far_behind() -> None:
    text = "plain words\n" * 20_000 + "Rynek rośnie, a podaż spada: źródło własne.\n"
    assert decode(text.encode("cp1250"), "a.txt").text == text


def test_a_few_foreign_bytes_in_utf_8_are_read_one_by_one() -> None:
    decoded = decode("Łódź, Kraków, Gdańsk, żółty — ".encode() * 3 + b"caf\xe9", "a.txt")
    assert decoded.text.endswith("— café")
    assert decoded.notes == ("1 byte is not UTF-8 and read as Windows-1252",)


def test_line_breaks_become_line_feeds_and_nul_a_space() -> None:
    decoded = decode(b"abc\0def\r\nx\ry", "a.txt")
    assert decoded == Decoded("abc def\nx\ny", "utf-8", ("1 NUL character is shown as a space",))


def test_replacement_characters_are_counted() -> None:
    assert decode("a\ufffd good text goes on".encode(), "a.txt").notes == (
        "1 character is unreadable and shown as \ufffd",
    )
    with pytest.raises(UnreadableDocument, match="replacement"):
        decode("\ufffd\ufffd\ufffd\ufffd\ufffdab".encode(), "a.txt")


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"%PDF-1.7 rest of it", "a PDF"),
        (b"PK\x03\x04\x14\x00\x00\x00\x08\x00rest", "a zip archive"),
        (b"\x7fELF\x02\x01\x01\x00", "a program"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "a PNG image"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", "a JPEG image"),
        (b"GIF89a\x01\x00\x01\x00", "a GIF image"),
        (b"SQLite format 3\x00\x10\x00", "an SQLite database"),
        (b"\x1f\x8b\x08\x00", "a gzip archive"),
    ],
)
def test_other_formats_under_the_name_of_text_are_named(data: bytes, kind: str) -> None:
    with pytest.raises(UnreadableDocument, match=kind) as caught:
        read_document(data, "notes/a.txt")
    assert caught.value.path == "notes/a.txt"


@pytest.mark.parametrize("text", ["PK is how it begins", "MZ was here", "BM, RIFF and GIF8 are words", "ID3 tags"])
def test_words_that_begin_like_other_formats_are_text(text: str) -> None:
    assert decode(text.encode(), "a.txt").text == text


def test_binary_bytes_are_refused() -> None:
    noise = bytes((at * 7 + at // 13) % 256 for at in range(5000))
    for data in (noise, bytes(range(32)) * 30, b"\x00\x01\x02\x03" * 100):
        with pytest.raises(UnreadableDocument, match="text"):
            decode(data, "a.txt")


def test_a_mark_of_utf_8_before_other_bytes_is_not_believed() -> None:
    decoded = decode(codecs.BOM_UTF8 + b"caf\xe9 na\xefve", "a.txt")
    assert decoded.text == "café naïve"
    assert "not UTF-8" in decoded.notes[0]
