"""Scales, names and the drawing itself."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest
from report.labels import Box, place_labels
from report.rows import Mark, Panel, Row, RowsPlot, Series
from report.scale import Scale, around, around_log, size_text
from report.svg import Drawing


@pytest.mark.parametrize(
    ("values", "marks"),
    [
        ([0.31, 0.44], ["0.30", "0.35", "0.40", "0.45"]),
        ([0.5], ["0.480", "0.500", "0.520"]),
        ([-0.043, 0.021], ["-0.06", "-0.04", "-0.02", "0.00", "0.02", "0.04"]),
    ],
)
def test_linear_axes_hold_the_figures_between_round_ones(values: list[float], marks: list[str]) -> None:
    scale = around(values, 0, 100)
    assert scale.low <= min(values) <= max(values) <= scale.high
    found = list(scale.marks().values())
    assert len({len(mark.lstrip("-")) for mark in found}) == 1
    assert float(found[0]) == pytest.approx(scale.low)
    assert float(found[-1]) <= scale.high + 1e-9


def test_an_axis_with_zero_holds_zero() -> None:
    scale = around([0.2, 0.3], 0, 100, zero=True)
    assert scale.low == 0
    assert 0.0 in scale.marks()


def test_logarithmic_axes_give_the_same_room_to_every_factor() -> None:
    scale = around_log([10, 1_000], 0, 300)
    steps = [after - before for before, after in pairwise(scale.place(value) for value in (10, 100, 1_000))]
    assert steps[0] == pytest.approx(steps[1])
    assert list(scale.marks().values()) == ["10", "100", "1,000"]
    assert list(Scale(1.5, 12, 0, 1, log=True).marks().values()) == ["2", "5", "10"]


def test_one_figure_alone_makes_an_axis() -> None:
    assert 0 < around_log([5.0], 0, 100).place(5.0) < 100
    assert around([0.0], 0, 100).high > 0


def test_sizes_are_shortened() -> None:
    assert [size_text(size) for size in (500, 10_000, 1_000_000)] == ["500", "10k", "1M"]


def test_names_of_crowded_points_do_not_cover_each_other() -> None:
    frame = Box(0, 0, 360, 240)
    names = [(f"engine {number}", (150.0 + 6 * number, 120.0 + 4 * number)) for number in range(6)]
    labels = place_labels(names, frame)
    assert [label.text for label in labels] == [text for text, _ in names]
    boxes = [label.box for label in labels]
    assert all(frame.holds(box) for box in boxes)
    assert not [1 for number, box in enumerate(boxes) if any(map(box.meets, boxes[:number]))]
    assert not [box for box in boxes for _, (x, y) in names if box.meets(Box(x - 4, y - 4, x + 4, y + 4))]


def test_a_name_that_fits_nowhere_is_kept() -> None:
    (label,) = place_labels([("a name that is wider than its frame", (10.0, 10.0))], Box(0, 0, 40, 20))
    assert label.text == "a name that is wider than its frame"


def test_texts_are_escaped() -> None:
    drawing = Drawing(100, 50, "a < b & c", "</desc><script>x</script>")
    drawing.text((1, 2), "<b>&amp;</b>")
    root = ElementTree.fromstring(drawing.render())
    assert [child.tag.partition("}")[2] for child in root] == ["title", "desc", "style", "rect", "text"]
    assert root[0].text == "a < b & c"
    assert root[4].text == "<b>&amp;</b>"


def test_an_interval_is_drawn_where_there_is_one_and_a_word_where_there_is_no_figure() -> None:
    series = Series("both", "circle")
    rows = (
        Row("one", (Mark(series, 0.5, 0.4, 0.6),)),
        Row("two", (Mark(series, 0.5),)),
        Row("three", (), said="failed"),
    )
    text = RowsPlot("t", "d", (series,), (Panel("p", rows),)).draw()
    assert text.count('class="line ours-stroke"') == 1
    assert text.count("<circle") == 3
    assert ">failed</text>" in text
