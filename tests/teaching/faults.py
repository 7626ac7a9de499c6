"""Simulated students who make one mistake on purpose, by arithmetic of the tests' own, and go on with what they have.

Each mistake is called by the word that marking should find for it, and written anew here, from the textbook.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from decimal import ROUND_DOWN, Decimal, InvalidOperation

from tests.judging.author import OPERATIONS, Number, Rows, add, over, product, times, turned
from tests.teaching.students import Student, changed_cells, digits_of, handed_in, maker, round_to, worked_out
from walkthrough.recording.values import Value
from walkthrough.teaching.sheets.sheet import Place, Sheet, SheetError

NAMES = ("chai", "cooking", "cat-sat", "cooking-multihead", "help-me", "fuchs", "masked-scores")
Plant = Callable[[Value, Sequence[Rows], Sheet], Rows | None]
"""The numbers of a step as the mistake makes them, from those of its inputs; None where it cannot be made there."""


def a_sheet(rng: random.Random, name: str | None = None) -> Sheet:
    made = maker(name or rng.choice(NAMES), rng.choice((None, 3, 3, 4)))
    try:
        return made.sheet(rng.randrange(50) if rng.random() < 0.5 else None)
    except SheetError:
        return made.sheet()


def one_digit(rng: random.Random) -> Callable[[Number, int], Number]:
    """One digit wrong, most by one."""

    def alter(number: Number, decimals: int) -> Number:
        assert number is not None
        places = [at for at in range(-decimals, max(number.adjusted(), 0) + 1) if at >= -decimals]
        by = 1 if rng.random() < 0.7 else rng.randint(2, 9)
        return number + rng.choice((1, -1)) * by * Decimal(1).scaleb(rng.choice(places))

    return alter


def cells_of(sheet: Sheet, least: int = 1) -> list[Place]:
    """Cells that hold numbers, of steps with so many."""
    return [place for step, place in sheet.places if not step.value.holds_ids and len(step.places) >= least]


# mistakes in calculating


def _each(rows: Rows, function: Callable[[Number], Number]) -> Rows:
    return [[None if one is None else function(one) for one in row] for row in rows]


def _root_of(value: Value) -> Decimal:
    return Decimal(repr(value.settings["root_of"])).sqrt()


def _given(value: Value) -> Rows:
    return [[Decimal(repr(number)) for number in row] for row in value.array.tolist()]


def _squares(row: Sequence[Number]) -> Number:
    return add(*(times(one, one) for one in row))


def _is_softmax(value: Value) -> bool:
    return value.inputs[1].operation is not None and value.inputs[1].operation.name == "row_sum"


def wrong_root(value: Value, ins: Sequence[Rows], sheet: Sheet) -> Rows:
    other = Decimal(3 if value.settings["root_of"] != 3 else 2)
    return _each(ins[0], lambda x: over(x, other.sqrt()))


def exchanged(value: Value, ins: Sequence[Rows], sheet: Sheet) -> Rows | None:
    other = sheet.hand.get(value.path.rpartition(".")[0] + ".key") if value.path.endswith(".query") else None
    if other is None or other.inputs[0] is not value.inputs[0] or other.shape != value.shape:
        return None
    return OPERATIONS[other.operation.name](ins[0], *map(_given, other.inputs[1:]))  # type: ignore[union-attr, no-any-return]


def mixed_up(value: Value, ins: Sequence[Rows], sheet: Sheet) -> Rows | None:
    rows: Rows = OPERATIONS[value.operation.name](*ins, **value.settings)  # type: ignore[union-attr]
    return [*rows[1:], rows[0]] if min(value.shape) > 1 else None


def softmax_columns(value: Value, ins: Sequence[Rows], sheet: Sheet) -> Rows | None:
    if not _is_softmax(value) or value.shape[0] != value.shape[1]:
        return None
    sums = [add(*column) for column in turned(ins[0])]
    return [[over(one, below) for one, below in zip(row, sums, strict=True)] for row in ins[0]]


def softmax_all(value: Value, ins: Sequence[Rows], sheet: Sheet) -> Rows | None:
    total = add(*(one for row in ins[0] for one in row))
    return _each(ins[0], lambda x: over(x, total)) if _is_softmax(value) else None


def not_divided(value: Value, ins: Sequence[Rows], sheet: Sheet) -> Rows | None:
    if value.operation is not None and value.operation.name != "divide_rows":
        return [[add(*row) if value.operation.name == "row_mean" else _squares(row)] for row in ins[0]]
    return ins[0] if _is_softmax(value) else None


def angles(value: Value, ins: Sequence[Rows], sheet: Sheet) -> Rows:
    unit = "radians" if value.settings["angle"] == "degrees" else "degrees"
    return OPERATIONS["sinusoidal_positions"](**{**value.settings, "angle": unit})  # type: ignore[no-any-return]


def gamma(value: Value, ins: Sequence[Rows], sheet: Sheet) -> Rows | None:
    if value.settings["parts"] != "gamma beta":
        return None
    return [[add(one, more) for one, more in zip(row, ins[2][0], strict=True)] for row in ins[0]]


def other_variance(value: Value, ins: Sequence[Rows], sheet: Sheet) -> Rows | None:
    centered = value.inputs[0].operation
    if centered is None or centered.name != "subtract_rows":
        return None  # of an RMS norm
    count = Decimal(len(ins[0][0]) - (0 if value.settings["sample"] else 1))
    return [[over(_squares(row), count)] for row in ins[0]]


def added(value: Value, ins: Sequence[Rows], sheet: Sheet) -> Rows | None:
    if len(ins) > 2:
        return None
    return [
        [add(*(add(a, b) for a, b in zip(row, column, strict=True))) for column in turned(ins[1])] for row in ins[0]
    ]


def masked_late(value: Value, ins: Sequence[Rows], sheet: Sheet) -> Rows | None:
    hidden = sheet.hand.get(value.path.rpartition(".")[0] + ".masked_scores") if _is_softmax(value) else None
    if hidden is None:
        return None
    powers = _each(_given(hidden.inputs[0]), lambda x: None if x is None else x.exp())
    shares = [[over(one, add(*row)) for one in row] for row in powers]
    if any(one is None or not one.is_finite() for row in shares for one in row):
        return None
    return [[one if shown else Decimal(0) for one, shown in zip(row, line, strict=True)]
            for row, line in zip(shares, hidden.inputs[1].array.tolist(), strict=True)]  # fmt: skip


def norm(value: Value, ins: Sequence[Rows], sheet: Sheet) -> Rows | None:
    is_norm = value.composite is not None and value.composite[0].name == "layer_norm"
    return _given(value.composite[1][0]) if is_norm else None  # type: ignore[index]


PLANTS: dict[str, tuple[str, Plant]] = {
    "not_scaled": ("divide_by_root", lambda value, ins, sheet: ins[0]),
    "scaled_by_d_k": (
        "divide_by_root",
        lambda value, ins, sheet: _each(ins[0], lambda x: over(x, _root_of(value) ** 2)),
    ),
    "multiplied_by_root": (
        "divide_by_root",
        lambda value, ins, sheet: _each(ins[0], lambda x: times(x, _root_of(value))),
    ),
    "not_masked": ("mask", lambda value, ins, sheet: ins[0]),
    "transposed": (
        "product_transposed",
        lambda value, ins, sheet: product(ins[1], turned(ins[0])) if len(ins[0]) == len(ins[1]) else None,
    ),
    "exchanged": ("linear linear_out_in", exchanged),
    "mixed_up": ("linear product_transposed add", mixed_up),
    "softmax_columns": ("divide_rows", softmax_columns),
    "softmax_all": ("divide_rows", softmax_all),
    "base_2": ("exp", lambda value, ins, sheet: _each(ins[0], lambda x: Decimal(2) ** x)),  # type: ignore[operator]
    "not_divided": ("row_mean mean_square divide_rows", not_divided),
    "positions": (
        "sinusoidal_positions",
        lambda value, ins, sheet: OPERATIONS["sinusoidal_positions"](**{**value.settings, "offset": 1}),
    ),
    "mean": ("subtract_rows", lambda value, ins, sheet: ins[0]),
    "masked_late": ("divide_rows", masked_late),
    "norm": ("scale_and_shift divide_rows", norm),
    "gamma": ("scale_and_shift", gamma),
    "activation": (
        "relu gelu",
        lambda value, ins, sheet: OPERATIONS["gelu" if value.operation.name == "relu" else "relu"](ins[0]),  # type: ignore[union-attr]
    ),
    "angles": ("sinusoidal_positions", angles),
    "sample_variance": ("mean_square", other_variance),
    "bias": ("linear", lambda value, ins, sheet: product(ins[0], ins[1]) if len(ins) > 2 else None),
    "residual": ("add", lambda value, ins, sheet: ins[1] if ".residual_" in value.path else None),
    "added": ("linear matrix_product", added),
    "no_root": ("root_of_mean_square", lambda value, ins, sheet: ins[0]),
    "dropped": (
        "linear matrix_product",
        lambda value, ins, sheet: product([row[:-1] for row in ins[0]], ins[1][:-1]) if len(ins) == 2 else None,
    ),
    "wrong_root": ("divide_by_root", wrong_root),
    "copied": ("exp", lambda value, ins, sheet: ins[0] if value.inputs[0].digits is not None else None),
}
"""By the word of the cause: the operations that it is made in, and how. The other variance is a sample's, or is not."""


def plant(word: str, value: Value, ins: Sequence[Rows], sheet: Sheet) -> Rows | None:
    """The numbers of a step as a mistake makes them; None where it cannot be made there."""
    names, make = PLANTS[word]
    is_known = all(one is not None and not one.is_nan() for rows in ins for row in rows for one in row)
    is_there = value.operation is not None and value.operation.name in names.split()
    return make(value, ins, sheet) if is_known and is_there else None


def with_mistake(sheet: Sheet, word: str, is_made_in: Callable[[Value], bool] = lambda value: True) -> Student:
    """A student with a mistake throughout these steps, where it can be made."""

    def make(value: Value, own: Callable[[Value], Rows]) -> Rows | None:
        return plant(word, value, list(map(own, value.inputs)), sheet) if is_made_in(value) else None

    return mistaken(sheet, make)


def mistaken(sheet: Sheet, make: Callable[[Value, Callable[[Value], Rows]], Rows | None]) -> Student:
    """A student who goes on with what he has. make: a step otherwise, from his own numbers; None where he is right"""
    digits, known = digits_of(sheet), dict[Value, Rows]()

    def change(value: Value, rows: Rows) -> None:
        found = make(value, lambda one: known.get(one) or _given(one))
        rows[:] = [[round_to(one, digits[value]) for one in row] for row in found] if found else rows
        known[value] = rows

    return Student(sheet, handed_in(sheet, worked_out(sheet, change)))


def forgetful(name: str) -> Student:
    """A student who forgets √d_k everywhere."""
    return with_mistake(maker(name).sheet(), "not_scaled")


def planted(rng: random.Random, word: str) -> tuple[Student, str] | None:
    """A student with a mistake throughout one step of four cells or more, and its path; None: nowhere to make it."""
    sheet = a_sheet(rng)
    asked = [step.value for step in sheet.blank_steps if len(step.places) >= 4]
    possible = [value for value in asked if plant(word, value, [_given(one) for one in value.inputs], sheet)]
    if not possible:
        return None
    chosen = rng.choice(possible)
    try:
        return with_mistake(sheet, word, lambda value: value is chosen), chosen.path
    except InvalidOperation:  # −∞ − (−∞)
        return None


# slips of the pen, and habits in rounding


def _swapped(number: Number, decimals: int) -> Number:
    digits = list(f"{number:f}")
    for at in range(len(digits) - 2, -1, -1):
        two = [one for one in (at, at + 1) if digits[one].isdigit()]
        if len(two) == 2 and digits[at] != digits[at + 1]:
            digits[at], digits[at + 1] = digits[at + 1], digits[at]
            return Decimal("".join(digits))
    return number


PENS: dict[str, Callable[[Number, int], Number]] = {
    "sign": lambda number, decimals: -number,  # type: ignore[operator]
    "swapped": _swapped,
    "point": lambda number, decimals: number * 10,  # type: ignore[operator]
    "percent": lambda number, decimals: number * 100,  # type: ignore[operator]
}


def written_otherwise(rng: random.Random, word: str) -> tuple[Student, str] | None:
    """A slip of the pen in two cells of a step, or in one with three significant digits."""
    sheet = a_sheet(rng)
    numbers = worked_out(sheet)
    values = {value.path: value for value in numbers}
    shares = [value.path for value in numbers if value.kind.is_distribution]
    fit = [
        place
        for place in cells_of(sheet, 2)
        if (one := numbers[values[place[0]]][place[1]][place[2]]) is not None
        and one.is_finite()
        and len(str(abs(one).normalize().as_tuple().digits)) // 3 >= 3
        and abs(PENS[word](one, 3) - one) > 0  # type: ignore[operator]
        and (word != "percent" or place[0] in shares)
        and (word != "point" or place[0] not in shares)
    ]
    if not fit:
        return None
    place = rng.choice(fit)
    beside = [one for one in fit if one[0] == place[0] and one != place]
    places = [place, rng.choice(beside)] if beside and rng.random() < 0.5 else [place]
    return changed_cells(sheet, dict.fromkeys(places, PENS[word])), place[0]


def rounds_otherwise(rng: random.Random, word: str) -> tuple[Student, str] | None:
    """A step of which all numbers are cut off, or have a digit too few, or come from operands with a digit too few."""
    sheet = a_sheet(rng)
    digits = digits_of(sheet)
    plain = [step.value for step in sheet.blank_steps if len(step.places) >= 4 and not digits[step.value][1]]
    chosen = rng.choice([value for value in plain if not value.holds_ids and digits[value][0] > 1])
    known: dict[Value, Rows] = {}

    def change(value: Value, rows: Rows) -> None:
        count = digits[value][0]
        if value is chosen and word == "fewer":
            rows[:] = [[round_to(one, (count - 1, False)) for one in row] for row in rows]
        elif value is chosen:
            ins = [known.get(one) or _given(one) for one in value.inputs]
            if word == "early":
                ins = [[[round_to(x, (count - 1, False)) for x in row] for row in one] if given.operation else one
                       for one, given in zip(ins, value.inputs, strict=True)]  # fmt: skip
            made = OPERATIONS[value.operation.name](*ins, **value.settings)  # type: ignore[union-attr]
            cut = word == "truncated"
            rows[:] = [[_cut(x, count) if cut else round_to(x, digits[value]) for x in row] for row in made]
        known[value] = rows

    return Student(sheet, handed_in(sheet, worked_out(sheet, change))), chosen.path


def _cut(number: Number, decimals: int) -> Number:
    if number is None or not number.is_finite():
        return number
    return number.quantize(Decimal(1).scaleb(-decimals), ROUND_DOWN)
