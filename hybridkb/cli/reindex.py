"""``hybridkb reindex``: build another index beside the one that serves, and evaluate it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import click

from hybridkb.cli.evaluation_options import evaluation_arguments, evaluation_options, named
from hybridkb.cli.exit_codes import FINDINGS
from hybridkb.cli.figures import print_evaluation
from hybridkb.cli.output import print_json, print_text
from hybridkb.cli.progress import Progress, progress
from hybridkb.cli.promote import print_promotion
from hybridkb.cli.session import Session, global_options, pass_session
from hybridkb.errors import InvalidInput

if TYPE_CHECKING:
    from hybridkb.evaluation import PromotionReport, ReindexReport
    from hybridkb.evaluation.candidate import StageProgress
    from hybridkb.fusion import Fusion
    from hybridkb.lexical.ranking import RankingSettings
    from hybridkb.store.settings import LibrarySettings

_FUSION = {
    "rrf_k": "k",
    "lexical_weight": "lexical_weight",
    "semantic_weight": "semantic_weight",
    "by_relevance": "by_relevance",
    "alpha": "alpha",
}


@click.command()
@evaluation_options
@click.option("--model", metavar="NAME", help="Embed with another model: local, multilingual or openai:MODEL.")
@click.option("--language", metavar="NAME", help="Analyse words in another language; none for words without stems.")
@click.option("--fusion", type=click.Choice(["rrf", "convex"]), help="Fuse the legs in another way.")
@click.option("--rrf-k", type=float, help="Reciprocal rank: its constant.")
@click.option("--lexical-weight", type=float, help="Reciprocal rank: what words count.")
@click.option("--semantic-weight", type=float, help="Reciprocal rank: what meaning counts.")
@click.option("--by-relevance/--by-rank", default=None, help="Reciprocal rank: words count by what they hold, or not.")
@click.option("--alpha", type=float, help="Convex: the share of meaning, 0 to 1.")
@click.option("--ranking", multiple=True, metavar="NAME=VALUE", help="A ranking setting, such as k1=0.9.")
@click.option("--restart", is_flag=True, help="Throw away a candidate that is there.")
@click.option("--discard", is_flag=True, help="Only throw away the candidate that is there.")
@click.option("--promote", "promote_it", is_flag=True, help="Let it serve right away when the gate allows.")
@click.option("--wait", type=click.FloatRange(min=0), default=0.0, metavar="SECONDS",
              help="Wait so long for another reindex or promotion.")  # fmt: skip
@global_options
@pass_session
@click.pass_context
def reindex(context: click.Context, session: Session, /, gold: str | None, **options: Any) -> None:
    """Build a candidate beside the library and evaluate it on GOLD.

    The candidate lies in DATABASE-candidate, on a server in the namespace SCHEMA_candidate; what serves goes on.
    Without a change everything derived is made anew. It may be interrupted and goes on where it was; `hybridkb promote`
    lets it serve. The exit code is 1 when the gate would not promote it.
    """
    from hybridkb.evaluation import reindex as run

    if options["discard"]:
        _discard(session)
        return
    with session.open(read_only=False) as library, _stages(session) as move, named(gold):
        stored = library.settings
        report = run(
            library,
            embedder=options["model"],
            language=options["language"],
            fusion=_fusion(stored, options),
            ranking=_ranking(stored, options["ranking"]),
            gold=gold,
            restart=options["restart"],
            wait_seconds=options["wait"],
            progress=move,
            **evaluation_arguments(options),
        )
        promoted = _promote(library, report, options, gold)
    if session.as_json:
        print_json({**report.as_dict(), "promotion": None if promoted is None else promoted.as_dict()})
    else:
        _print(report, promoted)
    if report.promote is not True:
        context.exit(FINDINGS)


def _promote(library: Any, report: ReindexReport, options: dict[str, Any], gold: str | None) -> PromotionReport | None:
    from hybridkb.evaluation import promote

    if not (options["promote_it"] and report.promote):
        return None
    return promote(library, embedder=options["model"], gold=gold, note=options["note"])


def _print(report: ReindexReport, promoted: PromotionReport | None) -> None:
    began = "went on with" if report.resumed else "made"
    print_text(f"{began} {report.candidate}: {report.changes}")
    print_text(f"{report.records:,} records made anew, {report.embedded:,} texts embedded, {report.pending:,} pending")
    for locator, reason in report.failed:
        print_text(f"  not embedded: {locator}: {reason}")
    print_text("")
    print_evaluation(report.evaluation)
    if promoted is not None:
        print_promotion(promoted)


def _discard(session: Session) -> None:
    from hybridkb.evaluation import discard_candidate

    with session.open(embedder="none") as library:
        gone = discard_candidate(library)
    if session.as_json:
        print_json({"discarded": gone})
    else:
        print_text("the candidate is removed" if gone else "there is no candidate")


def _fusion(stored: LibrarySettings, options: dict[str, Any]) -> Fusion | None:
    """The fusion asked for: what is not given stays as it is stored."""
    changes = {field: options[name] for name, field in _FUSION.items() if options[name] is not None}
    if options["fusion"] is not None:
        changes["method"] = options["fusion"]
    method = changes.get("method", stored.fusion.method)
    idle = [name for name in _FUSION if options[name] is not None and (name == "alpha") != (method == "convex")]
    if idle:
        flags = " and ".join(f"--{name.replace('_', '-')}" for name in idle)
        raise InvalidInput(f"{flags} means nothing to the fusion {method}; give --fusion as well, or leave it out",
                           field=idle[0])  # fmt: skip
    return replace(stored.fusion, **changes) if changes else None


def _ranking(stored: LibrarySettings, pairs: tuple[str, ...]) -> RankingSettings | None:
    """The ranking asked for: what is not given stays as it is stored."""
    kinds = {one.name: type(getattr(stored.ranking, one.name)) for one in fields(stored.ranking)}
    changes: dict[str, Any] = {}
    for pair in pairs:
        name, _, value = pair.partition("=")
        if name not in kinds:
            raise InvalidInput(f"there is no ranking setting {name!r}; known are {', '.join(kinds)}", field="ranking")
        try:
            changes[name] = kinds[name](value)
        except ValueError:
            raise InvalidInput(f"{name} takes a {kinds[name].__name__}, not {value!r}", field="ranking") from None
    return replace(stored.ranking, **changes) if changes else None


@contextmanager
def _stages(session: Session) -> Iterator[StageProgress]:
    """One bar for each stage, in turn."""
    with ExitStack() as stack:
        shown: dict[str, Progress] = {}

        def move(stage: str, done: int, total: int | None) -> None:
            if stage not in shown:
                stack.close()
                shown[stage] = stack.enter_context(progress(session, stage))
            shown[stage](done, total)

        yield move
