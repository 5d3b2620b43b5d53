"""``hybridkb coverage``: is what should be in the library in it?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hybridkb.cli.exit_codes import FINDINGS
from hybridkb.cli.memory_sources import collect, source_options
from hybridkb.cli.output import print_json, print_table, print_text
from hybridkb.cli.session import Session, global_options, pass_session
from hybridkb.knowledge.provenance import SOURCE_CLASSES

if TYPE_CHECKING:
    from hybridkb.memory import CoverageReport

GAPS = (
    "missing", "unreadable", "stale", "orphans", "without_provenance", "without_availability", "without_vectors",
    "truncated", "upcoming",
)  # fmt: skip
FAILING = tuple(name for name in GAPS if name not in ("missing", "upcoming"))
SHOWN = 5


@click.command()
@click.argument("expected", required=False, metavar="[EXPECTED]")
@source_options
@click.option("--min", "least", type=click.FloatRange(0, 100), default=100.0, show_default=True, metavar="PCT",
              help="Fail when less than this is covered.")  # fmt: skip
@click.option("--fail-on", multiple=True, type=click.Choice(FAILING), default=("stale", "unreadable"),
              show_default=True, help="Fail when there is such a one; may be given several times.")  # fmt: skip
@click.option("--source", "classes", multiple=True, type=click.Choice(SOURCE_CLASSES),
              help="Only what is of this class of trust counts; may be given several times.")  # fmt: skip
@click.option("--all", "every", is_flag=True, help="List every slug with its chunks.")
@global_options
@pass_session
@click.pass_context
def coverage(
    context: click.Context, session: Session, /, expected: str | None, least: float, fail_on: tuple[str, ...],
    classes: tuple[str, ...], every: bool, **options: Any,
) -> None:  # fmt: skip
    """Compare what should be in the library with what is.

    EXPECTED is a folder that the library is kept in step with, a folder of articles, or a manifest (.json, .jsonl,
    .csv); or name the sources as for `hybridkb ingest`. Drafts and what is upcoming are not missing.

    The exit code is 0 when at least --min is covered and nothing is found that --fail-on names, else 1.
    """
    from hybridkb.memory import coverage_report

    with session.open() as library:
        wanted: Any = collect(options, library.settings.zone)
        if (wanted is None) == (expected is None):
            raise click.UsageError("what should be in? Give EXPECTED, or sources such as --articles DIR; not both")
        report = coverage_report(expected if wanted is None else wanted, library, sources=classes or None)
    failed = [name for name in fail_on if getattr(report, name)]
    ok = report.coverage_pct >= least and not failed
    if session.as_json:
        print_json({**_as_dict(report), "ok": ok, "failed_on": failed})
    else:
        _tell(report, every)
        print_text(_verdict(report, least, failed))
    if not ok:
        context.exit(FINDINGS)


def _as_dict(report: CoverageReport) -> dict[str, Any]:
    return {name: getattr(report, name) for name in type(report).__dataclass_fields__}


def _tell(report: CoverageReport, every: bool) -> None:
    """Print what is not as it should be, and with ``every`` all slugs."""
    rows = [(name.replace("_", " "), len(found), _some(found)) for name in GAPS if (found := getattr(report, name))]
    if rows:
        print_table(("finding", "count", "which"), rows)
    for name, reason in report.not_counted.items():
        print_text(f"{name.replace('_', ' ')} was not counted: {reason}")
    if every:
        print_table(("slug", "chunks"), report.chunk_counts.items())


def _some(found: tuple[Any, ...]) -> str:
    lines = [one if isinstance(one, str) else f"{one.place}: {' '.join(one.reason.split())}" for one in found[:SHOWN]]
    if len(found) > SHOWN:
        lines.append(f"and {len(found) - SHOWN:,} more; --json lists all")
    return "\n".join(lines)


def _verdict(report: CoverageReport, least: float, failed: list[str]) -> str:
    if not report.expected:
        return "nothing is expected: is the folder there?"
    words = f"{report.coverage_pct:.1f} % covered: {report.covered:,} of {report.expected:,} are in"
    short = [f"less than {least:g} %"] if report.coverage_pct < least else []
    bad = [*short, *(name.replace("_", " ") for name in failed)]
    return f"{words}; not good enough: {', '.join(bad)}" if bad else words
