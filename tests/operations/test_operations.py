"""Every operation says the same twice: as a whole over matrices, and number by number."""

from __future__ import annotations

import math
import string
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.examples import some
from tests.operations.drawing import Inputs, agree, by_cells, forward, inputs, written_out
from walkthrough.expressions.notations.latex import to_latex
from walkthrough.expressions.notations.text import Writer, to_text
from walkthrough.expressions.tree.nodes import Cell, Expression, Named, Number, Operand
from walkthrough.expressions.tree.shapes import to_shapes
from walkthrough.expressions.tree.walk import cells
from walkthrough.languages.catalogue import ENGLISH
from walkthrough.operations import OPERATIONS, Array, Operation, definition, matrix
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Kind

ALL = pytest.mark.parametrize("operation", OPERATIONS.values(), ids=list(OPERATIONS))
FEW = settings(max_examples=some(4, 40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
WITHOUT_SHRINKING = settings(FEW, max_examples=200, phases=[Phase.generate])
"""Where examples are meant to fail: the first that does ends the search, and the smallest that does is of no use."""


@ALL
def test_what_it_says_of_itself_holds_of_any_numbers_unknown_ones_too(operation: Operation) -> None:
    """Whole and cells agree, labels follow, the formula is written, cells ask for what is there, copies are that."""

    @FEW
    @given(st.one_of(inputs(operation), inputs(operation, special=(math.nan,))))
    def holds(drawn: Inputs) -> None:
        arrays, options = drawn
        result = agree(operation, arrays, options)
        _labels_follow_the_first_input_axis_of_the_same_name(operation, arrays, options)
        _its_formula_can_be_written_in_every_way(operation, arrays, options, result)
        _cells_ask_for_numbers_that_are_there(operation, arrays, options)
        if operation.copies:
            _numbers_are_there_already(operation, arrays, options)

    holds()


@ALL
def test_at_the_ends_of_float64_each_number_is_still_a_number(operation: Operation) -> None:
    """Neither of the two ways raises."""
    ends = (0.0, -0.0, 1e-320, 1e200, -1e200, math.inf, -math.inf, math.nan)

    @settings(FEW, max_examples=some(2, 40))
    @given(inputs(operation, special=ends))
    def holds(drawn: Inputs) -> None:
        result = forward(operation, *drawn)
        assert by_cells(operation, *drawn, result.shape).shape == result.shape

    holds()


@pytest.mark.parametrize(
    "name", [name for name, one in OPERATIONS.items() if not one.copies and one.axes[0] and name != "first_beyond"]
)  # a word drawn is not copied from anywhere on paper
def test_what_does_not_copy_gives_numbers_that_were_not_there(name: str) -> None:
    @WITHOUT_SHRINKING
    @given(inputs(OPERATIONS[name]))
    def holds(drawn: Inputs) -> None:
        _numbers_are_there_already(OPERATIONS[name], *drawn)

    with pytest.raises(AssertionError):
        holds()


@ALL
def test_formula_is_an_expression_over_the_inputs(operation: Operation) -> None:
    axes = operation.axes[0]
    formula = operation.formula(len(axes), **operation.example)

    def operands(expression: Expression) -> set[int]:
        if isinstance(expression, Operand):
            return {expression.index}
        parts = [inner for part in expression._parts() for inner in (part if isinstance(part, tuple) else (part,))]
        return set().union(*(operands(part) for part in parts if isinstance(part, Expression)))

    assert isinstance(formula, Expression)
    assert operands(formula) <= set(range(len(axes)))


def _labels_follow_the_first_input_axis_of_the_same_name(
    operation: Operation, arrays: list[Array], options: dict[str, Any]
) -> None:
    recorder = Recorder(Trace())
    labels: dict[str, tuple[str, ...]] = {}
    values = []
    names = [*operation.axes[0], *[("", "")] * len(arrays)]
    for letter, array, axes in zip(string.ascii_letters, arrays, names, strict=False):
        sides = [tuple(f"{letter}{side}{at}" for at in range(size)) for side, size in enumerate(array.shape)]
        values.append(recorder.record_given(Kind(letter, "", ""), array, *sides))
        for name, side in zip(axes, sides, strict=True):
            labels.setdefault(name, side)
    result = recorder.record(Kind("result", "", ""), operation, tuple(values), options)
    for name, found, size in zip(operation.axes[1], (result.rows, result.columns), result.shape, strict=True):
        assert found == labels.get(name, tuple(map(str, range(1, size + 1))))


def _its_formula_can_be_written_in_every_way(
    operation: Operation, arrays: list[Array], options: dict[str, Any], result: Array
) -> None:
    formula = operation.formula(len(arrays), **options)
    writer = Writer(operand=[f"<{at}>" for at in range(len(arrays))].__getitem__, phrase=ENGLISH.phrase)
    text, shapes = to_text(formula, writer), to_shapes(formula, [array.shape for array in arrays], result.shape)
    assert to_latex(formula, writer)
    assert shapes.endswith(f"{result.shape[0]}×{result.shape[1]}")
    in_words = {"last_rows", "table_of", "largest_size", "sums_of_squares", "words_of_hypothesis"}
    assert not arrays or operation.name in in_words or "<0>" in text


def _cells_ask_for_numbers_that_are_there(operation: Operation, arrays: list[Array], options: dict[str, Any]) -> None:
    shapes = [array.shape for array in arrays]
    rows, columns = operation.result_shape(shapes, options)
    for row, column in {(0, 0), (rows - 1, 0), (0, columns - 1), (rows - 1, columns - 1)}:
        for cell in cells(written_out(operation.expression(row, column, shapes, options))):
            assert 0 <= cell.operand < len(arrays)
            assert 0 <= cell.row < shapes[cell.operand][0]
            assert 0 <= cell.column < shapes[cell.operand][1]


def _numbers_are_there_already(operation: Operation, arrays: list[Array], options: dict[str, Any]) -> None:
    """Every number that it gives is one that it was given, or a 0 or -inf."""
    known = {0.0, -math.inf, *options.get("ids", ()), *(number for array in arrays for number in array.flat)}
    known |= {options["limit"]} if "limit" in options else set()
    known |= {float(beam) for beam in range(1, len(arrays) + 1)} if "taken" in options else set()
    if operation.name == "mask":
        options = {"value": -math.inf}
    found = forward(operation, arrays, options)
    assert {abs(number) for number in found.flat if not math.isnan(number)} <= {abs(number) for number in known}


class TestTheTestIsSeenToFail:
    """A checker that cannot fail checks nothing."""

    @pytest.fixture(autouse=True)
    def _own_table(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(definition, "OPERATIONS", {})

    @pytest.mark.parametrize(
        ("shapes", "forward", "cell"),
        [
            ("n×m → n×m", lambda x: 2 * x, lambda i, j, x: Cell(0, i, j) * Number(2.0000001)),
            ("n×m → n×m", lambda x: x, lambda i, j, x: Cell(0, 0, j)),
            ("n×m → n×m", lambda x: x.T.copy(), lambda i, j, x: Cell(0, j, i)),
            ("n×m → n×1", lambda x: x, lambda i, j, x: Cell(0, i, j)),
            ("n×m → n×m", lambda x: np.multiply(x, 0, out=x), lambda i, j, x: Number(0)),
            ("n×m → n×m", lambda x: x.astype(np.float32), lambda i, j, x: Cell(0, i, j)),
        ],
        ids=["value", "place", "transposed", "shape", "changed input", "precision"],
    )
    def test_on_an_operation_that_is_wrong(self, shapes: str, forward: object, cell: object) -> None:
        wrong = Operation("wrong", shapes, lambda inputs: Named("wrong"), forward, cell=cell)

        @WITHOUT_SHRINKING
        @given(inputs(wrong))
        def holds(drawn: tuple) -> None:
            agree(wrong, *drawn)

        with pytest.raises((AssertionError, ValueError)):
            holds()

    def test_on_optional_inputs_that_one_way_forgets(self) -> None:
        wrong = Operation(
            "wrong",
            "n×k, k×m, 1×m → n×m",
            lambda inputs: matrix.linear.formula(2),
            matrix.linear.forward,
        )
        given_all = [np.ones((2, 2)), np.ones((2, 2)), np.ones((1, 2))]
        agree(wrong, given_all[:2], {})
        with pytest.raises(AssertionError):
            agree(wrong, given_all, {})

    def test_one_name_stands_for_one_operation(self) -> None:
        Operation("mine", "→ n×m", lambda inputs: Number(0))
        with pytest.raises(ValueError, match=r"^the operation 'mine' is defined twice$"):
            Operation("mine", "→ n×m", lambda inputs: Number(0))


@given(st.sampled_from(list(OPERATIONS.values())))
def test_shapes_name_their_axes(operation: Operation) -> None:
    before, after = operation.axes
    assert all(name.isalpha() or name.isdigit() or name == definition.ANY for pair in [*before, after] for name in pair)
    assert matrix.linear.axes == ([("n", "k"), ("k", "m"), ("1", "m")], ("n", "m"))
    assert matrix.add.axes == ([("n", "m"), ("n", "m")], ("n", "m"))
    assert OPERATIONS["sinusoidal_positions"].axes == ([], ("n", "d"))
