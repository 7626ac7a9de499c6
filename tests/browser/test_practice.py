"""Practice as a page: the same questions as in the terminal, and no honest answer refused."""

from __future__ import annotations

import random
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from tests.browser.pages import opened
from tests.browser.test_sheet import WORDS, made
from tests.views.samples import QUANTIZED
from walkthrough.languages.catalogue import catalogue
from walkthrough.teaching.lessons import practice_page as html
from walkthrough.teaching.lessons.given_answers import GivenAnswers, sheet_up_to
from walkthrough.teaching.marking.mark import mark
from walkthrough.teaching.marking.student import StudentCalculation
from walkthrough.teaching.sheets.make.maker import Maker, SheetOptions
from walkthrough.teaching.sheets.make.scenario_text import dump
from walkthrough.teaching.sheets.read.answer import Answer, answer_of
from walkthrough.teaching.sheets.sheet import Place, Sheet, Step
from walkthrough.teaching.sheets.write.texts import Cells
from walkthrough.text import escape_label
from walkthrough.transformer.loading.load import parse_scenario

pytestmark = pytest.mark.browser
ACCEPTED = ("right", "follows")


def written(folder: Path, sheet: Sheet) -> str:
    out = BytesIO()
    html.write(sheet, out)
    (folder / "practice.html").write_bytes(out.getvalue())
    return (folder / "practice.html").as_uri()


def question(page: Any) -> Any:
    return page.evaluate("practice.question()")


def answer(page: Any, text: str) -> str:
    return str(page.evaluate("text => practice.answer(text)", text))


def text_of(step: Step, place: Place) -> str:
    return Cells(step.value).text(place[1], place[2])


@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("chai", "cooking-multihead")),
        "masked-scores",
        "rotary",
    ],
)
def test_the_questions_and_the_numbers_by_hand_are_those_of_the_terminal(
    browser: Any, tmp_path: Path, name: str
) -> None:
    sheet = made(name, language="de")
    with opened(browser, written(tmp_path, sheet)) as page:
        for step, place in sheet.places:
            asked = question(page)
            path, row, column = place
            labels = escape_label(step.value.rows[row]), escape_label(step.value.columns[column])
            assert (asked["path"], asked["row"], asked["column"]) == (path, *labels)
            assert asked["digits"] == ("" if step.value.is_word(column) else catalogue("de").digits(step.digits))
            text = text_of(step, place)
            assert answer(page, text if step.value.is_word(column) else text.replace(".", ",")) == "right", place
        assert question(page) is None
        cells = len(sheet.places)
        assert page.inner_text("#result").startswith(f"{cells} von {cells} richtig")


def test_a_page_of_rounded_weights_asks_for_them(browser: Any, tmp_path: Path) -> None:
    """Its numbers are calculated with the nearest whole ones, which few pages need."""
    sheet = Maker(parse_scenario(dump(QUANTIZED)), "few-bits", SheetOptions()).sheet()
    with opened(browser, written(tmp_path, sheet)) as page:
        for step, place in sheet.places:
            assert answer(page, text_of(step, place)) == "right", place
        assert question(page) is None


@pytest.mark.parametrize("taste", ["lowest", "highest", "random", "mistakes", "gaps"])
@pytest.mark.parametrize(
    "name", ["sandwich", *(pytest.param(name, marks=pytest.mark.slow) for name in ("chai", "masked-scores"))]
)
def test_nothing_that_the_terminal_accepts_is_refused(browser: Any, tmp_path: Path, name: str, taste: str) -> None:
    """A student who is as far off as the terminal allows, at every cell; with mistakes and gaps on the way."""
    sheet, draw = made(name), random.Random(f"{name} {taste}")
    given: dict[Place, Answer] = {}
    with opened(browser, written(tmp_path, sheet)) as page:
        for step, place in sheet.places:
            if taste == "gaps" and draw.random() < 0.3:
                page.evaluate("practice.next()")
                continue
            if taste == "mistakes" and draw.random() < 0.1 and not step.value.is_word(place[2]):
                given[place] = answer_of("7")
                if answer(page, "7") not in ACCEPTED:
                    page.evaluate("practice.next()")
                continue
            found = accepted(sheet, given, step, place)
            wanted = {"lowest": found[0], "highest": found[-1]}.get(taste) or draw.choice(found)
            given[place] = answer_of(wanted)
            assert answer(page, wanted) in ACCEPTED, (place, wanted)
        assert question(page) is None


def accepted(sheet: Sheet, given: dict[Place, Answer], step: Step, place: Place) -> list[str]:
    """What the terminal accepts: of the right number, and of what follows from the answers so far, and beside these."""
    right = text_of(step, place)
    if step.value.is_word(place[2]) or right == "-inf":
        return [right]
    numbers = {at: one.number for at, one in given.items() if one.number is not None}
    own = StudentCalculation(sheet, numbers).with_own_inputs(step.value).array[place[1], place[2]]
    unit, up_to = 10.0**-step.digits.count, sheet_up_to(sheet, step)
    beside = sorted({round(middle / unit) + k for middle in (float(right), float(own)) for k in (-2, -1, 0, 1, 2)})
    found = []
    for number in (f"{units * unit:.{step.digits.count}f}" for units in beside):
        cells = mark(up_to, {**given, place: answer_of(number)}).cells
        if next(cell for cell in cells if cell.place == place).verdict in ACCEPTED:
            found.append(number)
    return found


def test_a_wrong_number_is_asked_again_and_gone_on_with(browser: Any, tmp_path: Path) -> None:
    sheet = made("help-me")
    with opened(browser, written(tmp_path, sheet)) as page:
        first = question(page)
        page.fill("#answer", "2.5")
        page.press("#answer", "Enter")
        assert page.get_attribute("#verdict", "data-verdict") == "wrong"
        assert question(page) == first
        page.fill("#answer", "one")
        page.click("#check")
        assert page.get_attribute("#verdict", "data-verdict") == "unreadable"
        page.fill("#answer", "3. Jan")
        page.click("#check")
        assert "a date" in page.inner_text("#verdict")
        page.click("#next")
        for text in ("1", "0,75", "2", "12.182"):  # e^2.5
            page.fill("#answer", text)
            page.press("#answer", "Enter")
        assert page.get_attribute("#verdict", "data-verdict") == "follows"
        assert question(page)["path"] == "attention.head.1.softmax.exp"


def test_hints_are_those_of_the_terminal(browser: Any, tmp_path: Path) -> None:
    sheet = made("chai", language="de")
    given = GivenAnswers(sheet, catalogue("de"))
    with opened(browser, written(tmp_path, sheet)) as page:
        for at, (step, place) in enumerate(sheet.places):
            if at % 29 == 0:
                page.click("#numbers")
                assert page.inner_text("#hint") == given.arithmetic(step, place)
                page.click("#show")
                assert given.right_answer(step, place) in page.inner_text("#hint")
            text = text_of(step, place)
            given.judge(step, place, text)
            assert answer(page, text) == "right"


def test_the_next_step_and_the_formula(browser: Any, tmp_path: Path) -> None:
    with opened(browser, written(tmp_path, made("help-me"))) as page:
        page.click("#formula")
        assert page.inner_text("#hint").startswith("S' = S / √d_k")
        page.click("#step")
        assert question(page)["path"] == "attention.head.1.softmax.exp"
        for _ in range(3):
            page.click("#step")
        assert question(page) is None
        assert page.inner_text("#result") == "No question was answered."


@pytest.mark.parametrize(
    ("text", "verdict"),
    [("1,5", "right"), ("3/2", "right"), ("1 1/2", "right"), ("150 %", "right"), ("≈ 1.5", "right"), ("6/√16", "right"),
     ("6/√16 = 1,5", "right"), ("1.50 (rounded)", "right"), ("15·10⁻¹", "right"), ("2", "wrong"), ("-1.5", "wrong"),
     ("1.5.2", "unreadable"), ("", "unreadable")],
)  # fmt: skip
def test_answers_are_read_as_on_sheets(browser: Any, tmp_path: Path, text: str, verdict: str) -> None:
    with opened(browser, written(tmp_path, made("help-me"))) as page:
        assert answer(page, text) == verdict


def test_hostile_words_stay_words_and_a_phone_is_wide_enough(browser: Any, tmp_path: Path) -> None:
    sheet = Maker(parse_scenario(WORDS), "words", SheetOptions()).sheet()
    with opened(browser, written(tmp_path, sheet), viewport={"width": 390, "height": 800}) as page:
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        for step, place in sheet.places:
            assert answer(page, escape_label(text_of(step, place))) == "right", place
        assert question(page) is None
        assert page.locator("script").count() == 3
