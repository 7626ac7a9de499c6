"""Marking: each verdict where it belongs, points, lines with the student's own numbers, and what he probably did."""

from __future__ import annotations

import io

import pytest

from tests.teaching.faults import forgetful
from tests.teaching.sheets.make.test_maker import HEAD, made
from tests.teaching.students import handed_out
from walkthrough.languages.catalogue import catalogue
from walkthrough.mistakes.sentences import say_likely
from walkthrough.teaching.marking.assignment import Assignment
from walkthrough.teaching.marking.handed_in import mark_filled
from walkthrough.teaching.marking.mark import mark
from walkthrough.teaching.marking.marked import Marked, MarkedCell
from walkthrough.teaching.marking.report import sheet_report
from walkthrough.teaching.marking.sentences import line_of
from walkthrough.teaching.marking.student import StudentCalculation
from walkthrough.teaching.sheets.read import csv as csv_filled
from walkthrough.teaching.sheets.read import yaml as yaml_filled
from walkthrough.teaching.sheets.read.answer import Answer, answer_of
from walkthrough.teaching.sheets.read.filled import Filled, place_answers
from walkthrough.teaching.sheets.sheet import Place, Sheet, SheetError
from walkthrough.teaching.sheets.titles import Titles
from walkthrough.teaching.sheets.write import yaml as yaml_sheet
from walkthrough.views.report.blocks import Items

ENGLISH = catalogue("en")
CHAI = handed_out("chai")


def filled_in(sheet: Sheet, **changes: str | None) -> dict[Place, Answer]:
    """All answers by hand, going on from changed ones: `query_1_0` is row 1, column 0; None: empty."""
    wanted = {}
    for name, text in changes.items():
        step, row, column = name.rsplit("_", 2)
        found = [
            one.value.path for one in sheet.blank_steps if one.value.path.endswith(f".{step}") or one.value.path == step
        ]
        wanted[found[0], int(row), int(column)] = text
    numbers = {place: answer_of(text) for place, text in wanted.items() if text is not None}
    own = StudentCalculation(sheet, {place: one.number for place, one in numbers.items() if one.number is not None})
    answers = {}
    for step, place in sheet.places:
        array, (_, row, column) = own.compute_rounded(step.value), place
        word = step.value.names is not None and column == 0
        text = (
            (step.value.names or {})[int(array[row, column])] if word else step.digits.text(float(array[row, column]))
        )
        answers[place] = answer_of(text)
        if place in wanted:
            answers[place] = answer_of(wanted[place] or "")
    return answers


def judged(sheet: Sheet = CHAI, **changes: str | None) -> Marked:
    return mark(sheet, filled_in(sheet, **changes))


def only(marked: Marked, verdict: str) -> MarkedCell:
    (cell,) = [cell for cell in marked.cells if cell.verdict == verdict]
    return cell


@pytest.mark.parametrize(
    ("name", "decimals", "seed", "cell", "number"),
    [
        ("soft-cap", 3, None, "exp_1_2", "22028.466"),  # 22026.466: 10·tanh(10) is 10.0000 with a digit more
        ("one-head", 1, 671, "output_0_1", "7.0"),  # 7.9: of the shares, 0.1 each, the exponentials tell more
        ("sandwich", None, None, "hidden_0_0", "134.217"),  # 134.200
    ],
)
def test_a_number_on_the_sheet_stands_for_what_those_before_it_give(
    name: str, decimals: int | None, seed: int | None, cell: str, number: str
) -> None:
    """Not for all that rounds to it: of an exponent of 10.000, e^x would be eleven more or less."""
    marked = judged(handed_out(name, seed, decimals), **{cell: number})
    assert only(marked, "wrong").answer.text == number


def test_one_may_go_on_with_what_was_written_or_with_more_digits() -> None:
    by_hand = filled_in(CHAI)
    places = [place for place in by_hand if place[0].endswith("softmax.exp")]
    exact = {place: answer_of(f"{float(CHAI.exact[place[0]].array[place[1:]]):.3f}") for place in places}
    assert any(exact[place].text != by_hand[place].text for place in places)
    found = [cell for cell in mark(CHAI, by_hand | exact).cells if cell.place in exact]
    assert {cell.verdict for cell in found} == {"right"}


def test_one_may_keep_a_digit_more_than_one_writes() -> None:
    """sin 1 stands there as 0.841; with 0.8415 the sum is 1.0415."""
    assert {cell.verdict for cell in judged(input_1_0="1.042").cells} == {"right"}
    assert only(judged(input_1_0="1.043"), "wrong").answer.text == "1.043"


def test_the_key_is_all_right() -> None:
    marked = judged()
    assert dict(marked.counts) == {"right": 332}
    assert marked.points == marked.of == 27
    assert all(cell.from_own for cell in marked.cells)


def test_a_wrong_number_is_marked_once_and_what_follows_gets_full_credit() -> None:
    marked = judged(query_1_0="1.9")
    assert only(marked, "wrong").place == ("encoder.1.attention.head.1.query", 1, 0)
    assert marked.counts["follows"] > 20
    assert marked.points == pytest.approx(27 - 1 / 8)


def test_a_line_has_the_students_own_numbers() -> None:
    answers = filled_in(CHAI, query_1_0="1.9")
    answers["encoder.1.attention.head.1.scores", 1, 1] = answer_of("9")
    marked = mark(CHAI, answers)
    (line,) = [
        line_of(cell, marked.own, ENGLISH)
        for cell in marked.cells
        if cell.place == ("encoder.1.attention.head.1.scores", 1, 1)
    ]
    assert line == "S[chai, chai] = 1.9×1.54 + 1.54×1.041 = 4.529"


def test_a_line_names_a_missing_step_before_it() -> None:
    answers = filled_in(CHAI)
    for place in list(answers):
        if place[0].endswith("scaled_scores"):
            answers[place] = answer_of("")
    answers["encoder.1.attention.head.1.softmax.exp", 1, 1] = answer_of("99")
    marked = mark(CHAI, answers)
    line = next(line_of(cell, marked.own, ENGLISH) for cell in marked.cells if cell.verdict == "wrong") or ""
    assert line.endswith("(a number is missing in encoder.1.attention.head.1.scaled_scores)")
    assert marked.counts["missing"] == 16


def test_what_comes_of_a_missing_number_is_judged_from_the_students_own() -> None:
    answers = filled_in(CHAI, query_1_0="1.9")
    kept = {place: one for place, one in answers.items() if "scores" not in place[0]}
    marked = mark(CHAI, kept)
    assert marked.counts["wrong"] == 1
    assert marked.counts["missing"] == 32


def test_or_from_the_right_ones() -> None:
    answers = filled_in(CHAI)
    answers["encoder.1.attention.head.1.query", 1, 0] = answer_of("1.9")
    kept = {place: one for place, one in answers.items() if "scores" not in place[0]}
    marked = mark(CHAI, kept)
    assert marked.counts["wrong"] == 1
    assert marked.counts["follows"] == 0
    assert any(cell.from_own is False for cell in marked.cells)


def test_where_a_wrong_number_leaves_everything_possible_the_right_ones_count() -> None:
    answers = filled_in(CHAI)
    answers["encoder.1.norm_1.std", 1, 0] = answer_of("0")
    output = ("encoder.1.norm_1.output", 1, 2)
    assert [cell.place for cell in mark(CHAI, answers).cells if cell.verdict == "wrong"] == [
        ("encoder.1.norm_1.std", 1, 0)
    ]
    answers[output] = answer_of("77")
    verdicts = {cell.place: cell.verdict for cell in mark(CHAI, answers).cells}
    assert verdicts[output] == "wrong"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("1.825", "right"), ("1,826", "right"), ("1.8256", "right"), ("1.82", "wrong"), ("1.8", "wrong"),
        ("1.836", "wrong"), ("", "missing"), ("x", "unreadable"), ("2/0", "unreadable"),
    ],
)  # fmt: skip
def test_precision_is_the_sheets(text: str, verdict: str) -> None:
    place = "encoder.1.attention.head.1.scaled_scores", 0, 1
    assert CHAI.hand[place[0]].array[0, 1] == 1.825
    found = mark(CHAI, {place: answer_of(text)})
    assert {cell.place: cell.verdict for cell in found.cells}[place] == verdict


@pytest.mark.parametrize(
    ("text", "verdict"), [("-1.000e+09", "right"), ("-1e9", "right"), ("-999999999", "right"), ("-2e9", "wrong")]
)
def test_a_large_number_is_right_as_the_sheet_writes_it(text: str, verdict: str) -> None:
    masked = HEAD.replace("attention:\n", "attention:\n  mask: causal\n  mask_value: -1e9\n")
    sheet = made(masked, blank=["masked_scores"]).sheet()
    found = mark(sheet, filled_in(sheet, masked_scores_0_1=text))
    assert {cell.place[1:]: cell.verdict for cell in found.cells}[(0, 1)] == verdict


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("3·0.5", "a calculation that is not worked out"),
        ("e^1.5", "not worked out"),
        ("10-5-20", "not worked out"),
        ("later", "neither a number"),
        ("1.2.3", "neither a number"),
        ("2 decimals", "neither a number"),
        *((date, "a date") for date in ("03.01.2026", "3.1.26", "1/3/2026", "2026-03-01 00:00:00")),
        *((date, "a date") for date in ("01. Mrz", "3. Januar 2026", "1-Mar", "Jan 03")),
    ],
)
def test_what_cannot_be_read_says_why(text: str, why: str) -> None:
    marked = mark(CHAI, {("positional_encoding", 0, 0): answer_of(text)})
    assert why in (line_of(only(marked, "unreadable"), marked.own, ENGLISH) or "")


def test_zeros_at_the_end_may_be_missing() -> None:
    place = "positional_encoding", 0, 0
    assert {cell.place: cell.verdict for cell in mark(CHAI, {place: answer_of("0")}).cells}[place] == "right"


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("residual_1_1_1", "-3.757", "sign"),
        ("residual_1_1_1", "0.3757", "decimal point"),
        ("residual_1_1_1", "3.775", "digits are swapped"),
    ],
)
def test_what_was_probably_done(name: str, text: str, words: str) -> None:
    value = CHAI.hand["encoder.1.residual_1"].array[1, 1]
    assert value == 3.757 or not name.startswith("residual"), value
    cell = only(judged(**{name: text}), "wrong")
    assert cell.cause is not None
    assert words in say_likely([cell.cause])


def test_one_number_shows_nothing_that_was_done_to_a_whole_matrix() -> None:
    """3.206 is what it is before it is divided by √d_k; the others were divided."""
    assert only(judged(scaled_scores_1_1="3.206"), "wrong").cause is None


def test_a_word_is_read_in_any_case_and_a_foreign_one_is_wrong() -> None:
    sheet = made().sheet()
    place = "output_head.prediction", 0, 0
    right = filled_in(sheet)[place].text
    for text, verdict in (
        (right.upper(), "right"),
        ("water", "wrong"),
        ("²", "wrong"),
        ("9" * 5000, "unreadable"),
        ("", "missing"),
    ):
        answers = filled_in(sheet) | {place: answer_of(text)}
        assert {cell.place: cell.verdict for cell in mark(sheet, answers).cells}[place] == verdict


def yaml_text(sheet: Sheet, solved: bool = True) -> str:
    out = io.BytesIO()
    yaml_sheet.write([sheet], out, solved)
    return out.getvalue().decode()


def read(text: str, name: str = "ada.yaml") -> Filled:
    return yaml_filled.read(name, text.encode())[0]


def test_a_sheet_in_yaml_is_marked_by_itself() -> None:
    text = yaml_text(made().sheet(student="Ada"))
    found = mark_filled(read(text), Assignment())
    assert (found.student, found.counts["right"], found.altered) == ("Ada", len(found.cells), ())


def test_answers_in_yaml_need_no_quotes() -> None:
    text = yaml_text(made().sheet())
    sheet = made().sheet()
    query = sheet.hand["attention.head.1.query"].array
    wanted = f"{query[0, 0]:.3f}"
    changed = text.replace(f"'1': {wanted}", f"'1': {wanted.replace('.', ',')}", 1)
    assert changed != text
    assert mark_filled(read(changed), Assignment()).counts["right"] == len(sheet.places)


def test_a_key_taken_twice_for_one_cell_is_unreadable() -> None:
    text = yaml_text(made().sheet())
    at = text.index("answers:")
    line = next(line for line in text[at:].split("\n") if line.strip().startswith("'1': "))
    changed = text[:at] + text[at:].replace(line, f"{line}\n{line.partition(':')[0]}: 9.999", 1)
    found = mark_filled(read(changed), Assignment())
    assert "two different numbers" in (line_of(only(found, "unreadable"), found.own, ENGLISH) or "")


def test_a_row_written_twice_is_one_row() -> None:
    text = yaml_text(made().sheet(), solved=False)
    first, second = text[text.index("  answers:\n") :].splitlines()[1:3]
    again = text.replace(f"{second}\n", f"{second} 1\n{first}\n{second} 2\n", 1)
    (answer,) = [one for one in read(again).answers.values() if not one.is_missing]
    assert answer.reason == "two\n1\n2"


def test_csv_that_fits_nothing_is_refused() -> None:
    with pytest.raises(SheetError, match=r"line 2.*did you mean 'scores'"):
        place_answers(csv_filled.read("a.csv", b"path,row,column,answer\nscroes,tea,1,2\n")[0], made().sheet())


def test_two_lines_for_one_cell() -> None:
    sheet = made().sheet()
    text = "path,row,column,answer\nscores,tea,tea,{}\nattention.head.1.scores,tea,tea,{}\n"
    cells = {}
    for pair in (("1", "2"), ("1", "1.0")):
        (filled,) = csv_filled.read("a.csv", text.format(*pair).encode())
        cells[pair] = only_scores(mark(sheet, place_answers(filled, sheet)[0]))
    assert cells["1", "2"].verdict == "unreadable"
    assert cells["1", "1.0"].verdict != "unreadable"


def only_scores(marked: Marked) -> MarkedCell:
    return next(cell for cell in marked.cells if cell.place == ("attention.head.1.scores", 0, 0))


def test_german_lines_have_commas() -> None:
    sheet = made(HEAD, language="de").sheet()
    found = mark(sheet, filled_in(sheet, query_0_0="9"))
    line = line_of(only(found, "wrong"), found.own, catalogue("de")) or ""
    assert "0,37×0,25" in line
    assert "." not in line


def test_forgetting_the_root_is_named_where_the_scaled_scores_were_not_handed_in() -> None:
    student = forgetful("chai")
    student.answers = {place: one for place, one in student.answers.items() if not place[0].endswith("scores")}
    found = student.marked()
    wrong = [cell for cell in found.cells if cell.verdict == "wrong"]
    assert wrong
    assert sum(cell.cause is not None and cell.cause.word == "not_scaled" for cell in wrong) >= 0.9 * len(wrong)


def test_a_line_that_fits_nowhere_is_reported_and_the_rest_is_marked() -> None:
    sheet = made().sheet()
    text = "path,row,column,answer\nscores,tea,tea,1\nscroes,tea,tea,2\nscores,coffee,tea,3\nscores\n"
    found = mark_filled(csv_filled.read("a.csv", text.encode())[0], Assignment(scenario=lambda _: sheet))
    assert only_scores(found).answer.text == "1"
    assert [one.line for one in found.ignored] == [3, 4, 5]
    assert "did you mean 'scores'" in found.ignored[0].why()
    assert "has no row 'coffee'" in found.ignored[1].why()
    assert "hat keine Zeile 'coffee'; bekannt: " in found.ignored[1].why(catalogue("de"))


def test_of_many_lines_that_fit_nowhere_a_few_are_told_and_all_are_counted() -> None:
    sheet = made().sheet()
    text = "path,row,column,answer\nscores,tea,tea,1\n" + "".join(f"scroes{at},tea,tea,2\n" for at in range(300))
    found = mark_filled(csv_filled.read("a.csv", text.encode())[0], Assignment(scenario=lambda _: sheet))
    assert [one.line for one in found.ignored] == list(range(3, 303))
    assert found.ignored[-1].why() == "the sheet has no such cell"
    told = next(iter(sheet_report(found, Titles.of(sheet, ENGLISH)).blocks()))
    assert isinstance(told, Items)
    assert told.subject == "300 unknown lines"
    assert len(told.lines) == 6
    assert told.lines[0].startswith("line 3: no step is called 'scroes0'; did you mean 'scores'")
