"""Embedders of one's own that ``"auto"`` finds by the space of the stored vectors."""

from __future__ import annotations

from collections.abc import Callable

from hybridkb.embedders.guard import space_of
from hybridkb.embedders.space import Embedder, EmbeddingSpace
from hybridkb.errors import EmbedderError, InvalidInput

_makers: dict[str, Callable[[], Embedder]] = {}


def register_embedder(space: EmbeddingSpace, make: Callable[[], Embedder]) -> None:
    """Tell how to make the embedder of a space, so that libraries opened with ``"auto"`` find it by themselves.

    They find it when they are opened, and also when the space begins to serve while they are open. Registering a
    space again replaces its embedder.

    Args:
        space: what its vectors are in.
        make: gives the embedder; called when it is needed. When it fails, or gives one of another space, ``"auto"``
            goes on as if there were none, and answers say why.

    Raises:
        InvalidInput: ``space`` is no embedding space, or ``make`` cannot be called.
    """
    if not isinstance(space, EmbeddingSpace):
        raise InvalidInput(f"{space!r} is no embedding space; make one with EmbeddingSpace(...)", field="space")
    if not callable(make):
        raise InvalidInput(f"{make!r} cannot be called; give a function that makes the embedder", field="make")
    _makers[space.fingerprint] = make


def registered_embedder(space: EmbeddingSpace) -> Embedder | None:
    """The registered embedder of a space; None when there is none.

    Raises:
        EmbedderError: what was registered gives no embedder, or one of another space.
    """
    make = _makers.get(space.fingerprint)
    if make is None:
        return None
    try:
        embedder = make()
    except Exception as error:  # whatever somebody's own function raises
        raise EmbedderError(
            f"the registered embedder of {space} cannot be made: {error!r}", model=space.model
        ) from error
    found = space_of(embedder)
    if found.fingerprint != space.fingerprint:
        raise EmbedderError(
            f"the embedder that is registered for {space} makes vectors of {found}; register it for that",
            model=space.model,
        )
    return embedder
