"""The same file read again later is no later paper: what is known already of its times stays."""

from __future__ import annotations

from hybridkb.database import Connection
from hybridkb.knowledge.paper_source import PaperSourceRevision
from hybridkb.store.canonical import load_item, load_states


def with_known_times(connection: Connection, source: PaperSourceRevision) -> PaperSourceRevision:
    """A source whose availability rests on its fetching alone, with the earlier one that the library knows.

    The time of fetching is an upper bound, and the first one is the better one; a known publication is better still. A
    paper that was withdrawn keeps its new time, so that it is there again.

    Args:
        connection: open for reading.
        source: the paper that is put.
    """
    if source.availability_basis != "fetched" or source.available_at is None:
        return source
    state = load_states(connection, [str(source.id)]).get(str(source.id))
    if state is None or not state.revisions or state.withdrawn_since() is not None:
        return source
    known = load_item(connection, str(source.id), state.revisions[-1].revision_no)
    if not isinstance(known, PaperSourceRevision) or known.available_at is None:
        return source
    if known.available_at > source.available_at:
        return source
    return source.model_copy(
        update={
            "available_at": known.available_at,
            "as_of": known.as_of,
            "availability_basis": known.availability_basis,
            "source": source.source.model_copy(update={"published_at": known.source.published_at}),
        }
    )
