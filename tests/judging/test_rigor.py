"""No number is called wrong that a correct calculation could have printed; none is missed that none could."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal

import numpy as np
import pytest

import walkthrough as wt
from tests.examples import some
from tests.judging.printing import (
    accused,
    computed,
    drawn,
    exactly_printed,
    printed,
    printed_by_hand,
    report_of,
    with_published,
)
from walkthrough.judging.bounds import Bounds
from walkthrough.judging.calculation import Calculation
from walkthrough.judging.check import check
from walkthrough.judging.numbers import PrintedNumbers
from walkthrough.judging.prints import PrintedCell
from walkthrough.recording.values import Value


@pytest.mark.parametrize("seed", range(some(4, 48)))
def test_exact_numbers_are_exact(seed: int) -> None:
    report = report_of(exactly_printed(seed))
    assert report.summary["exact"] == len(report.cells), accused(report)


@pytest.mark.parametrize("seed", range(100, some(106, 138)))
def test_numbers_by_hand_are_not_accused(seed: int) -> None:
    assert not accused(report_of(printed_by_hand(seed)))


def spoiled(seed: int) -> tuple[str, str, int, int] | None:
    """A trace printed right, but for one number that is 20 units beyond what could be reached; and which one."""
    rng = random.Random(seed)
    spec, trace = drawn(seed)
    digits = {value.path: (rng.randint(2, 4), False) for value in computed(trace)}
    prints = {value.path: printed(value, digits[value.path]) for value in computed(trace)}
    places = [
        (value, row, column)
        for value in computed(trace)
        for row in range(value.shape[0])
        for column in range(value.shape[1])
        if value.names is None and np.isfinite(value.array[row, column]) and not value.unknown
    ]
    if not places:
        return None
    value, row, column = rng.choice(places)
    source = with_published(spec, prints)
    high = _reachable(source, value.path, row, column)
    if not high < 1e9:
        return None
    unit = Decimal(1).scaleb(-digits[value.path][0])
    prints[value.path][row][column] = str((Decimal(high) / unit).quantize(Decimal(1)) * unit + 20 * unit)
    return with_published(spec, prints), value.path, row, column


def _reachable(source: str, path: str, row: int, column: int) -> float:
    """The largest number that a cell can come out as, from the numbers printed before it."""
    scenario = wt.parse_scenario(source)
    trace = wt.trace(scenario)
    calculation = Calculation(Bounds())
    place = {value: number for number, value in enumerate(trace)}
    by_step: dict[Value, list[PrintedCell]] = {}
    for one in check(scenario, trace).cells:
        if place[one.cell.value] < place[trace[path]] and not isinstance(one.cell.printed, str):
            by_step.setdefault(one.cell.value, []).append(one.cell)
    for value, cells in by_step.items():
        calculation.carry(PrintedNumbers(value, cells), np.zeros(len(cells), dtype=bool))
    return float(calculation.bounds.compute(trace[path]).forms.high[row, column])


@pytest.mark.parametrize("seed", range(200, some(204, 230)))
def test_a_wrong_number_is_found_and_alone_to_blame(seed: int) -> None:
    if (made := spoiled(seed)) is None:
        pytest.skip("nothing in it can be spoiled")
    source, path, row, column = made
    report = report_of(source)
    assert [(one.cell.value.path, one.cell.row, one.cell.column) for one in report.with_verdict("wrong")] == [
        (path, row, column)
    ], accused(report)
    place = {value.path: at for at, value in enumerate(report.trace)}
    before = [one for one in report.cells if place[one.cell.value.path] < place[path]]
    assert all(one.verdict == "exact" for one in before)


def to_bfloat16(numbers: np.ndarray) -> np.ndarray:
    """Rounded half to even, to the upper half of a float32."""
    bits = numbers.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)


PRECISIONS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], int]] = {
    "float32": (lambda numbers: numbers.astype(np.float32), 6),
    "float16": (lambda numbers: numbers.astype(np.float16), 3),
    "bfloat16": (to_bfloat16, 2),
}
"""How an author's program rounds, and the fewest significant digits that it prints."""


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("seed", range(some(1, 24)))
def test_numbers_of_another_precision_are_not_accused(seed: int, precision: str) -> None:
    assert not accused(report_of(in_precision(seed, precision)))


def in_precision(seed: int, precision: str) -> str:
    """A trace of which every step is rounded to a number format, some steps of it printed."""
    rng = random.Random(seed)
    spec, trace = drawn(seed)
    to_format, fewest = PRECISIONS[precision]
    arrays: dict[int, np.ndarray] = {}
    with np.errstate(all="ignore"):
        for value in trace:
            numbers = value.array
            if value.operation is not None:
                inputs = [arrays[id(one)] for one in value.inputs]
                numbers = value.operation.forward(*inputs, **value.settings)
            arrays[id(value)] = to_format(numbers).astype(np.float64)
    prints = {}
    for value in computed(trace):
        is_held = (np.isfinite(arrays[id(value)]) == np.isfinite(value.array)).all()  # nothing overflows
        if rng.random() < 0.7 and value.names is None and is_held:
            value.array = arrays[id(value)]
            prints[value.path] = printed(value, (rng.randint(fewest, fewest + 2), True))
    return with_published(spec, prints, f"source_arithmetic: {precision}\n")


@pytest.mark.parametrize(("precision", "off"), [("float32", 1e-5), ("float16", 0.02), ("bfloat16", 0.2)])
def test_what_no_rounding_of_a_format_gives_is_wrong(precision: str, off: float) -> None:
    text = """title: Short numbers
attention: {heads: [{q: [[1.04, 1.54]], k: [[1.41, -0.12]], scale: none}]}
source_arithmetic: %s
published: {scores: [[%.9f]]}
"""
    for factor, verdict in ((1.0, "exact"), (1 + off / 64, "rounding"), (1 + off, "wrong")):
        report = report_of(text % (precision, 1.2816 * factor))
        assert [one.verdict for one in report.cells] == [verdict]


def test_where_hardly_anything_is_rounded_there_is_hardly_a_margin() -> None:
    """Through many layers that were not printed; a margin grows with each of them."""
    weights = "{init: normal, std: 0.3, seed: %d}"
    text = f"""title: deep
tokens: [a, b, c]
vocabulary: [a, b, c]
embeddings: {weights % 1}
dimensions: {{d_model: 6, d_ff: 8}}
encoder:
  layers:
    repeat: 12
    layer:
      attention: {{num_heads: 2, w_q: {weights % 2}, w_k: {weights % 3}, w_v: {weights % 4}, w_o: {weights % 5}}}
      feed_forward: {{w_1: {weights % 6}, w_2: {weights % 7}}}
rounding: {{decimals: 14}}
"""
    numbers = wt.trace(wt.parse_scenario(text))["encoder.output"].array[0].tolist()
    for off, verdict in ((0.0, "exact"), (0.002, "wrong")):
        row = ", ".join(f"{number + off:.3f}" for number in numbers)
        report = report_of(f"{text}published: {{encoder.output: {{a: [{row}]}}}}\n")
        assert {one.verdict for one in report.cells} == {verdict}
