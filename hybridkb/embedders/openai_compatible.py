"""Embeds with OpenAI's models, or with any service that speaks the same `/v1/embeddings`."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hybridkb.embedders.faults import EmbedderRefused
from hybridkb.embedders.service_answer import Row, read_answer
from hybridkb.embedders.service_call import Service, ServiceCaller, TextRefused
from hybridkb.embedders.service_shown import environment
from hybridkb.embedders.space import EmbeddingSpace
from hybridkb.embedders.token_estimate import estimate_tokens, split_text
from hybridkb.embedders.windows import MAX_WINDOWS, average_windows
from hybridkb.errors import EmbedderError, InvalidInput, MissingExtra

DEFAULT_MODEL = "text-embedding-3-small"
OPENAI_MAX_TOKENS = 8191
OTHER_MAX_TOKENS = 512

_OPENAI_DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}
_SHORTENABLE = "text-embedding-3-"
_PATIENCE = 8


def is_openai_model(model: str) -> bool:
    """Return whether OpenAI itself serves the model."""
    return model in _OPENAI_DIMENSIONS


class OpenAIEmbedder:
    """Embeds with an OpenAI-compatible service. Safe to share between threads.

    Constructing calls nothing and does not import `openai`. Documents may take `timeout * (max_retries + 1)` seconds a
    request, waits included; queries `query_timeout` in all, since a search would rather answer from words.

    A text longer than `max_tokens`, by an estimate that errs high, is sent in overlapping windows, and their vectors
    are averaged; reading stops after 64 windows, which `is_truncated` tells.
    """

    max_windows = MAX_WINDOWS

    def __init__(
        self,
        model: str | None = None,
        *,
        dimensions: int | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        version: str = "1",
        max_tokens: int | None = None,
        document_prefix: str = "",
        query_prefix: str = "",
        batch_tokens: int = 50_000,
        batch_size: int = 64,
        timeout: float = 30.0,
        query_timeout: float = 2.0,
        max_retries: int = 4,
        encoding: Literal["base64", "float"] = "base64",
        send_dimensions: bool | None = None,
        client: Any | None = None,
    ) -> None:
        """Take the settings; what is left out comes from the environment.

        Args:
            model: default HYBRIDKB_EMBED_MODEL, else text-embedding-3-small.
            dimensions: numbers in a vector; known for OpenAI's models, else found from the service's first answer.
            base_url: default HYBRIDKB_EMBED_URL, else OPENAI_BASE_URL, else OpenAI.
            api_key: default HYBRIDKB_EMBED_KEY, else OPENAI_API_KEY; a service of your own may need none.
            version: part of the space; change it when the service changes the weights behind the name.
            max_tokens: what the model reads at once; default 8191 for OpenAI's models, 512 for others, because many
                services cut longer texts without a word. Part of the space.
            document_prefix: put before each document (E5, Nomic and others need one). Part of the space.
            query_prefix: put before each query.
            batch_tokens: most estimated tokens in one request.
            batch_size: most texts in one request.
            timeout: seconds for one attempt.
            query_timeout: seconds for a query, retries included.
            max_retries: further attempts after the first.
            encoding: how vectors are asked for; either form is understood in the answer.
            send_dimensions: send `dimensions` with each request; default: only to shorten a text-embedding-3 model.
            client: an `openai.OpenAI` of your own (its retries are its own business).

        Raises:
            InvalidInput: a number is out of range.
        """
        self.model = model or environment("HYBRIDKB_EMBED_MODEL") or DEFAULT_MODEL
        _check_positive(batch_size=batch_size, batch_tokens=batch_tokens, timeout=timeout, query_timeout=query_timeout)
        native = _OPENAI_DIMENSIONS.get(self.model.rsplit("/", 1)[-1])
        self._dimensions = dimensions or native
        self._version = version
        self._max_tokens = max_tokens or (OPENAI_MAX_TOKENS if native else OTHER_MAX_TOKENS)
        _check_positive(dimensions=self._dimensions or 1, max_tokens=self._max_tokens, max_retries=max_retries + 1)
        self._prefix = document_prefix
        self._query_prefix = query_prefix
        self._batch_tokens = batch_tokens
        self._batch_size = batch_size
        self._query_timeout = query_timeout
        self._document_time = timeout * (max_retries + 1)
        if send_dimensions is None:
            send_dimensions = _SHORTENABLE in self.model and self._dimensions != native
        self._service = Service(
            model=self.model,
            base_url=base_url or environment("HYBRIDKB_EMBED_URL", "OPENAI_BASE_URL"),
            api_key=api_key or environment("HYBRIDKB_EMBED_KEY", "OPENAI_API_KEY"),
            timeout=timeout,
            max_retries=max_retries,
            encoding=encoding,
            send_dimensions=self._dimensions if send_dimensions else None,
        )
        self._caller = ServiceCaller(self._service, lambda service: client or _make_client(service))
        self._probing = threading.Lock()

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self.model!r} at {self._service.address})"

    @property
    def space(self) -> EmbeddingSpace:
        """The embedding space. Asks the service once when the size of its vectors is not known.

        Raises:
            EmbedderError: the size is not known, and the service does not tell it.
        """
        return EmbeddingSpace(
            model=self.model,
            dimensions=self._dimensions or self._probe(),
            version=self._version,
            max_tokens=self._max_tokens,
            prefix=self._prefix,
        )

    def _probe(self) -> int:
        with self._probing:
            if self._dimensions is None:
                self._send(["size"], self._service.timeout)
        if self._dimensions is None:
            raise EmbedderError(f"{self.model}: no vector to learn the size from; give dimensions", model=self.model)
        return self._dimensions

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector for each text: shape (len(texts), dimensions), float32.

        Raises:
            EmbedderUnavailable: the service cannot be reached, is overloaded or fails; trying later may help.
            EmbedderError: it refuses a text or the whole call, or its answer cannot be used.
            MissingExtra: the package `openai` is not installed.
        """
        return self._all_or_raise(self.embed_each(texts), texts)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector for each query, within `query_timeout` a request; otherwise as `embed_documents`."""
        return self._all_or_raise(self._embed(texts, self._query_prefix, self._query_timeout), texts)

    def embed_each(self, texts: Sequence[str]) -> list[Row]:
        """Return for each text its vector (float64, not normalised), or the reason why it has none.

        A request that the service refuses (400, 413, 422) is halved until the bad text stands alone. Raises as
        `embed_documents`, but not for a single text.
        """
        return self._embed(texts, self._prefix, self._document_time)

    def count_windows(self, text: str) -> int:
        """Return how many windows the text is sent in: 1 when whole, 64 at most. Asks nobody."""
        return min(len(self._windows(text, self._prefix)), MAX_WINDOWS)

    def is_truncated(self, text: str) -> bool:
        """Return whether the text goes on beyond the last window that is sent."""
        return len(self._windows(text, self._prefix)) > MAX_WINDOWS

    def _windows(self, text: str, prefix: str) -> list[str]:
        room = self._max_tokens - estimate_tokens(prefix)
        return split_text(_sendable(text), max(room, 16))

    def _embed(self, texts: Sequence[str], prefix: str, seconds: float) -> list[Row]:
        windows = [self._windows(text, prefix)[:MAX_WINDOWS] if text.strip() else [] for text in texts]
        parts = [prefix + part for text_windows in windows for part in text_windows]
        rows = iter(self._send_all(parts, seconds))
        return [_joined([next(rows) for _ in own], own) for own in windows]

    def _send_all(self, parts: list[str], seconds: float) -> list[Row]:
        sender = _Halving(self, seconds)
        return [row for batch in self._batches(parts) for row in sender.send(batch)]

    def _batches(self, parts: list[str]) -> Iterator[list[str]]:
        batch: list[str] = []
        tokens = 0
        for part in parts:
            cost = estimate_tokens(part)
            if batch and (len(batch) >= self._batch_size or tokens + cost > self._batch_tokens):
                yield batch
                batch, tokens = [], 0
            batch.append(part)
            tokens += cost
        if batch:
            yield batch

    def _send(self, parts: list[str], seconds: float) -> list[Row]:
        answer = self._caller.send(parts, seconds=seconds)
        rows = read_answer(answer, expected=len(parts), dimensions=self._dimensions, model=self.model)
        if self._dimensions is None:
            self._dimensions = next((row.size for row in rows if not isinstance(row, str)), None)
        return rows

    def _all_or_raise(self, rows: list[Row], texts: Sequence[str]) -> NDArray[np.float32]:
        for place, row in enumerate(rows):
            if isinstance(row, str):
                raise EmbedderError(f"text {place} of {len(texts)}: {row}", model=self.model)
        dimensions = self._dimensions or (self.space.dimensions if not rows else len(rows[0]))
        return np.array(rows, dtype=np.float32).reshape(len(rows), dimensions)


def _make_client(service: Service) -> Any:
    if service.api_key is None and service.base_url is None:
        raise EmbedderRefused(
            f"no key for {service.model}: set HYBRIDKB_EMBED_KEY or OPENAI_API_KEY, or give api_key or base_url",
            model=service.model,
        )
    try:
        from openai import OpenAI
    except ImportError as error:
        raise MissingExtra('the OpenAI client is not installed: pip install "openai"', extra="openai") from error
    return OpenAI(
        api_key=service.api_key or "no-key-needed",
        base_url=service.base_url,
        max_retries=0,
        timeout=service.timeout,
    )


class _Halving:
    """Sends batches and halves what the service refuses; gives up when it refuses everything."""

    def __init__(self, embedder: OpenAIEmbedder, seconds: float) -> None:
        self._embedder = embedder
        self._seconds = seconds
        self._refused_alone = 0
        self._succeeded = False

    def send(self, parts: list[str]) -> list[Row]:
        try:
            rows = self._embedder._send(parts, self._seconds)
        except TextRefused as error:
            return self._halve(parts, error)
        self._succeeded = True
        return rows

    def _halve(self, parts: list[str], error: TextRefused) -> list[Row]:
        if len(parts) > 1:
            middle = len(parts) // 2
            return self.send(parts[:middle]) + self.send(parts[middle:])
        self._refused_alone += 1
        if self._refused_alone >= _PATIENCE and not self._succeeded:
            raise EmbedderRefused(str(error), model=error.model) from error
        return [str(error)]


def _joined(rows: list[Row], windows: list[str]) -> Row:
    """Return the text's vector from its windows', or the first reason why one has none."""
    if not rows:
        return "blank: nothing to embed"
    vectors = [row for row in rows if not isinstance(row, str)]
    if len(vectors) < len(rows):
        return next(row for row in rows if isinstance(row, str))
    return average_windows(vectors, [estimate_tokens(window) for window in windows])


def _sendable(text: str) -> str:
    """Replace what JSON cannot carry (lone surrogates) and what cuts a text short in some services (NUL)."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def _check_positive(**numbers: float) -> None:
    for name, number in numbers.items():
        if not number > 0:
            raise InvalidInput(f"{name} is out of range: {number}", field=name)
