"""The quiz of the page: what follows from the numbers on the screen is right, what does not is wrong, and why."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import walkthrough as wt
from tests.examples import slow
from tests.views.page.js.engine import ENGINE, asked, cells_of, needs_node, texts_of
from walkthrough.expressions.bounds.affine import AffineArithmetic
from walkthrough.expressions.bounds.forms import Forms, numbers
from walkthrough.expressions.bounds.matrices import forms_of
from walkthrough.expressions.tree.nodes import Cell, Expression
from walkthrough.expressions.tree.walk import parts
from walkthrough.recording.values import Value
from walkthrough.views.page.data import page_json
from walkthrough.views.selection import selection_of

pytestmark = needs_node
UNIT = 0.001

Asked = tuple[int, int, int, str]


def verdicts(trace: wt.Trace, answers: list[Asked]) -> list[str]:
    """What the page says of answers: right, unreadable, wrong or the cause."""
    modules, data = ENGINE.rpartition("/engine/")[0], page_json(trace, selection_of(trace, ()), None)
    found = asked("answers.mjs", modules=modules, data=data, rounds=[[answer] for answer in answers])
    return [cause or verdict for _, verdict, cause in found]


def judged(trace: wt.Trace, selector: str, row: int, column: int, *texts: str) -> list[str]:
    (value,) = trace.select(selector)
    k = next(at for at, one in enumerate(trace) if one is value)
    return verdicts(trace, [(k, row, column, text) for text in texts])


def computed(trace: wt.Trace) -> Iterator[tuple[int, Value, list[str], Forms]]:
    """Each step with its texts, and what the numbers shown before it leave open."""
    for k, value in enumerate(trace):
        if value.operation is not None:
            shown = [seen(one, trace) for one in value.inputs]
            yield (
                k,
                value,
                texts_of(value, trace),
                forms_of(value.fold(), value.shape, shown, AffineArithmetic(), e=2.718),
            )


def seen(value: Value, trace: wt.Trace) -> Forms:
    """The numbers of a matrix as somebody sees them: within half a unit of the last digit shown."""
    centre, half = value.array.copy(), np.zeros(value.shape)
    for at, text in zip(cells_of(value), texts_of(value, trace), strict=True):
        plain = text.replace("−", "-")
        if "e" in plain or not plain[-1].isdecimal():
            continue  # infinite, unknown, a word
        if ("." in plain and not is_given(value, *at)) or float(plain) != value.array[at]:
            centre[at], half[at] = float(plain), 0.5 * 10.0 ** -len(plain.partition(".")[2])
    return numbers(centre, half)


def is_given(value: Value, row: int, column: int) -> bool:
    """Whether a number is given, or copied from a given one."""
    if value.operation is None:
        return True
    node = value.cell(row, column)
    return isinstance(node, Cell) and is_given(value.inputs[node.operand], node.row, node.column)


def reads_each_once(node: Expression) -> bool:
    """Whether an expression reads no cell twice: then intervals lose nothing. Constants may be looked up: not these."""
    found: list[Cell] = []
    waiting = [node]
    while waiting:
        one = waiting.pop()
        found += [one] if isinstance(one, Cell) else []
        waiting += parts(one)
    return len(set(found)) == len(found)


@pytest.mark.parametrize(
    "name",
    [
        "help-me",
        "masked-scores",
        *(slow(name) for name in ("chai", "tea-gpt", "tiny-llama", "rotary", "soft-cap", "experts")),
    ],
)
def test_what_is_shown_is_right_as_is_all_that_the_numbers_shown_before_it_give(name: str) -> None:
    trace = wt.trace(wt.load_scenario(name))
    answers: list[Asked] = []
    for k, value, texts, found in computed(trace):
        for (row, column), text in zip(cells_of(value), texts, strict=True):
            answers.append((k, row, column, text))
            low, high = found.low[row, column], found.high[row, column]
            if value.holds_ids or "." not in text or "e" in text or not np.isfinite(high - low):
                continue
            if reads_each_once(value.cell(row, column)) and high - low < 1:
                for end in (low, high):  # as far as rounding can lead
                    answers.append((k, row, column, f"{end:.9f}"))
    said = verdicts(trace, answers)
    assert [(one, answer) for one, answer in zip(said, answers, strict=True) if one != "right"] == []


@pytest.mark.parametrize("name", ["help-me", slow("chai"), slow("tea-gpt")])
def test_a_step_beyond_what_rounding_explains_is_wrong(name: str) -> None:
    trace = wt.trace(wt.load_scenario(name))
    answers: list[Asked] = []
    for k, value, texts, found in computed(trace):
        assert value.operation is not None
        if value.holds_ids or "root" in value.operation.name:
            continue
        for (row, column), text in zip(cells_of(value), texts, strict=True):
            low, high = found.low[row, column], found.high[row, column]
            if "." in text and np.isfinite(high - low) and reads_each_once(value.cell(row, column)):
                unit = 10.0 ** -len(text.partition(".")[2])
                answers += [(k, row, column, f"{end:.6f}") for end in (low - 1.6 * unit, high + 1.6 * unit)]
    assert len(answers) > 10
    said = verdicts(trace, answers)
    assert [(one, answer) for one, answer in zip(said, answers, strict=True) if one == "right"] == []


def test_causes_are_told_apart() -> None:
    expected = {
        "1.450": "right",  # 2.050/√2
        "1,45": "right",
        "2,050/√2": "right",
        "1.4490": "right",
        "1.453": "wrong",
        "-1.449": "sign",
        "2.050": "not_scaled",
        "1.494": "swapped",
        "4.149": "swapped",
        "14.49": "point",
        "0.01449": "point",
        "1.4": "fewer",
        "abc": "unreadable",
        "": "unreadable",
        "1e999": "unreadable",
        "1.449\t2.050\n0.3\t0.4": "unreadable",
    }
    chai = wt.trace(wt.load_scenario("chai"))
    assert dict(zip(expected, judged(chai, "scaled_scores", 1, 2, *expected), strict=True)) == expected


def test_a_masked_cell_is_minus_infinity() -> None:
    trace = wt.trace(wt.load_scenario("masked-scores"))
    (masked,) = trace.select("masked_scores")
    row, column = next(at for at in cells_of(masked) if masked.array[at] == -np.inf)
    assert judged(trace, "masked_scores", row, column, "−∞", "-inf", "0") == ["right", "right", "wrong"]
    assert judged(trace, "softmax.exp", row, column, "0", "1") == ["right", "wrong"]


def test_a_predicted_word_is_asked_for_as_a_word() -> None:
    trace = wt.trace(wt.load_scenario("cooking"))
    value = next(one for one in trace if one.names is not None)
    word = texts_of(value, trace)[0]
    assert judged(trace, value.path, 0, 0, word, "nobody", "") == ["right", "wrong", "unreadable"]
