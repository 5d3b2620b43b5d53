"""Which embedder fills which space: the one the library was opened with, and the one its serving space needs."""

from __future__ import annotations

import threading
from collections.abc import Callable
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

    Nothing is loaded before it is needed. A library whose embedder was chosen for it (``"auto"``) follows the space
    that serves: when a promotion lets another one serve, what is written from then on is embedded for that.
    """

    def __init__(
        self,
        embedder: Embedder | None,
        reason: str | None,
        follow: Callable[[], EmbeddingSpace | None] | None = None,
    ) -> None:
        """Keep the embedder, or why there is none; ``follow`` tells the space that serves now."""
        self._opened = embedder
        self._reason = reason
        self._follow = follow
        self._serving: dict[str, Readable] = {}
        self._lock = threading.Lock()

    def opened(self) -> Readable:
        """The embedder that writes: the one the library was opened with, or that of the space it follows.

        Not to be called inside a transaction.
        """
        own = self._own()
        serving = None if self._follow is None else self._follow()
        if serving is None or (own.space is not None and own.space.fingerprint == serving.fingerprint):
            return own
        other = self.for_space(serving)
        return own if other.embedder is None else other

    @property
    def configured(self) -> bool:
        """Whether the library was opened with an embedder, whatever has become of it."""
        return self._opened is not None

    def _own(self) -> Readable:
        """The embedder that the library was opened with; its space is asked for here."""
        if self._opened is None:
            return Readable(None, None, self._reason or "the library was opened without an embedder")
        try:
            return Readable(self._opened, space_of(self._opened), None)
        except HybridKBError as error:
            return Readable(None, None, str(error))

    def for_space(self, serving: EmbeddingSpace) -> Readable:
        """The embedder whose vectors can be compared with those of the serving space."""
        opened = self._own()
        if opened.space is not None and opened.space.fingerprint == serving.fingerprint:
            return opened
        with self._lock:
            if serving.fingerprint not in self._serving:
                self._serving[serving.fingerprint] = self._other(serving, opened)
            return self._serving[serving.fingerprint]

    def _other(self, serving: EmbeddingSpace, opened: Readable) -> Readable:
        if self._opened is None and self._follow is None:
            return Readable(None, None, opened.reason)
        embedder, why = load_embedder("auto", stored=serving)
        if embedder is not None and _space_or_none(embedder) == serving:
            return Readable(embedder, serving, None)
        if self._opened is None:
            return Readable(None, None, why or opened.reason)
        given = opened.space or opened.reason
        told = f" ({why})" if why else ""
        return Readable(
            None,
            None,
            f"the library's vectors are of {serving}{told}, the embedder makes {given}; run embed_pending() (hybridkb "
            "embed) to move the library to it",
        )


def _space_or_none(embedder: Embedder) -> EmbeddingSpace | None:
    try:
        return space_of(embedder)
    except HybridKBError:
        return None
