"""Where a text may be cut: at the end of a sentence, else of a line, else of a word, else between two clusters.

A full stop ends no sentence after an abbreviation (``U.S.``, ``e.g.``, ``Inc.``), after an initial, inside a number, or
before a small letter. Chinese and Japanese full stops need no space behind them.
"""

from __future__ import annotations

import re

from hybridkb.text.characters import cluster_end

_SENTENCE = re.compile(r"(?<![.!?…])[.!?…]{1,5}[\"'”’»)\]]{0,5}(?=\s)|(?<![。！？｡])[。！？｡]{1,5}[」』”’）】》]{0,5}")
_LONGEST_STOP = 10
_WORD = re.compile(r"\s+|[、，；：]")
_LAST_WORD = re.compile(r"[^\s(\[{\"'“‘«]+\Z")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+")
_NOT_EXTENDING = re.compile(r"[\x00-\x7f]")
_ABBREVIATIONS = frozenset(
    """
    a.m p.m adj al anon app approx apr art assn aug av ave avg bld blvd bros ca capt cf ch chap chg cie co col comm
    comp corp cos dec dep dept dir div dr e.g ed eds eg eq eqs esp est et etc ex exec ext feb fig figs fn fri ft fwd
    gen gov hon hrs i.e ibid ie inc incl inst int intl jan jr jul jun lt ltd m.a mar max mgr min misc mkt mln mo mon
    mr mrs ms mt mtg natl no nos nov oct op org p pp para paras pct ph.d phd pl prof pt pty pub qtr r.p ref refs reg
    rep res rev s.a s.p.a sat sec secs sen sep sept sr st ste sun supp tbl tel thu tue univ vol vols vs wed wk yr yrs
    bzw ca d.h dr evtl ggf inkl mio mrd nr s.o sog str u.a usw vgl z.b zzgl
    """.split()
)


def cut(text: str, start: int, limit: int) -> int:
    """The best place to end a piece that begins at ``start`` and may reach ``limit``.

    Returns:
        A place after ``start`` and not beyond ``limit``; white space behind it belongs to neither piece.
    """
    span = limit - start
    sentence = _last_sentence_end(text, start + span // 2, limit)
    if sentence:
        return sentence
    line = text.rfind("\n", start + span // 2, limit + 1)
    if line > start:
        return line
    return _last_word_end(text, start + span // 4, limit) or _last_cluster_end(text, start, limit)


def cut_line(text: str, start: int, limit: int) -> int:
    """As :func:`cut`, for text whose lines stand for themselves: the end of a line comes first."""
    line = text.rfind("\n", start + 1, limit + 1)
    return line if line > start else cut(text, start, limit)


def _last_sentence_end(text: str, first: int, limit: int) -> int:
    """The end of the last sentence between ``first`` and ``limit``; 0 when there is none."""
    stops = _SENTENCE.finditer(text, max(0, first - _LONGEST_STOP), limit + 1)
    ends = [stop for stop in stops if first < stop.end() <= limit]
    return next((stop.end() for stop in reversed(ends) if _is_sentence_end(text, stop)), 0)


def _is_sentence_end(text: str, stop: re.Match[str]) -> bool:
    if stop[0][0] not in ".!?…":
        return True
    if _next_character(text, stop.end()).islower():
        return False
    if stop[0][0] != "." or stop[0].startswith(".."):
        return True
    word = _LAST_WORD.search(text, max(0, stop.start() - 40), stop.start())
    if word is None:
        return True
    return word[0].lower() not in _ABBREVIATIONS and not _INITIALS.fullmatch(word[0] + ".")


def _next_character(text: str, at: int) -> str:
    return next((c for c in text[at : at + 40] if not c.isspace()), "")


def _last_word_end(text: str, first: int, limit: int) -> int:
    """The end of the last word between ``first`` and ``limit``; 0 when there is none."""
    if limit < len(text) and text[limit].isspace() and not text[limit - 1].isspace():
        return limit
    best = 0
    for found in _WORD.finditer(text, first, limit):
        best = found.start() if found[0].isspace() else found.end()
    return best


def _last_cluster_end(text: str, start: int, limit: int) -> int:
    """The last place up to ``limit`` that parts no mark from its letter and no emoji; ``limit`` if there is none."""
    border = start
    for found in _NOT_EXTENDING.finditer(text, max(start, limit - 200), limit):
        border = found.start()
    last = 0
    while border < limit:
        border = cluster_end(text, border)
        if start < border <= limit:
            last = border
    return last or limit
