"""The line of code of every operation computes what the whole operation does."""

from __future__ import annotations

import numpy as np
import pytest

from tests.examples import some
from tests.operations.drawing import examples
from tests.views.code.programs import check, source
from walkthrough.expressions.notations.code import NUMPY, TORCH, NoCode, to_code
from walkthrough.expressions.notations.text import Writer
from walkthrough.expressions.tree.nodes import Call, Expression, Named, Number, Operand, loop
from walkthrough.operations import OPERATIONS, Operation
from walkthrough.operations.positions.relative import Buckets
from walkthrough.operations.what_if import replace_step
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Kind

ALL = pytest.mark.parametrize("operation", OPERATIONS.values(), ids=list(OPERATIONS))
A, B = Operand(0), Operand(1)


def recorded(operation: Operation, arrays: list, options: dict) -> Trace:
    """A trace of this one step."""
    recorder = Recorder(Trace("One step"))
    given_values = [
        recorder.record_given(Kind(f"operand_{letter}", letter, "Operand"), array)
        for letter, array in zip("ABCDEFGH", arrays, strict=False)
    ]
    recorder.record(Kind("result", "R", "Result"), operation, tuple(given_values), options)
    return recorder.trace


@ALL
def test_in_numpy(operation: Operation) -> None:
    for example in examples(operation, some(2, 12)):
        assert "result" in check(recorded(operation, example.arrays, example.settings))["values"]


@pytest.mark.torch
@ALL
def test_in_pytorch(operation: Operation) -> None:
    pytest.importorskip("torch")
    for example in examples(operation, some(1, 12)):
        check(recorded(operation, example.arrays, example.settings), "torch")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("product_transposed", "A @ B.T"),
        ("linear", "A @ B + C"),
        ("relu", "np.maximum(0, A)"),
        ("select_rows", "A[[1, 0, 1]]"),
        ("divide_by_root", "A / np.sqrt(d_k)"),
        ("mask", "np.where(B != 0, A, A - 10000)"),
        ("gelu", "A * (1 + erf(A / np.sqrt(2))) / 2"),
        ("gradient_step", "A - C * B"),
        ("mean_square", "np.sum(A**2, axis=1, keepdims=True) / d"),
        ("cross_entropy_gradient", "(A - B) / 3"),
    ],
)
def test_it_looks_like_the_formula(name: str, line: str) -> None:
    operation = OPERATIONS[name]
    sizes = {"n": 3, "m": 3, "k": 3, "d": 3, "v": 3, "1": 1}
    arrays = [np.ones((sizes[a], sizes[b])) for a, b in operation.axes[0]]
    assert f"\nR = {line}\n" in source(recorded(operation, arrays, operation.example))


def test_positions_fill_every_other_column() -> None:
    operation = OPERATIONS["sinusoidal_positions"]
    lines = source(recorded(operation, [], operation.example)).splitlines()
    assert "R[:, 0::2] = np.sin(np.arange(4)[:, None] / 10000**(np.arange(0, 5, 2) / 5))" in lines
    assert "R[:, 1::2] = np.cos(np.arange(4)[:, None] / 10000**(np.arange(0, 3, 2) / 5))" in lines


def test_a_new_operation_brings_its_line_with_it() -> None:
    """By its formula; where that says it in words, by its cells."""
    from walkthrough.expressions.tree.nodes import Cell, Sum, maximum
    from walkthrough.operations import definition

    known = dict(definition.OPERATIONS)
    try:
        tripled = Operation("tripled", "n×m → n×m", lambda inputs: Number(3) * A)
        reach = Operation(
            "reach",
            "n×m, m×k → n×k",
            lambda inputs: Call("words", (Named("what can be reached from "), A)),
            lambda x, y: x @ y + x.max() + y.T[:, :1].T[:, : y.shape[1]],
            cell=lambda i, j, x, y: Sum(
                (
                    *loop(x[1], lambda k: Cell(0, i, k) * Cell(1, k, j)),
                    maximum(Cell(0, row, k) for row in range(x[0]) for k in range(x[1])),
                    Cell(1, 0, j),
                )
            ),
        )
    finally:
        definition.OPERATIONS.clear()
        definition.OPERATIONS.update(known)
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(3, 4)), rng.normal(size=(4, 5))
    assert "\nR = 3 * A\n" in source(recorded(tripled, [x], {}))
    check(recorded(tripled, [x], {}))
    check(recorded(reach, [x, y], {}))


@pytest.mark.parametrize(
    ("expression", "numpy", "torch"),
    [
        (A * B - A, "a @ b - a", "a @ b - a"),
        (Call("times", (A - B, -A)), "(a - b) * (-a)", "(a - b) * (-a)"),
        (A / (Number(2) * Number(0.5)), "a / (2 * 0.5)", "a / (2 * 0.5)"),
        (Call("max", (Number(0), A)), "np.maximum(0, a)", "torch.relu(a)"),
        (Call("sum", (Call("times", (A, B)),)), "np.sum(a * b, axis=1, keepdims=True)",
         "torch.sum(a * b, dim=1, keepdim=True)"),
        (Call("sqrt", (Number(2),)), "np.sqrt(2)", "math.sqrt(2)"),
        (Number(-np.inf) * A, "-np.inf * a", "-torch.inf * a"),
        (Number(np.nan) * A, "np.nan * a", "torch.nan * a"),
        (Number(np.pi) * A, "np.pi * a", "math.pi * a"),
        (Number(1e-5) * A, "1e-05 * a", "1e-05 * a"),
        (Number(1e300) * A, "1e+300 * a", "1e+300 * a"),
        (-(A - B), "-(a - b)", "-(a - b)"),
        (A - (B - A), "a - (b - a)", "a - (b - a)"),
    ],
)  # fmt: skip
def test_brackets_and_constants(expression: Expression, numpy: str, torch: str) -> None:
    for library, wanted in ((NUMPY, numpy), (TORCH, torch)):
        writer = Writer(operand=lambda index: "ab"[index], number=library.number)
        assert to_code(expression, writer, library) == wanted


@pytest.mark.parametrize("changes", [(("mean",),), (("0",),), (("mean",), ("cell", 0, 0, 0.5, "x = 0.5"))])
@pytest.mark.parametrize(
    ("name", "shapes"),
    [("linear_rate", []), ("take_columns", [(3, 2)]), ("mix", [(3, 1), (3, 2)]), ("dequantize", [(3, 4), (3, 2)])],
)
def test_a_step_with_other_numbers_has_code_where_its_own_has_none(name: str, shapes: list, changes: tuple) -> None:
    operation, rng = OPERATIONS[name], np.random.default_rng(3)
    options = {**operation.example, **({"share": "group", "size": 2} if name == "dequantize" else {})}
    arrays = [rng.normal(size=shape) for shape in shapes]
    shape = operation.result_shape(shapes, options)
    check(recorded(OPERATIONS["what_if"], arrays, replace_step(operation, options, shape, changes)))


def test_one_number_everywhere_fills_the_whole_matrix() -> None:
    options = {"buckets": Buckets(2, 4, False), "rows": (0, 0), "columns": (1, 2, 3)}
    assert check(recorded(OPERATIONS["relative_buckets"], [], options))["R"].shape == (2, 3)


def test_what_cannot_be_written_says_so() -> None:
    for expression in (Call("words", (Named("so to speak "), A)), Call("softmax", (A,))):
        with pytest.raises(NoCode):
            to_code(expression, Writer(), NUMPY)
