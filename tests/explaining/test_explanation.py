"""An explanation: every line of the tree is right, its operands are the numbers of the line, long sums add up."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.examples import SMALL_OF_EACH_KIND, all_in_a_thorough_run, some
from tests.explaining.test_worked import is_right
from tests.views.samples import bundled_trace
from walkthrough.explaining import explanation
from walkthrough.explaining.explanation import MOST_NUMBERS, MOST_TERMS, Explanation, explain
from walkthrough.operations import matrix
from walkthrough.recording import Kind, Recorder, Trace
from walkthrough.recording.cells import CellAt
from walkthrough.recording.values import Value
from walkthrough.scenario.sources import bundled_scenarios

LARGE = {"transformer-base", "specialise"} | some({"not-on-your-life-teacher-forced"}, set())


def lines(explanation: Explanation) -> Iterator[Explanation]:
    yield explanation
    for operand in explanation.operands:
        yield from lines(operand)


@pytest.mark.parametrize(  # what a training has calculated stands on all that was before it: thousands of lines
    "name", all_in_a_thorough_run(sorted(bundled_scenarios().keys() - LARGE), SMALL_OF_EACH_KIND - {"cooking-training"})
)
def test_every_line_is_right_down_to_the_given_numbers(name: str) -> None:
    trace = bundled_trace(name)
    chooser = random.Random(name)
    values = [value for value in trace if value.array.size]
    for value in chooser.sample(values, min(len(values), some(3, 12))):
        cell = CellAt(value, chooser.randrange(value.shape[0]), chooser.randrange(value.shape[1]))
        found = list(lines(explain(trace, cell, None)))
        for one in found:
            assert is_right(one.line), str(one.line)
            assert one.operands or one.repeated or (one.cut and len(found) > MOST_NUMBERS) or not _reads(one)


def _reads(one: Explanation) -> bool:
    from walkthrough.expressions.tree.walk import cells

    value = one.cell.value
    return value.operation is not None and bool(list(cells(value.cell(one.cell.row, one.cell.column))))


def test_each_number_is_explained_once() -> None:
    trace = bundled_trace("cooking")
    explanation = explain(trace, trace.cell("probabilities[cooking, .]"), None)
    explained = [
        (one.path, one.cell.row, one.cell.column) for one in lines(explanation) if one.operands and not one.repeated
    ]
    assert len(explained) == len(set(explained))


def test_depth() -> None:
    trace = bundled_trace("chai")
    cell = trace.cell("weights[chai, is]")
    none, two = explain(trace, cell, 0), explain(trace, cell, 2)
    assert none.cut
    assert not none.operands
    assert not two.cut
    assert {one.path.rpartition(".")[2] for one in two.operands} == {"exp", "sum"}
    assert str(trace.explain("weights[chai, is]").line) == str(two.line)


def wide(terms: int) -> Trace:
    rng = np.random.default_rng(1)
    recorder = Recorder(Trace())
    x = recorder.record_given(Kind("x", "X", "X"), rng.normal(size=(1, terms)))
    w = recorder.record_given(Kind("w", "W", "W"), rng.normal(size=(terms, 2)))
    recorder.record(Kind("y", "Y", "Y"), matrix.linear, (x, w))
    return recorder.trace


def test_a_sum_of_512_terms_shows_the_largest_and_a_remainder_that_adds_up() -> None:
    trace = wide(512)
    explanation = explain(trace, CellAt(trace["y"], 0, 1), 1)
    assert is_right(explanation.line)
    assert f"[{512 - MOST_TERMS + 1} smaller terms]" in explanation.line.arithmetic
    x, w = trace["x"].array[0], trace["w"].array[:, 1]
    largest = sorted(range(512), key=lambda at: -abs(x[at] * w[at]))[: MOST_TERMS - 1]
    shown = {one.cell.column for one in explanation.operands if one.path == "x"}
    assert shown == set(largest)


def test_what_is_computed_from_a_number_is_shown_as_its_own_step_shows_it() -> None:
    trace = bundled_trace("lens")
    assert [user.text for user in explain(trace, trace.cell("output_head.probabilities[is, Paris]"), 0).users] == [
        "Paris",
        "0.541",
    ]
    trace = bundled_trace("number-formats", by_hand=True)
    assert {user.text for user in explain(trace, trace.cell("weights[tea, tea]"), 0).users} == {"nan"}


def test_numbers_of_two_steps_of_one_symbol_are_told_apart_as_in_the_formula() -> None:
    trace = bundled_trace("warmup")
    found = explain(trace, trace.cell("train.1.gradient.embeddings[I, 1]"), 1)
    assert found.formula == "∂W_E = ∂W_E,L + ∂W_E,E2 + ∂W_E,E3"
    assert [str(one.line.name) for one in found.operands] == ["∂W_E,L[I, 1]", "∂W_E,E2[I, 1]", "∂W_E,E3[I, 1]"]


def test_the_steps_of_several_heads_in_one_tree_have_their_numbers_and_those_of_one_head_have_none() -> None:
    trace = bundled_trace("one-block")
    for cell, wanted in (
        ("encoder.1.norm_1.output[drinks, 2]", {"S_1", "S'_1", "A_1", "W_Q1", "S_2", "S'_2", "A_2", "W_Q2"}),
        ("encoder.1.attention.head.2.output[drinks, 1]", {"S", "S'", "A", "W_Q"}),
    ):
        found = list(lines(explain(trace, trace.cell(cell), None)))
        inside = {one.line.name.symbol for one in found if ".head." in one.path}
        assert {symbol for symbol in inside if symbol.strip("_12'") in ("S", "A", "W_Q")} == wanted


def test_a_sum_that_several_numbers_read_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over 128,256 words, eleven times, it took most of the time."""
    worked: list[CellAt] = []
    original = explanation.write_out

    def noted(value: Value, row: int, column: int, *others: Any) -> Any:
        worked.append(CellAt(value, row, column))
        return original(value, row, column, *others)

    monkeypatch.setattr(explanation, "write_out", noted)
    trace = bundled_trace("chai")
    explain(trace, CellAt(trace["encoder.1.attention.output"], 1, 1), None)
    assert len(worked) == len(set(worked)) > 10
