"""``hybridkb promote``: let what was evaluated serve, if the gate allows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hybridkb.cli.exit_codes import REFUSED
from hybridkb.cli.figures import print_gate
from hybridkb.cli.output import print_json, print_text
from hybridkb.cli.session import Session, global_options, pass_session
from hybridkb.errors import PromotionRefused

if TYPE_CHECKING:
    from hybridkb.evaluation import PromotionReport


@click.command()
@click.option("--run", type=int, metavar="RUN", help="Promote this evaluation instead of the newest.")
@click.option("--baseline", is_flag=True, help="It is the first of its kind: there is nothing to compare with.")
@click.option("--gold", metavar="GOLD", help="The gold set, so that lost queries are shown by their text.")
@click.option("--note", default="", metavar="TEXT", help="A word to go with the promotion.")
@click.option("--wait", type=click.FloatRange(min=0), default=0.0, metavar="SECONDS",
              help="Wait so long for a reindex or another promotion.")  # fmt: skip
@global_options
@pass_session
@click.pass_context
def promote(context: click.Context, session: Session, /, **options: Any) -> None:
    """Let the candidate serve, or make an evaluation of what serves the baseline.

    Only when its recall is not below that of the last promoted run on the same gold set, k, mode and filters. Readers
    go on without a gap. The exit code is 7 when it is refused; what serves then goes on.
    """
    from hybridkb.evaluation import promote as run

    try:
        with session.open(read_only=False) as library:
            report = run(
                library,
                run=options["run"],
                baseline=options["baseline"],
                gold=options["gold"],
                note=options["note"],
                wait_seconds=options["wait"],
            )
    except PromotionRefused as refused:
        _tell_refusal(session, refused)
        context.exit(REFUSED)
    if session.as_json:
        print_json(report.as_dict())
    else:
        print_promotion(report)


def print_promotion(report: PromotionReport) -> None:
    """Print what a promotion did."""
    if report.target == "serving":
        print_text(f"run {report.run} is the {'first ' if report.baseline else ''}baseline of its kind now")
    else:
        made = f"{report.records:,} records made anew, {report.vectors:,} vectors taken over"
        print_text(f"run {report.run} is promoted and serves: {report.changes}; {made}")
        if report.embedded or report.pending:
            print_text(f"{report.embedded:,} texts that arrived since were embedded, {report.pending:,} wait")
    for note in report.notes:
        print_text(f"note: {note}")


def _tell_refusal(session: Session, refused: PromotionRefused) -> None:
    report: Any = refused.report
    if session.as_json:
        facts = None if report is None else report.as_dict()
        print_json({"promoted": False, "reasons": refused.reasons, "report": facts})
        return
    if report is not None:
        print_gate(report.gate)
    click.echo(f"hybridkb: {refused}", err=True)
