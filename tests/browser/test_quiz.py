"""The quiz of the page: numbers are covered, asked for, and judged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import walkthrough as wt
from tests.browser.pages import opened, written

pytestmark = pytest.mark.browser
SCALED = "encoder.1.attention.head.1.scaled_scores"


QUIZ = "#-bar button:text-is('Quiz')"


@pytest.fixture(scope="module")
def chai(browser: Any, tmp_path_factory: Any) -> Iterator[Any]:
    address = written(tmp_path_factory.mktemp("quiz"), wt.trace(wt.load_scenario("chai")))
    with opened(browser, address) as shown:
        yield shown


@pytest.fixture
def page(chai: Any) -> Iterator[Any]:
    """A quiz that has just begun."""
    chai.click(QUIZ)
    chai.wait_for_function("![...document.querySelectorAll('[data-asking] td')].some(td => td.textContent === '2.050')")
    yield chai
    if chai.get_attribute(QUIZ, "aria-pressed") == "true":
        chai.click(QUIZ)


def cell(row: int, column: int) -> str:
    return f"[id='{SCALED}'] tbody tr:nth-child({row + 1}) td:nth-child({column + 2})"


def test_it_says_what_to_do(page: Any) -> None:
    assert page.inner_text(".do").startswith("Choose a covered number")


def test_on_a_phone_it_says_so_on_the_first_screen(page: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.locator(".do").bounding_box()["y"] < 300
    page.set_viewport_size({"width": 1280, "height": 900})


def answer(page: Any, text: str) -> tuple[str | None, str | None]:
    page.fill("#-quiz input", text)
    page.press("#-quiz input", "Enter")
    said = page.locator("#-quiz [data-verdict]")
    return said.get_attribute("data-verdict"), said.get_attribute("data-cause")


def test_calculated_numbers_are_covered_and_given_ones_are_not(page: Any) -> None:
    texts = page.evaluate(
        "walkthrough.paths.map(path => [path,"
        " [...document.getElementById(path).querySelectorAll('tbody td')].map(td => td.textContent).join('')])"
    )
    given = {value.path for value in wt.trace(wt.load_scenario("chai")) if value.operation is None}
    assert {path for path, text in texts if any(one.isdigit() for one in text)} == given
    assert "2.050" not in page.inner_text("body")
    assert not page.locator("#-map .likeliest:visible, #-map [data-quiz] ~ pre:visible").count()


def test_a_chosen_number_is_asked_for_judged_and_uncovered(page: Any) -> None:
    page.click(cell(1, 2))
    assert page.inner_text("#-quiz form").startswith("S'[chai, is] =  3 decimals (√d_k = √2 = 1.414)")
    assert not page.is_visible("#-panel .line")  # the question alone names its number
    assert page.inner_text("#-panel .reads") == "S[chai, is]\n2.050"  # it is asked for from what it is computed from
    assert "…" in page.inner_text("#-panel .users")
    assert answer(page, "abc") == ("unreadable", None)
    assert answer(page, "9") == ("wrong", None)
    assert answer(page, "2.050") == ("wrong", "not_scaled")
    assert page.inner_text(cell(1, 2)) == ""
    assert answer(page, "1,450") == ("right", None)  # 2.050 / √2
    page.wait_for_selector(f"{cell(1, 2)}:text-is('1.449')")
    assert page.inner_text("#-panel .line").startswith("S'[chai, is] = 2.0")


def test_the_keyboard_goes_from_the_cell_to_the_question_and_back(page: Any) -> None:
    page.click(cell(1, 2))
    page.focus(f"[id='{SCALED}'] td[tabindex]")
    page.keyboard.press("Home")
    page.keyboard.press("1")
    page.keyboard.type(".826")
    assert page.input_value("#-quiz input") == "1.826"
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowDown")
    assert page.inner_text("#-quiz b") == "S'[is, The]"


def test_what_is_being_typed_goes_on_while_the_mouse_passes_over_other_numbers(page: Any) -> None:
    page.focus(f"[id='{SCALED}'] td[tabindex]")
    page.keyboard.press("2")
    page.mouse.move(5, 5)
    page.hover(cell(0, 1))
    page.hover(cell(1, 3))
    page.keyboard.type(".5")
    assert page.input_value("#-quiz input") == "2.5"
    page.keyboard.press("Escape")


def test_on_paper_every_number_stands(page: Any) -> None:
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.inner_text(cell(3, 3)) == "−0.167"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.inner_text(cell(3, 3)) == ""


def test_switched_off_every_number_is_back(page: Any) -> None:
    page.click(QUIZ)
    page.wait_for_selector(f"{cell(3, 3)}:text-is('−0.167')")
    assert not page.locator("#-quiz").count()
