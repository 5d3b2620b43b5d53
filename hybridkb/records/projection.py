"""From knowledge to records: which fields of a type are title, body, identifiers and filter values.

A type's projection is registered beside its class. A flat item gives one record; a tree
gives one for itself (its root, never twice) and one for every other node that has text.
The canonical text is never changed; records show control characters as spaces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, TypeAlias, TypeVar

from hybridkb.errors import InvalidInput, UnregisteredType
from hybridkb.knowledge.item import FlatKnowledge, KnowledgeItem
from hybridkb.knowledge.locator import Locator
from hybridkb.knowledge.paper_artifacts import PaperArtifact
from hybridkb.knowledge.paper_source import PaperSourceRevision
from hybridkb.knowledge.registry import register_type
from hybridkb.knowledge.tree import TreeKnowledge, TreeNode
from hybridkb.records.pieces import card_of, citations_json, clean, join, local_path
from hybridkb.records.record import Record

Chooser: TypeAlias = str | tuple[str, ...] | Callable[[Any], str | Iterable[str] | None]
"""A field's name, several names, or a function of the item. What is None or blank is passed over."""

AnyKnowledge = TypeVar("AnyKnowledge", bound=type[KnowledgeItem])


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """Which fields of a type are searched, and how.

    Attributes:
        title: short text that weighs more; several fields are joined by a space.
        body: the rest of the text; several fields are joined by a blank line. In a tree it is shown in front of the
            root's own summary and content.
        identifiers: exact names of the thing; an exact match ranks first. In a tree only the item's own
            record has them or, where that has no text, the first node's.
        tickers, periods, collections: filter values; in a tree every node has them.
        path: slash-separated path for ``path_prefix``; None takes it from a local source's address.
        item_type: what the filter ``item_types`` sees; None, or a field without a value, is the item's own type.
        version: raise it when the choice changes, so that stored records are made again.
    """

    title: Chooser = "title"
    body: Chooser = ()
    identifiers: Chooser = ()
    tickers: Chooser = ()
    periods: Chooser = ()
    collections: Chooser = ()
    path: Chooser | None = None
    item_type: Chooser | None = None
    version: int = 1

    def choosers(self) -> Iterator[tuple[str, Chooser]]:
        """Each part's name with the way its value is chosen."""
        for part in ("title", "body", "identifiers", "tickers", "periods", "collections", "path", "item_type"):
            chooser = getattr(self, part)
            if chooser is not None:
                yield part, chooser


_projections: dict[type[KnowledgeItem], Projection] = {}


def register_projection(cls: AnyKnowledge, projection: Projection) -> AnyKnowledge:
    """Register how a class is searched, and the class itself for ``parse_item``; returns the class.

    Registering a class again replaces its projection.

    Raises:
        InvalidInput: the class is neither flat nor a tree, fixes no ``item_type`` or takes one that another class has,
            or the projection names a field that the class does not have.
    """
    if not (isinstance(cls, type) and issubclass(cls, FlatKnowledge | TreeKnowledge)):
        raise InvalidInput(f"{cls!r} cannot be projected; subclass FlatKnowledge or TreeKnowledge", field="cls")
    for part, chooser in projection.choosers():
        _check_fields(cls, part, chooser)
    register_type(cls)
    _projections[cls] = projection
    return cls


def projection_for(cls: type[KnowledgeItem]) -> Projection:
    """Find the projection registered for exactly this class.

    Raises:
        UnregisteredType: there is none.
    """
    projection = _projections.get(cls)
    if projection is None:
        name = cls.model_fields["item_type"].default
        raise UnregisteredType(
            f"{cls.__qualname__} has no projection, so hybridkb does not know its title and body; register it beside "
            f'the class: register_projection({cls.__name__}, Projection(title="...", body="..."))',
            item_type=name if isinstance(name, str) else cls.__name__,
        )
    return projection


def project(item: KnowledgeItem) -> tuple[Record, ...]:
    """Make the records of an item: the item's own first, then, in a tree, its nodes in reading order.

    Raises:
        UnregisteredType: its class has no registered projection.
        InvalidInput: it holds no text at all, or is of a paper (:mod:`hybridkb.records.paper_projection`).
    """
    if isinstance(item, PaperSourceRevision | PaperArtifact):
        raise InvalidInput(
            f"the {item.item_type} {item.id} is not put on its own: give the paper with all that was made of it to "
            "put_paper(), as a PaperFlowResult",
            field="item",
        )
    projection = projection_for(type(item))
    own = _item_record(item, projection)
    records = (own, *_node_records(item, own)) if isinstance(item, TreeKnowledge) else (own,)
    with_text = tuple(record for record in records if record.title or record.body)
    if not with_text:
        raise InvalidInput(f"the {item.item_type} {item.id} holds no text to search; give it a title or a body")
    first = with_text[0]
    return with_text if first is own else (replace(first, identifiers=own.identifiers), *with_text[1:])


def _item_record(item: KnowledgeItem, projection: Projection) -> Record:
    tree = item if isinstance(item, TreeKnowledge) else None
    title = " ".join(_choose(item, projection.title))
    body = list(_choose(item, projection.body))
    citations = item.citations
    if tree is not None:
        root = tree.nodes[tree.root_node_id]
        body += [] if root.title == title else [root.title]
        body += _node_text(root)
        citations += root.citations
    source_class, kind, doc_date, verdict, link = card_of(item.provenance)
    return Record(
        locator=Locator("item", item.id),
        item_type=_item_type(item, projection),
        title=clean(title),
        body=join(body),
        identifiers=_names(item, projection.identifiers),
        tags=item.tags,
        tickers=_names(item, projection.tickers),
        periods=_names(item, projection.periods),
        collections=_names(item, projection.collections),
        confidence=item.confidence,
        source_kind=item.source.kind,
        source_class=source_class,
        kind=kind,
        doc_date=doc_date,
        verdict=verdict,
        link=link,
        path=_path(item, projection),
        tree_id=str(item.id) if tree is not None else None,
        citations=citations_json(citations),
        projection_version=projection.version,
    )


def _node_records(tree: TreeKnowledge, own: Record) -> Iterator[Record]:
    for node_id, node in tree.nodes.items():
        if node_id != tree.root_node_id:
            yield replace(
                own,
                locator=Locator("item", tree.id, node_id),
                title=clean(node.title),
                body=join(_node_text(node)),
                identifiers=(),
                citations=citations_json(node.citations),
            )


def _node_text(node: TreeNode) -> list[str]:
    return [node.content] if node.summary == node.content else [node.summary, node.content]


def _choose(item: KnowledgeItem, chooser: Chooser) -> Iterator[str]:
    """The texts a chooser finds in an item, those without words left out."""
    if callable(chooser):
        values: Iterable[Any] = (chooser(item),)
    else:
        values = (getattr(item, name) for name in ((chooser,) if isinstance(chooser, str) else chooser))
    for value in values:
        parts = (value,) if value is None or not isinstance(value, Iterable) or isinstance(value, str) else value
        yield from (text for text in map(str, (part for part in parts if part is not None)) if text.strip())


def _names(item: KnowledgeItem, chooser: Chooser) -> tuple[str, ...]:
    return tuple(dict.fromkeys(clean(text) for text in _choose(item, chooser))) if chooser else ()


def _item_type(item: KnowledgeItem, projection: Projection) -> str:
    chosen = () if projection.item_type is None else _choose(item, projection.item_type)
    return next(iter(chosen), item.item_type)


def _path(item: KnowledgeItem, projection: Projection) -> str | None:
    if projection.path is not None:
        return next((clean(text).replace("\\", "/") for text in _choose(item, projection.path)), None)
    return local_path(item.source)


def _check_fields(cls: type[KnowledgeItem], part: str, chooser: Chooser) -> None:
    if callable(chooser):
        return
    for name in (chooser,) if isinstance(chooser, str) else chooser:
        if name not in cls.model_fields and not isinstance(getattr(cls, name, None), property):
            near = get_close_matches(name, cls.model_fields, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"its fields are {', '.join(cls.model_fields)}"
            raise InvalidInput(
                f"the projection's {part} names {name!r}, which {cls.__name__} has not; {hint}", field=part
            )
