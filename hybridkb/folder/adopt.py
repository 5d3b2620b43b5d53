"""Makes what is known of files anew from the documents that a library holds, as after a restore from an export."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hybridkb.database import Connection
from hybridkb.errors import HybridKBError
from hybridkb.folder.document_item import document_id
from hybridkb.knowledge import Document
from hybridkb.store.canonical import decode_payload
from hybridkb.store.files import FileRow


def known_documents(connection: Connection, collection: str, found: Collection[str]) -> Iterator[FileRow]:
    """Yield a row for each document of a collection; every file among them is then read again.

    Args:
        connection: the library.
        collection: whose documents.
        found: paths of the files that are there now.
    """
    here = {str(document_id(collection, path)) for path in found}
    for item_id, item_hash, payload, visible in connection.rows("files/documents", {"item_type": "document"}):
        try:
            document = decode_payload(payload, item_id)
        except HybridKBError:
            continue  # check() names it
        if not isinstance(document, Document) or document.collection != collection:
            continue
        if item_id in here and str(document_id(collection, document.path)) != item_id:
            continue  # its exact name cannot be told from the one shown; the file is there and will be read
        yield FileRow(
            document.path, "indexed" if visible else "gone", None, None, None, None, None,
            _digest(document.source.content_hash), item_id, item_hash, len(document.nodes) - 1,
        )  # fmt: skip


def _digest(text: str | None) -> bytes | None:
    try:
        return bytes.fromhex(text or "") or None
    except ValueError:
        return None
