"""Simulated students: no honest one is called wrong, slips are found where they are, forgetting √d_k is named.

The full count is `python -m docs.benchmarks.students 20000`.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.examples import all_in_a_thorough_run, slow
from tests.teaching.files import KINDS
from tests.teaching.students import SHORT, accused, handed_out, honest, maker, slipped
from walkthrough.teaching.marking.mark import mark
from walkthrough.teaching.sheets.make.handwork import unfit
from walkthrough.teaching.sheets.read.filled import place_answers
from walkthrough.teaching.sheets.sheet import SheetError


@pytest.mark.parametrize("name", all_in_a_thorough_run(SHORT))
def test_an_honest_student_is_not_called_wrong(name: str) -> None:
    assert not accused(honest(1, name, drawn=False).marked())


@pytest.mark.parametrize(
    ("name", "drawn"), [("cooking-multihead", True), slow("chai", True), slow("not-on-your-life", False)]
)
def test_nor_is_one_with_numbers_of_his_own_or_with_a_long_sheet(name: str, drawn: bool) -> None:
    assert not accused(honest(1, name, drawn).marked())


@pytest.mark.slow
def test_of_hundreds_of_honest_students_none_is_called_wrong() -> None:
    for seed in range(10_000, 10_400):
        assert not accused(honest(seed).marked()), seed


@pytest.mark.slow
def test_nor_is_one_who_goes_on_with_a_digit_more_than_he_writes() -> None:
    for seed in range(30_000, 30_400):
        assert not accused(honest(seed, guard=1).marked()), seed


@pytest.mark.slow
def test_of_hundreds_of_slips_nearly_all_are_found_alone() -> None:
    students = [one for seed in range(20_000, 20_200) if (one := slipped(seed)) is not None]
    found = [[cell.place for cell in one.marked().cells if cell.verdict == "wrong"] for one in students]
    assert all(wrong in ([], [one.slip]) for wrong, one in zip(found, students, strict=True))
    missed = [one.slip for wrong, one in zip(found, students, strict=True) if not wrong]
    assert all(path.endswith(".exp") for path, _, _ in missed)  # of e^7.6 a score's rounding alone makes as much
    assert len(missed) <= 0.02 * len(students)


CANNOT = (
    r"no numbers fit for handwork|the scenario has no given numbers|[\d,]+ numbers would be drawn, more than 2,000;"
)


@pytest.mark.parametrize(
    "name",
    all_in_a_thorough_run((name for name in SHORT if name != "bpe"), ["chai", "blocks"]),  # bpe has no numbers
)
def test_drawn_numbers_are_fit_for_handwork(name: str) -> None:
    made = maker(name)
    try:
        sheet = made.sheet(1)
    except SheetError as error:
        assert re.match(CANNOT, str(error))  # noqa: PT017
        return
    assert not [fault for step in sheet.steps for fault in unfit(step.exact, step.value)]
    for step in sheet.steps:
        if step.value.names is not None:
            np.testing.assert_array_equal(step.value.array[:, 0], step.exact.array[:, 0])


@pytest.mark.parametrize("kind", KINDS)
def test_an_honest_student_may_hand_in_any_kind_of_file(kind: str) -> None:
    if kind == "xlsx":
        for needed in ("openpyxl", "xlsxwriter", "python_calamine"):
            pytest.importorskip(needed)
    student = honest(1, "rotary", drawn=False)  # two of its rows have the same word
    answers, _ = place_answers(KINDS[kind](student.sheet, student.answers), student.sheet)
    assert {place: one.number for place, one in answers.items() if not one.is_missing} == {
        place: one.number for place, one in student.answers.items() if not one.is_missing
    }
    assert not accused(mark(student.sheet, answers))


def test_of_a_tokenizer_alone_the_counts_are_asked_for() -> None:
    sheet = handed_out("bpe")
    assert [step.value.path for step in sheet.blank_steps] == [
        f"tokenizer.train.{number}.pairs" for number in (1, 2, 3, 4)
    ]
