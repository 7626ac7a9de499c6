"""A lecture: one step a screen, rows that are uncovered one after the other."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.pages import QUERIES, SCORES, cell, line, until
from tests.examples import slow
from tests.views.samples import bundled_trace

pytestmark = pytest.mark.browser


LECTURE = """(() => { const box = document.querySelector('#-lecture');
    return box && [box.dataset.step.split('.').at(-1), box.querySelectorAll('tr[data-covered]').length] })()"""


def test_a_lecture_begins_at_the_step_of_the_address_however_early_the_key_comes(show: Any) -> None:
    page = show("chai", at=f"#{SCORES}")
    page.keyboard.press("f")
    assert page.evaluate(LECTURE) == ["scores", 4]
    assert page.evaluate("location.hash") == f"#{SCORES}&lecture"


def test_keys_uncover_rows_and_go_on_and_back_and_escape_leaves_at_the_same_step(show: Any) -> None:
    page = show("chai", at=f"#{SCORES}&lecture")
    until(page, f"{LECTURE} !== null")
    found = []
    for key in ["Space", "PageDown", "ArrowRight", "Shift+Space", "ArrowRight", "ArrowRight", "ArrowRight"]:
        page.keyboard.press(key)
        found.append(page.evaluate(LECTURE))
    assert found == [*(["scores", left] for left in (3, 2, 1, 2, 1, 0)), ["scaled_scores", 4]]
    assert page.inner_text("#-lecture .stage > section tbody").split() == ["The", "chai", "is", "hot"]
    page.keyboard.press("PageUp")
    assert page.evaluate(LECTURE) == ["scores", 0]  # back at a step, it is not covered
    page.get_by_role("button", name="Next step").click()
    page.keyboard.press("Space")  # the button has not taken the key
    assert page.evaluate(LECTURE) == ["scaled_scores", 3]
    page.keyboard.press("Home")
    assert page.evaluate(LECTURE) == ["embeddings", 0]
    assert page.locator("#-lecture :text('Embedding table'):visible").count() == 1
    page.keyboard.press("End")
    page.keyboard.press("Escape")
    until(page, "!document.querySelector('#-lecture')")
    last = page.evaluate("location.hash.slice(1)")
    assert last == list(bundled_trace("chai"))[-1].path
    bottom = f"document.getElementById('{last}').getBoundingClientRect().bottom"
    until(page, f"{bottom} < innerHeight + 1")  # a page scrolls by whole pixels: of its last, a part may be cut


@pytest.mark.parametrize(("wide", "high"), [slow(1920, 1080), (1440, 900), slow(1024, 768)])
def test_in_a_lecture_line_formula_and_names_can_be_read_and_cover_no_matrix(show: Any, wide: int, high: int) -> None:
    page = show("chai", at=f"#{SCORES}", viewport={"width": wide, "height": high})
    page.wait_for_timeout(300)
    for key in ["f", "Space", "Space"]:
        page.keyboard.press(key)
    page.hover(cell(SCORES, 0, 1))
    assert line(page).startswith("S[The, chai] = ")
    digits, *others = (
        page.evaluate(f"parseFloat(getComputedStyle(document.querySelector('#-lecture {one}')).fontSize)")
        for one in (".stage > section td", ".line", ".lead math", "figcaption", ".stage > section > h6")
    )
    assert min(others) >= digits / 2
    assert page.locator("#-lecture :is(figcaption, section > h6):visible").all_inner_texts() == [
        "Q Queries",
        "K Keys",
        "Scores",
    ]
    boxes = [one.bounding_box() for one in page.locator("#-lecture table").all()]
    panel = page.locator("#-panel").bounding_box()
    assert max(box["y"] + box["height"] for box in boxes) <= panel["y"]


def test_a_row_that_is_uncovered_lights_with_what_it_is_made_of(show: Any) -> None:
    lit = "[...document.querySelectorAll('#-lecture table')].map(one => one.querySelectorAll('td[data-lit]').length)"
    page = show("chai", at=f"#{SCORES}&lecture")
    until(page, f"{LECTURE} !== null")
    assert page.evaluate(lit) == [0, 0, 0]
    page.keyboard.press("Space")
    assert page.evaluate(lit) == [2, 8, 4]  # its row of Q, all of K, itself
    assert page.locator("#-lecture figure tr:nth-child(1) [data-lit]").count() == 4
    page.keyboard.press("Space")
    page.keyboard.press("PageUp")
    assert page.evaluate(lit) == [2, 8, 4]
    page.keyboard.press("PageUp")
    page.keyboard.press("PageUp")
    assert page.evaluate("document.querySelectorAll('td[data-lit]').length") == 0


def test_in_a_lecture_numbers_are_chosen_edited_and_followed(show: Any) -> None:
    page = show("chai", at=f"#{QUERIES.replace('w_q', 'query')}&lecture")
    until(page, f"{LECTURE} !== null")
    page.dblclick(cell(QUERIES, 0, 0))  # it stands beside its product
    page.keyboard.type("9")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")  # lets go of the cell
    page.keyboard.press("Space")
    until(page, "document.querySelector('#-lecture .stage > section tbody').innerText.startsWith('The\\t9.000')")
    page.click(cell(QUERIES.replace("w_q", "query"), 0, 1))
    page.keyboard.press("ArrowLeft")  # in the table
    assert line(page).startswith("Q[The, 1] = 1×9 + ")
    page.click("#-panel .reads button")
    assert page.evaluate(LECTURE) == ["input", 0]  # whoever follows a number sees it


EDGES = """(boxes => [Math.min(...boxes.map(box => box.left)), Math.min(...boxes.map(box => box.top)),
    Math.max(...boxes.map(box => box.right)), Math.max(...boxes.map(box => box.bottom))])(
    [...document.querySelectorAll('#-lecture table')].map(table => table.getBoundingClientRect())
        .filter(box => box.width))"""


SHARE = "([left, top, right, low]) => Math.max((right - left) / innerWidth, (low - top) / innerHeight)"


@pytest.mark.parametrize(("wide", "high", "digits"), [(1920, 1080, 40), (390, 844, 12)])
def test_a_lecture_fills_the_window_and_nothing_of_it_lies_outside(
    show: Any, wide: int, high: int, digits: int
) -> None:
    page = show("chai", at=f"#{SCORES}&lecture", viewport={"width": wide, "height": high})
    until(page, f"{LECTURE} !== null")
    for name in ["scores", "scaled_scores", "exp"]:
        until(page, f"({SHARE})({EDGES}) > 0.8")
        left, top, right, low = page.evaluate(EDGES)
        assert (left >= 0, top >= 0, right <= wide, low <= high) == (True,) * 4
        size = page.evaluate("parseFloat(getComputedStyle(document.querySelector('.stage > section td')).fontSize)")
        assert size >= digits
        assert page.evaluate(LECTURE)[0] == name
        page.evaluate("document.querySelector('[title=\"Next step\"]').click()")


@pytest.mark.parametrize("address", ["#lecture=", "#nowhere&lecture"])
def test_an_address_of_a_lecture_that_cannot_be_read_opens_the_page_and_says_so(show: Any, address: str) -> None:
    page = show("chai", at=address)
    until(page, "document.querySelector('.fault')?.textContent.includes('there is no such step')")
    assert page.evaluate(LECTURE) is None


def test_the_keys_are_read_on_a_telephone(show: Any) -> None:
    page = show("chai", viewport={"width": 360, "height": 740})
    page.get_by_role("button", name="Settings").click()
    page.click(".keys summary")
    box = page.locator(".keys ul").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 360
