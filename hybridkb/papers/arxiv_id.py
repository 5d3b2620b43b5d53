"""arXiv identifiers, in every form that people paste, read strictly into one.

Since 2007 they count by month (``1706.03762``; four digits behind the point until 2014, five since), before that by
archive and month (``hep-th/9901001``). ``v7`` behind either names one exact version.
"""

from __future__ import annotations

import re
from typing import Annotated, Any
from urllib.parse import unquote, urlsplit

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from hybridkb.errors import InvalidInput
from hybridkb.knowledge.base import KnowledgeModel

ARCHIVES = frozenset(
    """
    acc-phys adap-org alg-geom ao-sci astro-ph atom-ph bayes-an chao-dyn chem-ph cmp-lg comp-gas cond-mat cs dg-ga
    funct-an gr-qc hep-ex hep-lat hep-ph hep-th math math-ph mtrl-th nlin nucl-ex nucl-th patt-sol physics plasm-ph
    q-alg q-bio quant-ph solv-int supr-con
    """.split()
)
"""The archives that gave out identifiers before April 2007."""

_MAX_CHARACTERS = 300
_PREFIX = re.compile(r"arxiv\s*:\s*", re.IGNORECASE)
_CLASS_BEHIND = re.compile(r"\s+\[[A-Za-z.-]{2,30}\]\Z")
_DOI = re.compile(r"(?:doi\s*:\s*)?10\.48550/arxiv\.", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:https?://)?(?:[a-z0-9-]+\.)*arxiv\.org/", re.IGNORECASE)
_DOI_ADDRESS = re.compile(r"https?://(?:dx\.)?doi\.org/", re.IGNORECASE)
_PLACES = ("abs", "pdf", "html", "ps", "format", "e-print", "src")
_VERSIONED = re.compile(r"(?P<paper>.*?)(?:v(?P<version>\d{1,4}))?", re.IGNORECASE | re.ASCII)
_VERSION_BEHIND = re.compile(r"v(\d+)\Z", re.ASCII)
_NEW = re.compile(r"(?P<year>\d\d)(?P<month>\d\d)\.(?P<number>\d{4,5})", re.ASCII)
_OLD = re.compile(
    r"(?P<archive>[a-z-]+)(?:\.[a-z-]{2,20})?/(?P<year>\d\d)(?P<month>\d\d)(?P<number>\d{3})", re.IGNORECASE | re.ASCII
)
_HOW = "write 1706.03762, 1706.03762v7, hep-th/9901001v2, or the address of its page on arxiv.org"


class ArxivIdentifier(KnowledgeModel):
    """The identifier of a paper on arXiv, of one exact version or of the newest.

    Any usual form is read: ``1706.03762v7``, ``arXiv:1706.03762v7 [cs.CL]``, ``https://arxiv.org/pdf/1706.03762v7.pdf``,
    ``hep-th/9901001v2``, ``10.48550/arXiv.1706.03762``.

    Attributes:
        id: the one form that is kept, with the version where one was named: ``"1706.03762v7"``.
    """

    id: Annotated[str, BeforeValidator(lambda value: _read(value))]

    def __init__(self, id: str) -> None:
        """Read an identifier.

        Raises:
            InvalidInput: it is none; says what is wrong with it.
        """
        super().__init__(id=id)

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @property
    def paper(self) -> str:
        """The identifier without a version: ``"1706.03762"``."""
        return _VERSION_BEHIND.sub("", self.id)

    @property
    def version(self) -> int | None:
        """The version that it names; None means the newest."""
        found = _VERSION_BEHIND.search(self.id)
        return int(found[1]) if found else None

    def __str__(self) -> str:
        return self.id


def as_arxiv(text: str) -> ArxivIdentifier | None:
    """Read a text that may be an arXiv identifier; None when it is not one."""
    try:
        return ArxivIdentifier(text)
    except InvalidInput:
        return None


def looks_like_arxiv(text: str) -> bool:
    """Whether a text is meant as an identifier, right or wrong: ``arXiv:`` in front, or an address there."""
    text = text.strip().strip("<>")
    return any(form.match(text) for form in (_PREFIX, _ADDRESS, _DOI)) or _DOI_ADDRESS.match(text) is not None


def _read(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if len(value) > _MAX_CHARACTERS:
        raise _fault(f"is no arXiv identifier: it has {len(value):,} characters; {_HOW}")
    text = _bare(value.strip().strip("<>").strip())
    found = _VERSIONED.fullmatch(text)
    paper = found["paper"] if found else text
    version = found["version"] if found else None
    if version is not None and int(version) == 0:
        raise _fault(f"{value!r} names version 0; versions count from 1")
    return _paper(paper, value) + (f"v{int(version)}" if version else "")


def _bare(text: str) -> str:
    """The identifier alone, out of an address, a DOI, or a text with ``arXiv:`` in front."""
    text = _CLASS_BEHIND.sub("", text)
    if _ADDRESS.match(text):
        return _from_address(text)
    if found := _DOI_ADDRESS.match(text):
        text = unquote(text[found.end() :])
    if found := _DOI.match(text) or _PREFIX.match(text):
        return text[found.end() :]
    return text


def _from_address(address: str) -> str:
    parts = urlsplit(address if "://" in address else f"https://{address}")
    place, _, rest = unquote(parts.path).strip("/").partition("/")
    if place.lower() not in _PLACES or not rest:
        raise _fault(f"{address!r} is an address on arXiv, but of no paper; it would go on with /abs/ or /pdf/")
    return re.sub(r"\.pdf\Z", "", rest, flags=re.IGNORECASE)


def _paper(paper: str, written: str) -> str:
    """The identifier without version in its one form.

    Raises:
        PydanticCustomError: it is none.
    """
    if new := _NEW.fullmatch(paper):
        _check_month(new["month"], written)
        day = int(new["year"] + new["month"])
        if day < 704:
            raise _fault(f"{written!r} is no arXiv identifier: this form began with 0704; {_HOW}")
        digits = 5 if day >= 1501 else 4
        if len(new["number"]) != digits:
            raise _fault(
                f"{written!r} is no arXiv identifier: {len(new['number'])} digits stand behind the point, "
                f"of {new['year']}{new['month']} there are {digits}"
            )
        if not int(new["number"]):
            raise _fault(f"{written!r} is no arXiv identifier: papers of a month count from 1")
        return paper
    if old := _OLD.fullmatch(paper):
        return _old_paper(old, written)
    raise _fault(f"{written!r} is no arXiv identifier; {_HOW}")


def _old_paper(old: re.Match[str], written: str) -> str:
    archive = old["archive"].lower()
    if archive not in ARCHIVES:
        raise _fault(f"{written!r} is no arXiv identifier: there is no archive {archive!r}; {_HOW}")
    _check_month(old["month"], written)
    day = int(old["year"] + old["month"])
    if 703 < day < 9107:
        raise _fault(f"{written!r} is no arXiv identifier: this form was in use from 9107 to 0703; {_HOW}")
    return f"{archive}/{old['year']}{old['month']}{old['number']}"


def _check_month(month: str, written: str) -> None:
    if not 1 <= int(month) <= 12:
        raise _fault(f"{written!r} is no arXiv identifier: {month} is no month")


def _fault(reason: str) -> PydanticCustomError:
    return PydanticCustomError("arxiv_id", "{reason}", {"reason": reason})
