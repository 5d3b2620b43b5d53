"""WordPiece against what the `tokenizers` package gives for the same vocabulary."""

from __future__ import annotations

import pytest

from hybridkb.embedders import wordpiece
from hybridkb.embedders.wordpiece import minilm_wordpiece
from hybridkb.errors import EmbedderError

# Made once with tokenizers 0.23: BertNormalizer, BertPreTokenizer, WordPiece. The same comparison over every line of
# 26,817 real texts (54 million characters) found no difference.
GOLDEN_IDS = {
    "What did the Federal Reserve decide about interest rates?": (
        "2054 2106 1996 2976 3914 5630 2055 3037 6165 1029"
    ),
    "BRK.B's 10-K: revenue of $1,234.50 (+3.5%)…": (
        "7987 2243 1012 1038 1005 1055 2184 1011 1047 1024 6599 1997 1002 1015 1010 22018 1012 2753 1006 1009 "
        "1017 1012 1019 1003 1007 1529"
    ),
    "Crédit Agricole S.A., Łódź, İstanbul, Ærø, naïve": (
        "4923 12943 7277 9890 1055 1012 1037 1012 1010 17814 1010 9960 1010 1097 2099 16415 1010 15743"
    ),
    "ΣΊΣΥΦΟΣ ΟΔΟΣ and ß": "1173 18199 29733 29735 29736 29730 29733 1169 29722 29730 29733 1998 1096",
    "苹果公司 Q3 营收 rose": "100 100 1772 1791 1053 2509 100 100 3123",
    "한국은행 금리": (
        "1469 30006 30021 29991 30014 30020 29999 30017 30021 30005 30007 30025 1455 30017 30023 29994 30019"
    ),
    "ﬁnance ｆｕｌｌ２０２４": "1984 7229 3401 100",
    "tab\there\xa0nbsp\u2028line\u200bzero\x00nul": "21628 2182 1050 5910 2361 2240 6290 2239 5313",
    "x" * 101: "100",
    "unaffable hyperinflationary": "14477 20961 3468 23760 2378 10258 3370 5649",
    "emoji 😀 ™ ½ — “quoted”": "7861 29147 2072 100 1580 1092 1517 1523 9339 1524",
    "a_b C++ #tag @user ~/path\\n `code`": (
        "1037 1035 1038 1039 1009 1009 1001 6415 1030 5310 1066 1013 4130 1032 1050 1036 3642 1036"
    ),
}
GOLDEN = {text: [int(number) for number in ids.split()] for text, ids in GOLDEN_IDS.items()}


@pytest.mark.parametrize("text", list(GOLDEN))
def test_ids_equal_those_of_tokenizers(text: str) -> None:
    assert minilm_wordpiece().cut(text).ids == GOLDEN[text]


def test_a_special_token_in_a_text_is_text() -> None:
    tokenizer = minilm_wordpiece()
    assert tokenizer.last not in tokenizer.cut("a [SEP] b").ids


def test_word_starts_are_at_white_space_and_between_cjk_characters() -> None:
    pieces = minilm_wordpiece().cut("brk.b rose, 日本 x")
    assert len(pieces.ids) == 9
    assert pieces.word_starts == [0, 4, 6, 7, 8]


def test_empty_and_unprintable_texts_have_no_pieces() -> None:
    for text in ("", " \t\n", "\0\u200b\ufffd", "\ud800"):
        assert minilm_wordpiece().cut(text).ids == []


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("", 0, 0),
        ("Net income rose 12% at Crédit Agricole", 0, 0),
        ("苹果公司第三季度营收", 1, 1),
        ("日本銀行は金利を引き上げた", 1, 1),
        ("Выручка компании выросла", 1, 1),
        ("AAPL财报", 0.4, 0.6),
        ("the β of a portfolio", 0.1, 0.3),
    ],
)
def test_unknown_share_tells_what_the_model_cannot_read(text: str, low: float, high: float) -> None:
    tokenizer = minilm_wordpiece()
    assert low <= tokenizer.unknown_share(tokenizer.cut(text).ids) <= high


def test_a_changed_vocabulary_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordpiece, "VOCABULARY_SHA256", "0" * 64)
    with pytest.raises(EmbedderError, match="was changed"):
        wordpiece._read_vocabulary()
    monkeypatch.setattr(wordpiece, "VOCABULARY_FILE", "gone.txt")
    with pytest.raises(EmbedderError, match="missing from the package"):
        wordpiece._read_vocabulary()


def test_the_memo_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordpiece, "_MEMO_LIMIT", 10)
    tokenizer = wordpiece.WordPiece(["[UNK]", "[CLS]", "[SEP]", "a", "##a"])
    for length in range(1, 50):
        assert tokenizer.cut("a" * length).ids == [3] + [4] * (length - 1)
    assert len(tokenizer._memo) == 10
