"""What an HTML parser would take hours for: found before it is asked, by counting tags.

A parser looks through all open elements for many a tag, and through all attributes of an element for each more of them,
so that a file of a few megabytes can keep it busy for hours, during which nothing else runs. Such pages are
not written by people or programs that want to be read; of them the text is kept without its structure.
"""

from __future__ import annotations

import re
from collections import Counter

MAX_DEPTH = 20_000
"""The most elements that may be open at once."""
MAX_EFFORT = 5_000_000_000
"""The most steps that a parser may need: tags by the elements that are open at the deepest place."""
MAX_ATTRIBUTE_EFFORT = 100_000_000
"""The same for attributes: the squares of how many each element has."""

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)([^<>]*)>")
_NEVER_DEEP = frozenset("p li dt dd td th tr tbody thead tfoot option br img hr input meta link wbr col area".split())
_DRAWN = frozenset(
    "path rect circle ellipse line polyline polygon use stop g defs text tspan image marker symbol pattern mask".split()
)
_RAW = re.compile(r"<!--(?:-?>)?|<(script|style)(?=[\s/>])", re.IGNORECASE)
_RAW_END = {
    "": re.compile(r"--!?>"),
    "script": re.compile(r"</script(?=[\s/>])[^>]*>?", re.IGNORECASE),
    "style": re.compile(r"</style(?=[\s/>])[^>]*>?", re.IGNORECASE),
}
_WITH_ATTRIBUTES = re.compile(r"<([a-zA-Z][^\s/>]*+)((?:[^>=]++|=\s*+(?:\"[^\"]*\"|'[^']*'|))*+)")
_VALUE = re.compile(r"=\s*+(?:\"[^\"]*\"|'[^']*')")
_ATTRIBUTE = re.compile(r"[\s/]++[^\s/]")
_LONG = 500  # characters of a tag below which its attributes are too few to matter
_ONE_ELEMENT = ("html", "body")  # further tags of these names add their attributes to the first
_SELECT = re.compile(r"<(/?)select(?=[\s/>])", re.IGNORECASE)


def is_too_much(html: str) -> bool:
    """Whether a parser would take too long, as far as counting tags can tell."""
    return _nests_too_deep(html) or _has_too_many_attributes(html)


def without_choices(html: str) -> str:
    """The same HTML with each ``select`` as a ``datalist``: readers see neither, and parsers know only the second well.

    At every option of a ``select`` a parser goes through those before it.
    """
    return _SELECT.sub(r"<\1datalist", html)


def without_tags(html: str) -> str:
    """The text of HTML with every tag taken for the end of a paragraph."""
    return _TAG.sub("\n\n", _without_raw(html))


def _without_raw(html: str) -> str:
    """HTML without comments, scripts and styles; each that is never closed reaches to the end."""
    parts: list[str] = []
    at = 0
    while (begun := _RAW.search(html, at)) is not None:
        parts.append(html[at : begun.start()])
        if begun[0].startswith("<!--") and begun[0] != "<!--":  # a comment without text
            at = begun.end()
            continue
        ended = _RAW_END[(begun[1] or "").lower()].search(html, begun.end())
        at = len(html) if ended is None else ended.end()
    return "".join([*parts, html[at:]])


def _nests_too_deep(html: str) -> bool:
    tags = html.count("<")
    if tags <= MAX_DEPTH:
        return False
    depth = deepest = drawing = 0
    for closing, name, rest in _TAG.findall(_without_raw(html)):
        name = name.lower()
        if name == "svg":
            drawing = max(0, drawing + (-1 if closing else 1))
        elif drawing and name not in _DRAWN:
            drawing = 0
        if name in _NEVER_DEEP or (drawing and rest.endswith("/")):
            continue
        depth = max(0, depth - 1) if closing else depth + 1
        deepest = max(deepest, depth)
        if deepest > MAX_DEPTH or deepest * tags > MAX_EFFORT:
            return True
    return False


def _has_too_many_attributes(html: str) -> bool:
    effort = 0
    shared: Counter[str] = Counter()
    for found in _WITH_ATTRIBUTES.finditer(html):
        name = found[1].lower()
        is_one = name in _ONE_ELEMENT
        if len(found[2]) < _LONG and not is_one:
            continue
        count = len(_ATTRIBUTE.findall(_VALUE.sub("", found[2])))
        effort += count * (2 * shared[name] + count)
        if is_one:
            shared[name] += count
        if effort > MAX_ATTRIBUTE_EFFORT:
            return True
    return False
