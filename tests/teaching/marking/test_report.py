"""The marks of a class: a report, JSON and a gradebook."""

from __future__ import annotations

import math

from tests.teaching.marking.test_fairness import solved
from tests.teaching.marking.test_mark import ENGLISH, filled_in
from tests.teaching.sheets.make.test_maker import made
from tests.teaching.students import handed_out
from walkthrough.languages.catalogue import catalogue
from walkthrough.mistakes.sentences import say_likely
from walkthrough.teaching.marking.data import class_data, gradebook, sheet_data
from walkthrough.teaching.marking.mark import mark
from walkthrough.teaching.marking.marked import Marked
from walkthrough.teaching.marking.report import class_report, reports, sheet_report
from walkthrough.teaching.marking.results import Failed, class_steps
from walkthrough.teaching.marking.student import StudentCalculation
from walkthrough.teaching.sheets.read.answer import answer_of
from walkthrough.teaching.sheets.titles import Titles
from walkthrough.views.report.blocks import Items, Table
from walkthrough.views.terminal.columns import lay_out


def test_json_and_csv_of_the_class() -> None:
    sheet = made().sheet(student="=1+1")
    results = [mark(sheet, filled_in(sheet, query_0_0="9"), "a.yaml")]
    data = class_data(results)
    assert (list(data), data["format"], data["version"]) == (
        ["format", "version", "sheets", "steps"],
        "walkthrough-mark",
        3,
    )
    first = data["sheets"][0]
    assert list(first)[:6] == ["sheet", "student", "cells", "steps", "points", "of"]
    wrong = next(cell for cell in first["cells"] if cell["verdict"] == "wrong")
    assert wrong["path"] == "attention.head.1.query"
    assert wrong["answer"] == "9"
    assert wrong["line"].startswith("Q[tea, 1] = ")
    assert math.isclose(sum(step["points"] for step in first["steps"]), first["points"])
    assert sum(step["wrong"] for step in data["steps"]) == 1
    lines = gradebook(results).splitlines()
    assert lines[0].startswith("sheet,student,points,of,right,follows,wrong,missing,unreadable,attention.head.1.query")
    assert lines[1].startswith("a.yaml,'=1+1,")


def test_a_sheet_that_cannot_be_read_is_in_the_table_of_the_class_alone() -> None:
    """Why it cannot be read is said where errors are."""
    failed, sheet = Failed("dee.yaml", "no worksheet"), made().sheet(student="Ada")
    marked = mark(sheet, filled_in(sheet), "ada.yaml")
    assert reports([failed], ENGLISH) == []
    found = reports([failed, marked], ENGLISH)
    assert [one.brief.partition(":")[0] for one in found] == ["Ada", "Class"]
    assert found[1].brief == "Class: 1 sheet, 14 of 14 points on average"


def test_what_could_not_be_read_is_said_with_the_name_of_its_file_once() -> None:
    assert Failed("d", "Is a directory").full_message == "d: Is a directory"
    assert Failed("a.csv", "a.csv, line 3: no").full_message == "a.csv, line 3: no"


def test_a_class_is_one_table_by_file_and_one_by_step_and_the_usual_slips() -> None:
    sheet = made().sheet()
    slips = filled_in(sheet) | {("attention.head.1.scores", 0, 0): answer_of("-77")}
    results: list[Marked | Failed] = [mark(sheet, slips, f"sheets/{name}.yaml") for name in "ab"]
    results.append(Failed("sheets/c.xlsx", "no workbook"))
    sheets, steps, *slips_said = class_report(results, ENGLISH).blocks()
    assert isinstance(sheets, Table)
    assert isinstance(steps, Table)
    assert all(isinstance(one, Table) for one in slips_said)
    assert [row[0] for row in sheets.rows] == ["a.yaml", "b.yaml", "c.xlsx: could not be read"]
    assert "missing" not in sheets.header
    assert [row[0] for row in steps.rows][:3] == ["Queries", "Keys", "Scores"]


def test_of_the_unreadable_cells_of_a_step_so_many_are_told_as_of_slips() -> None:
    sheet = made().sheet()
    marked = mark(
        sheet, filled_in(sheet) | {place: answer_of("see above") for place in sheet.blank_steps[0].places[:4]}
    )
    first = next(iter(sheet_report(marked, Titles.of(sheet, ENGLISH), most=2).blocks()))
    assert isinstance(first, Items)
    assert (len(first.lines), first.lines[2].split(";")[0]) == (3, "… and 2 more")


def test_in_a_narrow_terminal_every_count_of_a_step_has_its_name() -> None:
    sheet = handed_out("chai")
    results = [mark(sheet, filled_in(sheet, query_0_0="77", key_0_0="x"), name) for name in ("a.csv", "b.csv")]
    sheets, steps, *_ = class_report(results, ENGLISH).blocks()
    assert isinstance(steps, Table)
    queries = next(line for line in lay_out(steps, 40)[1] if line.startswith("Queries"))
    assert queries.split() == ["Queries", "right:", "14", "wrong:", "2"]
    assert isinstance(sheets, Table)
    assert lay_out(sheets, 30)[1][0].startswith("a.csv  points: ")


def test_the_decimal_signs_of_points_stand_below_one_another_in_every_language() -> None:
    sheet = made().sheet()
    results = [mark(sheet, filled_in(sheet, **wrong), name) for name, wrong in (("a", {}), ("b", {"query_0_0": "77"}))]
    for words, points in ((ENGLISH, ["14   ", "13.75"]), (catalogue("de"), ["14   ", "13,75"])):
        sheets, *_ = class_report(results, words).blocks()
        assert isinstance(sheets, Table)
        assert [row[1] for row in sheets.rows] == points


def test_a_long_name_is_continued_below_itself_before_its_numbers() -> None:
    rows = (("Maria-Theresia von Hohenstein", "26.83", "3"), ("Ada", "27   ", ""), ("bo.csv: could not be read",))
    table = Table(("student", "points", "wrong"), rows, right=(1, 2))
    header, lines = lay_out(table, 34)
    assert [line.split() for line in header] == [["student", "points", "wrong"]]
    assert lines == [
        "Maria-Theresia von   26.83      3",
        "  Hohenstein",
        "Ada                  27",
        "bo.csv: could not be read",
    ]


def test_one_word_that_is_too_long_has_its_own_line_and_the_others_are_not_parted_for_it() -> None:
    rows = (("first[chai, 1]", "0.1", "x"), ("a.very.long.path.of.a.step.in.a.narrow.terminal", "2", "y"))
    table = Table(("step", "number", "note"), rows, right=(1,))
    assert lay_out(table, 36)[1] == [
        "first[chai, 1]  number: 0.1  note: x",
        "a.very.long.path.of.a.step.in.a.narrow.terminal",
        "                number: 2  note: y",
    ]


def test_where_ones_own_numbers_give_none_that_stands_beside_what_was_written() -> None:
    sheet = handed_out("help-me")
    marked = mark(sheet, {place: answer_of("0") for _, place in sheet.places})
    (report,) = reports([marked], ENGLISH)
    lines = [line for block in report.blocks() if isinstance(block, Items) for line in block.lines]
    assert lines[-1] == "First: 0; cannot be calculated from your numbers"
    assert lines[0].startswith("First: 0 for S'[help, help] = ")


def test_of_each_step_the_usual_slip_is_its_own() -> None:
    """The same mistake in two steps is not told of one as it was made in the other."""
    sheet = handed_out("one-head")
    right, head = StudentCalculation(sheet, {}), "attention.head.1."

    def exchanged(one: str, other: str) -> Marked:
        return solved(sheet, (head + one, right.array(sheet.hand[head + other])))

    usual = {
        step.marks.path: step.causes for step in class_steps([exchanged("query", "key"), exchanged("value", "query")])
    }
    said = {path: say_likely(causes) for path, causes in usual.items() if causes}
    assert "query and key" in said[f"{head}query"]
    assert "key" not in said[f"{head}value"].replace("query", "")


def test_json_has_the_number_of_the_answer_key_and_the_exact_one() -> None:
    sheet = handed_out("one-head")
    cells = sheet_data(mark(sheet, {}, "a.yaml"))["cells"]
    steps = {step.value.path: step for step in sheet.blank_steps}
    rows = {(path, row, column): float(step.value.array[i, j])
            for path, step in steps.items()
            for i, row in enumerate(step.value.rows) for j, column in enumerate(step.value.columns)}  # fmt: skip
    assert {(c["path"], c["row"], c["column"]): c["right"] for c in cells} == rows
    assert {c["path"].rpartition(".")[2] for c in cells if c["right"] != c["exact"]} == {"output"}


def test_a_slip_in_json_has_a_title_that_tells_its_head_and_its_costs() -> None:
    sheet = handed_out("cooking-multihead")
    place = ("encoder.1.attention.head.2.query", 0, 0)
    (slip,) = sheet_data(mark(sheet, filled_in(sheet, **{"head.2.query_0_0": "77"})))["slips"]
    assert (slip["path"], slip["title"]) == (place[0], "Queries, head 2")
    assert (slip["cause"], slip["likely"]) == (None, None)
    assert slip["cells"] == [{"row": sheet.hand[place[0]].rows[0], "column": "1"}]
    assert math.isclose(slip["costs"], 1 / 9)
