"""After purge and compact nothing of an item is in the file: no text, no hash of it, no vector in any form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from oracles.items import day, filing, item_id, note
from support.fake_embedder import HashEmbedder

REVISIONS = "FROM revision JOIN item USING (item_no) WHERE item_id = :id"
FACTS = {
    "payload": f"SELECT payload {REVISIONS}",
    "content hash": f"SELECT content_hash {REVISIONS}",
    "text hash": "SELECT text_hash FROM record WHERE locator LIKE 'item:' || :id || '%'",
    "vector": "SELECT e.vector FROM record AS r JOIN embedding AS e ON e.text_hash = r.text_hash "
    "WHERE r.locator LIKE 'item:' || :id || '%'",
    "quantised vector": "SELECT embedding FROM record_vector_1 WHERE record_id IN "
    "(SELECT record_id FROM record WHERE locator LIKE 'item:' || :id || '%')",
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.sqlite_only("reads the bytes of the file")
def test_every_trace_leaves_the_file(open_library: Any, tmp_path: Path, packed: bool) -> None:
    library = open_library(embedder=HashEmbedder(64))
    library.put_many(note(number, f"copper number{number}", available_at=day(number)) for number in range(30))
    library.put(filing("secret", {"a": "xyzzysecret words", "b": "plughsecret numbers"}, available_at=day(1)))
    library.put(filing("secret", {"a": "xyzzysecret words", "b": "frotzsecret revised"}, available_at=day(2)))
    if packed:
        library.optimize()
    with library._database.read() as connection:
        name = {"id": str(item_id("secret"))}
        facts = {what: [row[0] for row in connection.text_rows(sql, name)] for what, sql in FACTS.items()}
    traces = [trace for found in facts.values() for trace in found]
    assert all(facts.values())
    traces += [b"xyzzysecret", b"plughsecret", b"frotz"]
    library.purge(item_id("secret"), reason="licence ended")
    library.compact()
    held = b"".join(file.read_bytes() for file in tmp_path.glob("library.db*"))
    assert not [trace for trace in traces if trace in held]
    assert b"licence ended" in held
