"""What stands under a slug, and whether another card may take its place."""

from __future__ import annotations

from hybridkb.errors import InvalidInput, NotFound
from hybridkb.knowledge import SOURCE_CLASSES, content_hash
from hybridkb.knowledge.card import MemoryCard
from hybridkb.library import HybridLibrary
from hybridkb.upkeep import HeldItem


def is_same(item: MemoryCard, held: HeldItem) -> bool:
    """Whether a put would change nothing."""
    if item.available_at not in (held.available_at, None):
        return False
    return content_hash(item).hex() == held.content_hash


def refuse_unknown(item: MemoryCard, held: HeldItem) -> None:
    """Refuse what a put would refuse, before anything is embedded for it.

    Raises:
        InvalidInput: an unknown availability would replace a known one.
    """
    if item.available_at is not None or held.available_at is None or is_same(item, held):
        return
    raise InvalidInput(
        f"{item.slug!r} stands in the library with a known available_at ({held.available_at.isoformat()}); another "
        "text without one would make the past unsafe: give available_at",
        field="available_at",
    )


def weigh(library: HybridLibrary, item: MemoryCard, held: HeldItem, *, of_reader: bool) -> tuple[str, ...]:
    """Note that a slug loses trust, and refuse it where one file would take the place of another that way.

    Files name their slugs themselves, so a file of a folder that is trusted little could name that of another.

    Args:
        library: asked where the standing card comes from.
        item: the new card.
        held: the standing one.
        of_reader: whether a reader made the new card from a file, and not a program that knows what it does.

    Raises:
        InvalidInput: see above.
    """
    new, old = item.provenance, held.source_class
    if new is None or old is None or new.trust <= SOURCE_CLASSES.index(old):
        return ()
    said = f"{item.slug!r} stands in the library as {old}, which is trusted more than {new.source}"
    try:
        source = library.get(held.item_id).source
    except NotFound:  # withdrawn by another process in the meantime
        return ()
    if of_reader and (source.kind, source.uri) != (item.source.kind, item.source.uri):
        raise InvalidInput(
            f"{said}, and comes from {source.uri or source.kind}; give this one another slug or prefix, or purge that "
            "one first",
            field="slug",
        )
    return (f"{said}; it is {new.source} from now on",)
