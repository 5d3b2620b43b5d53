"""``hybridkb search``: ask, with filters and a cutoff, and see why each hit is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hybridkb.cli.exit_codes import FINDINGS
from hybridkb.cli.filter_options import FLAGS, filter_options, given
from hybridkb.cli.hits import hit_facts, print_hit, tree_titles
from hybridkb.cli.output import print_json, print_text, show_time
from hybridkb.cli.session import Session, global_options, pass_session

if TYPE_CHECKING:
    from hybridkb import HybridLibrary, SearchResults


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="QUERY...")
@click.option("--mode", type=click.Choice(["hybrid", "lexical", "semantic"]), default="hybrid", show_default=True,
              help="Both legs, words alone, or meaning alone.")  # fmt: skip
@click.option("--top-k", "-k", type=click.IntRange(min=1), default=10, show_default=True, help="How many hits.")
@click.option("--collapse", type=click.Choice(["item", "document"]), help="At most one hit for each item or document.")
@click.option("--min-score", type=click.FloatRange(0, 1), help="Only hits at least this relevant, 0 to 1.")
@click.option("--match", type=click.Choice(["any", "all", "all_first"]), default="any", show_default=True,
              help="Any word; only what holds every word; or that when there is any.")  # fmt: skip
@click.option("--exact", is_flag=True, help="Compare with every vector, whatever it costs.")
@click.option("--approximate", is_flag=True,
              help="Let an HNSW index on PostgreSQL find the nearest vectors; never with a cutoff.")  # fmt: skip
@click.option("--explain", is_flag=True, help="Show shares, weights and the whole ranked text.")
@filter_options
@global_options
@pass_session
@click.pass_context
def search(context: click.Context, session: Session, /, words: tuple[str, ...], **options: Any) -> None:
    """Ask by words and by meaning.

    Any text is a valid query; "a phrase", -without, prefix* and OR work as on the web. Words that start with a
    minus go behind two: hybridkb search -- copper -chile. The exit code is 1 when nothing is found.
    """
    with session.open() as library:
        results = library.search(
            " ".join(words),
            top_k=options["top_k"],
            mode=options["mode"],
            collapse=options["collapse"],
            min_score=options["min_score"],
            match=options["match"],
            exact=options["exact"],
            approximate=options["approximate"],
            **given(options),
        )
        titles = tree_titles(library, results)
        advice = None if results else _advice(library, results, options)
    if session.as_json:
        print_json(results_facts(results, titles) | ({} if advice is None else {"nothing_found": advice}))
    else:
        print_results(results, titles, explain=options["explain"])
        if advice is not None:
            _print_advice(advice)
    if not results:
        context.exit(FINDINGS)


def _advice(library: HybridLibrary, results: SearchResults, options: dict[str, Any]) -> dict[str, Any]:
    """What was searched, which filter left nothing, what to try."""
    from hybridkb.tools.advice import nothing_found

    return nothing_found(library, results, given(options), min_score=options["min_score"], cutoff_is_fixed=False)


def _print_advice(advice: dict[str, Any]) -> None:
    searched, flags = advice["searched"], {name: flag for flag, name in FLAGS}
    print_text(f"searched {searched['records']:,} records of {searched['items']:,} items")
    for one in advice["filters"]:
        passing = f"{one['pass_alone']:,} pass it, {one['pass_without']:,} all others"
        print_text(f"{flags.get(one['filter'], one['filter'])} {_shown(one['value'])}: {passing}")
    for key, word in (("did_you_mean", "did you mean"), ("known_values", "known are")):
        for name, values in advice.get(key, {}).items():
            print_text(f"{flags.get(name, name)}: {word} {', '.join(values)}")
    for step in advice["try"]:
        if not step.startswith("one of the values under"):  # they stand above
            print_text(_step(step, flags))


def _step(step: str, flags: dict[str, str]) -> str:
    """One line of advice, with options as they are written here."""
    if step.startswith("nothing is visible"):
        return step
    before = "available_at_before"
    name = before if before in step else step.removeprefix("leave out ").partition(":")[0]
    return f"try: {step.replace(name, flags.get(name, name), 1)}"


def _shown(value: Any) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)


def results_facts(results: SearchResults, titles: dict[str, str]) -> dict[str, object]:
    """Name everything an answer says."""
    return {
        "query": results.query,
        "mode": results.mode,
        "match": results.match,
        "degraded": results.degraded,
        "cutoff": results.cutoff,
        "pending": results.pending,
        "approximate": results.approximate,
        "fingerprint": results.fingerprint,
        "feedback": results.feedback,
        "hits": [hit_facts(hit, titles) for hit in results],
    }


def print_results(results: SearchResults, titles: dict[str, str], *, explain: bool) -> None:
    """Print an answer for people."""
    for hit in results:
        print_hit(hit, titles, explain=explain)
    head = f"{len(results)} hit{'' if len(results) == 1 else 's'}, {results.mode}"
    if results.cutoff is not None:
        head += f", as known at {show_time(results.cutoff)} UTC"
    if results.approximate:
        head += ", neighbours approximate"
    print_text(head)
    if results.degraded:
        print_text(f"note: {results.degraded}")
