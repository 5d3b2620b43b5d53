"""Every error hybridkb raises, in one tree.

    HybridKBError
    ├── NotFound               no such item, member or locator
    ├── InvalidInput           the caller can mend it
    │   ├── InvalidFilter      an unknown filter name, an inverted range, a naive time
    │   ├── InvalidQuery       arguments of a search that contradict each other
    │   ├── UnregisteredType   an item type without a registered projection
    │   ├── UnreadableDocument a file or a line that cannot be read (path, place)
    │   └── InvalidGoldSet     judged queries that are missing, or that no search could fail
    ├── DatabaseError          the file or the server
    │   ├── DatabaseBusy       another process holds the write lock for too long
    │   ├── DatabaseUnavailable  the server cannot be reached, or the connection broke; trying again may help
    │   ├── SchemaTooNew       written by a newer hybridkb
    │   ├── SchemaTooOld       no migration leads from there to here
    │   ├── UnfinishedCopy     a copy of another library that was not finished
    │   └── BrokenInvariant    check() found derived or canonical rows that contradict each other
    ├── StaleIndex             a record no longer agrees with the knowledge it was made from
    ├── PromotionRefused       the gate said no; the index that serves goes on
    ├── EmbedderError          the model
    │   ├── EmbedderUnavailable  cannot be reached or loaded now; trying again may help
    │   └── SpaceMismatch      vectors of another space than the stored one
    ├── SummaryFailed          no summary of a paper within its limits; nothing was made
    ├── FetchFailed            a paper cannot be had from where it is published; trying again may help
    └── MissingExtra           an optional part is not installed

A class stands for who can act on the fault. The facts are attributes, so that a
program need not read the prose; the prose says what happened, where, and how to
mend it.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "BrokenInvariant",
    "DatabaseBusy",
    "DatabaseError",
    "DatabaseUnavailable",
    "EmbedderError",
    "EmbedderUnavailable",
    "FetchFailed",
    "HybridKBError",
    "InvalidFilter",
    "InvalidGoldSet",
    "InvalidInput",
    "InvalidQuery",
    "MissingExtra",
    "NotFound",
    "PromotionRefused",
    "SchemaTooNew",
    "SchemaTooOld",
    "SpaceMismatch",
    "StaleIndex",
    "SummaryFailed",
    "UnfinishedCopy",
    "UnreadableDocument",
    "UnregisteredType",
]


class HybridKBError(Exception):
    """Base of everything hybridkb raises on purpose."""


class NotFound(HybridKBError):
    """No such item, member or locator.

    Attributes:
        target: what was asked for, as the caller wrote it.
    """

    def __init__(self, message: str, *, target: str) -> None:
        super().__init__(message)
        self.target = target

    @property
    def id(self) -> str:
        """The same as ``target``."""
        return self.target


class InvalidInput(HybridKBError):
    """Something the caller gave cannot be accepted; nothing was written.

    Attributes:
        field: the argument or field at fault, if one can be named.
    """

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class InvalidFilter(InvalidInput):
    """A filter is unknown, of the wrong type, or contradicts itself."""


class InvalidQuery(InvalidInput):
    """The arguments of a search contradict each other. Query *text* never raises."""


class UnregisteredType(InvalidInput):
    """An item type has no registered projection.

    Attributes:
        item_type: the type's name.
    """

    def __init__(self, message: str, *, item_type: str) -> None:
        super().__init__(message, field="item_type")
        self.item_type = item_type


class UnreadableDocument(InvalidInput):
    """A file, page or line cannot be read.

    Attributes:
        path: the file.
        place: line or page within it, counted from 1, if known.
    """

    def __init__(self, message: str, *, path: str, place: int | None = None) -> None:
        super().__init__(message, field="path")
        self.path = path
        self.place = place

    @property
    def page(self) -> int | None:
        """The same as ``place``: of a document with pages, the page."""
        return self.place


class InvalidGoldSet(InvalidInput):
    """A gold set is not there, or an evaluation with it would prove nothing.

    Attributes:
        reasons: one sentence for each thing that is wrong with it.
        tried: the paths that were looked for, when none was there.
        path: the gold set, if it came from a file.
    """

    def __init__(
        self, message: str, *, reasons: Sequence[str] = (), tried: Sequence[str] = (), path: str | None = None
    ) -> None:
        super().__init__(message, field="gold")
        self.reasons = tuple(reasons)
        self.tried = tuple(tried)
        self.path = path


class DatabaseError(HybridKBError):
    """The database file or server failed.

    Attributes:
        path: the file or address, if known.
    """

    def __init__(self, message: str, *, path: str | None = None) -> None:
        super().__init__(message)
        self.path = path


class DatabaseBusy(DatabaseError):
    """Another process kept the write lock, or a reader the state that ``compact`` would drop, longer than we wait."""


class DatabaseUnavailable(DatabaseError):
    """The server cannot be reached, or the connection broke in the middle. Doing the same again is safe.

    Attributes:
        broke: whether a connection broke that had been made; False when none could be made.
    """

    def __init__(self, message: str, *, path: str | None = None, broke: bool = False) -> None:
        super().__init__(message, path=path)
        self.broke = broke


class SchemaTooNew(DatabaseError):
    """The file was written by a newer hybridkb.

    Attributes:
        found: the file's schema version.
        supported: the newest this hybridkb reads.
    """

    def __init__(self, message: str, *, found: int, supported: int, path: str | None = None) -> None:
        super().__init__(message, path=path)
        self.found = found
        self.supported = supported


class SchemaTooOld(DatabaseError):
    """The file is older than any migration, or must be migrated and may not be written.

    Attributes:
        found: the file's schema version.
        supported: the version this hybridkb needs.
    """

    def __init__(self, message: str, *, found: int, supported: int, path: str | None = None) -> None:
        super().__init__(message, path=path)
        self.found = found
        self.supported = supported


class UnfinishedCopy(DatabaseError):
    """The library is a copy of another one that was not finished: give the same command again.

    Attributes:
        source: the file or address that it is a copy of.
    """

    def __init__(self, message: str, *, source: str, path: str | None = None) -> None:
        super().__init__(message, path=path)
        self.source = source


class BrokenInvariant(DatabaseError):
    """Rows contradict each other.

    Attributes:
        findings: one sentence for each contradiction.
    """

    def __init__(self, message: str, *, findings: Sequence[str] = (), path: str | None = None) -> None:
        super().__init__(message, path=path)
        self.findings = tuple(findings)


class StaleIndex(HybridKBError):
    """A record no longer agrees with the knowledge it was made from; ``rebuild()`` mends it.

    Attributes:
        locator: the record's address.
        stored_hash: hexadecimal hash kept with the record.
        canonical_hash: hexadecimal hash of the knowledge as it is.
    """

    def __init__(self, message: str, *, locator: str, stored_hash: str, canonical_hash: str) -> None:
        super().__init__(message)
        self.locator = locator
        self.stored_hash = stored_hash
        self.canonical_hash = canonical_hash


class PromotionRefused(HybridKBError):
    """The gate refused a promotion; the index that serves is as it was.

    Attributes:
        reasons: one sentence for each reason.
        report: the evaluation that was judged, with the queries that were lost; None when there was none.
    """

    def __init__(self, message: str, *, reasons: Sequence[str] = (), report: object = None) -> None:
        super().__init__(message)
        self.reasons = tuple(reasons)
        self.report = report


class EmbedderError(HybridKBError):
    """The embedding model failed or answered something unusable.

    Attributes:
        model: the model's name, if known.
    """

    def __init__(self, message: str, *, model: str | None = None) -> None:
        super().__init__(message)
        self.model = model


class EmbedderUnavailable(EmbedderError):
    """The model cannot be reached or loaded now; the same call may succeed later."""


class SpaceMismatch(EmbedderError):
    """Vectors of one embedding space were offered to another.

    Attributes:
        stored: the space in the library.
        given: the space of the embedder.
    """

    def __init__(self, message: str, *, stored: str, given: str) -> None:
        super().__init__(message)
        self.stored = stored
        self.given = given


class SummaryFailed(HybridKBError):
    """No acceptable summary of a paper was made within its limits. Nothing half-made is kept.

    Attributes:
        reason: ``"limit"`` (a limit was reached), ``"service"`` (the service refused, failed or answered rubbish) or
            ``"answer"`` (no answer was acceptable).
        limit: the field of ``SummaryLimits`` that was reached; None when none was.
        model: the model's name.
        calls, input_tokens, output_tokens: what was used until then.
        chunks_read: passages that the model was given until then.
        faults: of the last answer that was judged, one sentence for each; empty when none was.
        temporary: the same call may succeed later.
    """

    def __init__(
        self, message: str, *, reason: str, limit: str | None = None, model: str | None = None, calls: int = 0,
        input_tokens: int = 0, output_tokens: int = 0, chunks_read: int = 0, faults: Sequence[str] = (),
        temporary: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(message)
        self.reason = reason
        self.limit = limit
        self.model = model
        self.calls = calls
        self.input_tokens = input_tokens
        self.output_tokens = output_tokens
        self.chunks_read = chunks_read
        self.faults = tuple(faults)
        self.temporary = temporary


class FetchFailed(HybridKBError):
    """A paper cannot be had from where it is published, or what came is unusable.

    Attributes:
        url: what was asked for.
        status: the HTTP status of the answer, if there was one.
        retryable: whether the same call may succeed later.
        retry_after: seconds that the server asks to wait, if it does.
    """

    def __init__(
        self,
        message: str,
        *,
        url: str,
        status: int | None = None,
        retryable: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.url = url
        self.status = status
        self.retryable = retryable
        self.retry_after = retry_after


class MissingExtra(HybridKBError):
    """An optional part of hybridkb is not installed.

    Attributes:
        extra: the name to install, as in ``pip install "hybridkb[local]"``.
    """

    def __init__(self, message: str, *, extra: str) -> None:
        super().__init__(message)
        self.extra = extra
