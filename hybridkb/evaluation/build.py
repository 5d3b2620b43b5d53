"""Makes a candidate: copies the library, gives the copy its settings, and keeps the vectors of an older candidate."""

from __future__ import annotations

from dataclasses import replace

from hybridkb.database import Connection, Database
from hybridkb.embedders.space import EmbeddingSpace
from hybridkb.errors import InvalidInput
from hybridkb.evaluation.candidate import (
    Candidate,
    Recipe,
    StageProgress,
    candidate_place,
    change_of,
    live_candidate,
    vectors_of,
    write_note,
)
from hybridkb.evaluation.index_state import IndexState
from hybridkb.library import HybridLibrary, parts_of
from hybridkb.store.records import texts_shown
from hybridkb.upkeep.take_over import take_over
from hybridkb.vector.index import insert_vectors, use_space


def ready_candidate(
    library: HybridLibrary, recipe: Recipe, state: IndexState, *, restart: bool, progress: StageProgress | None
) -> tuple[Candidate, bool]:
    """Find the candidate, or copy the library; returns it and whether it was there.

    One of an older state of the library is copied anew, and keeps the vectors that were made for it.

    Raises:
        DatabaseError: there is no room for a copy, or this role may not make one.
    """
    found = None if restart else live_candidate(library)
    if found is not None and found.fits(state):
        return found, True
    made = Candidate(
        candidate_place(library).path, recipe, state.generation, state.settings.digest(), state.space_fingerprint
    )
    _copy(library, made, found, progress)
    return made, False


def refuse_another(library: HybridLibrary, recipe: Recipe) -> None:
    """Refuse to throw away a candidate of another kind.

    Raises:
        InvalidInput: there is one.
    """
    found = live_candidate(library)
    if found is not None and found.recipe != recipe:
        raise InvalidInput(
            f"{found.path} holds another candidate ({found.recipe}); promote it, discard it (hybridkb reindex "
            "--discard), or give restart (--restart)",
            field="recipe",
        )


def apply_settings(
    library: HybridLibrary, candidate: Candidate, progress: StageProgress | None
) -> tuple[Candidate, int]:
    """Give a candidate its settings and make its derived rows anew, once; returns how many records were made."""
    if candidate.rebuilt:
        return candidate, 0
    done = replace(candidate, rebuilt=True)
    made = take_over(
        parts_of(library).ingest,
        change_of(candidate, library.settings, why="candidate", space=False),
        last=lambda connection: write_note(connection, done),
        progress=None if progress is None else (lambda count, total: progress("rebuilding", count, total)),
    )
    return done, made.records


def _copy(library: HybridLibrary, made: Candidate, older: Candidate | None, progress: StageProgress | None) -> None:
    """Copy the library; what is killed half-way is no candidate."""
    place, space = candidate_place(library), made.recipe.space
    copy = place.open() if older is not None and space is not None else None

    def prepare(connection: Connection) -> None:
        write_note(connection, made)
        if copy is not None and space is not None:
            _keep_vectors(connection, copy, space)

    try:
        place.make(
            prepare, progress=None if progress is None else (lambda done, total: progress("copying", done, total))
        )
    finally:
        if copy is not None:
            copy.close()


def _keep_vectors(connection: Connection, older: Database, space: EmbeddingSpace) -> None:
    """Bring the vectors that an older candidate made into its successor, as far as it shows their texts."""
    stored = use_space(connection, space)
    for block in vectors_of(older, space):
        shown = texts_shown(connection, [text_hash for text_hash, _ in block])
        insert_vectors(connection, stored, (one for one in block if one[0] in shown))
