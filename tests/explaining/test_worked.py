"""A worked line can be typed into a pocket calculator: what it gives is the result printed, to the last digit."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

import walkthrough as wt
from tests import examples
from tests.calculator import calculated, chosen
from tests.examples import SMALL_OF_EACH_KIND, all_in_a_thorough_run, slow, some
from tests.views.samples import bundled_trace
from walkthrough.explaining.worked import Worked, cell_name, example_cell, work_out
from walkthrough.operations import activation, matrix, scaling, softmax
from walkthrough.operations.generation import prediction
from walkthrough.operations.training import update
from walkthrough.recording import Kind, Recorder, Trace, Value
from walkthrough.recording.rounding import Digits, Rounding
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.views.latex.document import worked_line

BUNDLED = bundled_scenarios().keys()
LARGE = some(1_500, 20_000)
STEP_BY_STEP = SMALL_OF_EACH_KIND - {"cooking-training", "two-sentences"} | {"first-step"}
BY_HAND = sorted(BUNDLED - examples.IN_A_FORMAT - {"not-on-your-life"})  # a row of its exponentials rounds to 0


def wrong_lines(trace: Trace, decimals: int, terms: int | None = None, large: int = LARGE) -> list[str]:
    """The worked lines whose arithmetic is not their result: of every cell, or of a few hundred in a large trace."""
    computed = [value for value in trace if value.operation]
    if sum(value.array.size for value in computed) > large:
        rng = np.random.default_rng(1)
        cells = [(value, tuple(rng.integers(value.shape))) for value in computed[:: max(1, len(computed) // 200)]]
    else:
        cells = [(value, cell) for value in computed for cell in np.ndindex(value.shape)]
    lines = [work_out(value, *cell, decimals, terms) for value, cell in cells]
    assert lines
    return [str(line) for line in lines if not is_right(line)]


def is_right(line: Worked) -> bool:
    """Whether the arithmetic gives the result; a moved number and one that is its own arithmetic have none to check."""
    if line.arithmetic.startswith("argmax"):
        return chosen(line.arithmetic) == line.result
    if "[" in line.arithmetic.split(" [")[0] or not line.arithmetic:
        return True
    found, printed = calculated(line.arithmetic), calculated(line.result)
    if not np.isfinite(printed):
        return bool(np.array_equal(found, printed, equal_nan=True))
    unit = last_digit(line.result)
    return abs(found - printed) <= 0.5 * unit * (1 + 1e-6) + 1e-15 * abs(printed)  # float64's own, where millions tie


def last_digit(text: str) -> float:
    """What one unit of the last digit printed is worth."""
    mantissa, _, power = text.replace("−", "-").replace("(", "").replace(")", "").partition("×10^")
    return float(Decimal(1).scaleb(Decimal(mantissa).as_tuple().exponent + int(power or 0)))


def large(name: str) -> int:
    """Of more numbers than this a few hundred are tried; of a scenario that waits for a thorough run nearly all are."""
    return LARGE if name in examples.OF_EACH_KIND else 20_000


@pytest.mark.parametrize("name", all_in_a_thorough_run(sorted(BUNDLED), STEP_BY_STEP))
def test_every_cell_of_a_bundled_scenario(name: str) -> None:
    trace = bundled_trace(name)
    wrong = wrong_lines(trace, trace.decimals, large=large(name))
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.parametrize("name", [slow("chai"), "sandwich"])
def test_every_cell_with_all_its_digits(name: str) -> None:
    trace = wt.trace(wt.load_scenario(name), decimals=15)
    lines = [work_out(value, *cell, 15) for value in trace if value.operation for cell in np.ndindex(value.shape)]
    near = [line for line in lines if not is_right(line) and not is_near(line)]
    assert not near, "\n".join(map(str, near[:20]))


def is_near(line: Worked) -> bool:
    """Whether the arithmetic gives the result but for what float64 itself may miss."""
    found, printed = calculated(line.arithmetic), calculated(line.result)
    return abs(found - printed) <= 1e-14 * max(1.0, abs(printed))


@pytest.mark.parametrize(
    "name", all_in_a_thorough_run(BY_HAND, {"chai", "experts", "help-me", "masked-scores", "two-sentences"})
)
def test_every_cell_by_hand(name: str) -> None:
    trace = bundled_trace(name, by_hand=True)
    wrong = wrong_lines(trace, trace.decimals, large=large(name))
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.parametrize(
    ("name", "arithmetic"),
    [
        ("number-formats", "by-hand"),
        ("number-formats", "int8"),
        slow("chai", "bfloat16"),
        slow("experts", "float16"),
    ],
)
def test_every_cell_in_a_number_format_is_what_the_format_makes_of_its_line(name: str, arithmetic: str) -> None:
    trace = wt.trace(wt.load_scenario(name), arithmetic=arithmetic)
    for value in trace:
        for cell in np.ndindex(value.shape) if value.operation else ():
            line = work_out(value, *cell, trace.decimals)
            if line.arithmetic and "[" not in line.arithmetic and value.format is not None:
                numbers = value.quantities(value.array)
                found = value.format.round(np.array(calculated(line.arithmetic)), numbers)
                printed = calculated(line.result)
                if np.isfinite(printed):
                    assert abs(found - printed) <= 0.5 * last_digit(line.result) * (1 + 1e-6), line
                else:
                    assert np.array_equal(found, printed, equal_nan=True), line


@pytest.mark.parametrize("by_hand", [False, True], ids=["exact", "by hand"])
@pytest.mark.parametrize("decimals", [0, 1, 2, 4, 5, 6][:: some(3, 1)])
@pytest.mark.parametrize("name", [*map(slow, ("chai", "cooking", "fuchs")), "masked-scores"])
def test_every_cell_with_other_decimals(name: str, decimals: int, by_hand: bool) -> None:
    trace = wt.trace(wt.load_scenario(name), decimals=decimals, arithmetic="by-hand" if by_hand else "exact")
    wrong = wrong_lines(trace, decimals)
    assert not wrong, "\n".join(wrong[:20])


def test_every_cell_of_wide_sums_shortened() -> None:
    trace = wide()
    for terms in (2, 5, 8):
        wrong = wrong_lines(trace, 3, terms)
        assert not wrong, "\n".join(wrong[:20])
    assert "smaller terms] = " in str(work_out(list(trace)[-1], 0, 0, 3, 5))


def test_a_very_small_number_shows_enough_of_its_digits() -> None:
    recorder = Recorder(Trace())
    first = recorder.record_given(step("m"), np.array([[8.2921796819e-7]]))
    second = recorder.record_given(step("v"), np.array([[6.876024393677e-13]]))
    made = recorder.record(step("d"), update.direction, (first, second), {"epsilon": 1e-8})
    line = work_out(made, 0, 0, 6)
    assert is_right(line)
    assert str(line) == "D[1] = 0.000000829218 / (√(6.87602439368×10^(−13)) + 0.00000001) = 0.988084"


def test_a_shortened_sum_of_very_small_numbers() -> None:
    """Where a sum within may be nothing but last bits, what was left out is a number like the others."""
    recorder = Recorder(Trace())
    small = recorder.record_given(step("x"), np.arange(1.0, 41.0)[None] * 1e-12)
    line = str(work_out(recorder.record(step("u"), softmax.row_sum, (small,)), 0, 0, 3, 5))
    assert "[36 smaller terms] = 8.200×10^(−10)" in line


def test_a_shortened_sum_by_hand_leaves_out_no_last_bits() -> None:
    recorder = Recorder(Trace(), rounding=Rounding(3))
    decimals = recorder.record_given(step("x"), np.array([[1.0, 2.0, 0.1, 0.2]]))
    line = str(work_out(recorder.record(step("u"), softmax.row_sum, (decimals,)), 0, 0, 3, 3))
    assert line == "U[1] = 1 + 2 + 0.3 [2 smaller terms] = 3.300"


def wide() -> Trace:
    rng = np.random.default_rng(1)
    recorder = Recorder(Trace())
    x = recorder.record_given(step("x"), rng.normal(size=(3, 40)))
    w = recorder.record_given(step("w"), rng.normal(size=(40, 3)) * 10.0 ** rng.integers(-6, 3, size=(40, 3)))
    b = recorder.record_given(step("b"), rng.normal(size=(1, 3)))
    recorder.record(step("y"), matrix.linear, (x, w, b))
    return recorder.trace


def test_a_line_that_is_wrong_is_seen() -> None:
    assert not is_right(Worked("x", "1.04×2", "2.09"))
    assert is_right(Worked("x", "1.04×2", "2.08"))
    assert is_right(Worked("x", "1 / 3", "0.333"))
    assert not is_right(Worked("x", "1 / 3", "0.334"))
    assert not is_right(Worked("x", "1.2×10^(−5) / 2", "6.1×10^(−6)"))
    assert not is_right(Worked("x", "argmax(a: 0.1, b: 0.2)", "a"))
    assert not is_right(Worked("x", "−∞ + 1", "0.5"))


def step(name: str) -> Kind:
    return Kind(name, name.upper(), name.title())


def words_first(name: str) -> Kind:
    return step(name)._replace(ids=(0,))


@pytest.fixture
def recorder() -> Recorder:
    return Recorder(Trace())


def given(recorder: Recorder, name: str, *rows: list[float], labels: tuple[str, ...] | None = None) -> Value:
    return recorder.record_given(step(name), np.array(rows, dtype=float), rows=labels)


def test_operands_get_the_digits_that_the_result_takes(recorder: Recorder) -> None:
    a = given(recorder, "a", [1.04149, 1.54031], labels=("chai",))
    b = given(recorder, "b", [-0.11612, 1.40926], [2.0, 1 / 3], labels=("is", "hot"))
    s = recorder.record(step("s"), matrix.product_transposed, (a, b))
    assert str(work_out(s, 0, 0, 3)) == "S[is] = 1.0415×(−0.1161) + 1.5403×1.4093 = 2.050"
    assert str(work_out(s, 0, 1, 2)) == "S[hot] = 1.0415×2 + 1.5403×0.3333 = 2.60"


@pytest.mark.parametrize(
    ("operation", "numbers", "settings", "lines"),
    [
        (softmax.exponential, [-1e-5, 2.0, -np.inf], {}, ["e^(−1.0×10^(−5)) = 1.00", "e^2 = 7.39", "e^(−∞) = 0.00"]),
        (activation.relu, [-1.0, 0.5], {}, ["max(0, −1) = 0.00", "max(0, 0.5) = 0.50"]),
        (scaling.divide_by_root, [3.0, -1.0], {"root_of": 2, "name": "d_k"}, ["3 / √2 = 2.12", "−1 / √2 = −0.71"]),
        (scaling.scale_by, [np.nan, 1.0], {"factor": 0.1}, ["?×0.1 = ?", "1×0.1 = 0.10"]),
        (scaling.divide_by, [1e9], {"divisor": -3.0}, ["1×10^9 / (−3) = −3.33×10^8"]),
        (scaling.scale_by, [1e-6, 0.0], {"factor": 3.0}, ["1.0×10^(−6)×3 = 3.00×10^(−6)", "0×3 = 0"]),
    ],
)  # fmt: skip
def test_lines(recorder: Recorder, operation: object, numbers: list[float], settings: dict, lines: list[str]) -> None:
    result = recorder.record(step("y"), operation, (given(recorder, "x", numbers),), settings)
    assert [str(work_out(result, 0, at, 2)) for at in range(len(numbers))] == [
        f"Y[{at}] = {line}" for at, line in enumerate(lines, 1)
    ]


def test_a_moved_number_says_where_it_stood_and_a_given_one_only_what_it_is(recorder: Recorder) -> None:
    table = given(recorder, "table", [0.5, 1.0], [2.0, -3.0], labels=("a", "b"))
    row = recorder.record(step("e"), matrix.select_rows, (table,), {"indices": (1, 0, 1)}, rows=("b@1", "a", "b@3"))
    assert str(work_out(row, 2, 1, 1)) == "E[b@3, 2] = TABLE[b, 2] = −3.0"
    assert str(work_out(table, 0, 0, 1)) == "TABLE[a, 1] = 0.5"


def test_a_constant_is_not_said_twice(recorder: Recorder) -> None:
    hidden = recorder.record(
        step("m"), softmax.mask, (given(recorder, "x", [1, 2]), given(recorder, "v", [0, 1])), {"value": -np.inf}
    )
    assert str(work_out(hidden, 0, 0, 2)) == "M[1] = −∞"
    assert str(work_out(hidden, 0, 1, 2)) == "M[2] = X[2] = 2"


def test_a_prediction_is_a_word_among_words(recorder: Recorder) -> None:
    x = given(recorder, "x", [0.25, 0.75], labels=("I",))
    words = {7: "tea", 3: "\x1b<end>"}
    best = recorder.record(
        words_first("p"), prediction.prediction, (x,), {"ids": (7, 3)}, columns=("token", "probability")
    )
    best.names = words
    assert str(work_out(best, 0, 0, 2)) == r"P[token] = argmax(tea: 0.25, \x1b<end>: 0.75) = \x1b<end>"
    assert str(work_out(best, 0, 1, 2)) == "P[probability] = max(0.25, 0.75) = 0.75"
    moved = recorder.record(words_first("g"), matrix.select_rows, (best,), {"indices": (0, 0)})
    moved.names = words
    assert str(work_out(moved, 1, 0, 2)) == r"G[2, token] = P[token] = \x1b<end>"
    given_words = recorder.record_given(words_first("w"), np.array([[7.0]]))
    given_words.names = words
    assert str(work_out(given_words, 0, 0, 2)) == "W[1] = tea"


def test_what_is_not_a_number_is_not_called_unknown() -> None:
    recorder = Recorder(Trace())
    nan = recorder.record(
        step("n"), scaling.scale_by, (given(recorder, "x", [0.0]),), {"factor": 1}, array=np.array([[np.nan]])
    )
    assert (
        str(work_out(recorder.record(step("y"), scaling.scale_by, (nan,), {"factor": 2.0}), 0, 0, 2))
        == "Y[1] = nan×2 = nan"
    )


def test_by_hand_the_operands_are_the_rounded_ones() -> None:
    recorder = Recorder(Trace(), rounding=Rounding(1, {"z": Digits(3, True)}))
    x = given(recorder, "x", [0.5, 2.0])
    y = recorder.record(step("y"), scaling.divide_by, (x,), {"divisor": 3.0})
    z = recorder.record(step("z"), scaling.divide_by, (y,), {"divisor": 0.07})
    assert str(work_out(y, 0, 1, 4)) == "Y[2] = 2 / 3 = 0.7"
    assert str(work_out(z, 0, 1, 4)) == "Z[2] = 0.7 / 0.07 = 10.0"


def test_cell_names_leave_out_the_label_of_a_single_row_or_column(recorder: Recorder) -> None:
    assert cell_name(given(recorder, "x", [1, 2], [3, 4], labels=("a", "b\n")), 1, 0) == r"X[b\n, 1]"
    assert cell_name(given(recorder, "x", [1], [2], labels=("a", "b")), 1, 0) == "X[b]"
    assert cell_name(given(recorder, "x", [1, 2], labels=("a",)), 0, 1) == "X[2]"
    assert cell_name(given(recorder, "x", [1]), 0, 0) == "X[1]"


@pytest.mark.parametrize(
    ("numbers", "row", "cell"),
    [
        ([[1, 2, 3, 4], [5, 6, 7, 8]], None, (1, 2)),
        ([[1, 2, 3, 4], [5, 6, 0, 8]], None, (1, 0)),
        ([[1, 2, 3, 4], [0, 0, 0, -np.inf]], None, (0, 0)),
        ([[0, 0], [np.nan, 0]], None, (1, 1)),
        ([[1, 2, 3, 4], [5, 6, 7, 8]], 0, (0, 2)),
        ([[1, 2, 3, 4], [0, 0, 0, 0]], 1, (1, 2)),
        ([[5]], None, (0, 0)),
        (np.empty((0, 3)), None, None),
    ],
)
def test_the_example_is_a_cell_whose_number_says_something(numbers: object, row: int | None, cell: object) -> None:
    value = Value("x", step("x"), np.array(numbers, dtype=float))
    assert example_cell(value, row) == cell


def test_what_is_raised_in_the_formula_is_raised_in_the_line_and_in_latex() -> None:
    """∂x = … / (d·σ³): the third power of a number, not the number three times."""
    gradient = bundled_trace("cooking-training")["gradient.encoder.1.residual_2"]
    line = work_out(gradient, 1, 1, 3)
    assert str(line).endswith("/ (3×1.667³) = 0.088")
    assert worked_line(line).endswith(r"/ (3\times 1.667^{3}) = 0.088$")


def test_what_rounding_has_left_of_a_sum_is_no_example() -> None:
    left, right = (
        Value(name, step(name), np.array([row])) for name, row in (("a", [2, 1, 0.1 + 0.2]), ("b", [1, 1, -0.3]))
    )
    total = Value("s", step("s"), left.array + right.array, matrix.add, (left, right))
    assert total.array[0, 2] != 0
    assert example_cell(total) == (0, 0)


def test_words_by_ids_that_lie_evenly_apart() -> None:
    """No row lies between two words: what is folded has an address a row."""
    trace = wt.trace(
        wt.parse_scenario("""title: t
tokens: [a, c, e]
vocabulary: [a, b, c, d, e, f]
embeddings: [[1], [2], [3], [4], [5], [6]]
output_head: {w: [[1, 2, 1, 1, 1, 1]]}
training: {targets: [a, b, c]}
""")
    )
    assert wrong_lines(trace, 3) == []
    gradient = trace["gradient.embeddings"]
    assert [row for row in range(6) if gradient.array[row].any()] == [0, 2, 4]
    assert wt.compare(trace, {value.path: value.array for value in trace if value.operation}).ok
