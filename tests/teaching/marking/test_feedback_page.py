"""The page of feedback: what the JSON says, for people."""

from __future__ import annotations

import io
import math
import random
import re
from xml.etree import ElementTree

import pytest

from tests.teaching.faults import planted
from tests.teaching.marking.test_mark import CHAI, filled_in
from tests.teaching.sheets.make.test_maker import made
from tests.teaching.students import Student
from walkthrough.languages.catalogue import catalogue
from walkthrough.teaching.marking.data import sheet_data
from walkthrough.teaching.marking.feedback_page import article, write_page
from walkthrough.teaching.marking.mark import mark
from walkthrough.teaching.marking.marked import Marked
from walkthrough.teaching.sheets.make.maker import Maker, SheetOptions
from walkthrough.teaching.sheets.read.answer import answer_of
from walkthrough.transformer.loading.load import parse_scenario

_VOID = re.compile(r"<(wbr)>")
_OPEN = re.compile(r"<(tr|th|td|thead|tbody)\b([^>]*)>")


def parsed(marked: Marked, language: str = "en") -> ElementTree.Element:
    """The article as XML; rows and cells, which HTML need not close, become empty elements before what they hold."""
    text = article(marked, catalogue(language)).replace("scope=col", "").replace("scope=row", "")
    text = text.replace(" class=lost", ' class="lost"')
    return ElementTree.fromstring(_OPEN.sub(r"<\1\2/>", _VOID.sub(r"<\1/>", text)))


def words_of(element: ElementTree.Element) -> str:
    return " ".join("".join(element.itertext()).split())


def forgetful() -> Marked:
    student, _ = planted_somewhere("not_scaled")
    return student.marked()


def planted_somewhere(word: str) -> tuple[Student, str]:
    found = (planted(random.Random(seed), word) for seed in range(20))
    return next(one for one in found if one is not None)


@pytest.mark.parametrize("word", ["not_scaled", "exchanged", "softmax_columns"])
def test_the_page_has_what_json_has(word: str) -> None:
    marked = planted_somewhere(word)[0].marked()
    data, page = sheet_data(marked), parsed(marked)
    assert (page.get("class"), page.get("lang"), page.get("data-of")) == ("feedback", "en", str(data["of"]))
    assert math.isclose(float(page.get("data-points") or ""), data["points"], abs_tol=0.005)
    slips = sorted(data["slips"], key=lambda slip: -slip["costs"])
    shown = page.findall("section[@class='slip']")
    assert [one.get("data-path") for one in shown] == [slip["path"] for slip in slips]
    assert [one.get("data-cause") for one in shown] == [slip["cause"] or "" for slip in slips]
    assert [int(one.get("data-cells") or 0) for one in shown] == [len(slip["cells"]) for slip in slips]
    rows = [row.get("data-path") for row in page.iter("tr") if row.get("data-path")]
    assert rows == [step["path"] for step in data["steps"]]
    assert any(slip["cause"] == word for slip in slips)


def test_a_slip_says_its_cells_its_cause_what_it_costs_and_what_the_own_numbers_give() -> None:
    sheet = made().sheet()
    marked = mark(sheet, filled_in(sheet, query_0_0="77"))
    (slip,) = parsed(marked).findall("section[@class='slip']")
    step = sheet.hand["attention.head.1.query"]
    line = slip.find("p[@class='line']")
    assert line is not None
    math_text = "".join("".join(one.itertext()) for one in line.iter("math"))
    right = step.digits.text(float(step.array[0, 0])) if step.digits else ""
    assert math_text.startswith(f"Q[{step.rows[0]},1]=")
    assert math_text.endswith(f"={right.replace('-', '−')}")
    assert "you wrote 77" in words_of(line)
    heading = slip.find("h2")
    assert heading is not None
    cells = len(step.rows) * len(step.columns)
    assert words_of(heading) == f"Queries Q {1 / cells:.2g} points lost"
    assert f"1 cell wrong: [{step.rows[0]}, 1]." in words_of(slip)


def test_whole_rows_and_columns_and_all_cells_are_called_so() -> None:
    sheet = made().sheet()
    step = sheet.hand["attention.head.1.query"]
    rows, columns = step.shape
    first_row = {f"query_0_{column}": "77" for column in range(columns)}
    last_column = {f"query_{row}_{columns - 1}": "77" for row in range(rows)}
    for changes, said in (
        (first_row, f"row {step.rows[0]}."),
        (last_column, f"column {step.columns[-1]}."),
        ({f"query_{row}_{column}": "77" for row in range(rows) for column in range(columns)}, "all of them."),
    ):
        (slip,) = parsed(mark(sheet, filled_in(sheet, **changes))).findall("section[@class='slip']")
        assert f"wrong: {said}" in words_of(slip)


def test_no_path_is_read_on_it_in_any_language() -> None:
    marked = forgetful()
    for language in ("en", "de"):
        text = words_of(parsed(marked, language))
        assert not re.search(r"\w\.\w*[a-z]\w*\.|scaled_scores|softmax\.", text), text
    assert "Vermutlich nicht durch √dk geteilt." in text
    assert "Skalierte Scores S'" in text


def test_what_is_missing_or_cannot_be_read_stands_apart_from_what_is_wrong() -> None:
    sheet = made().sheet()
    page = parsed(mark(sheet, filled_in(sheet, query_0_0="e^1.5", key_0_0=None)))
    assert page.findall("section[@class='slip']") == []
    (rest,) = page.findall("section[@class='rest']")
    label = sheet.hand["attention.head.1.query"].rows[0]
    unread = f"Queries Q[{label}, 1]: “e^1.5” is a calculation that is not worked out."
    assert words_of(rest) == f"1 number is missing.{unread}"


def test_a_step_that_was_not_handed_in_is_called_by_its_typeset_symbol() -> None:
    said = article(mark(CHAI, filled_in(CHAI, mean_0_0=None, centered_0_0="77")), catalogue("en"))
    assert "; a number is missing in Mean μ<sub>1</sub>, norm 1" in said


def test_what_cannot_be_read_is_quoted_as_it_was_typed_in_every_language() -> None:
    sheet = made().sheet()
    marked = mark(sheet, filled_in(sheet, query_0_0="e^1.5"))
    assert "„e^1.5“ ist eine Rechnung, die nicht ausgerechnet ist." in words_of(parsed(marked, "de"))


def test_a_sheet_without_a_mistake_says_so() -> None:
    sheet = made().sheet(student="Ada")
    page = parsed(mark(sheet, filled_in(sheet)))
    well = page.find("section[@class='well']")
    assert well is not None
    assert words_of(well) == "Everything is right."


def test_nothing_of_a_scenario_or_an_answer_is_markup() -> None:
    text = (
        "title: '<b>t</b>'\ntokens: ['<i>', '&amp;']\nembeddings: [[1, 0], [0, 1]]\n"
        "attention: {w_q: [[1, 0], [0, 1]], w_k: [[1, 0], [0, 1]], w_v: [[1, 0], [0, 1]]}\n"
    )
    sheet = Maker(parse_scenario(text), "x", SheetOptions()).sheet(student="<script>1</script>")
    place = next(place for _, place in sheet.places)
    out = io.BytesIO()
    write_page(mark(sheet, {place: answer_of("<script>2</script>")}), catalogue("en"), out)
    page = out.getvalue().decode()
    assert not re.search(r"<(script|b|i)>", page)
    assert page.count("&lt;script&gt;2") == 1
    assert "default-src 'none'" in page
