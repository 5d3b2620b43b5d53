"""Embeds, for a candidate, the texts that arrived in the library since it was copied."""

from __future__ import annotations

from collections.abc import Iterator

from hybridkb.database import Connection, ids_parameter
from hybridkb.embedders import load_embedder
from hybridkb.embedders.guard import space_of
from hybridkb.embedders.space import Embedder, EmbeddingSpace
from hybridkb.errors import EmbedderError, InvalidInput, MissingExtra
from hybridkb.evaluation.candidate import Candidate
from hybridkb.evaluation.index_state import index_state
from hybridkb.ingest.embedding import embed_texts
from hybridkb.library import HybridLibrary, parts_of
from hybridkb.records import join_text
from hybridkb.vector.index import NewVector, hashes_with_vector, store_vectors, use_space
from hybridkb.vector.spaces import StoredSpace, find_space

_STEP = 128
_BLOCK = 5000


def embedder_for(candidate: Candidate, embedder: Embedder | str | None) -> tuple[Embedder | None, str | None]:
    """The candidate's model, or why texts that arrived since must wait for their vectors.

    Raises:
        InvalidInput: the embedder that was given is of another space.
        EmbedderError, MissingExtra: the embedder that was given cannot be used.
    """
    space = candidate.recipe.space
    if space is None:
        return None, None
    try:
        chosen, reason = load_embedder(embedder or "auto", stored=space)
        if chosen is not None and space_of(chosen) == space:
            return chosen, None
    except (EmbedderError, MissingExtra) as error:
        if embedder is not None:
            raise
        reason = str(error)
    if embedder is not None:
        raise InvalidInput(f"the embedder given is not that of the candidate, {space}", field="embedder")
    return None, f"texts that arrived since were not embedded: {reason or 'the model of the candidate was not given'}"


def embed_arrivals(library: HybridLibrary, index: HybridLibrary, candidate: Candidate, embedder: Embedder) -> int:
    """Embed, into the candidate, the texts that the library shows and the candidate has no vector of."""
    space = candidate.recipe.space
    parts, theirs = parts_of(library), parts_of(index)
    if space is None or candidate.fits(index_state(library)):
        return 0
    with parts.database.read() as connection, theirs.database.read() as there:
        stored = find_space(there, space)
        missing = [one for block in _texts(connection) for one in _unknown(there, stored, block)]
    done = 0
    for first in range(0, len(missing), _STEP):
        with parts.database.read() as connection:
            rows = connection.rows("records/texts", ids_parameter(missing[first : first + _STEP]))
        texts = {text_hash: join_text(title, body) for title, body, text_hash in rows}
        done += _embed_into(index, space, embedder, texts)
    return done


def _unknown(there: Connection, stored: StoredSpace | None, block: dict[bytes, int]) -> list[int]:
    """One record for each text of a block that the candidate has no vector of."""
    known = hashes_with_vector(there, stored, list(block)) if stored else set()
    return [record_id for text_hash, record_id in block.items() if text_hash not in known]


def _embed_into(index: HybridLibrary, space: EmbeddingSpace, embedder: Embedder, texts: dict[bytes, str]) -> int:
    found = embed_texts(embedder, texts, required="model").vectors
    with parts_of(index).database.write() as connection:
        stored = use_space(connection, space)
        store_vectors(connection, stored, [NewVector(text_hash, vector) for text_hash, vector in found.items()])
    return sum(not isinstance(vector, str) for vector in found.values())


def _texts(connection: Connection) -> Iterator[dict[bytes, int]]:
    """Every text that a record shows, with one such record, in blocks."""
    after = 0
    while rows := connection.rows("runs/texts_after", {"after": after, "limit": _BLOCK}):
        after = rows[-1][0]
        yield {text_hash: record_id for record_id, text_hash in rows}
