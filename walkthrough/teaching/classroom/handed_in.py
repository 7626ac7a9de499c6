"""Marks what was handed in: its answers find their cells, and are judged."""

from __future__ import annotations

from walkthrough.errors import UserError
from walkthrough.languages.catalogue import Catalogue, catalogue
from walkthrough.teaching.classroom.assignment import Assignment
from walkthrough.teaching.classroom.results import Failed, Result
from walkthrough.teaching.mark.mark import mark
from walkthrough.teaching.mark.marked import Marked
from walkthrough.teaching.read.answer import Answer
from walkthrough.teaching.read.files import read_file
from walkthrough.teaching.read.filled import Filled, Ignored, place_lines
from walkthrough.teaching.sheet import Place, Sheet, SheetError
from walkthrough.teaching.write.cells import Cells
from walkthrough.text import escape_label


def mark_file(name: str, assignment: Assignment, words: Catalogue | None = None) -> list[Result]:
    """The sheets of a file, marked; for the file, or for one of its sheets, that cannot be read, why."""
    try:
        sheets = read_file(name)
    except (UserError, OSError) as failure:
        return [Failed.by(failure, name)]
    results: list[Result] = []
    for filled in sheets:
        try:
            results.append(mark_filled(filled, assignment, words))
        except UserError as failure:
            results.append(Failed.by(failure, name))
    return results


def mark_filled(filled: Filled, assignment: Assignment, words: Catalogue | None = None) -> Marked:
    """Marks what was handed in; says what of the given numbers is altered. words: None: the language of the sheet"""
    sheet = assignment.sheet(filled)
    words = words or catalogue(sheet.language)
    student = filled.student or sheet.student
    answers, ignored = _place(filled, sheet)
    found = mark(sheet.replace(student=student), answers, filled.name, _describe_altered(filled, sheet, words))
    return found.replace(ignored=ignored) if ignored else found


def _place(filled: Filled, sheet: Sheet) -> tuple[dict[Place, Answer], tuple[Ignored, ...]]:
    try:
        return place_lines(filled, sheet)
    except SheetError as error:
        if filled.scenario in ("", sheet.name):
            raise
        names = map(escape_label, (filled.name, filled.scenario, sheet.name))
        raise SheetError("{} is a sheet of {}, not of {}: {}".format(*names, error)) from None


def _describe_altered(filled: Filled, sheet: Sheet, words: Catalogue) -> list[str]:
    """A sentence for each difference between what was handed in and the sheet that was handed out."""
    found_out = [
        words(
            "altered_cell", cell=escape_label(cell), found=words.number(escape_label(found)), given=words.number(given)
        )
        for cell, found, given in _altered_cells(filled, sheet)
    ]
    if filled.text and filled.is_whole and filled.seed != sheet.seed:
        found_out.append(words("altered_seed", found=filled.seed, given=sheet.seed))
    is_other = bool(filled.text) and filled.text.strip() != sheet.text.strip()
    if is_other or (not found_out and filled.digest and filled.digest != sheet.digest):
        found_out.append(words("altered_numbers"))
    if filled.lost:
        found_out.append(words("altered_lost", paths=", ".join(filled.lost)))
    return found_out


def _altered_cells(filled: Filled, sheet: Sheet) -> list[tuple[str, str, str]]:
    """The given numbers that are not as they were: the cell, what it holds, and what was given."""
    found = []
    for value in sheet.given:
        rows = filled.given.get(value.path)
        if rows is None:
            continue
        for i, (row, numbers) in enumerate(zip(rows, value.array.tolist(), strict=False)):
            for j, (answer, number) in enumerate(zip(row, numbers, strict=False)):
                if not _is_near(answer, number) and answer.text != (text := Cells(value).text(i, j)):
                    found.append((f"{value.path}[{value.rows[i]}, {value.columns[j]}]", answer.text, text))
    return found


def _is_near(answer: Answer, number: float) -> bool:
    """Whether an answer is the number that was given, or nothing where that is unknown."""
    if number != number:  # unknown
        return answer.text.strip() in ("", "?")
    return answer.number is not None and (
        answer.number == number or abs(answer.number - number) <= 1e-9 * max(1, abs(number))
    )
