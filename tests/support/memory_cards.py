"""Cards for tests that run in several processes: the same in each, another text for every version."""

from __future__ import annotations

from hybridkb.knowledge import Provenance
from hybridkb.memory import KnowledgeCard
from oracles.items import day

CARDS = 40


def cards(version: int) -> list[KnowledgeCard]:
    """Forty cards of one to four chunks of six words that share two; every word names its version."""
    return [
        KnowledgeCard(
            f"card/{number}",
            " ".join(f"w{number}x{place}v{version}" for place in range(6 + 4 * (number % 4))),
            Provenance("article"),
            title="copper",
            available_at=day(version),
        )
        for number in range(CARDS)
    ]
