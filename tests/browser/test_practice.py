"""Practice as a page is the live page: one step after the other, and the verdicts of the terminal."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

import walkthrough as wt
from tests.browser.pages import written as live
from tests.browser.test_sheet import WORDS, made
from tests.examples import slow
from tests.views.samples import QUANTIZED
from walkthrough.languages.catalogue import catalogue
from walkthrough.teaching.lessons.given_answers import GivenAnswers
from walkthrough.teaching.lessons.practice import write_page
from walkthrough.teaching.sheets.make.maker import Maker, SheetOptions
from walkthrough.teaching.sheets.make.scenario_text import dump
from walkthrough.teaching.sheets.sheet import Place, Sheet, Step
from walkthrough.teaching.sheets.write.texts import Cells
from walkthrough.text import escape_label
from walkthrough.transformer.loading.load import parse_scenario

pytestmark = pytest.mark.browser


def written(folder: Path, sheet: Sheet) -> str:
    out = BytesIO()
    write_page(sheet, out)
    (folder / "practice.html").write_bytes(out.getvalue())
    return (folder / "practice.html").as_uri()


def question(page: Any) -> Any:
    return page.evaluate("practice.question()")


def answer(page: Any, text: str) -> str:
    return str(page.evaluate("text => practice.answer(text)", text))


def assert_all_right(page: Any, sheet: Sheet) -> None:
    """Every question of a sheet, answered with what the sheet has there."""
    texts = [escape_label(text_of(step, place)) for step, place in sheet.places]
    verdicts = page.evaluate("texts => texts.map(text => practice.answer(text))", texts)
    assert dict(zip(sheet.places, verdicts, strict=True)) == dict.fromkeys(sheet.places, "right")
    assert question(page) is None


def text_of(step: Step, place: Place) -> str:
    return Cells(step.value).text(place[1], place[2])


@pytest.mark.parametrize(
    "name",
    [
        *(slow(name) for name in ("chai", "cooking-multihead", "masked-scores")),
        "rotary",
    ],
)
def test_the_questions_and_the_numbers_by_hand_are_those_of_the_terminal(show: Any, tmp_path: Path, name: str) -> None:
    sheet = made(name, language="de")
    page = show(written(tmp_path, sheet))
    for step, place in sheet.places:
        asked = question(page)
        path, row, column = place
        labels = escape_label(step.value.rows[row]), escape_label(step.value.columns[column])
        assert (asked["path"], asked["row"], asked["column"]) == (path, *labels)
        text = text_of(step, place)
        assert answer(page, text if step.value.is_word(column) else text.replace(".", ",")) == "right", place
    assert question(page) is None
    cells = len(sheet.places)
    assert f"{cells} von {cells} richtig" in page.inner_text("#-bar .said")


def test_a_page_of_rounded_weights_asks_for_them(show: Any, tmp_path: Path) -> None:
    """Its numbers are calculated with the nearest whole ones, which few pages need."""
    sheet = Maker(parse_scenario(dump(QUANTIZED)), "few-bits", SheetOptions()).sheet()
    page = show(written(tmp_path, sheet))
    assert_all_right(page, sheet)


def test_a_wrong_number_is_asked_again_and_gone_on_with(show: Any, tmp_path: Path) -> None:
    sheet = made("help-me")
    page = show(written(tmp_path, sheet))
    first = question(page)
    page.fill("#answer", "2.5")
    page.press("#answer", "Enter")
    assert page.get_attribute("#verdict", "data-verdict") == "wrong"
    assert question(page) == first
    page.keyboard.type("one")  # takes the place of the wrong one
    assert page.input_value("#answer") == "one"
    page.keyboard.press("Enter")
    assert page.get_attribute("#verdict", "data-verdict") == "unreadable"
    page.click("#next")
    for text in ("1", "0,75", "2", "12.182"):  # e^2.5
        page.fill("#answer", text)
        page.press("#answer", "Enter")
    assert page.get_attribute("#verdict", "data-verdict") == "follows"
    assert page.inner_text("#verdict") == "Right with your 2.5."
    assert question(page)["path"] == "attention.head.1.softmax.exp"


def test_once_the_right_number_is_shown_it_stands(show: Any, tmp_path: Path) -> None:
    page = show(written(tmp_path, made("help-me")))
    for text in ("7", "7.5"):
        assert answer(page, text) == "wrong"
    page.click("#step")
    page.click("#numbers")
    assert page.inner_text("#hint") == "U[help, help] = e^7.5 (with your 7.5)"
    page.click("#show")
    assert page.inner_text("#hint") == "It is 4.482."
    page.click("#step")
    page.click("#numbers")
    assert page.inner_text("#hint").startswith("u[help] = 4.482 + ")


def test_hints_are_those_of_the_terminal(show: Any, tmp_path: Path) -> None:
    sheet = made("parallel", language="de")
    given = GivenAnswers(sheet, catalogue("de"))
    page = show(written(tmp_path, sheet))
    for at, (step, place) in enumerate(sheet.places):
        if at % 4 == 0:
            page.click("#numbers")
            assert page.inner_text("#hint") == given.arithmetic(step, place)
            page.click("#show")
            assert given.show(step, place) in page.inner_text("#hint")
        text = text_of(step, place)
        given.judge(step, place, text)
        assert answer(page, text) == "right"


def test_the_next_step_and_the_formula(show: Any, tmp_path: Path) -> None:
    page = show(written(tmp_path, made("help-me")))
    assert "3 decimals (√d_k = √16 = 4)" in page.inner_text("#-quiz form")
    page.click("#formula")
    assert page.inner_text("#hint") == "S' = S / √d_k"
    page.click("#step")
    assert question(page)["path"] == "attention.head.1.softmax.exp"
    for _ in range(3):
        page.click("#step")
    assert question(page) is None
    assert "No question was answered." in page.inner_text("#-bar .said")


def test_every_live_page_practises_at_its_address(show: Any, tmp_path: Path) -> None:
    address = live(tmp_path, wt.trace(wt.load_scenario("one-head")))
    page = show(f"{address}#practice")
    asked = question(page)
    assert (asked["path"], asked["digits"]) == ("attention.head.1.query", "a whole number")
    page.click("#-bar button:text-is('Quiz')")
    assert question(page) is None
    assert page.evaluate("location.hash") == ""


def test_hostile_words_stay_words_and_a_phone_is_wide_enough(show: Any, tmp_path: Path) -> None:
    sheet = Maker(parse_scenario(WORDS), "words", SheetOptions()).sheet()
    page = show(written(tmp_path, sheet), viewport={"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert_all_right(page, sheet)
    assert page.locator("script").count() == 2
