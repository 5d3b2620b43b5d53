"""A guess at the encoding of bytes that name none and are not UTF-8.

Encodings of two bytes a character are recognised by how their characters are built: nearly all must be frequent ones
of their language. Encodings of Latin letters are told apart by the letters of one language each: what is French in
one is no language in another, and Windows-1252 is preferred whenever it is as good. Among those of other scripts the
package charset-normalizer judges.
"""

from __future__ import annotations

import re

from hybridkb.documents.faults import load_extra

_SAMPLE = 16_384
_CONFIDENT = 0.95
_LONGEST_LINE = 2000
_FOREIGN = re.compile(rb"[\x80-\xff]")

# Frequent characters of each encoding (kana, the first level of Han characters, Hangul, punctuation), and all others.
_TWO_BYTES = {
    "cp932": (
        rb"[\x82\x83][\x40-\xf1]|\x81[\x40-\xac]|[\x88-\x97][\x40-\x7e\x80-\xfc]",
        rb"[\x81-\x9f\xe0-\xfc][\x40-\x7e\x80-\xfc]|[\xa1-\xdf]",
    ),
    "gb18030": (
        rb"[\xa1\xa3][\xa1-\xfe]|[\xb0-\xd7][\xa1-\xfe]",
        rb"[\x81-\xfe][\x30-\x39][\x81-\xfe][\x30-\x39]|[\x81-\xfe][\x40-\x7e\x80-\xfe]",
    ),
    "euc_jp": (rb"[\xa1\xa3-\xa5][\xa1-\xfe]|[\xb0-\xcf][\xa1-\xfe]", rb"\x8e[\xa1-\xdf]|[\xa1-\xfe][\xa1-\xfe]"),
    "euc_kr": (rb"[\xa1\xa3][\xa1-\xfe]|[\xb0-\xc8][\xa1-\xfe]", rb"[\xa1-\xfe][\xa1-\xfe]"),
    "big5": (rb"[\xa1-\xa3][\x40-\x7e\xa1-\xfe]|[\xa4-\xc6][\x40-\x7e\xa1-\xfe]", rb"[\x81-\xfe][\x40-\x7e\xa1-\xfe]"),
}
_EUC_PAIR = re.compile(rb"[\xa1-\xfe][\xa1-\xfe]")

_WESTERN = (
    "éèêëàâæçîïôœùûüÿ", "äöüß", "áéíóúüñ", "áâãàçéêíóôõúü", "àèéìíîòóùú", "áéëïóöüèê", "åäöé", "æøåéòôäö",
    "áéíóúýþæöð", "äöåšž", "àçéèíïóòúü",
)  # fmt: skip
_CENTRAL = ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "ăâîşţ", "čćđšž")
_LATIN = {
    "cp1252": _WESTERN,
    "cp1250": _CENTRAL,
    "cp1257": ("ąčęėįšųūž", "āčēģīķļņšūž", "äõöüšž"),
    "cp1254": ("çğıöşüâîûi̇",),
    "iso8859_2": _CENTRAL,
    "mac_roman": _WESTERN,
}
"""Encodings of Latin letters, preferred first, and the letters of the languages written in each."""
_MIXED = 0.8
_WITHIN_WORD = re.compile(r"(?<=[^\W\d_])[^\s\x00-\x7f‘’–—·•ºª°…«»“”„](?=[^\W\d_])")
_FOREIGN_RUN = re.compile(rb"[\x80-\xff]+")
_OTHER_SCRIPTS = (
    *("cp1251", "cp1253", "koi8_r", "cp1255", "cp1256", "cp874", "cp866"),
    *("iso8859_5", "iso8859_6", "iso8859_7", "mac_cyrillic", "cp855"),
)
"""Encodings of one byte for other scripts, preferred first."""


def guess_charset(data: bytes) -> str:
    """Name the likeliest encoding of bytes that hold some above 127 and are not UTF-8; a codec Python knows.

    Raises:
        MissingExtra: the script is not Latin, and the package charset-normalizer is not installed.
    """
    sample = _telling_part(data)
    return _two_byte_charset(sample) or _other_script(sample) or _latin_charset(sample)


def lenient(data: bytes, encoding: str) -> str | None:
    """Decode; bytes without a character become U+FFFD, in Windows encodings the control they stand for."""
    try:
        if not encoding.startswith("cp125"):
            return data.decode(encoding, "replace")
        return data.decode(encoding)
    except LookupError:
        return None
    except UnicodeDecodeError:
        return data.decode("latin-1").translate(_windows_table(encoding))


def _windows_table(encoding: str) -> dict[int, str]:
    return {code: bytes([code]).decode(encoding, "ignore") or chr(code) for code in range(0x80, 0x100)}


def _telling_part(data: bytes) -> bytes:
    """Lines that hold bytes above 127, up to a sample's length."""
    if len(data) <= _SAMPLE:
        return data
    lines: list[bytes] = []
    length = at = 0
    while length <= _SAMPLE and (found := _FOREIGN.search(data, at)):
        start = max(at, found.start() - _LONGEST_LINE, data.rfind(b"\n", at, found.start()) + 1)
        end = data.find(b"\n", found.end(), found.end() + _LONGEST_LINE)
        at = end if end >= 0 else min(len(data), found.end() + _LONGEST_LINE)
        lines.append(data[start:at])
        length += at - start + 1
    return b"\n".join(lines)


def _two_byte_charset(sample: bytes) -> str | None:
    """The encoding whose frequent characters explain the sample best, if they explain nearly all of it."""
    scores = {encoding: _score(sample, encoding) for encoding in _TWO_BYTES}
    pairs = _EUC_PAIR.findall(sample)
    kana = sum(pair[0] in (0xA4, 0xA5) for pair in pairs)
    if kana * 20 > len(pairs):
        scores["gb18030"] = scores["euc_kr"] = 0.0
    else:
        scores["euc_jp"] = 0.0  # Japanese is never written without kana for long
    if scores["euc_kr"] >= _CONFIDENT and b" " in sample.strip():
        scores["gb18030"] = 0.0  # Korean puts spaces between words, Chinese does not
    best = max(scores, key=lambda encoding: scores[encoding])
    if scores[best] < _CONFIDENT:
        return "cp932" if _holds_kana(sample, scores["cp932"]) else None
    return "cp949" if best == "euc_kr" else best  # the same, and more syllables


def _holds_kana(sample: bytes, score: float) -> bool:
    """Whether what may be Shift-JIS holds so many kana that it is, however rare its other characters are."""
    characters = re.findall(rb"%s" % _TWO_BYTES["cp932"][1], sample)
    kana = sum(character[0] in (0x82, 0x83) for character in characters)
    return score > 0 and kana >= max(10, 0.1 * len(characters))


def _score(sample: bytes, encoding: str) -> float:
    """The share of characters above 127 that are frequent ones; 0 when some fit nowhere or most look like Latin."""
    frequent, others = _TWO_BYTES[encoding]
    found = re.findall(rb"(%s)|(%s)|([\x80-\xff])" % (frequent, others), sample)
    usual = [first for first, _, _ in found if first]
    strays = sum(bool(stray) for _, _, stray in found)
    before_letter = sum(pair[1] < 128 for pair in usual)
    if len(found) < 2 or strays > len(found) // 200 or before_letter > 0.6 * len(usual):
        return 0.0
    return len(usual) / len(found)


def _other_script(sample: bytes) -> str | None:
    """An encoding of Cyrillic, Greek, Hebrew, Arabic or Thai: its words are runs of bytes above 127 alone."""
    runs = _FOREIGN_RUN.findall(sample)
    long = sum(len(run) for run in runs if len(run) > 2)
    if long <= 0.6 * sum(map(len, runs)):
        return None
    normalizer = load_extra("charset_normalizer", "guessing an encoding")
    words = b" ".join(dict.fromkeys(runs))
    matches = normalizer.from_bytes(words, cp_isolation=list(_OTHER_SCRIPTS), preemptive_behaviour=False)
    marks = {str(match.encoding): round(20 * (match.chaos - match.coherence)) for match in matches}
    return min(_OTHER_SCRIPTS, key=lambda encoding: marks.get(encoding, 100)) if marks else None


def _latin_charset(sample: bytes) -> str:
    """The encoding in which the letters are those of one language; the first of equals."""
    return max(_LATIN, key=lambda encoding: round(_fit(sample, encoding), 3))


def _fit(sample: bytes, encoding: str) -> float:
    """How well the letters beyond ASCII belong to one language: 1 when all do, less when only to several together."""
    text = lenient(sample, encoding) or ""
    letters = [c for c in text.lower() if c > "\x7f" and c.isalpha() and c not in "ºª"]
    wrong = sum(not symbol.isalpha() for symbol in _WITHIN_WORD.findall(text)) + sum(
        "\x80" <= c < "\xa0" or c == "\ufffd" for c in text
    )
    total = len(letters) + wrong
    if not total:
        return 1.0
    languages = [*_LATIN[encoding], "".join(_LATIN[encoding])]
    fits = [(3 * sum(c in language for c in letters) - 2 * total) / total for language in languages]
    return max(*fits[:-1], _MIXED * fits[-1])
