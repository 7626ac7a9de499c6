"""Every operation says the same twice: as a whole over matrices, and number by number."""

from __future__ import annotations

import itertools
import math
import string

import numpy as np
import pytest

from tests.examples import some
from tests.operations.drawing import SPECIAL, Example, agree, agreeing, examples
from walkthrough.expressions.notations.latex import to_latex
from walkthrough.expressions.notations.text import Writer, to_text
from walkthrough.expressions.tree.nodes import Cell, Expression, Named, Number, Operand
from walkthrough.expressions.tree.shapes import to_shapes
from walkthrough.expressions.tree.walk import cells
from walkthrough.languages.catalogue import ENGLISH
from walkthrough.operations import OPERATIONS, Operation, definition, matrix
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Kind

ALL = pytest.mark.parametrize("operation", OPERATIONS.values(), ids=list(OPERATIONS))
ENDS = (0.0, -0.0, 1e-320, 1e200, -1e200, math.inf, -math.inf, math.nan)
"""Of float64."""


@ALL
def test_what_it_says_of_itself_holds_of_any_numbers_unknown_ones_too(operation: Operation) -> None:
    """Whole and cells agree, labels follow, the formula is written, cells ask for what is there, copies are that."""
    for special in ((), (math.nan,), SPECIAL):
        for example in examples(operation, some(1, 20), special):
            agreeing(example)
            _labels_follow_the_first_input_axis_of_the_same_name(example)
            _its_formula_can_be_written_in_every_way(example)
            _cells_ask_for_numbers_that_are_there(example)
            if operation.copies:
                assert _are_there_already(example)
    for example in examples(operation, some(1, 40), ENDS):  # still numbers: neither of the two ways raises
        assert example.by_cells().shape == example.whole.shape


@pytest.mark.parametrize(
    "name", [name for name, one in OPERATIONS.items() if not one.copies and one.axes[0] and name != "first_beyond"]
)  # a word drawn is not copied from anywhere on paper
def test_what_does_not_copy_gives_numbers_that_were_not_there(name: str) -> None:
    assert not all(map(_are_there_already, examples(OPERATIONS[name], 200)))


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


def _labels_follow_the_first_input_axis_of_the_same_name(example: Example) -> None:
    recorder, operation = Recorder(Trace()), example.operation
    labels: dict[str, tuple[str, ...]] = {}
    values = []
    names = operation.input_axes(example.shapes)
    for letter, array, axes in zip(string.ascii_letters, example.arrays, names, strict=False):
        sides = [tuple(f"{letter}{side}{at}" for at in range(size)) for side, size in enumerate(array.shape)]
        values.append(recorder.record_given(Kind(letter, "", ""), array, *sides))
        for name, side in zip(axes, sides, strict=True):
            labels.setdefault(name, side)
    result = recorder.record(Kind("result", "", ""), operation, tuple(values), example.settings, array=example.whole)
    for name, found, size in zip(operation.axes[1], (result.rows, result.columns), result.shape, strict=True):
        assert found == labels.get(name, tuple(map(str, range(1, size + 1))))


def _its_formula_can_be_written_in_every_way(example: Example) -> None:
    operation, arrays = example.operation, example.arrays
    formula = operation.formula(len(arrays), **example.settings)
    writer = Writer(operand=[f"<{at}>" for at in range(len(arrays))].__getitem__, phrase=ENGLISH.phrase)
    text, shapes = to_text(formula, writer), to_shapes(formula, example.shapes, example.whole.shape)
    assert to_latex(formula, writer)
    assert shapes.endswith("{}×{}".format(*example.whole.shape))
    in_words = {"last_rows", "table_of", "largest_size", "sums_of_squares", "words_of_hypothesis"}
    assert not arrays or operation.name in in_words or "<0>" in text


def _cells_ask_for_numbers_that_are_there(example: Example) -> None:
    for expression in itertools.chain(*example.expressions()):
        for cell in cells(expression):
            rows, columns = example.shapes[cell.operand]
            assert cell.operand >= 0
            assert 0 <= cell.row < rows
            assert 0 <= cell.column < columns


def _are_there_already(example: Example) -> bool:
    """Whether every number that it gives is one that it was given, or a 0 or -inf."""
    operation, arrays, options, whole = example
    known = {0.0, -math.inf, *options.get("ids", ()), *(number for array in arrays for number in array.flat)}
    known |= {options["limit"]} if "limit" in options else set()
    known |= {float(beam) for beam in range(1, len(arrays) + 1)} if "taken" in options else set()
    if operation.name == "mask":
        whole = operation.forward(*arrays, value=-math.inf)
    return {abs(number) for number in whole.flat if not math.isnan(number)} <= {abs(number) for number in known}


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

        with pytest.raises((AssertionError, ValueError)):
            list(map(agreeing, examples(wrong, 200)))

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


@ALL
def test_shapes_name_their_axes(operation: Operation) -> None:
    before, after = operation.axes
    assert all(
        name.removesuffix("|1").isalnum() or name == definition.ANY for pair in [*before, after] for name in pair
    )


def test_axes_are_those_of_the_shapes() -> None:
    assert matrix.linear.axes == ([("n", "k"), ("k", "m"), ("1", "m")], ("n", "m"))
    assert matrix.add.axes == ([("n", "m"), ("n|1", "m")], ("n", "m"))
    assert matrix.add.input_axes([(3, 2), (3, 2), (1, 2)]) == [("n", "m"), ("n", "m"), ("1", "m")]
    assert OPERATIONS["sinusoidal_positions"].axes == ([], ("n", "d"))
