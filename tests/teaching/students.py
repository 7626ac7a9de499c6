"""Simulated students: they work a sheet out in Decimal, by arithmetic of the tests' own, and hand it in.

Honest ones round every number as the sheet asks before they go on, and leave cells empty. One may slip; he goes on
with what he has.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Context, Decimal, localcontext
from functools import cache

from tests.examples import hand_decimals
from tests.judging.author import COPYING, Number, Rows, computed, given, rounded
from tests.judging.sheets import LONG, NAMES
from walkthrough.recording.values import Value
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.teaching.marking.mark import mark
from walkthrough.teaching.marking.marked import Marked
from walkthrough.teaching.sheets.make.maker import Maker, SheetOptions
from walkthrough.teaching.sheets.read.answer import Answer, answer_of
from walkthrough.teaching.sheets.sheet import Place, Sheet, SheetError, sheet_of
from walkthrough.transformer.loading.load import parse_scenario

Change = Callable[[Value, Rows], None]
SHORT = [name for name in NAMES if name not in LONG]

SIGNIFICANT = {"microgpt", "warmup"}
"""Worked in significant figures: to so many decimals their second moments are 0, and no training can go on."""


@cache
def maker(name: str, decimals: int | None = None) -> Maker:
    """Makes the sheets of a bundled scenario."""
    return Maker(
        parse_scenario(bundled_scenarios()[name].read_text(encoding="utf-8")),
        name,
        SheetOptions(decimals=hand_decimals(name) if decimals is None else decimals),
    )


@cache
def handed_out(name: str, seed: int | None = None, decimals: int | None = None) -> Sheet:
    """A sheet of a bundled scenario, made once for all tests."""
    return maker(name, decimals).sheet(seed)


def digits_of(sheet: Sheet) -> dict[Value, tuple[int, bool]]:
    """What the sheet asks for, step by step."""
    return {step.value: (step.digits.count, step.digits.significant) for step in sheet.steps}


def round_to(number: Number, digits: tuple[int, bool]) -> Number:
    """So many decimals, or significant digits, half away from zero."""
    count, significant = digits
    if number is None or not number.is_finite() or not significant:
        return rounded(number, count)
    return number if not number else rounded(number, count - 1 - number.adjusted())


def worked_out(sheet: Sheet, change: Change = lambda value, rows: None, guard: int = 0) -> dict[Value, Rows]:
    """Every number of a sheet as a student has it who rounds as he is asked; `change` spoils those of a step.

    guard: with how many digits more than he writes he goes on
    """
    written: dict[Value, Rows] = {}
    known: dict[Value, Rows] = {}
    digits = digits_of(sheet)
    shown = {step.value for step in sheet.steps if not step.has_blanks and not step.is_left_out}
    with localcontext(Context(prec=30)):
        for value in sheet.hand:
            if value.operation is None or value in shown:  # it stands on the sheet
                written[value] = known[value] = standing(value, sheet)
                continue
            if value not in digits:
                continue
            rows = computed(value, [known[one] for one in value.inputs])
            count, is_significant = digits[value]
            written[value] = round_rows(value, rows, (count, is_significant))
            change(value, written[value])
            known[value] = round_rows(value, rows, (count + guard, is_significant)) if guard else written[value]
    return written


def round_rows(value: Value, rows: Rows, digits: tuple[int, bool]) -> Rows:
    """The numbers of a step rounded; copies stay as they are."""
    if value.operation is not None and value.operation.name in COPYING:
        return [list(row) for row in rows]
    return [[round_to(number, digits) for number in row] for row in rows]


def standing(value: Value, sheet: Sheet) -> Rows:
    """Numbers that stand on the sheet; where rounding has led to a division by 0 there is none."""
    exact = sheet.exact[value.path].array
    return [
        [None if one is None or not (one.is_finite() or exact[i, j] == -math.inf) else one for j, one in enumerate(row)]
        for i, row in enumerate(given(value))
    ]


def written(value: Value, column: int, number: Number, digits: tuple[int, bool]) -> str:
    """A number as a student writes it."""
    if number is None:
        return ""
    if value.is_word(column):
        return (value.names or {})[int(number)]
    if not number.is_finite():
        return "−∞"
    return f"{number:f}"


@dataclass
class Student:
    """One student's sheet, and what he wrote. slip: the cell that is wrong, if one is"""

    sheet: Sheet
    answers: dict[Place, Answer] = field(default_factory=dict)
    slip: Place | None = None

    def marked(self) -> Marked:
        """His marks."""
        return mark(self.sheet, self.answers, "student")


def handed_in(
    sheet: Sheet, numbers: Mapping[Value, Rows], keeps: Callable[[Place], bool] = lambda place: True
) -> dict[Place, Answer]:
    """The answers to a sheet, where `keeps` says that a cell was filled in."""
    digits = digits_of(sheet)
    return {
        place: answer_of(written(step.value, place[2], numbers[step.value][place[1]][place[2]], digits[step.value]))
        for step, place in sheet.places
        if keeps(place)
    }


def honest(seed: int, name: str | None = None, drawn: bool | None = None, guard: int = 0) -> Student:
    """An honest student with a random sheet: 1 to 4 decimals, some steps asked for, some cells left empty.

    guard: with how many digits more than he writes he goes on
    """
    rng = random.Random(seed)
    sheet = some_asked(rng, random_sheet(rng, name, drawn))
    numbers = worked_out(sheet, guard=guard)
    share, whole = rng.choice((1.0, 0.9, 0.5, 0.2)), rng.random() < 0.5
    left_out = {step.value.path for step in sheet.blank_steps if whole and rng.random() > share}

    def keeps(place: Place) -> bool:
        return place[0] not in left_out if whole else rng.random() < share

    return Student(sheet, handed_in(sheet, numbers, keeps))


def random_sheet(rng: random.Random, name: str | None, drawn: bool | None) -> Sheet:
    """A sheet of a scenario: its own numbers or drawn ones, in the scenario's rounding or 1 to 4 decimals."""
    name = name or rng.choices(NAMES, [1 if one in LONG else 6 for one in NAMES])[0]
    decimals = rng.choice((None, 1, 2, 3, 4)) or hand_decimals(name)
    made = maker(name, None if name in SIGNIFICANT else decimals)
    try:
        return made.sheet(rng.randrange(1000) if (rng.random() < 0.5 if drawn is None else drawn) else None)
    except SheetError:
        return made.sheet()


def some_asked(rng: random.Random, sheet: Sheet) -> Sheet:
    """The same, of which half the time only some steps are asked for."""
    asked = [step.value.path for step in sheet.blank_steps if rng.random() < 0.6] if rng.random() >= 0.5 else []
    return sheet_of(sheet.text, sheet.name, asked, sheet.decimals, sheet.seed) if asked else sheet


def changed_cells(sheet: Sheet, changes: dict[Place, Callable[[Number, int], Number]]) -> Student:
    """A student who writes some numbers otherwise. changes: from the right number and the decimals asked for"""
    steps = {step.value.path: step for step in sheet.steps}

    def change(value: Value, rows: Rows) -> None:
        for (path, row, column), alter in changes.items():
            number = rows[row][column] if path == value.path else None
            if number is not None and number.is_finite():
                rows[row][column] = alter(number, steps[path].decimals(float(number), row, column))

    return Student(sheet, handed_in(sheet, worked_out(sheet, change)))


def slipped(seed: int, name: str | None = None, drawn: bool | None = None) -> Student | None:
    """A student who fills in everything and is off by ten units or more in one cell; None where nothing can slip."""
    rng = random.Random(seed)
    sheet = random_sheet(rng, name, drawn)
    steps = [step for step in sheet.blank_steps if not step.value.holds_ids]
    step = rng.choice(steps)
    place = rng.choice([place for one, place in sheet.places if one is step])
    units, sign = rng.randint(10, 40), rng.choice((1, -1))
    found = []

    def off(number: Number, decimals: int) -> Number:
        found.append(place)
        return number + sign * units * Decimal(1).scaleb(-decimals)  # type: ignore[operator]

    student = changed_cells(sheet, {place: off})
    student.slip = place
    return student if found else None


def accused(marked: Marked) -> list[str]:
    """The cells called wrong, for a message."""
    return [f"{cell.place}: {cell.answer.text} for {cell.right}" for cell in marked.cells if cell.verdict == "wrong"]
