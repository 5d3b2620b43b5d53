"""What is known: immutable, typed items with their sources and times. No search text, no vectors, no database."""

from hybridkb.knowledge.base import MAX_TEXT_CHARACTERS
from hybridkb.knowledge.canonical import canonical_json, content_hash
from hybridkb.knowledge.card import MemoryCard
from hybridkb.knowledge.document import Document
from hybridkb.knowledge.flat import Earnings, Factor, News, Note, Thesis
from hybridkb.knowledge.identity import stable_id
from hybridkb.knowledge.item import FlatKnowledge, KnowledgeItem
from hybridkb.knowledge.json_lines import Entry, Purge, Withdrawal, read_items, write_line
from hybridkb.knowledge.locator import Locator
from hybridkb.knowledge.provenance import SOURCE_CLASSES, Provenance, at_least_as_trusted
from hybridkb.knowledge.registry import parse_item, register_type, registered_types
from hybridkb.knowledge.source import Citation, ExtractionRef, SourceRef
from hybridkb.knowledge.tree import Filing, Transcript, TreeKnowledge, TreeNode

__all__ = [
    "MAX_TEXT_CHARACTERS",
    "SOURCE_CLASSES",
    "Citation",
    "Document",
    "Earnings",
    "Entry",
    "ExtractionRef",
    "Factor",
    "Filing",
    "FlatKnowledge",
    "KnowledgeItem",
    "Locator",
    "MemoryCard",
    "News",
    "Note",
    "Provenance",
    "Purge",
    "SourceRef",
    "Thesis",
    "Transcript",
    "TreeKnowledge",
    "TreeNode",
    "Withdrawal",
    "at_least_as_trusted",
    "canonical_json",
    "content_hash",
    "parse_item",
    "read_items",
    "register_type",
    "registered_types",
    "stable_id",
    "write_line",
]
