"""Which pictures belong to a passage: those beside it, those it names, and the pictures of its pages."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from hybridkb.knowledge.paper_artifacts import PageBox
from hybridkb.knowledge.paper_source import Box, PaperAsset, PaperSourceRevision

BESIDE_POINTS = 36.0
"""A picture so near to a passage, half an inch, stands beside it."""

CAPTION_POINTS = 150.0
"""A picture belongs to a caption that is no farther away."""

MAX_PICTURES = 20
"""Pictures of one passage; the first are kept."""

_LABEL = r"(?P<kind>fig(?:ure|s)?|table|chart|exhibit|plate)(?:ures)?\.?\s*(?P<number>\d{1,3}[a-z]?)\b"
_CAPTION = re.compile(_LABEL + r"\s*[:.|–—-]", re.IGNORECASE)
_NAMED = re.compile(r"\b" + _LABEL, re.IGNORECASE)


class Pictures:
    """The pictures of one paper, found by page, place and caption."""

    def __init__(self, source: PaperSourceRevision) -> None:
        self._images: dict[int, list[PaperAsset]] = defaultdict(list)
        self._pages: dict[int, list[PaperAsset]] = defaultdict(list)
        for asset in source.assets:
            (self._images if asset.kind == "image" else self._pages)[asset.page].append(asset)
        self._labelled = self._read_captions(source) if source.assets else {}

    def of(self, text: str, boxes: Sequence[PageBox]) -> tuple[str, ...]:
        """The ids of the pictures of a passage: beside it, named by it, and the pictures of its pages."""
        found = [asset for one in boxes for asset in self._images[one.page] if _are_beside(asset.box, one.box)]
        found += [asset for label in _NAMED.finditer(text) for asset in self._labelled.get(_label(label), ())]
        found += [asset for page in sorted({one.page for one in boxes}) for asset in self._pages[page]]
        return tuple(dict.fromkeys(asset.asset_id for asset in found))[:MAX_PICTURES]

    def _read_captions(self, source: PaperSourceRevision) -> dict[str, list[PaperAsset]]:
        """The pictures that each label stands under; the picture of the page where the figure is only drawn on it."""
        found: dict[str, list[PaperAsset]] = {}
        for page in source.pages:
            for block in page.blocks:
                caption = _CAPTION.match(page.text[block.start : block.end])
                if caption and _label(caption) not in found:
                    near = [one for one in self._images[page.number] if _distance(one.box, block.box) <= CAPTION_POINTS]
                    near.sort(key=lambda one: _distance(one.box, block.box))
                    found[_label(caption)] = near or self._pages[page.number]
        return found


def _label(found: re.Match[str]) -> str:
    kind = found["kind"].lower()
    return f"{'figure' if kind.startswith('fig') else kind} {found['number'].lower()}"


def _are_beside(one: Box, other: Box) -> bool:
    return _distance(one, other) <= BESIDE_POINTS


def _distance(one: Box, other: Box) -> float:
    """The larger of the gaps between two boxes, across and down; 0 when they touch."""
    across = max(one[0] - other[2], other[0] - one[2], 0.0)
    down = max(one[1] - other[3], other[1] - one[3], 0.0)
    return max(across, down)
