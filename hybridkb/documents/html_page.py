"""An HTML page to passages: its declared encoding, its title, the fields it carries for us, its blocks.

The dates that a page claims for itself (``article:published_time`` and the like) are not read: anybody may have written
them, and the page may have been changed since. Only ``<meta name="hybridkb:available_at" content="...">`` and its
likes count, which the keeper of the folder wrote.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from hybridkb.documents.blocks import Outline
from hybridkb.documents.content import Content
from hybridkb.documents.encodings import decode
from hybridkb.documents.html_blocks import add_html, add_tree, parse
from hybridkb.documents.html_limits import is_too_much
from hybridkb.documents.passages import make_passages

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_DECLARED = re.compile(
    rb"<meta\b[^>]{0,200}?\bcharset\s*=\s*[\"']?\s*([\w.:-]{1,40})|<\?xml\b[^>]{0,100}?\bencoding\s*=\s*[\"']([\w.:-]{1,40})",
    re.IGNORECASE,
)
_DECLARED_WITHIN = 4096
_PREFIX = "hybridkb:"
_CODECS = {
    "cp1252": "iso-8859-1 iso8859-1 iso_8859-1 latin1 latin-1 l1 ascii us-ascii windows-1252 cp1252 cp-1252 x-cp1252",
    "cp1254": "iso-8859-9 latin5 windows-1254 cp1254",
    "cp1250": "windows-1250 cp1250 x-cp1250",
    "cp1251": "windows-1251 cp1251 x-cp1251",
    "cp1253": "windows-1253 cp1253",
    "cp1255": "windows-1255 cp1255",
    "cp1256": "windows-1256 cp1256",
    "cp1257": "windows-1257 cp1257",
    "cp1258": "windows-1258 cp1258",
    "iso8859_2": "iso-8859-2 latin2 iso_8859-2",
    "iso8859_3": "iso-8859-3",
    "iso8859_4": "iso-8859-4",
    "iso8859_5": "iso-8859-5",
    "iso8859_6": "iso-8859-6",
    "iso8859_7": "iso-8859-7",
    "iso8859_8": "iso-8859-8",
    "iso8859_10": "iso-8859-10",
    "iso8859_13": "iso-8859-13",
    "iso8859_14": "iso-8859-14",
    "iso8859_15": "iso-8859-15 latin9",
    "iso8859_16": "iso-8859-16",
    "koi8_r": "koi8-r",
    "koi8_u": "koi8-u",
    "mac_roman": "macintosh x-mac-roman",
    "cp866": "ibm866 cp866",
    "cp874": "windows-874 tis-620 iso-8859-11",
    "cp932": "shift_jis shift-jis sjis x-sjis windows-31j ms932",
    "euc_jp": "euc-jp x-euc-jp",
    "iso2022_jp": "iso-2022-jp",
    "gb18030": "gb2312 gbk gb18030 x-gbk gb_2312-80",
    "big5hkscs": "big5 big5-hkscs x-x-big5",
    "cp949": "euc-kr ks_c_5601-1987 korean windows-949",
    "utf-8": "utf-8 utf8 utf-16 utf-16le utf-16be unicode",
}
_CODEC_OF = {label: codec for codec, labels in _CODECS.items() for label in labels.split()}


def read_html(data: bytes, name: str, characters: int) -> Content:
    """Read a page of any quality.

    Raises:
        UnreadableDocument: the bytes are not text.
        MissingExtra: the package selectolax is not installed.
    """
    decoded = decode(data, name, declared=declared_encoding(data))
    content = Content((), notes=list(decoded.notes), encoding=decoded.encoding)
    outline = Outline()
    if is_too_much(decoded.text):
        content.notes.append(
            "elements nest more than a parser bears, or have more attributes; the tags were dropped unread"
        )
        add_html(decoded.text, outline)
    else:
        page = parse(decoded.text)
        content.title = _title(page)
        content.fields = _fields(page)
        add_tree(page.root, outline)
    content.passages = make_passages(outline.finish(), characters)
    content.title = content.title or outline.title()
    return content


def declared_encoding(data: bytes) -> str | None:
    """The codec of the encoding that a page declares near its beginning; None when it declares none that is known."""
    found = _DECLARED.search(data, 0, _DECLARED_WITHIN)
    if found is None:
        return None
    label = (found[1] or found[2]).decode("ascii", "replace").lower()
    return _CODEC_OF.get(label)


def _title(page: LexborHTMLParser) -> str | None:
    node = page.css_first("head > title")
    return " ".join(node.text(deep=True).split()) if node is not None else None


def _fields(page: LexborHTMLParser) -> dict[str, Any]:
    """The fields under our own prefix."""
    fields: dict[str, Any] = {}
    for node in page.css("head meta[content]"):
        name = (node.attributes.get("name") or "").strip().lower()
        if name.startswith(_PREFIX):
            fields[name.removeprefix(_PREFIX)] = node.attributes.get("content") or ""
    return fields
