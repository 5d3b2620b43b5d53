"""A candidate: a copy of the library beside it, ranked, analysed or embedded in another way, and not serving anybody.

``desk.db-candidate`` lies beside ``desk.db``, the namespace ``desk_candidate`` beside ``desk``. It is a whole library:
it can be opened and searched by hand. A note in it says what is other about it and what it was copied from. Making one
can be killed, and goes on where it was.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Literal

from hybridkb.database import Connection, Database, Sibling, sibling_of
from hybridkb.embedders.space import Embedder, EmbeddingSpace
from hybridkb.errors import BrokenInvariant
from hybridkb.evaluation.index_state import IndexState
from hybridkb.fusion import Fusion
from hybridkb.knowledge.times import from_microseconds
from hybridkb.lexical.ranking import RankingSettings
from hybridkb.library import HybridLibrary, parts_of
from hybridkb.store.candidate_note import NOTE
from hybridkb.store.settings import LibrarySettings
from hybridkb.upkeep.candidate_copy import LOCK
from hybridkb.upkeep.take_over import Change, Embedded
from hybridkb.vector.spaces import find_space, serving_space

Stage = Literal["copying", "rebuilding", "embedding", "evaluating"]
StageProgress = Callable[[Stage, int, int | None], None]

_TAKEN = "candidate_taken_over"
_BLOCK = 2000


@dataclass(frozen=True, slots=True)
class Recipe:
    """In what a candidate differs from what serves.

    Attributes:
        fusion, ranking: how it ranks, if otherwise.
        language: of its words, if another; they are made anew.
        space: what it is embedded in, if otherwise.
        rebuild: whether every derived row is made anew.
    """

    fusion: Fusion | None = None
    ranking: RankingSettings | None = None
    language: str | None = None
    space: EmbeddingSpace | None = None
    rebuild: bool = False

    def settings(self, stored: LibrarySettings) -> LibrarySettings:
        """The settings it gives a library that has these."""
        return replace(
            stored,
            fusion=stored.fusion if self.fusion is None else self.fusion,
            ranking=stored.ranking if self.ranking is None else self.ranking,
            language=stored.language if self.language is None else self.language,
        )

    def __str__(self) -> str:
        parts = [f"{self.space}"] if self.space else []
        parts += [f"language {self.language}"] if self.language else []
        parts += [f"fusion {_told(self.fusion)}"] if self.fusion else []
        parts += ["other ranking settings"] if self.ranking else []
        parts += ["rebuilt"] if self.rebuild and not self.language else []
        return ", ".join(parts) or "nothing other"


@dataclass(frozen=True, slots=True)
class Candidate:
    """What the note in a candidate says.

    Attributes:
        path: the file, or the address without a password.
        recipe: in what it differs.
        generation: of the library when it was copied.
        settings_digest, space: what served then.
        rebuilt: whether its settings and derived rows are made.
    """

    path: str
    recipe: Recipe
    generation: int
    settings_digest: str
    space: str | None
    rebuilt: bool = False

    def fits(self, state: IndexState) -> bool:
        """Whether the library is just as it was when this was copied."""
        return self.generation == state.generation and not self.outdated(state)

    def outdated(self, state: IndexState) -> list[str]:
        """What the library changed since in how it ranks, so that this candidate says nothing of it any more."""
        found = []
        if state.settings.digest() != self.settings_digest:
            found.append("its settings")
        if state.space_fingerprint != self.space:
            found.append("the embedding space that serves")
        if state.generation < self.generation:
            found.append("all of it: the library is older than the candidate")
        return found


def find_candidate(library: HybridLibrary | str) -> Candidate | None:
    """Read the note of the candidate beside a library; None when there is none.

    Args:
        library: an open one, or its file or address.

    Raises:
        BrokenInvariant: what stands there is no candidate.
        DatabaseError: it cannot be read.
    """
    with _beside(library) as sibling:
        if not sibling.is_there():
            return None
        copy = sibling.open()
        if copy is None:
            sibling.require_room()  # a server knows whose it is
            raise _no_candidate(sibling.path, "it does not say that it is one")
        try:
            with copy.read() as connection:
                return _read_note(connection, sibling.path)
        finally:
            copy.close()


def live_candidate(library: HybridLibrary) -> Candidate | None:
    """The candidate of a library. What is left of one that has taken over is removed, and is none."""
    found = find_candidate(library)
    if found is None:
        return None
    with parts_of(library).database.read() as connection:
        taken = connection.value("library/get", {"name": _TAKEN})
    if taken is None or int(taken) != found.generation:
        return found
    remove_candidate(library)
    return None


def note_taken_over(connection: Connection, candidate: Candidate) -> None:
    """Remember, in the transaction in which a candidate takes over, that it did: it may be killed right after."""
    connection.rows("library/set", {"name": _TAKEN, "value": json.dumps(candidate.generation)})


def discard_candidate(library: HybridLibrary | str, *, wait_seconds: float = 0.0) -> bool:
    """Remove the candidate of a library and what was left of making one. Returns whether there was one.

    Args:
        library: an open one, or its file or address.
        wait_seconds: how long to wait for a reindex or a promotion, which may be at work on it.

    Raises:
        DatabaseBusy: it is at work still, or somebody reads the candidate on a server.
        DatabaseError: it cannot be removed.
        BrokenInvariant: the namespace there holds something else, which is left alone.
    """
    with _beside(library) as sibling, sibling.job_lock(LOCK, wait_seconds=wait_seconds):
        return sibling.remove()


def remove_candidate(library: HybridLibrary) -> bool:
    """As :func:`discard_candidate`, for those who hold the lock."""
    return candidate_place(library).remove()


def candidate_place(library: HybridLibrary) -> Sibling:
    """Where the candidate of an open library is, or would be."""
    return parts_of(library).database.sibling(NOTE)


@contextmanager
def _beside(library: HybridLibrary | str) -> Iterator[Sibling]:
    if isinstance(library, HybridLibrary):
        yield candidate_place(library)
        return
    with sibling_of(library, NOTE) as sibling:
        yield sibling


def open_candidate(embedder: Embedder | None, library: HybridLibrary) -> HybridLibrary:
    """Open the candidate as the library it is, with the embedder it is made with, else that of the library's space."""
    clock, chosen = parts_of(library).ingest.clock, embedder or serving_embedder(library)
    return HybridLibrary.open(
        candidate_place(library).address,
        embedder=chosen or "auto",
        create=False,
        clock=lambda: from_microseconds(clock()),
    )


def serving_embedder(library: HybridLibrary) -> Embedder | None:
    """The embedder whose vectors can be compared with those that serve; None when it cannot be had."""
    parts = parts_of(library)
    with parts.database.read() as connection:
        serving = serving_space(connection)
    choice = parts.ingest.embedders
    return (choice.opened() if serving is None else choice.for_space(serving.space)).embedder


def change_of(candidate: Candidate, stored: LibrarySettings, *, why: str, space: bool = True) -> Change:
    """What a candidate changes in a library with these settings."""
    recipe = candidate.recipe
    wished = recipe.settings(stored)
    return Change(
        settings=wished if wished != stored else None,
        rebuild=recipe.rebuild or wished.language != stored.language,
        space=recipe.space if space else None,
        why=why,
    )


def vectors_of(database: Database, space: EmbeddingSpace) -> Iterator[list[Embedded]]:
    """The vectors of a space in blocks, by text. They are read, in one transaction, once they are asked for."""
    with database.read() as connection:
        stored, after = find_space(connection, space), 0
        while stored is not None:
            wanted = {"space_no": stored.number, "after": after, "limit": _BLOCK}
            rows = connection.rows("vector/embeddings_after", wanted)
            if not rows:
                return
            after = rows[-1][0]
            yield [(text_hash, vector) for _, text_hash, vector in rows]


def failures_of(database: Database, space: EmbeddingSpace) -> list[tuple[bytes, str]]:
    """The texts that the model of a space could not embed, and why."""
    with database.read() as connection:
        stored = find_space(connection, space)
        if stored is None:
            return []
        return [(row[0], row[1]) for row in connection.rows("vector/failed_texts", {"space_no": stored.number})]


def write_note(connection: Connection, candidate: Candidate) -> None:
    """Write into a copy what it is, inside the caller's write transaction."""
    note = {name: value for name, value in asdict(candidate).items() if name != "path"}
    connection.rows("library/set", {"name": NOTE, "value": json.dumps(note)})


def _read_note(connection: Connection, path: str) -> Candidate:
    stored = connection.value("library/get", {"name": NOTE})
    try:
        note = json.loads(stored)
        recipe = note.pop("recipe")
        for name, kind in (("fusion", Fusion), ("ranking", RankingSettings), ("space", EmbeddingSpace)):
            recipe[name] = None if recipe[name] is None else kind(**recipe[name])
        return Candidate(path=path, recipe=Recipe(**recipe), **note)
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise _no_candidate(path, str(error)) from error


def _no_candidate(path: str, why: str) -> BrokenInvariant:
    return BrokenInvariant(f"{path} is no candidate of this version ({why}); remove it", path=path)


def _told(fusion: Fusion | None) -> str:
    if fusion is None:
        return ""
    if fusion.method == "convex":
        return f"convex, alpha {fusion.alpha:g}"
    words = f"{fusion.lexical_weight:g}{' by relevance' if fusion.by_relevance else ''}"
    return f"rrf, k {fusion.k:g}, weights {words} and {fusion.semantic_weight:g}"
