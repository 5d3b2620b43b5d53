"""The audit knows who wrote a summary, and what was made anew about the past."""

from __future__ import annotations

from datetime import UTC, datetime

from hybridkb import HybridLibrary
from oracles.items import day
from support.papers import make_result

CUTOFF = datetime(2024, 6, 1, tzinfo=UTC)


def test_a_summary_by_a_newer_model_is_listed(library: HybridLibrary) -> None:
    result = make_result(available_at=day(1), model="gpt-4o-mini")
    assert result.summary is not None
    library.put_paper(result)
    finding = library.audit(cutoffs=[CUTOFF]).finding("written_by_newer_model")
    assert finding is not None
    assert finding.groups == {"model": {"gpt-4o-mini": 1}}
    assert [one.subject for one in finding.examples] == [str(result.summary.id)]
    later = library.audit(cutoffs=[datetime(2025, 1, 1, tzinfo=UTC)])
    assert later.finding("written_by_newer_model") is None


def test_a_summary_that_searches_do_not_see_is_not(library: HybridLibrary) -> None:
    library.put_paper(make_result(available_at=day(1), model="gpt-4o-mini"))
    library.put_paper(make_result(available_at=day(1), model="unheard-of", summary="Another."))
    report = library.audit(cutoffs=[CUTOFF])
    assert report.finding("written_by_newer_model") is None
    assert report.finding("written_by_unknown_model").groups == {"model": {"unheard-of": 1}}  # type: ignore[union-attr]


def test_a_paper_that_came_later_than_the_cutoff_is_not(library: HybridLibrary) -> None:
    library.put_paper(make_result(available_at=day(300), model="gpt-4o-mini"))
    assert library.audit(cutoffs=[CUTOFF]).finding("written_by_newer_model") is None


def test_unknown_availability_of_a_paper_is_told(library: HybridLibrary) -> None:
    library.put_paper(make_result(available_at=None))
    finding = library.audit().finding("unknown_availability")
    assert finding is not None
    assert finding.count == 4
