"""Which embedder fills which space: the one the library was opened with, and the one its serving space needs."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from hybridkb.embedders import load_embedder
from hybridkb.embedders.guard import space_of
from hybridkb.embedders.space import Embedder, EmbeddingSpace
from hybridkb.errors import HybridKBError


@dataclass(frozen=True, slots=True)
class Readable:
    """An embedder with its space, or why there is none."""

    embedder: Embedder | None
    space: EmbeddingSpace | None
    reason: str | None


class EmbedderChoice:
    """The embedder that the library was opened with, and the one that its serving space needs.

    Nothing is loaded before it is needed.
    """

    def __init__(self, embedder: Embedder | None, reason: str | None) -> None:
        self._opened = embedder
        self._reason = reason
        self._serving: dict[str, Readable] = {}
        self._lock = threading.Lock()

    def opened(self) -> Readable:
        """The embedder that the library was opened with; its space is asked for here."""
        if self._opened is None:
            return Readable(None, None, self._reason or "the library was opened without an embedder")
        try:
            return Readable(self._opened, space_of(self._opened), None)
        except HybridKBError as error:
            return Readable(None, None, str(error))

    def for_space(self, serving: EmbeddingSpace) -> Readable:
        """The embedder whose vectors can be compared with those of the serving space."""
        opened = self.opened()
        if opened.space is not None and opened.space.fingerprint == serving.fingerprint:
            return opened
        with self._lock:
            if serving.fingerprint not in self._serving:
                self._serving[serving.fingerprint] = self._other(serving, opened)
            return self._serving[serving.fingerprint]

    def _other(self, serving: EmbeddingSpace, opened: Readable) -> Readable:
        if self._opened is None:
            return Readable(None, None, opened.reason)
        embedder, _ = load_embedder("auto", stored=serving)
        if embedder is not None and _space_or_none(embedder) == serving:
            return Readable(embedder, serving, None)
        given = opened.space or opened.reason
        return Readable(
            None,
            None,
            f"the library's vectors are of {serving}, the embedder makes {given}; run embed_pending() (hybridkb embed) "
            "to move the library to it",
        )


def _space_or_none(embedder: Embedder) -> EmbeddingSpace | None:
    try:
        return space_of(embedder)
    except HybridKBError:
        return None
