"""The candidate beside a library, whichever engine keeps both: where it is, and what is there."""

from __future__ import annotations

import re
from pathlib import Path

from hybridkb import HybridLibrary
from hybridkb.evaluation.candidate import candidate_place
from support import postgres
from support.raw_rows import dump

_SCHEMA = re.compile(r"[?&]schema=(\w+)")


def candidate_address(library: HybridLibrary) -> str:
    """The file, or the address, of the candidate of a library."""
    return candidate_place(library).path


def beside(library: HybridLibrary) -> set[str]:
    """Files or namespaces that belong to a candidate, whole or not."""
    if postgres.namespaces_here() is None:
        return {one.name for one in Path(library.path).parent.iterdir() if "candidate" in one.name}
    own = _schema(candidate_address(library))
    return {name for name in _namespaces() if name == own or name.startswith("replaced_")}


def holding_of(library: HybridLibrary, *secrets: str | bytes) -> list[str]:
    """Files, or tables of the library and its candidate, that hold one of the secrets as it is."""
    if postgres.namespaces_here() is None:
        wanted = [one.encode() if isinstance(one, str) else one for one in secrets]
        files = Path(library.path).parent.iterdir()
        return [one.name for one in files if any(secret in one.read_bytes() for secret in wanted)]
    sought = [repr(one).removeprefix("b")[1:-1] for one in secrets]
    places = [one for one in (library.path, candidate_address(library)) if _schema(one) in _namespaces()]
    return [
        f"{_schema(place)}.{table}"
        for place in places
        for table, rows in dump(Path(place)).items()
        if any(said in repr(row) for row in rows for said in sought)
    ]


def _schema(address: str) -> str:
    found = _SCHEMA.search(address)
    assert found is not None
    return found[1]


def _namespaces() -> set[str]:
    import psycopg

    here = postgres.namespaces_here()
    assert here is not None
    with psycopg.connect(here.address) as raw:
        return {name for (name,) in raw.execute("SELECT nspname FROM pg_namespace").fetchall()}
