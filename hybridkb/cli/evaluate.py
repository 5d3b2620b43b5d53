"""``hybridkb evaluate``: does the library find what a gold set says it should?"""

from __future__ import annotations

from typing import Any

import click

from hybridkb.cli.evaluation_options import MODES, evaluation_arguments, evaluation_options, named
from hybridkb.cli.exit_codes import FINDINGS
from hybridkb.cli.figures import print_evaluation
from hybridkb.cli.filter_options import filter_options, given
from hybridkb.cli.output import print_json
from hybridkb.cli.progress import progress
from hybridkb.cli.session import Session, global_options, pass_session


@click.command()
@evaluation_options
@click.option("--mode", "modes", type=MODES, multiple=True, help="Measure only this ranking; several times.")
@click.option("--tune", is_flag=True, help="Choose the fusion by cross-validation, and store it if it holds.")
@click.option("--against", type=int, metavar="RUN", help="List lost and won queries against another run.")
@click.option("--queries", is_flag=True, help="Show how each query fared.")
@click.option("--no-record", is_flag=True, help="Keep no row of it.")
@filter_options
@global_options
@pass_session
@click.pass_context
def evaluate(context: click.Context, session: Session, /, gold: str | None, **options: Any) -> None:
    """Measure how well the library finds what GOLD says it should.

    GOLD is a file of JSON Lines or a BEIR folder (FOLDER:NAME for other judgements than qrels/test.tsv); else that of
    HYBRIDKB_GOLD_SET, else the packaged one, which judges examples/items. The exit code is 1 when the gate would not
    promote, as when recall is below that of the last promoted run.
    """
    from hybridkb.evaluation import evaluate as run

    modes = {"modes": options["modes"]} if options["modes"] else {}
    with session.open(read_only=options["no_record"]) as library, progress(session, "evaluating") as move, named(gold):
        report = run(
            library,
            gold,
            tune=options["tune"],
            against=options["against"],
            filters=given(options) or None,
            record=not options["no_record"],
            progress=move,
            **modes,
            **evaluation_arguments(options),
        )
    if session.as_json:
        print_json(report.as_dict())
    else:
        print_evaluation(report, queries=options["queries"])
    if report.promote is False:
        context.exit(FINDINGS)
