"""Marks what was handed in: its answers find their cells, and are judged."""

from __future__ import annotations

from collections.abc import Iterator

from walkthrough.errors import UserError
from walkthrough.teaching.marking.assignment import Assignment
from walkthrough.teaching.marking.mark import mark
from walkthrough.teaching.marking.marked import Alteration, Marked
from walkthrough.teaching.marking.results import Failed, Result
from walkthrough.teaching.sheets.read.answer import Answer
from walkthrough.teaching.sheets.read.files import read_file
from walkthrough.teaching.sheets.read.filled import Filled, Ignored, find_step, place_answers
from walkthrough.teaching.sheets.sheet import Place, Sheet, SheetError
from walkthrough.teaching.sheets.write.texts import Cells
from walkthrough.text import escape_label


def mark_file(name: str, assignment: Assignment) -> list[Result]:
    """The sheets of a file, marked; for the file, or for one of its sheets, that cannot be read, why."""
    try:
        sheets = read_file(name)
    except (UserError, OSError) as failure:
        return [Failed.by(failure, name)]
    results: list[Result] = []
    for filled in sheets:
        try:
            results.append(mark_filled(filled, assignment))
        except UserError as failure:
            results.append(Failed.by(failure, name))
    return results


def mark_filled(filled: Filled, assignment: Assignment) -> Marked:
    """Marks what was handed in, and finds what of the given numbers is altered."""
    sheet = assignment.sheet(filled)
    student = filled.student or sheet.student
    answers, ignored = _place(filled, sheet)
    found = mark(sheet.replace(student=student), answers, filled.name, _find_altered(filled, sheet))
    return found.replace(ignored=ignored) if ignored else found


def _place(filled: Filled, sheet: Sheet) -> tuple[dict[Place, Answer], tuple[Ignored, ...]]:
    try:
        return place_answers(filled, sheet)
    except SheetError as error:
        if filled.scenario in ("", sheet.name):
            raise
        names = map(escape_label, (filled.name, filled.scenario, sheet.name))
        raise SheetError("{} is a sheet of {}, not of {}: {}".format(*names, error)) from None


def _find_altered(filled: Filled, sheet: Sheet) -> list[Alteration]:
    """Each difference between what was handed in and the sheet that was handed out."""
    altered = list(_altered_cells(filled, sheet))
    if filled.text and filled.is_whole and filled.seed != sheet.seed:
        altered.append(Alteration("altered_seed", found=str(filled.seed), given=str(sheet.seed)))
    is_other = bool(filled.text) and filled.text.strip() != sheet.text.strip()
    if is_other or (not altered and filled.digest and filled.digest != sheet.digest):
        altered.append(Alteration("altered_numbers"))
    if filled.lost:
        altered.append(Alteration("altered_lost", tuple(find_step(path, sheet) for path in filled.lost)))
    return altered


def _altered_cells(filled: Filled, sheet: Sheet) -> Iterator[Alteration]:
    """The given numbers that are not as they were."""
    for value in sheet.given:
        for i, (row, numbers) in enumerate(zip(filled.given.get(value.path, ()), value.array.tolist(), strict=False)):
            for j, (answer, number) in enumerate(zip(row, numbers, strict=False)):
                if not _is_near(answer, number) and answer.text != (text := Cells(value).text(i, j)):
                    cell = escape_label(f"[{value.rows[i]}, {value.columns[j]}]")
                    yield Alteration("altered_cell", (value,), cell, answer.text, text)


def _is_near(answer: Answer, number: float) -> bool:
    """Whether an answer is the number that was given, or nothing where that is unknown."""
    if number != number:  # unknown
        return answer.text.strip() in ("", "?")
    return answer.number is not None and (
        answer.number == number or abs(answer.number - number) <= 1e-9 * max(1, abs(number))
    )
