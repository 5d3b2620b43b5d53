"""Who is best at what: every figure that peers can be ranked by, and where hybridkb stands in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from peers.cells import number, short, table, three

OURS = "hybridkb"
MODES = ("lexical", "semantic", "hybrid")
TAGS = {"tag-0.1": "0.1 %", "tag-1": "1 %", "tag-10": "10 %", "tag-50": "50 %"}
Found = dict[str, Any]


def value_of(*path: str) -> Callable[[Found], float | None]:
    """What reads one figure of a peer, None where it has none."""

    def value(peer: Found) -> float | None:
        found: Any = peer
        for key in path:
            if not isinstance(found, dict) or key not in found:
                return None
            found = found[key]
        return float(found)

    return value


_CONTESTS: tuple[tuple[str, Callable[[Found], float | None], Callable[[float], str], bool], ...] = (
    *(
        (f"{mode} {shown}", value_of("quality", "scores", mode, label, "value"), three, True)
        for mode in MODES
        for label, shown in (("ndcg_at_10", "nDCG@10"), ("recall_at_100", "recall@100"))
    ),
    ("passages/s", value_of("build", "documents_per_second"), number, True),
    ("bytes a passage", value_of("build", "bytes_per_document"), number, False),
    ("memory MB", value_of("asked", "memory_mb"), number, False),
    *(
        (f"{case}, p50 ms", value_of("asked", "cases", case, "p50"), short, False)
        for case in ("hybrid", "hybrid, function words", "lexical", "semantic", *(f"hybrid, {tag}" for tag in TAGS))
    ),
)


@dataclass(frozen=True, slots=True)
class Standing:
    """Who is best at one thing, and where hybridkb stands; ``quality`` when it is a figure of the judged collection."""

    label: str
    winners: list[str]
    best: str
    ours: str
    place: int
    of: int
    quality: bool


def standings(peers: dict[str, Found]) -> list[Standing]:
    """Every contest that hybridkb and another took part in."""
    found = []
    for label, value, shown, more in _CONTESTS:
        known = {name: figure for name, peer in peers.items() if (figure := value(peer)) is not None}
        if OURS not in known or len(known) < 2:
            continue
        best = (max if more else min)(known.values())
        winners = [peers[name]["title"] for name, figure in known.items() if shown(figure) == shown(best)]
        place = 1 + sum((figure > known[OURS]) if more else (figure < known[OURS]) for figure in known.values())
        quality = label.endswith(("nDCG@10", "recall@100"))
        found.append(Standing(label, winners, shown(best), shown(known[OURS]), place, len(known), quality))
    return found


def best_mode(peer: Found) -> str:
    """Hybrid where the peer has it, else the last it has."""
    modes = list(peer.get("modes", MODES))
    return "hybrid" if "hybrid" in modes else modes[-1]


def render_best(peers: dict[str, Found]) -> str:
    """Who is best at what, and where hybridkb stands: nothing is left out because a peer wins it."""
    rows = [
        [one.label, _named(one.winners), one.best, one.ours, f"{one.place} of {one.of}"] for one in standings(peers)
    ]
    return table(["best at", "is", "with", "hybridkb", "hybridkb's place"], rows) if rows else ""


def _named(winners: list[str]) -> str:
    return winners[0] + (f" and {len(winners) - 1} more" if len(winners) > 1 else "")
