"""What the command's exit code says, and which error leads to which."""

from __future__ import annotations

from hybridkb.errors import (
    DatabaseError,
    EmbedderError,
    FetchFailed,
    HybridKBError,
    InvalidInput,
    MissingExtra,
    NotFound,
    PromotionRefused,
    StaleIndex,
    SummaryFailed,
)

OK = 0
FINDINGS = 1
INVALID = 2
NOT_FOUND = 3
DATABASE = 4
EMBEDDER = 5
MISSING_EXTRA = 6
REFUSED = 7
FETCH = 8
INTERRUPTED = 130

MEANINGS = {
    OK: "done",
    FINDINGS: "done, but look: no hit, findings of check, skipped lines, unreadable files, texts not embedded, "
    "lower recall",
    INVALID: "usage or input is wrong; nothing was written for it",
    NOT_FOUND: "no such item, member or locator",
    DATABASE: "the file or server cannot be opened, is locked, too new or too old, or contradicts itself",
    EMBEDDER: "the embedding model, or the one that summarises, failed or cannot be reached",
    MISSING_EXTRA: "an optional part is not installed; the message names the extra",
    REFUSED: "the gate refused a promotion; the index that serves goes on",
    FETCH: "a paper cannot be had from where it is published; trying again may help",
    INTERRUPTED: "interrupted with Ctrl-C; what was committed stays",
}

# The first class that fits decides.
BY_ERROR: tuple[tuple[type[HybridKBError], int], ...] = (
    (NotFound, NOT_FOUND),
    (InvalidInput, INVALID),
    (DatabaseError, DATABASE),
    (StaleIndex, DATABASE),
    (EmbedderError, EMBEDDER),
    (SummaryFailed, EMBEDDER),
    (FetchFailed, FETCH),
    (MissingExtra, MISSING_EXTRA),
    (PromotionRefused, REFUSED),
)


def exit_code(error: HybridKBError) -> int:
    """Return the exit code that an error leads to."""
    return next((code for kind, code in BY_ERROR if isinstance(error, kind)), FINDINGS)
