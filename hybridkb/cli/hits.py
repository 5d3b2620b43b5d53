"""One hit, for people and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridkb.cli.output import plain, print_text, show_time

if TYPE_CHECKING:
    from hybridkb import SearchHit

INDENT = "    "


def hit_facts(hit: SearchHit) -> dict[str, Any]:
    """Name everything a hit says, as JSON holds it."""
    facts = plain(hit)
    assert isinstance(facts, dict)
    return facts


def print_hit(hit: SearchHit, *, explain: bool) -> None:
    """Print what was found, when it was knowable, and why it is there."""
    print_text(f"{hit.rank:>2}  {hit.item_type}  {hit.title or '(no title)'}")
    print_text(INDENT + " ".join(hit.snippet.split()))
    print_text(f"{INDENT}as of {show_time(hit.as_of)}, available {show_time(hit.available_at)}{_source(hit)}")
    print_text(INDENT + _why(hit))
    if explain:
        print_text(INDENT + _arithmetic(hit))
        print_text(f"{INDENT}ranked text: {' '.join(hit.matched_text.split())}")
    print_text(f"{INDENT}{hit.locator}")
    print_text("")


def _source(hit: SearchHit) -> str:
    uri = hit.source.uri
    return f", {uri}" if uri else ""


def _why(hit: SearchHit) -> str:
    """Say in one line which legs found it, how high, and by which words."""
    legs = []
    for name, leg in (("words", hit.explanation.lexical), ("meaning", hit.explanation.semantic)):
        legs.append(f"{name} no. {leg.rank} ({leg.score:.3f})" if leg is not None else f"not by {name}")
    matched = ", ".join(hit.explanation.matched_terms)
    return f"why: {'; '.join(legs)}; relevance {hit.relevance:.2f}" + (f"; matched {matched}" if matched else "")


def _arithmetic(hit: SearchHit) -> str:
    """Write the fused score as what each leg gave."""
    parts = []
    for name, leg in (("words", hit.explanation.lexical), ("meaning", hit.explanation.semantic)):
        if leg is not None:
            share = getattr(leg, "share", None)
            given = f" gave {share:.5f}" if share is not None else ""
            parts.append(f"{name} (rank {leg.rank}, score {leg.score:.6f}, weight {leg.weight:g}){given}")
    return f"score {hit.score:.5f} = " + (" + ".join(parts) or "nothing")
