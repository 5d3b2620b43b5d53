"""Which words a text holds: a table of cases, and what is true of every text."""

import threading
import unicodedata

import apsw
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hybridkb.errors import InvalidInput
from hybridkb.text import Analyser, parse_query
from hybridkb.text.analyser import plain_word
from hybridkb.text.characters import fold, fold_text
from hybridkb.text.grammar import LONGEST_WORD, items

GOLDEN = [
    # Sentences
    ("BRK.B rose after the 10-K", "brk.b brk brkb rose after the 10-k 10 10k"),
    ("S&P 500 closed at 1,234.50", "s&p sp 500 closed at 1,234.50 1234.50"),
    ("we use C++ for $AAPL quotes", "we use c++ for $aapl aapl quotes"),
    ("Copper rose. Wheat fell...", "copper rose wheat fell"),
    ("The U.S. and the U.K.", "the u.s us and the u.k uk"),
    ("(see: end)", "see end"),
    # Apostrophes
    ("what's the desk's view?", "what the desk view"),
    ("what’s the desk’s view?", "what the desk view"),
    ("the desks' view", "the desks view"),
    ("they've we'll don't", "they we dont"),
    ("O'Neil's 1980's Q3'24 S&P's", "oneil 1980s q3 24 s&p sp"),
    # Codes
    ("10K", "10k"),
    ("8-K/A", "8-k/a 8-k 8k 8ka"),
    ("US0378331005 Q3", "us0378331005 q3"),
    ("AT&T R&D", "at&t at att r&d rd"),
    ("P/E", "p/e pe"),
    ("EUR/USD", "eur/usd eur usd"),
    ("^GSPC ES=F", "^gspc gspc es=f es esf"),
    ("BRK-B 005930.KS", "brk-b brk brkb 005930.ks 005930 ks 005930ks"),
    ("C# F# #earnings", "c# f# earnings"),
    ("BBB+ AA- pre- and", "bbb+ bbb aa- aa pre and"),
    ("T+1 COVID-19", "t+1 t1 covid-19 covid 19 covid19"),
    ("NYSE:BRK.B", "nyse brk.b brk brkb"),
    ("gross_margin", "gross_margin gross margin"),
    # Numbers
    ("3.5%", "3.5% 3.5"),
    ("+5.2% -0.5% (−0.5%)", "+5.2% 5.2% 5.2 -0.5% 0.5% 0.5 -0.5% 0.5% 0.5"),
    ("-$5.20 $1,234.50 US$500 €500", "-$5.20 $5.20 5.20 $1,234.50 1,234.50 1234.50 us $500 500 €500 500"),
    (".5%", ".5% .5"),
    ("2024-03-01", "2024-03-01 2024 03 01 20240301"),
    ("12/31/2018 10:30", "12/31/2018 12 31 2018 10:30"),
    ("2019–2020 3-5", "2019-2020 2019 2020 3-5"),
    ("10² 5½", "10 2 5 1/2"),
    ("٣٫٥ १२", "3.5 12"),
    # Compounds
    ("long-term debt", "long-term long term debt"),
    ("long‑term —dash— word—word", "long-term long term dash word word"),
    ("e-mail", "e-mail mail email"),
    ("end.The", "end.the end the"),
    # Case, width, accents, letters that do not decompose
    ("ＡＡＰＬ ﬁnance Ⅳ", "aapl finance iv"),
    ("naïve CAFÉ Zürich", "naive cafe zurich"),
    ("cafe\u0301 CAFE\u0301", "cafe cafe"),
    ("Straße Łódź Đà ØRE Ħal Ŧ Æsir Œuvre Þór", "strasse lodz da ore hal t aesir oeuvre thor"),
    ("İstanbul ISPARTA ısı", "istanbul isparta isi"),
    ("Ελλάδα ΕΛΛΆΔΑ", "ελλαδα ελλαδα"),
    ("Ёлка Йод Київ", "елка йод київ"),
    ("Apple™ revenue¹ inter\u00adnational", "apple revenue 1 international"),
    # Scripts without spaces
    ("本季度用户增长放缓", "本季 季度 度用 用户 户增 增长 长放 放缓"),
    ("原油库存下降", "原油 油库 库存 存下 下降"),
    ("AAPL财报超预期", "aapl 财报 报超 超预 预期"),
    ("月 3月", "月 3 月"),
    ("日経平均、トヨタ。", "日経 経平 平均 トヨ ヨタ"),
    ("ガギグ ｶﾞｷﾞ か\u3099き", "ガギ ギグ ガギ がき"),
    ("か\u309aき", "か\u309aき"),
    ("한국은행", "한국 국은 은행"),
    ("\u1112\u1161\u11ab\u1100\u116e\u11a8", "한국"),
    ("ไทย", "ไท ทย"),
    ("หุ้นไทย", "หุ้น นไ ไท ทย"),
    # Other scripts keep their marks
    ("हिन्दी", "हिन्दी"),
    ("שָׁלוֹם", "שלום"),
    # Not words
    ("", ""),
    ("( ' \" - -- ... \u2026 🚀 ☒ \ufffd", ""),
    ("abc\0def g\x1fh", "abc def g h"),
    ("a\ud800b \udfff", "a b"),
    ("x\ufffe\U000e0001y", "x y"),
    # Data is not words
    ("A" * 65, ""),
    ("a" * 64, "a" * 64),
    ("aGVsbG8gd29ybGQgdGhpcyBpcyBh/IGxvbmcgYmFzZTY0IHN0cmlu+ZyB3aXRob3V0IHdvcmRz==", ""),
]  # fmt: skip


ANALYSER = Analyser()

alphabet = st.one_of(
    st.characters(),
    st.characters(categories=["Cs", "Cf", "Cc", "Mn", "Mc"]),
    st.sampled_from("aAbÉß1234 \t\n.-&/_=,:+$^%#'’\"財报ガ한ไน้ि\u0301\u3099\u200d👍🏽🇩🇪²½"),
)
texts = st.one_of(
    st.text(alphabet, max_size=60),
    st.lists(st.sampled_from([text for text, _ in GOLDEN]), max_size=4).map("".join),
)


def fts5(text: str) -> list[str]:
    """What FTS5 makes of a text, with the tokenizer that the word index is declared with."""
    return [word for _, _, word in _tokenize(text.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None)]


_connection = apsw.Connection(":memory:")
_tokenize = _connection.fts5_tokenizer("unicode61", ["remove_diacritics", "0", "categories", "L* N* Co P* S* M*"])


@pytest.mark.parametrize(("text", "words"), GOLDEN)
def test_words_of_a_text(text: str, words: str) -> None:
    assert ANALYSER.words(text) == words.split()


@given(texts)
@example("\U0001e900\u1e9e ǅ")
@settings(max_examples=400, deadline=None)
def test_tokens_are_the_words_with_their_places(text: str) -> None:
    tokens = ANALYSER.tokens(text)
    assert [token.word for token in tokens] == ANALYSER.words(text)
    assert all(0 <= token.start < token.end <= len(text) for token in tokens)


@given(texts)
@settings(max_examples=400, deadline=None)
def test_a_plain_word_is_the_word_of_its_place(text: str) -> None:
    for reading in ANALYSER.readings(text):
        if reading.kind == "plain":
            (token,) = reading.tokens
            assert ANALYSER.words(text[token.start : token.end])[:1] == [token.word]


@given(texts)
@settings(max_examples=400, deadline=None)
def test_a_place_never_parts_a_character_from_its_marks(text: str) -> None:
    for token in ANALYSER.tokens(text):
        after = text[token.end : token.end + 1]
        marks = sum(unicodedata.category(c)[0] == "M" for c in text[token.start : token.end])
        assert not (after and unicodedata.category(after)[0] == "M") or marks >= 31


@given(texts)
@settings(max_examples=400, deadline=None)
def test_fts5_gives_the_words_back(text: str) -> None:
    words = ANALYSER.words(text)
    assert fts5(" ".join(words)) == words


@given(texts)
@settings(max_examples=400, deadline=None)
def test_a_plain_word_analysed_again_is_itself(text: str) -> None:
    for reading in ANALYSER.readings(text):
        if reading.kind == "plain":
            assert ANALYSER.words(reading.tokens[0].word)[0] == reading.tokens[0].word


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_words_do_not_depend_on_the_form_of_unicode(form: str) -> None:
    for text, words in GOLDEN:
        if "¹" not in text and "²" not in text and "½" not in text and "™" not in text:
            assert ANALYSER.words(unicodedata.normalize(form, text)) == words.split()  # type: ignore[arg-type]


def letters_and_signs() -> list[str]:
    """Every assigned character but the long monotonous blocks."""
    bulk = (range(0x3500, 0x9F00), range(0xAD00, 0xD700), range(0x17000, 0x1B000), range(0x20000, 0x110000))
    codes = (code for code in range(0x110000) if not any(code in block for block in bulk))
    return [chr(code) for code in codes if unicodedata.category(chr(code)) not in ("Cn", "Co", "Cs")]


def test_every_character_survives_fts5() -> None:
    words = ANALYSER.words(" ".join(f"a{character}b" for character in letters_and_signs()))
    assert fts5(" ".join(words)) == words
    assert not any(c.isspace() or unicodedata.category(c) in ("Cc", "Cf", "Cs", "Cn") for c in "".join(words))


def test_folding_twice_is_folding_once() -> None:
    for character in letters_and_signs():
        folded = fold(character)
        assert folded == " " or "".join(map(fold, folded)) == folded


def test_a_code_is_found_in_the_spellings_people_use() -> None:
    for written, asked in [("10-K", "10K"), ("U.S.", "us"), ("BRK.B", "brkb"), ("$AAPL", "aapl"), ("1,234", "1234")]:
        assert set(ANALYSER.words(written)) & set(ANALYSER.words(asked))


def test_one_letter_of_a_code_is_not_a_word() -> None:
    assert "c" not in ANALYSER.words("C++ C#")
    assert "s" not in ANALYSER.words("S&P")


def test_encoded_data_adds_no_words() -> None:
    data = "data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4" * 50
    assert ANALYSER.words(data) == ["data", "image/png", "image", "png", "base64"]


def test_an_address_too_long_to_keep_gives_its_pieces() -> None:
    words = ANALYSER.words(
        "https://www.example.org/a-rather-long/path-of-words/that-goes-on/and-on/and-on-again/to/the/end"
    )
    assert "path" in words
    assert max(map(len, words)) <= 64


def test_many_marks_on_one_letter_take_little_time() -> None:
    assert len(ANALYSER.words("a" + "\u0301\u0316" * 50_000)) <= 1


@pytest.mark.parametrize(
    "part",
    [
        "a",
        "1",
        "a-",
        "1.",
        "a1/",
        "$a",
        "か\u3099",
        "か",
        "\u3099",
        "क\u093f",
        "+",
        "a'",
        "1,",
        "ab.c&",
        "é_",
        "字\ufe00",
    ],
)
@pytest.mark.parametrize("times", [20, 64, 65, 3000])
def test_no_word_is_longer_than_stated(part: str, times: int) -> None:
    for text in (part * times, "か" + part * times, "$x." + part * times):
        words = ANALYSER.words(text)
        assert all(len(word) <= LONGEST_WORD for word in words)
        assert [token.word for token in ANALYSER.tokens(text)] == words
        parse_query(text, ANALYSER)


def test_whole_tokens_are_marked() -> None:
    assert [token.word for token in ANALYSER.tokens("BRK.B rose 3.5% in Q3 财报 500") if token.whole] == [
        "brk.b",
        "3.5%",
        "q3",
    ]


def test_offsets_are_those_of_the_text_as_written() -> None:
    text = "ﬁnance İİ cafe\u0301s AAPL财报"
    assert [(token.word, text[token.start : token.end]) for token in ANALYSER.tokens(text)] == [
        ("finance", "ﬁnance"),
        ("ii", "İİ"),
        ("cafes", "cafe\u0301s"),
        ("aapl", "AAPL"),
        ("财报", "财报"),
    ]


def test_stems_of_words_and_of_what_has_none() -> None:
    assert ANALYSER.stem("organizations") == ANALYSER.stem("organization")
    for word in ("10-k", "brk.b", "500", "q3", "财报", "long-term"):
        assert ANALYSER.stem(word) == word
    assert Analyser("none").stem("organizations") == "organizations"


def test_keys_are_equal_for_titles_that_say_the_same() -> None:
    assert ANALYSER.key("Apple’s 10-K, Annual Reports") == ANALYSER.key("APPLE'S 10-K annual report")
    assert ANALYSER.key("Apple") != ANALYSER.key("Apples and pears")


def test_an_unknown_language_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match=r"english.*none") as caught:
        Analyser("klingon")
    assert caught.value.field == "language"


def test_french_elisions_are_words_of_their_own() -> None:
    assert Analyser("french").words("l'action d’Airbus") == ["l", "action", "d", "airbus"]


def test_russian_stems_need_their_letters() -> None:
    russian = Analyser("russian")
    assert russian.stem(russian.words("российский")[0]) == russian.stem(russian.words("российского")[0])


def test_function_words_spare_what_matters_to_a_desk() -> None:
    assert {"the", "what", "dont"} <= ANALYSER.function_words
    assert not {"us", "may", "up", "down", "not", "below"} & ANALYSER.function_words
    assert Analyser("finnish").function_words == frozenset()


def test_one_analyser_serves_many_threads() -> None:
    analyser = Analyser()
    words = [f"{stem}{end}" for stem in ("organiz", "market", "inflat") for end in ("ing", "ed", "ation", "s")] * 50
    expected = [Analyser().stem(word) for word in words]
    answers: list[list[str]] = []
    threads = [threading.Thread(target=lambda: answers.append(list(map(analyser.stem, words)))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [expected] * 8


@given(st.text(alphabet="aBcXyz.,;:!?'-é1", max_size=70))
def test_plain_chunks_are_read_as_all_others(chunk: str) -> None:
    """The short cut for plain words gives what the grammar gives."""
    word = plain_word(chunk)
    assert not word or word == tuple(place[0] for item in items(fold_text(chunk)) for place in item.places)
