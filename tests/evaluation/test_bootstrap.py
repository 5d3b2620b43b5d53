"""Intervals are those of the bootstrap: narrow where queries agree, equal for equal seeds, paired for differences."""

from __future__ import annotations

import numpy as np
import pytest

from hybridkb.evaluation import bootstrap
from hybridkb.evaluation.bootstrap import interval, intervals


def test_an_interval_holds_the_mean_and_narrows_with_more_queries() -> None:
    draw = np.random.default_rng(3)
    few, many = draw.random(20), draw.random(2000)
    for values in (few, many):
        one = interval(values.tolist())
        assert one.low < one.value < one.high
        assert one.value == pytest.approx(values.mean())
    narrow, wide = interval(many.tolist()), interval(few.tolist())
    assert narrow.high - narrow.low < (wide.high - wide.low) / 5


def test_it_is_about_two_standard_errors_wide_on_each_side() -> None:
    values = np.random.default_rng(5).normal(0.4, 0.2, 400)
    error = values.std(ddof=1) / 20
    one = interval(values.tolist(), resamples=20_000)
    assert one.low == pytest.approx(values.mean() - 1.96 * error, abs=0.1 * error)
    assert one.high == pytest.approx(values.mean() + 1.96 * error, abs=0.1 * error)


def test_the_same_seed_gives_the_same_interval_and_another_another() -> None:
    values = np.random.default_rng(1).random(50).tolist()
    assert interval(values, seed=1) == interval(values, seed=1)
    assert interval(values, seed=1) != interval(values, seed=2)


def test_differences_are_paired_so_that_hard_queries_do_not_blur_them() -> None:
    hard = np.random.default_rng(2).random(100)
    both = intervals(np.column_stack([hard, hard + 0.01, np.full(100, 0.01)]))
    assert both[0].high > both[1].low
    assert both[2].low == pytest.approx(0.01)
    assert both[2].high == pytest.approx(0.01)
    shifted = interval((hard + 0.01 - hard).tolist())
    assert shifted.low > 0


def test_drawing_in_steps_changes_nothing_about_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(4).random((30, 2))
    at_once = intervals(values, resamples=500)
    monkeypatch.setattr(bootstrap, "_MOST_AT_ONCE", 90)
    in_steps = intervals(values, resamples=500)
    for one, other in zip(at_once, in_steps, strict=True):
        assert one == other


def test_one_query_has_no_spread() -> None:
    one = interval([0.5])
    assert (one.low, one.value, one.high) == (0.5, 0.5, 0.5)
