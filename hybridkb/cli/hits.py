"""One hit, for people and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridkb.cli.output import in_one_line, plain, print_text, show_time
from hybridkb.errors import HybridKBError
from hybridkb.knowledge import TreeKnowledge

if TYPE_CHECKING:
    from hybridkb import HybridLibrary, SearchHit, SearchResults
    from hybridkb.search.hit import LegExplanation

INDENT = "    "


def tree_titles(library: HybridLibrary, results: SearchResults) -> dict[str, str]:
    """Find the title of the tree that each hit on a node belongs to, as it was at the cutoff; by locator."""
    titles = {}
    for hit in results:
        if hit.node_id is None or hit.item_id is None:
            continue
        try:
            item = library.get(hit.item_id, at=results.cutoff)
        except HybridKBError:
            continue  # purged in the meantime, or of a type that this process has not registered
        if isinstance(item, TreeKnowledge):
            titles[str(hit.locator)] = item.title
    return titles


def hit_facts(hit: SearchHit, titles: dict[str, str]) -> dict[str, Any]:
    """Name everything a hit says, as JSON holds it; ``tree_title`` says what a node is part of."""
    facts = plain(hit)
    assert isinstance(facts, dict)
    return facts | {"tree_title": titles.get(facts["locator"])}


def print_hit(hit: SearchHit, titles: dict[str, str], *, explain: bool) -> None:
    """Print what was found, when it was knowable, and why it is there."""
    print_text(f"{hit.rank:>2}  {hit.item_type}  {in_one_line(_title(hit, titles))}")
    print_text(INDENT + " ".join(hit.snippet.split()))
    print_text(f"{INDENT}as of {show_time(hit.as_of)}, available {show_time(hit.available_at)}{_source(hit)}")
    print_text(INDENT + _why(hit))
    if explain:
        _print_arithmetic(hit)
    print_text(f"{INDENT}{hit.locator}")
    print_text("")


def _title(hit: SearchHit, titles: dict[str, str]) -> str:
    tree = titles.get(str(hit.locator))
    if not hit.title:
        return tree or "(no title)"
    return f"{hit.title}, in {tree}" if tree and not hit.title.startswith(tree) else hit.title


def _source(hit: SearchHit) -> str:
    """Where to look it up: path and page, and the address when it is another."""
    page = hit.page or next((citation.page for citation in hit.citations if citation.page is not None), None)
    places = [hit.path or "", f"page {page}" if page is not None else "", hit.source.uri or ""]
    return "".join(f", {place}" for place in dict.fromkeys(places) if place)


def _why(hit: SearchHit) -> str:
    """Say in one line which legs found it, how high, and by which words."""
    parts = [
        f"{name} no. {leg.rank} ({leg.score:.3f})" if leg is not None else f"not by {name}" for name, leg in _legs(hit)
    ]
    parts.append(f"relevance {hit.relevance:.2f}")
    if hit.explanation.matched_terms:
        parts.append(f"matched {', '.join(hit.explanation.matched_terms)}")
    if hit.explanation.feedback:
        parts.append(f"also {', '.join(word.stem for word in hit.explanation.feedback)}, as the best candidates")
    if hit.explanation.guarded:
        parts.append("named exactly, so it comes first")
    if hit.others:
        parts.append(f"{hit.others} more passages of it")
    return f"why: {'; '.join(parts)}"


def _legs(hit: SearchHit) -> tuple[tuple[str, LegExplanation | None], ...]:
    return ("words", hit.explanation.lexical), ("meaning", hit.explanation.semantic)


def _print_arithmetic(hit: SearchHit) -> None:
    """Print what the scores are made of."""
    shares = [
        f"{name} rank {leg.rank}, score {leg.score:.6f}, weight {leg.weight:g}, share {leg.share:.6f}"
        for name, leg in _legs(hit)
        if leg is not None
    ]
    if hit.explanation.others:
        shares.append(f"its second best passage adds {hit.explanation.others:.6f}")
    print_text(f"{INDENT}score {hit.score:.6f}: {'; '.join(shares)}")
    facts = hit.explanation
    frequencies = ", ".join(f"{term} {count:,}" for term, count in facts.document_frequencies)
    if frequencies:
        print_text(
            f"{INDENT}of {facts.records:,} visible records of {facts.average_length:.1f} words on average, "
            f"these hold: {frequencies}"
        )
    words = ", ".join(f"{word.stem} {word.weight:.4f} ({word.holding:,} hold it)" for word in facts.feedback)
    if words:
        print_text(f"{INDENT}words of the best candidates and their weights: {words}")
    print_text(f"{INDENT}revision {hit.revision}, recorded {show_time(hit.recorded_at)}")
    print_text(f"{INDENT}ranked text: {' '.join(hit.matched_text.split())}")
