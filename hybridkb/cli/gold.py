"""``hybridkb gold``: care for gold sets: propose answers, stamp what was judged, check what moved."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hybridkb.cli.evaluation_options import MODES
from hybridkb.cli.exit_codes import FINDINGS
from hybridkb.cli.lines import Lines
from hybridkb.cli.output import print_json, print_table, print_text
from hybridkb.cli.progress import progress
from hybridkb.cli.session import Session, global_options, pass_session
from hybridkb.errors import InvalidInput, UnreadableDocument

if TYPE_CHECKING:
    from hybridkb.evaluation import GoldCheckReport

SHOWN = 50


@click.group()
def gold() -> None:
    """Propose, stamp and check the judged queries that evaluations rest on."""


@gold.command()
@click.argument("gold", required=False, metavar="[GOLD]")
@click.option("--collection", default="", metavar="NAME", help="Of a BEIR folder: see `hybridkb add --collection`.")
@global_options
@pass_session
@click.pass_context
def check(context: click.Context, session: Session, /, gold: str | None, collection: str) -> None:
    """Say which judgements of GOLD no longer point at what was judged.

    Gone, hidden, changed, or moved to where it says. The exit code is 1 when there is one.
    """
    from hybridkb.evaluation import check_gold_set

    with session.open(embedder="none") as library:
        report = check_gold_set(library, gold, collection=collection)
    if session.as_json:
        print_json(report.as_dict())
    else:
        _print_check(report)
    if not report.ok:
        context.exit(FINDINGS)


@gold.command()
@click.argument("gold", metavar="GOLD")
@click.option("--output", "-o", metavar="FILE", help="Write here instead of into GOLD itself.")
@global_options
@pass_session
@click.pass_context
def stamp(context: click.Context, session: Session, /, gold: str, output: str | None) -> None:
    """Note in GOLD which texts were judged, so that `check` can tell when they change.

    The exit code is 1 when an answer cannot be found.
    """
    from hybridkb.evaluation import stamp_gold_set

    with session.open(embedder="none") as library:
        report = stamp_gold_set(library, gold, output=output)
    if session.as_json:
        print_json(report)
    else:
        print_text(f"{report.path}: {report.stamped:,} answers stamped, {report.unchanged:,} of them as before")
        for answer in report.missing[:SHOWN]:
            print_text(f"not found: {answer}")
    if report.missing:
        context.exit(FINDINGS)


@gold.command()
@click.argument("queries", type=click.Path(path_type=Path, allow_dash=True), metavar="QUERIES")
@click.option("--output", "-o", metavar="FILE", help="Write here instead of to standard output.")
@click.option("--mode", "modes", type=MODES, multiple=True, help="Pool only this ranking; may be given several times.")
@click.option("--per-mode", type=click.IntRange(1, 1000), default=10, show_default=True, help="Hits of each ranking.")
@click.option("--documents", is_flag=True, help="Propose whole documents instead of passages.")
@global_options
@pass_session
def propose(session: Session, /, queries: Path, output: str | None, **options: Any) -> None:
    """Search QUERIES in every mode and write candidates for a person to judge, as JSON Lines.

    QUERIES holds a query a line, or records of a gold set; - is standard input. Set each "judgement" to 0 (wrong), 1
    (right) or more (better), by hand or with `hybridkb gold judge`; a file that still holds null is refused as a gold
    set.
    """
    from hybridkb.evaluation import propose as run
    from hybridkb.evaluation.plan import MODES as EVERY

    with session.open() as library, progress(session, "searching") as move:
        proposed = run(
            library,
            _read_queries(queries),
            modes=options["modes"] or EVERY,
            per_mode=options["per_mode"],
            by_document=options["documents"],
            progress=move,
        )
        _write(output, proposed)


@gold.command()
@click.argument("proposals", metavar="PROPOSALS")
@global_options
@pass_session
def judge(session: Session, /, proposals: str) -> None:
    """Ask about each candidate in PROPOSALS that is not judged yet, and write the answers into it.

    0 is wrong, 1 right, 2 and more better; s skips a candidate, q ends. What was answered is kept after each query, so
    that it can be gone on with.
    """
    from hybridkb.evaluation.stamping import read_lines, write_lines

    records = read_lines(proposals)
    for place, record in enumerate(records, start=1):
        _require_candidates(record, proposals, place)
    for place, record in enumerate(records, start=1):
        more = _judge(record, f"query {place} of {len(records)}")
        write_lines(proposals, records)
        if not more:
            break
    waiting = sum(one.get("judgement") is None for record in records for one in record.get("candidates") or [])
    if session.as_json:
        print_json({"path": proposals, "waiting": waiting})
    else:
        print_text(f"{proposals}: {waiting:,} candidates are not judged yet")


def _require_candidates(record: dict[str, Any], path: str, place: int) -> None:
    from hybridkb.evaluation.gold_entries import candidates_of

    try:
        candidates_of(record)
    except InvalidInput as error:
        raise UnreadableDocument(f"{path}, query {place}: {error}", path=path, place=place) from error


def _judge(record: dict[str, Any], place: str) -> bool:
    """Ask about the candidates of one query; False when the person has had enough."""
    told = False
    for one in record.get("candidates") or []:
        if one.get("judgement") is not None:
            continue
        if not told:
            print_text(f"\n{place}: {record.get('query')}")
            told = True
        found = ", ".join(f"{mode} {rank}" for mode, rank in _ranks(one.get("found")))
        print_text(f"\n  {one.get('title') or one.get('locator')}  ({found})\n  {one.get('snippet', '')}")
        answer = click.prompt("  grade", type=click.Choice([*map(str, range(6)), "s", "q"]), show_choices=True)
        if answer == "q":
            return False
        if answer != "s":
            one["judgement"] = int(answer)
    return True


def _ranks(found: Any) -> Iterable[tuple[Any, Any]]:
    """Where each mode found a candidate, as far as the file says so."""
    return found.items() if isinstance(found, dict) else ()


def _read_queries(path: Path) -> Iterator[Any]:
    """Texts, or records where a line is a JSON object."""
    from hybridkb.evaluation.gold_entries import parse_json

    lines = Lines(path)
    for number, line in enumerate(lines, start=1):
        try:
            text = line.decode().strip().removeprefix("\ufeff")
            if text:
                yield parse_json(text) if text.startswith("{") else text
        except (InvalidInput, UnicodeDecodeError) as error:
            raise UnreadableDocument(f"{lines.name}, line {number}: {error}", path=lines.name, place=number) from error


def _write(output: str | None, records: Iterator[dict[str, Any]]) -> None:
    from hybridkb.evaluation.stamping import write_lines

    if output is not None:
        write_lines(output, records)
        return
    for record in records:
        click.echo(json.dumps(record, ensure_ascii=False))
    sys.stdout.flush()


def _print_check(report: GoldCheckReport) -> None:
    counts = ", ".join(f"{count:,} {state.replace('_', ' ')}" for state, count in report.states.items())
    print_text(f"{report.gold}: {report.queries:,} queries, {report.judgements:,} judgements: {counts or 'none'}")
    shown = [one for one in report.findings if one.state != "unstamped"]
    if shown:
        rows = [
            (one.line or None, one.query, one.answer, one.state.replace("_", " "), one.detail, ", ".join(one.now_at))
            for one in shown[:SHOWN]
        ]
        print_table(("line", "query", "answer", "state", "what happened", "now at"), rows)
    if len(shown) > SHOWN:
        print_text(f"and {len(shown) - SHOWN:,} more; --json lists all")
