"""A folded matrix is the same as its cells, one by one, and computes to what the whole operation gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.examples import OF_EACH_KIND, all_in_a_thorough_run, some
from tests.operations.drawing import SPECIAL, examples, written_out
from tests.views.samples import bundled_trace
from walkthrough.expressions.fold.arrays import evaluate_pieces, is_exact
from walkthrough.expressions.fold.folding import Folded, Piece, expand, fold
from walkthrough.expressions.tree.evaluate import evaluate
from walkthrough.expressions.tree.indices import Index, LoopVariable, Undecided
from walkthrough.expressions.tree.nodes import (
    Call,
    Cell,
    Entry,
    Expression,
    IndexValue,
    Number,
    Operand,
    Product,
    Repeated,
    Sum,
    Transposed,
    Where,
    loop,
    loop_over,
)
from walkthrough.operations import OPERATIONS, Array, Operation
from walkthrough.recording.values import Value
from walkthrough.scenario.sources import bundled_scenarios

ROW, COLUMN = (0, 1, 0), (0, 0, 1)


def assert_folds(pieces: Folded, cell: Callable[[int, int], Expression], shape: tuple[int, int]) -> None:
    """Every cell lies in one piece, and is what the piece says."""
    covered = np.zeros(shape, dtype=int)
    for piece in pieces:
        for i in piece.rows:
            for j in piece.columns:
                covered[i, j] += 1
                found, wanted = expand(piece, i, j), cell(i, j)
                assert found == wanted or repr(found) == repr(wanted)  # nan, where there is no number, equals nothing
    assert (covered == 1).all()


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=list(OPERATIONS))
def test_every_operation(operation: Operation) -> None:
    for example in examples(operation, some(2, 25), SPECIAL):
        pieces, expressions, whole = (
            operation.fold(example.shapes, example.settings),
            example.expressions(),
            example.whole,
        )
        assert_folds(pieces, lambda i, j: expressions[i][j], whole.shape)  # noqa: B023
        np.testing.assert_allclose(evaluate_pieces(pieces, whole.shape, example.arrays), whole, rtol=1e-9, atol=1e-11)


SMALL = sorted(bundled_scenarios().keys() - {"transformer-base", "specialise"})


@pytest.mark.parametrize(
    "name", all_in_a_thorough_run(SMALL, OF_EACH_KIND - {"cooking-training", "not-on-your-life", "tiny-llama"})
)
def test_every_cell_of_a_bundled_scenario(name: str) -> None:
    """Evaluated on other numbers, too: a cell is the same expression whatever they are."""
    rng = np.random.default_rng(len(name))
    for value in bundled_trace(name):
        if value.operation is not None:
            assert_folds(value.fold(), value.cell, value.shape)
            found = evaluate_pieces(value.fold(), value.shape, [one.array for one in value.inputs])
            np.testing.assert_allclose(found, value.array, rtol=1e-9, atol=1e-10)
            arrays = [other_numbers(one.array, rng) for one in value.inputs]
            with np.errstate(all="ignore"):
                whole = value.operation.forward(*arrays, **value.settings)
            found = evaluate_pieces(value.fold(), value.shape, arrays)
            scale = max((np.abs(a[np.isfinite(a)]).max(initial=1.0) for a in arrays), default=1.0)
            np.testing.assert_allclose(found, whole, rtol=1e-9, atol=1e-11 * scale**2, err_msg=value.path)


def other_numbers(array: Array, rng: np.random.Generator) -> Array:
    """Numbers of the same shape: another mask, or numbers near those, and some that say nothing."""
    if np.isin(array, (0.0, 1.0)).all():
        return (rng.random(array.shape) < 0.5).astype(float)
    near = rng.permutation(array.ravel()).reshape(array.shape) + rng.normal(size=array.shape)
    near = np.where(np.isnan(array) | np.isnan(near), array, near)  # what has no rank has none in any run
    return np.where(rng.random(array.shape) < 0.15, rng.choice(SPECIAL, size=array.shape), near)


def test_chai_has_16_expressions_for_its_steps_and_two_for_its_positions() -> None:
    computed = [value for value in bundled_trace("chai") if value.operation is not None]
    assert len(computed) == 28
    of_inputs = [piece.expression for value in computed if value.inputs for piece in value.fold()]
    assert len(of_inputs) == 27
    assert len(set(of_inputs)) == 16
    positions = [piece.expression for value in computed if not value.inputs for piece in value.fold()]
    assert [expression.function for expression in positions] == ["sin", "cos"]


def pieces_of(name: str, shapes: list[tuple[int, int]], **options: Any) -> Folded:
    return OPERATIONS[name].fold(shapes, options)


def test_a_long_sum_is_one_term_with_a_running_index() -> None:
    (piece,) = pieces_of("linear", [(128, 512), (512, 64), (1, 64)])
    products = Product((Entry(0, (0, 1, 0, 0), (0, 0, 0, 1)), Entry(1, (0, 0, 0, 1), (0, 0, 1, 0))))
    assert piece == Piece(range(128), range(64), Sum((Repeated((products,), 512), Entry(2, (0, 0, 0), COLUMN))))


def test_runs_of_runs() -> None:
    (piece,) = pieces_of("largest_size", [(3, 4), (5, 2)])
    assert isinstance(piece.expression, Call)
    assert [item.count for item in piece.expression.arguments if isinstance(item, Repeated)] == [3, 5]
    inner = Repeated((Call("abs", (Entry(0, (0, 0, 0, 1, 0), (0, 0, 0, 0, 1)),)),), 4)
    assert piece.expression.arguments[0] == Repeated((inner,), 3)


@pytest.mark.parametrize(
    ("name", "shapes", "options", "places"),
    [
        ("concatenate", [(3, 2), (3, 4)], {}, [(range(3), range(2)), (range(3), range(2, 6))]),
        ("select_rows", [(5, 3)], {"indices": (1, 2, 3)}, [(range(3), range(3))]),
        ("select_rows", [(5, 3)], {"indices": (4, 0)}, [(range(1), range(3)), (range(1, 2), range(3))]),
        ("prediction", [(4, 3)], {"ids": (0, 1, 2)}, [(range(4), range(1)), (range(4), range(1, 2))]),
        (
            "cross_entropy_gradient",
            [(2, 5)],
            {"targets": (2, None), "count": 1},
            [
                (range(1), range(2)),
                (range(1), range(2, 3)),
                (range(1), range(3, 5)),
                (range(1, 2), range(5)),
            ],
        ),
        (
            "sinusoidal_positions",
            [],
            {"positions": range(6), "width": 8, "base": 1e4, "layout": "interleaved", "angle": "radians"},
            [(range(6), range(0, 8, 2)), (range(6), range(1, 8, 2))],
        ),
    ],
)
def test_what_does_not_fold_whole_is_in_pieces(name: str, shapes: list, options: dict, places: list) -> None:
    assert [(piece.rows, piece.columns) for piece in pieces_of(name, shapes, **options)] == places


A = Cell(0, 0, 0)


@pytest.mark.parametrize(
    ("cell", "count"),
    [
        (lambda i, j: Cell(0, j, i), 1),
        (lambda i, j: Number(2 * i - j + 3) * Cell(0, 2 - i, 3 - j), 1),
        (lambda i, j: Cell(0, i, j) if i == j else Number(0), None),
        (lambda i, j: Cell(0, i, j) if i <= j else Number(0), None),
        (lambda i, j: Cell(0, i, j) if j > 2 else Number(0), 2),
        (lambda i, j: Cell(0, i, j) if 1 <= i < 2 else Number(0), 2),
        (lambda i, j: Cell(0, i, j) if i != 1 else -Cell(0, i, j), 2),
        (lambda i, j: Cell(0, i, j % 2), 2),
        (lambda i, j: Cell(0, (i * j) % 3, 0), None),
        (lambda i, j: Cell(0, [2, 0, 1][i], (3, 1, 0, 2)[j]), None),
        (lambda i, j: Sum(tuple(Cell(0, i, k) for k in range(j))), None),
        (lambda i, j: Cell(j, i, 0), 4),
        (lambda i, j: Number(0.1 * (j + 1)), None),
        (lambda i, j: Number(float(i == j)), None),
        (lambda i, j: Sum(tuple(loop(j, lambda k: Cell(0, i, k)))), None),
        (lambda i, j: Sum(tuple(loop(3, lambda k: Cell(0, k + i, 2 * k) * Number(k - j)))), 1),
        (lambda i, j: Sum((Cell(0, 0, 5), Cell(0, 0, 3), A, Cell(0, 0, 9))), 1),
        (lambda i, j: Where(Cell(1, i, j), Cell(0, i, j), Number(0)), 1),
        (lambda i, j: Cell(0, i, j) if max(i, 1) > 1 else Number(5), 2),
        (lambda i, j: Cell(0, i, j) if i in (0, 2) and bool(j) else Number(5), None),
        (lambda i, j: Cell(0, (i + 1) // 2, int(j)), None),
    ],
)  # fmt: skip
def test_whatever_a_cell_asks(cell: Callable[[Any, Any], Expression], count: int | None) -> None:
    pieces = fold(cell, 3, 4)
    assert_folds(pieces, lambda i, j: written_out(cell(i, j)), (3, 4))
    assert count is None or len(pieces) == count


def test_two_terms_are_a_loop_only_where_they_stand_side_by_side() -> None:
    def of(*columns: int) -> Expression:
        terms = tuple(loop_over([(column,) for column in columns], lambda column: Cell(0, 0, column)))
        return fold(lambda i, j: Sum(terms), 2, 2)[0].expression

    assert of(0, 1) == Sum((Repeated((Entry(0, (0, 0, 0, 0), (0, 0, 0, 1)),), 2),))
    assert of(4, 1) == Sum((Entry(0, (0, 0, 0), (4, 0, 0)), Entry(0, (0, 0, 0), (1, 0, 0))))
    assert of(4, 2, 0) == Sum((Repeated((Entry(0, (0, 0, 0, 0), (4, 0, 0, -2)),), 3),))
    assert of(5, 0, 1) == Sum((Entry(0, (0, 0, 0), (5, 0, 0)), Repeated((Entry(0, (0, 0, 0, 0), (0, 0, 0, 1)),), 2)))


def test_a_part_that_is_shared_has_the_addresses_of_the_loop_that_it_stands_in() -> None:
    mean = Sum(tuple(loop(3, lambda k: Cell(0, 0, k))))
    (piece,) = fold(lambda i, j: Sum((mean, *loop(2, lambda k: mean * Cell(0, i, k)))), 2, 1)
    assert_folds((piece,), lambda i, j: written_out(Sum((mean, mean * Cell(0, i, 0), mean * Cell(0, i, 1)))), (2, 1))


def test_what_is_asked_of_an_index_that_has_no_answer_for_all_is_asked_of_each_number() -> None:
    variable = LoopVariable(range(4))
    at = 2 * Index(0, {variable: 1}) - 3
    assert (at + 1 < 6, at >= -3, at == 9, 5 - at > 1) == (True, True, False, True)
    for question in (lambda: at < 1, lambda: at == 1, lambda: bool(at + 3)):
        with pytest.raises(Undecided) as asked:
            question()
        assert (asked.value.variables, asked.value.cut is not None) == ([variable], True)
    for question in (lambda: at % 2, lambda: at // 2, lambda: [1, 2][at], lambda: float(at)):
        with pytest.raises(Undecided) as asked:
            question()
        assert (asked.value.variables, asked.value.cut) == ([variable], None)


def test_an_empty_matrix_has_no_pieces() -> None:
    assert fold(lambda i, j: A, 0, 3) == fold(lambda i, j: A, 3, 0) == ()


def test_constants_move_too() -> None:
    (piece,) = fold(lambda i, j: Number(i + 5) / Number(3), 4, 1)
    assert piece.expression == IndexValue((5, 1, 0)) / Number(3)


def test_terms_are_added_one_after_another() -> None:
    x = np.array([[1e16, 1.0, 1.0, -1e16]])
    total = evaluate_pieces(pieces_of("row_sum", [x.shape]), (1, 1), [x])
    assert total.tolist() == [[((1e16 + 1.0) + 1.0) - 1e16]] != [[2.0]]


@pytest.mark.parametrize(
    ("name", "exact"), [("matrix_product", True), ("relu", True), ("exp", False), ("mean_square", False)]
)
def test_what_leaves_a_library_no_choice_is_exact(name: str, exact: bool) -> None:
    shapes = [(3, 3)] * (2 if name == "matrix_product" else 1)
    assert is_exact(pieces_of(name, shapes, **OPERATIONS[name].example)) == exact


def test_a_large_matrix_is_computed_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("walkthrough.expressions.fold.arrays._MOST", 100)
    x = np.random.default_rng(1).normal(size=(9, 7))
    operation, shapes = OPERATIONS["softmax_gradient"], [(9, 7)] * 2
    found = evaluate_pieces(pieces_of(operation.name, shapes), (9, 7), [x, x])
    np.testing.assert_allclose(found, operation.forward(x, x), rtol=1e-13)
    number = evaluate(written_out(operation.expression(8, 6, shapes, {})), lambda cell: float(x[cell.row, cell.column]))
    assert found[8, 6] == pytest.approx(number, rel=1e-14)


def test_whole_matrices_do_not_occur_in_cells() -> None:
    def nodes_in(expression: Expression) -> set[type]:
        from walkthrough.expressions.tree.walk import parts

        return {type(expression)}.union(*(nodes_in(part) for part in parts(expression)))

    for value in bundled_trace("cooking-training"):
        for piece in value.fold():
            assert not nodes_in(piece.expression) & {Operand, Transposed, Cell}


def test_a_given_matrix_has_no_pieces() -> None:
    assert all(value.fold() == () for value in bundled_trace("chai") if value.operation is None)
    assert isinstance(bundled_trace("chai")["embeddings"], Value)
