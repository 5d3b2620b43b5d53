"""Which title, body, identifiers and filter values a piece of knowledge shows to search."""

from hybridkb.records import built_in as _built_in
from hybridkb.records.projection import Projection, project, projection_for, register_projection
from hybridkb.records.record import Record, hash_text, join_text

__all__ = ["Projection", "Record", "hash_text", "join_text", "project", "projection_for", "register_projection"]

_built_in.register()
