"""Item types by name, so that stored or exported knowledge finds its class again."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Literal, get_args, get_origin

from pydantic_core import from_json

from hybridkb.errors import InvalidInput, UnregisteredType
from hybridkb.knowledge.card import MemoryCard
from hybridkb.knowledge.document import Document
from hybridkb.knowledge.flat import Earnings, Factor, News, Note, Thesis
from hybridkb.knowledge.item import KnowledgeItem
from hybridkb.knowledge.paper_artifacts import PaperChunkSet, PaperGlobalSummary, PaperTree
from hybridkb.knowledge.paper_source import PaperSourceRevision
from hybridkb.knowledge.tree import Filing, Transcript

_types: dict[str, type[KnowledgeItem]] = {}


def register_type(cls: type[KnowledgeItem]) -> str:
    """Let :func:`parse_item` find a class by its ``item_type``, and return that name.

    A class defined again under the same module and name (a notebook cell run twice) replaces the earlier.

    Raises:
        InvalidInput: the class does not fix its ``item_type``, or another class has that name already.
    """
    name = item_type_of(cls)
    other = _types.get(name)
    if other is not None and (other.__module__, other.__qualname__) != (cls.__module__, cls.__qualname__):
        raise InvalidInput(
            f"item_type {name!r} belongs to {other.__module__}.{other.__qualname__}; choose another name for "
            f"{cls.__qualname__}",
            field="item_type",
        )
    _types[name] = cls
    return name


def registered_types() -> Mapping[str, type[KnowledgeItem]]:
    """The registered classes by ``item_type``, as they are now."""
    return dict(_types)


def item_type_of(cls: type[KnowledgeItem]) -> str:
    """Read the ``item_type`` that a class fixes.

    Raises:
        InvalidInput: it is no knowledge class, or fixes none.
    """
    if not (isinstance(cls, type) and issubclass(cls, KnowledgeItem)):
        raise InvalidInput(f"{cls!r} is not a class of knowledge; subclass FlatKnowledge or TreeKnowledge")
    field = cls.model_fields["item_type"]
    names = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
    if len(names) != 1 or not isinstance(names[0], str) or field.default != names[0]:
        raise InvalidInput(
            f'{cls.__qualname__} must fix its item_type, as in item_type: Literal["memo"] = "memo"', field="item_type"
        )
    return names[0]


def parse_item(data: Mapping[str, Any] | str | bytes) -> KnowledgeItem:
    """Make an item of the class that its ``item_type`` names.

    Args:
        data: a mapping of fields, or a JSON object as text or UTF-8 bytes.

    Raises:
        UnregisteredType: no class is registered under that name.
        InvalidInput: not an object, not JSON, or a field is wrong; the text says which and how to mend it.
    """
    if isinstance(data, Mapping):
        return _class_for(data).model_validate(data)
    return _class_for(_read_object(data)).model_validate_json(data)


def _read_object(data: str | bytes) -> Mapping[str, Any]:
    try:
        fields = from_json(data)
    except (ValueError, TypeError) as error:
        raise InvalidInput(f"an item is a JSON object, but this is not JSON: {error}") from None
    if not isinstance(fields, dict):
        raise InvalidInput(f"an item is a JSON object, not a {type(fields).__name__}")
    return fields


def _class_for(fields: Mapping[str, Any]) -> type[KnowledgeItem]:
    name = fields.get("item_type")
    if not isinstance(name, str):
        raise InvalidInput(
            f'an item needs an item_type, such as "note"; known are {", ".join(sorted(_types))}', field="item_type"
        )
    if name not in _types:
        raise UnregisteredType(_unregistered(name), item_type=name)
    return _types[name]


def _unregistered(name: str) -> str:
    near = get_close_matches(name, _types, n=1)
    hint = f"did you mean {near[0]!r}? If not, register" if near else "register"
    return f"item_type {name!r} is not registered; {hint} its class with hybridkb.records.register_projection"


_FLAT = (Note, News, Earnings, Factor, Thesis)
_TREES = (Filing, Transcript, Document, MemoryCard)
_PAPERS = (PaperSourceRevision, PaperChunkSet, PaperGlobalSummary, PaperTree)
for _built_in in (*_FLAT, *_TREES, *_PAPERS):
    register_type(_built_in)
