"""Bytes as lines of JSON: cut into parts that any reader of lines can hold, and put together again."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from typing import Self

from pydantic import NonNegativeInt, PositiveInt, model_validator
from pydantic_core import PydanticCustomError

from hybridkb.errors import InvalidInput
from hybridkb.knowledge.base import KnowledgeModel
from hybridkb.knowledge.paper_source import Sha256, blob_name

PART_BYTES = 4 * 1024 * 1024
"""How many bytes one line holds; written as text they take a third more."""


MAX_BLOB_BYTES = 512 * 1024 * 1024
"""The most bytes that one blob may have."""


class BlobPart(KnowledgeModel):
    """A part of the bytes of a paper or of one of its pictures.

    Attributes:
        sha256: names the whole.
        part: from 1, of so many ``parts``.
        data: base64.
    """

    sha256: Sha256
    part: PositiveInt
    parts: PositiveInt
    size: NonNegativeInt
    data: str

    @model_validator(mode="after")
    def _is_one_of_them(self) -> Self:
        if self.part > self.parts:
            raise PydanticCustomError("blob", "part {part} of {parts}", {"part": self.part, "parts": self.parts})
        return self


def blob_parts(data: bytes) -> Iterator[BlobPart]:
    """Cut bytes into parts, in order."""
    name = blob_name(data)
    parts = max(1, -(-len(data) // PART_BYTES))
    for part in range(1, parts + 1):
        piece = data[(part - 1) * PART_BYTES : part * PART_BYTES]
        text = base64.b64encode(piece).decode("ascii")
        yield BlobPart(sha256=name, part=part, parts=parts, size=len(data), data=text)


class BlobCollector:
    """Puts parts together; what is whole waits under its name until it is taken."""

    def __init__(self) -> None:
        self._open: tuple[str, list[bytes]] | None = None
        self._length = 0
        self.whole: dict[str, bytes] = {}

    def add(self, part: BlobPart) -> None:
        """Take the next part.

        Raises:
            InvalidInput: a part is missing before it, or the bytes are not those of their name, or too many.
        """
        if part.size > MAX_BLOB_BYTES:
            raise InvalidInput(
                f"blob {part.sha256} has {part.size:,} bytes, at most {MAX_BLOB_BYTES:,} are kept", field="size"
            )
        pieces = [] if part.part == 1 else self._pieces_before(part)
        try:
            piece = base64.b64decode(part.data, validate=True)
        except (binascii.Error, ValueError) as error:
            raise InvalidInput(f"blob {part.sha256}: part {part.part} is not base64 ({error})", field="data") from None
        length = len(piece) + (self._length if pieces else 0)
        if length > part.size:
            self._open = None
            raise InvalidInput(f"blob {part.sha256}: its parts hold more than the {part.size:,} bytes it has")
        pieces.append(piece)
        self._open, self._length = (part.sha256, pieces), length
        if part.part < part.parts:
            return
        self._open = None
        data = b"".join(pieces)
        if len(data) != part.size or blob_name(data) != part.sha256:
            raise InvalidInput(f"blob {part.sha256}: its bytes are not those of its name; restore it from a copy")
        self.whole[part.sha256] = data

    def _pieces_before(self, part: BlobPart) -> list[bytes]:
        name, pieces = self._open or ("", [])
        if name != part.sha256 or len(pieces) != part.part - 1:
            raise InvalidInput(f"blob {part.sha256}: part {part.part} comes without the parts before it", field="part")
        return pieces
