"""Feedback as a workbook: what was typed stays, fills say the verdict, notes the right number; openpyxl reads it."""

from __future__ import annotations

import io
from typing import Any

import openpyxl
import pytest

from tests.teaching.files import KINDS, as_csv
from tests.teaching.make.test_maker import made
from tests.teaching.mark.test_mark import filled_in
from tests.teaching.students import forgetful, maker
from walkthrough.languages.catalogue import catalogue
from walkthrough.teaching.classroom.assignment import Assignment
from walkthrough.teaching.classroom.handed_in import mark_filled
from walkthrough.teaching.feedback.xlsx import FILLS, write
from walkthrough.teaching.mark.mark import mark
from walkthrough.teaching.mark.marked import Marked
from walkthrough.teaching.read import xlsx as read_xlsx
from walkthrough.teaching.read.answer import Answer, answer_of
from walkthrough.teaching.sheet import Place, Sheet
from walkthrough.teaching.write.cells import Cells
from walkthrough.teaching.write.key_lines import key_lines


def content_of(marked: Marked, language: str = "en") -> bytes:
    out = io.BytesIO()
    write(marked, catalogue(language), out)
    return out.getvalue()


def cell_at(book: Any, place: Place) -> Any:
    """The cell of openpyxl where a cell of the sheet stands, found by the defined name of its step."""
    ((page, area),) = book.defined_names[place[0]].destinations
    corner = book[page][area.partition(":")[0].replace("$", "")]
    return book[page].cell(corner.row + place[1], corner.column + place[2])


def handed_in(sheet: Sheet) -> dict[Place, Answer]:
    """Answers with every verdict among them."""
    answers = filled_in(sheet, query_0_0="1.50", query_0_1="3/8", query_1_0="e^2", query_1_1=None, value_0_0="0,25")
    return answers | {("attention.head.1.key", 0, 0): answer_of("=1+1")}


def test_answers_stay_as_they_were_typed_and_are_filled_by_verdict() -> None:
    sheet = made().sheet(student="Ada")
    marked = mark_filled(as_csv(sheet, handed_in(sheet)), Assignment(scenario=lambda _: sheet))
    book = openpyxl.load_workbook(io.BytesIO(content_of(marked)))
    for cell in marked.cells:
        found = cell_at(book, cell.place)
        assert found.fill.fgColor.rgb == f"FF{FILLS[cell.verdict][1:]}", cell.place
        assert found.data_type != "f"
        if found.data_type == "n" and found.value is not None:
            assert found.value == cell.answer.number
        else:
            assert (found.value or "") == cell.answer.text
        assert (found.comment is not None) == (cell.verdict in ("wrong", "unreadable"))
    step = "attention.head.1.query"
    assert (cell_at(book, (step, 0, 0)).value, cell_at(book, (step, 0, 0)).number_format) == (1.5, "0.00")
    assert [cell_at(book, (step, 0, 1)).value, cell_at(book, (step, 1, 0)).value] == ["3/8", "e^2"]
    assert cell_at(book, (step, 1, 1)).value is None
    assert cell_at(book, ("attention.head.1.value", 0, 0)).value == "0,25"
    assert len(set(FILLS.values())) == 4


def test_a_note_says_the_right_number_and_the_cause() -> None:
    student = forgetful("help-me", None)
    assert student is not None
    marked = student.marked()
    book = openpyxl.load_workbook(io.BytesIO(content_of(marked, "de")))
    cell = next(cell for cell in marked.cells if cell.cause is not None)
    lines = cell_at(book, cell.place).comment.text.splitlines()
    assert lines[0] == f"Richtig: {Cells(cell.value).text(cell.row, cell.column).replace('.', ',')}"
    assert lines[1] == "Vermutlich nicht durch √d_k geteilt."
    assert lines[2].startswith("S'[help, help] = 6 / √16 = 1,5")


def test_the_right_number_is_that_of_the_key_where_rounding_by_hand_gives_another_than_exact() -> None:
    sheet = maker("chai").sheet(1)
    step = next(one for one in sheet.asked if one.value.path.endswith("softmax.sum"))
    row = int((step.right != step.value.array).argmax())
    place = step.value.path, row, 0
    marked = mark(sheet, filled_in(sheet) | {place: answer_of("99")})
    by_hand = step.digits.text(float(step.value.array[row, 0]))
    assert by_hand != step.digits.text(float(step.right[row, 0]))
    lines = cell_at(openpyxl.load_workbook(io.BytesIO(content_of(marked))), place).comment.text.splitlines()
    assert lines[0] == f"Right: {by_hand}"
    assert lines[-1].endswith(f" = {by_hand}")
    assert by_hand in next(line for line in key_lines(sheet, catalogue("en")) if line.path == place[0]).rows[row]


def test_the_first_sheet_has_the_points_of_the_whole_and_of_each_step() -> None:
    sheet = made().sheet()
    marked = mark_filled(as_csv(sheet, handed_in(sheet)), Assignment(scenario=lambda _: sheet))
    front = openpyxl.load_workbook(io.BytesIO(content_of(marked))).worksheets[0]
    texts = [[cell.value for cell in row] for row in front.iter_rows(max_col=2)]
    points = dict(row[::-1] for row in texts if isinstance(row[0], int | float))
    assert any(str(row[0]).endswith("of 14 points") for row in texts)
    shown = [str(cell.value) for page in front.parent.worksheets[:3] for row in page.iter_rows() for cell in row]
    assert not any("attention.head" in text for text in shown)
    assert points["Queries Q"] == 0
    assert len(points) == 14


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_whatever_was_handed_in_it_can_be_marked_again_to_the_same_marks(kind: str) -> None:
    sheet = made().sheet(5, student="Ada")
    marked = mark_filled(
        KINDS[kind](sheet, filled_in(sheet, query_0_0="3", value_0_0=None)), Assignment(scenario=lambda _: sheet)
    )
    again = mark_filled(read_xlsx.read("a.xlsx", content_of(marked))[0], Assignment())
    assert [(one.place, one.verdict) for one in again.cells] == [(one.place, one.verdict) for one in marked.cells]
    assert (again.student, again.altered) == ("Ada", ())
