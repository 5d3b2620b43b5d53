"""``hybridkb runs``: what was evaluated, built and promoted, and what may be published of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from hybridkb.cli.output import print_json, print_table, print_text, show_time
from hybridkb.cli.session import Session, global_options, pass_session
from hybridkb.errors import NotFound
from hybridkb.knowledge.times import from_microseconds

if TYPE_CHECKING:
    from hybridkb.store.runs import Run


@click.command()
@click.option("--run", "number", type=int, metavar="RUN", help="Show one run with everything it says.")
@click.option("--promoted", is_flag=True, help="Only what was promoted, the last first.")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="How many.")
@click.option("--public", is_flag=True, help="Print what may be published: figures, counts and dates alone, as JSON.")
@global_options
@pass_session
def runs(session: Session, /, number: int | None, promoted: bool, limit: int, public: bool) -> None:
    """List evaluations, reindexes and promotions, the newest first."""
    from hybridkb.evaluation import list_runs, public_export
    from hybridkb.evaluation.history import run_as_dict

    with session.open(embedder="none") as library:
        if public:
            click.echo(json.dumps(public_export(library), indent=None if session.as_json else 1))
            return
        found = list_runs(library, number=number, promoted=promoted, limit=limit)
    if number is not None and not found:
        raise NotFound(f"there is no run {number}; `hybridkb runs` lists them", target=str(number))
    if session.as_json:
        print_json([run_as_dict(run) for run in found])
    elif number is not None:
        _print_one(run_as_dict(found[0]))
    else:
        _print_all(found)


def _print_all(found: list[Run]) -> None:
    if not found:
        print_text("no runs yet; make one with `hybridkb evaluate`")
        return
    heads = ("run", "what", "of", "started", "gold set", "k", "mode", "recall", "ndcg", "gate", "promoted", "note")
    print_table(heads, [_row(run) for run in found])


def _row(run: Run) -> tuple[object, ...]:
    return (
        run.number, run.kind, run.target, _time(run.started_at), run.gold_digest, run.k, run.mode,
        _value(run, "recall"), _value(run, "ndcg"), _gate(run), _time(run.promoted_at), run.note or None,
    )  # fmt: skip


def _time(moment: int | None) -> str | None:
    return None if moment is None else show_time(from_microseconds(moment))


def _value(run: Run, measure: str) -> str | None:
    figure = run.figure(run.mode, measure)
    return None if figure is None else f"{figure.value:.4f}"


def _gate(run: Run) -> str:
    if run.gold_digest is None:
        return "-" if run.finished_at is not None else "unfinished"
    return {True: "yes", False: "no", None: "-"}[run.promote]


def _print_one(facts: dict[str, Any]) -> None:
    figures = facts.pop("figures")
    for name, value in facts.items():
        if value not in (None, "", [], (), {}):
            shown = json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)
            print_text(f"{name.replace('_', ' '):<16}  {shown}")
    if figures:
        print_text("")
        numbers = ("value", "low", "high")
        rows = [(one["mode"], one["measure"], *(f"{one[name]:.4f}" for name in numbers)) for one in figures]
        print_table(("mode", "measure", *numbers), rows)
