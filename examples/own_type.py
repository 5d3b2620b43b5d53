"""A knowledge type of your own: its fields, and which of them are searched."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from typing import Literal

from hybridkb import HybridLibrary
from hybridkb.knowledge import FlatKnowledge, SourceRef, stable_id
from hybridkb.records import Projection, register_projection


class Covenant(FlatKnowledge):
    """A promise in a loan agreement."""

    item_type: Literal["covenant"] = "covenant"
    borrower: str
    name: str
    text: str


register_projection(Covenant, Projection(title=("borrower", "name"), body="text", identifiers="name"))


def main() -> None:
    """Put one and find it."""
    covenant = Covenant(
        id=stable_id("covenant", "Bluefjord", "LTV-60"),
        borrower="Bluefjord Shipping",
        name="LTV-60",
        text="The borrower keeps debt below 60% of the market value of the mortgaged vessels.",
        as_of=datetime(2024, 1, 15, tzinfo=UTC),
        available_at=datetime(2024, 1, 15, tzinfo=UTC),
        source=SourceRef(kind="manual"),
    )
    with tempfile.TemporaryDirectory() as folder, HybridLibrary.open(f"{folder}/loans.db", embedder=None) as library:
        library.put(covenant)
        for hit in library.search("debt against vessels' value", item_types="covenant"):
            print(hit.title, "|", hit.snippet)


if __name__ == "__main__":
    main()
