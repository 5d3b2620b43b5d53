"""``get_knowledge``: the whole passage or page behind a locator, with its neighbours, in pieces that fit."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, get_args

from hybridkb.errors import InvalidQuery
from hybridkb.knowledge import Citation, Locator
from hybridkb.records import Record
from hybridkb.tools.budget import LEAST_CHARACTERS
from hybridkb.tools.cards import (
    NOTICE,
    TYPE_CHARACTERS,
    address,
    name,
    page_of,
    path_of,
    source_card,
    time_text,
    times_card,
)
from hybridkb.tools.desk import Desk, Target, desk_of
from hybridkb.tools.filter_parameters import BEFORE, CUTOFF
from hybridkb.tools.opening import Opened, open_locator
from hybridkb.tools.parameters import Parameter, read_arguments, read_cutoff
from hybridkb.tools.safe_text import UNNAMED, clean, clip, fence_name, fenced, serialised
from hybridkb.tools.searching import MAX_CHARS, MAX_CHARS_PARAMETER

MOST_NEIGHBOURS = 20
MOST_CITATIONS = 10
Extent = Literal["passage", "page"]

PARAMETERS: tuple[Parameter, ...] = (
    Parameter("locator", "text", "What to read: a locator as the other tools give it, item:UUID, item:UUID#part, "
              "source:UUID (a paper) or artifact:UUID#part.",
              required=True),
    Parameter("extent", "text", "The passage alone, or every passage of its page (PDF).", get_args(Extent),
              default="passage"),
    Parameter("before", "integer", "How many passages before it to read as well.", least=0, most=MOST_NEIGHBOURS,
              default=0),
    Parameter("after", "integer", "How many passages after it to read as well.", least=0, most=MOST_NEIGHBOURS,
              default=0),
    Parameter("offset", "integer", "Where in the passage to begin, in characters: next_offset of the answer before.",
              least=0, most=2**53, default=0),
    MAX_CHARS_PARAMETER,
    CUTOFF,
)  # fmt: skip


def get_knowledge(
    target: Target,
    locator: Locator | str,
    *,
    extent: Extent = "passage",
    before: int = 0,
    after: int = 0,
    offset: int = 0,
    max_chars: int = MAX_CHARS,
    available_at_before: datetime | str | None = None,
) -> dict[str, Any]:
    """Read what a locator points to, as plain data.

    Args:
        target: as for :func:`hybridkb.tools.search_knowledge`; a folder is not looked at anew.
        locator: as a hit has it.
        extent: ``"passage"``, or ``"page"`` for every passage of the same page.
        before, after: how many neighbours in reading order to add, at most 20 each.
        offset: where in the passage to begin, in characters.
        max_chars: characters that ``json.dumps(answer)`` may take.
        available_at_before: read it as it stood then; give the cutoff of the search that found it.

    Returns:
        ``title``, ``item_type``, times, ``source``, ``disclaimers``, ``citations``; ``part`` of ``parts``,
        ``previous`` and ``next`` (locators); ``passages`` in reading order, each with ``locator``, ``text`` and its
        place; ``next_offset`` when the passage goes on; ``truncated`` when neighbours did not fit.

    Raises:
        NotFound: nothing there, or not then.
        InvalidInput: not a locator, or an argument is wrong.
    """
    given = {"locator": str(locator), "extent": extent, "before": before, "after": after, "offset": offset,
             "max_chars": max_chars}  # fmt: skip
    checked = read_arguments("get_knowledge", PARAMETERS, given)
    checked[BEFORE] = read_cutoff(available_at_before)
    with desk_of(target) as desk:
        return answer_get(desk, checked)


def answer_get(desk: Desk, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a call whose arguments were checked."""
    cutoff = desk.within(arguments.get(BEFORE))
    opened = open_locator(desk.view(cutoff), Locator.parse(arguments["locator"]))
    records, place = opened.records, opened.place
    asked = _extent(records, place, arguments.get("extent", "passage"))
    texts = [clean(record.text).strip() for record in records]
    offset = arguments.get("offset", 0)
    if offset and offset >= len(texts[asked[0]]):
        raise InvalidQuery(f"offset {offset:,} lies behind the end; there are {len(texts[asked[0]]):,} characters",
                           field="offset")  # fmt: skip
    first = max(0, asked[0] - arguments.get("before", 0))
    last = min(len(records), asked[-1] + 1 + arguments.get("after", 0))
    head = _head(opened, cutoff, arguments.get("max_chars", MAX_CHARS))
    names = [f"{record.title} {record.locator}" for record in records[first:last]]
    head["fence"] = fence = fence_name([json.dumps(head, ensure_ascii=False), *names, *texts[first:last]])
    reading = _Reading(head, opened, texts, fence, arguments.get("max_chars", MAX_CHARS))
    return reading.answer(asked, range(first, last), offset)


class _Reading:
    """Puts passages under a head: what was asked for first, then neighbours, nearest first."""

    def __init__(
        self, head: dict[str, Any], opened: Opened, texts: Sequence[str], fence: str, max_chars: int
    ) -> None:
        self._head = head
        self._opened = opened
        self._records = opened.records
        self._texts = texts
        self._fence = fence
        self._max_chars = max_chars

    def answer(self, asked: Sequence[int], wanted: range, offset: int) -> dict[str, Any]:
        """The longest answer that fits."""
        start, *others = asked
        neighbours = sorted((one for one in wanted if one not in asked), key=lambda one: (abs(one - start), -one))
        taken: list[int] = [start]
        end = self._cut(taken, start, offset)
        if end == len(self._texts[start]):
            for place in (*others, *neighbours):
                if self._fits(self._made([*taken, place], start, offset, None, ())):
                    taken.append(place)
        left = [one for one in (*others, *neighbours) if one not in taken]
        while True:
            answer = self._made(taken, start, offset, end, left)
            if self._fits(answer):
                return answer
            if len(taken) == 1 and end <= offset + 1:
                raise InvalidQuery(
                    f"max_chars={self._max_chars:,} is too small for this answer; give at least {serialised(answer):,}",
                    field="max_chars",
                )
            if len(taken) > 1:
                left = sorted([*left, taken.pop()])
            else:
                end = max(offset + 1, end - max(20, (end - offset) // 10))

    def _cut(self, taken: Sequence[int], start: int, offset: int) -> int:
        """Where the asked passage must end so that it fits; at a white space when one is near."""
        low, high = offset, len(self._texts[start])
        if self._fits(self._made(taken, start, offset, None, ())):
            return high
        while low < high:
            middle = (low + high + 1) // 2
            fits = self._fits(self._made(taken, start, offset, middle, ()))
            low, high = (middle, high) if fits else (low, middle - 1)
        space = max(self._texts[start].rfind(blank, offset, low) for blank in " \n")
        return space + 1 if space > offset + (low - offset) * 3 // 4 else max(low, offset + 1)

    def _fits(self, answer: dict[str, Any]) -> bool:
        return serialised(answer) <= self._max_chars

    def _made(
        self, taken: Sequence[int], start: int, offset: int, end: int | None, left: Sequence[int]
    ) -> dict[str, Any]:
        passages = [self._passage(one, offset if one == start else 0, end if one == start else None)
                    for one in sorted(taken)]  # fmt: skip
        size = len(self._texts[start])
        goes_on = end is not None and end < size
        cut = {"left_out": len(left), "rest": self._rest(left[0])} if left else None
        return {**self._head, "next_offset": end if goes_on else None, "truncated": cut, "passages": passages}

    def _rest(self, place: int) -> str:
        cutoff = self._head["cutoff"]
        narrowed = f", {BEFORE}={cutoff!r}" if cutoff else ""
        return f"get_knowledge({address(self._records[place].locator)!r}{narrowed})"

    def _passage(self, place: int, offset: int, end: int | None) -> dict[str, Any]:
        record, text = self._records[place], self._texts[place]
        card: dict[str, Any] = {"locator": address(record.locator), "part": place + 1}
        if heading := self._opened.heading(record):
            card["heading"] = name(heading, 200)
        if (page := _page(record)) is not None:
            card["page"] = page
        if offset or (end is not None and end < len(text)):
            card |= {"offset": offset, "characters": len(text)}
        return card | {"text": fenced(text[offset:end], self._fence)}


def _extent(records: Sequence[Record], place: int, extent: str) -> list[int]:
    page = _page(records[place])
    if extent != "page" or page is None:
        return [place]
    return [one for one, record in enumerate(records) if _page(record) == page]


def _page(record: Record) -> int | None:
    """The page a part of a tree stands on; of a paper the page on which it begins."""
    if record.locator.member_id is None:
        return None
    citations = _citations(record)
    return page_of(citations if record.locator.owner_kind == "item" else citations[:1])


def _citations(record: Record) -> list[Citation]:
    return [Citation.model_validate(card) for card in json.loads(record.citations)]


def _citation_card(citation: Citation) -> dict[str, Any]:
    """A citation as plain data; its texts are a document's own."""
    card = citation.model_dump(mode="json", exclude_none=True)
    return {key: name(value, 200) if isinstance(value, str) else value for key, value in card.items()}


def _head(opened: Opened, cutoff: datetime | None, max_chars: int) -> dict[str, Any]:
    """What the answer says besides texts, with room for the fence's name: at most about half of it."""
    item, records, place = opened.item, opened.records, opened.place
    names = max(40, min(300, max_chars // 20))
    path = records[0].path or path_of(item.source)
    head: dict[str, Any] = {"notice": NOTICE, "fence": UNNAMED, "title": name(opened.title, names)}
    if path:
        head["path"] = name(path, names)
    head |= {"item_type": name(records[place].item_type, TYPE_CHARACTERS), **times_card(item.as_of, item.available_at)}
    head["cutoff"] = time_text(cutoff)
    head["part"], head["parts"] = place + 1, len(records)
    head["previous"] = address(records[place - 1].locator) if place else None
    head["next"] = address(records[place + 1].locator) if place + 1 < len(records) else None
    extras = {
        "source": source_card(item.source, item.provenance, names),
        "authors": [name(one, TYPE_CHARACTERS) for one in getattr(item, "authors", ())[:10]],
        "disclaimers": [clip(clean(text), 1000) for text in item.disclaimers],
        "tags": [name(tag, TYPE_CHARACTERS) for tag in item.tags[:20]],
        "citations": [_citation_card(one) for one in _citations(records[place])[:MOST_CITATIONS]],
    }
    room = max_chars // 2
    for key, value in extras.items():
        if value and serialised({**head, key: value}) <= max(room, LEAST_CHARACTERS - 100):
            head[key] = value
    return head
