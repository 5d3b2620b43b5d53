"""How values travel between Python and PostgreSQL.

Whole numbers are always eight bytes, so that one statement is one plan. Vectors travel as pgvector's binary ``halfvec``
(https://github.com/pgvector/pgvector/blob/master/src/halfvec.c: dimensions and a spare word, two bytes each, then
big-endian float16 numbers) and are handed out as SQLite keeps them: float16 numbers, little-endian.

PostgreSQL's text holds no NUL character, and no half of a surrogate pair. NUL is kept as U+FDD0, which Unicode sets
aside for such use and never assigns; before U+FDD0 and U+FDD1 themselves stands U+FDD1.
"""

from __future__ import annotations

import re
import struct
from typing import Any, Final

import numpy as np
import psycopg
from psycopg.adapt import Buffer, Dumper, Loader
from psycopg.pq import Format
from psycopg.types import TypeInfo
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper
from psycopg.types.string import StrDumperUnknown, TextBinaryLoader, TextLoader

_TO_BE_WRITTEN: Final = {0: "\ufdd0", 0xFDD0: "\ufdd1\ufdd0", 0xFDD1: "\ufdd1\ufdd1"}
_WRITTEN: Final = re.compile("\ufdd1(.)|\ufdd0", re.DOTALL)
_JSON_NUL: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")
_HEADER: Final = struct.Struct(">HH")


class HalfVector:
    """A stored vector on its way into the database."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        """``data``: float16 numbers, little-endian."""
        self.data = data


class _HalfVectorDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: HalfVector) -> Buffer:
        return _HEADER.pack(len(obj.data) // 2, 0) + np.frombuffer(obj.data, "<u2").byteswap().tobytes()


class _HalfVectorTextDumper(Dumper):
    def dump(self, obj: HalfVector) -> Buffer:
        return ("[" + ",".join(map(repr, np.frombuffer(obj.data, "<f2").astype(float).tolist())) + "]").encode()


class _HalfVectorLoader(Loader):
    format = Format.BINARY

    def load(self, data: Buffer) -> bytes:
        return np.frombuffer(data, "<u2", offset=_HEADER.size).byteswap().tobytes()


class _TextDumper(StrDumperUnknown):
    def dump(self, obj: str) -> Buffer | None:
        return storable(obj).encode()


class _TextLoader(TextLoader):
    def load(self, data: Buffer) -> str:
        return as_given(bytes(data).decode())


class _TextBinaryLoader(TextBinaryLoader):
    def load(self, data: Buffer) -> str:
        return as_given(bytes(data).decode())


class _JsonLoader(TextLoader):
    def load(self, data: Buffer) -> str:
        return as_given(bytes(data).decode(), nul="\\u0000")


class _JsonBinaryLoader(TextBinaryLoader):
    def load(self, data: Buffer) -> str:
        return as_given(bytes(data).decode(), nul="\\u0000")


class _BoolAsNumber(Int8Dumper):
    def dump(self, obj: Any) -> Buffer | None:
        return b"1" if obj else b"0"


class _BoolAsBinaryNumber(Int8BinaryDumper):
    def dump(self, obj: Any) -> Buffer | None:
        return super().dump(int(obj))


def storable(text: str) -> str:
    """The text as the server may keep it."""
    if "\0" in text or "\ufdd0" in text or "\ufdd1" in text:
        return text.translate(_TO_BE_WRITTEN)
    return text


def storable_json(text: str) -> str:
    """JSON that the server may take apart: NUL as the character that stands for it, once this is written."""
    return _JSON_NUL.sub("\\1\0", text) if "\\u0000" in text else text


def as_given(text: str, *, nul: str = "\0") -> str:
    """The text that was stored."""
    if "\ufdd0" in text or "\ufdd1" in text:
        return _WRITTEN.sub(lambda found: found[1] or nul, text)
    return text


def adapt(connection: psycopg.Connection[Any], halfvec: int | None) -> None:
    """Teach one connection the types above; ``halfvec`` is the number that the database gave to pgvector's type."""
    adapters = connection.adapters
    for kind, dumpers in ((int, (Int8Dumper, Int8BinaryDumper)), (bool, (_BoolAsNumber, _BoolAsBinaryNumber))):
        for dumper in dumpers:
            adapters.register_dumper(kind, dumper)
    adapters.register_dumper(str, _TextDumper)
    for name in ("text", "varchar", "name"):
        adapters.register_loader(name, _TextLoader)
        adapters.register_loader(name, _TextBinaryLoader)
    adapters.register_loader("json", _JsonLoader)
    adapters.register_loader("json", _JsonBinaryLoader)
    if halfvec is None:
        return
    TypeInfo("halfvec", halfvec, 0).register(connection)  # COPY names its types
    for base in (_HalfVectorDumper, _HalfVectorTextDumper):
        adapters.register_dumper(HalfVector, type(base.__name__, (base,), {"oid": halfvec}))
    adapters.register_loader(halfvec, _HalfVectorLoader)
