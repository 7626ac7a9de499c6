"""The page as somebody uses it: looking, following, changing, showing, printing."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.browser.firefox import firefox
from tests.browser.pages import opened, until, written
from tests.examples import slow
from tests.views.samples import bundled_trace, hostile_trace, small_trace, wide_trace
from walkthrough.explaining.worked import work_out
from walkthrough.notation import typeset
from walkthrough.views.options import Options

pytestmark = pytest.mark.browser

SCORES = "encoder.1.attention.head.1.scores"
TRACES = {
    **{name: partial(bundled_trace, name) for name in ("chai", "cooking-training", "tea-gpt")},
    "small": small_trace,
    "wide": wide_trace,
    "hostile": hostile_trace,
}
"""The pages of tea-gpt and wide are many times as long as that of chai: where a test is slow for that, marked so."""


@pytest.fixture(scope="module")
def chai(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(tmp_path_factory.mktemp("chai"), bundled_trace("chai"))


@pytest.fixture
def page(browser: Any, chai: str) -> Iterator[Any]:
    with opened(browser, chai) as found:
        yield found


def line(page: Any) -> str:
    return str(page.text_content("[role=status]"))


def cell(path: str, row: int, column: int) -> str:
    return f"[id='{path}'] tbody tr:nth-child({row + 1}) td:nth-child({column + 2})"


def open_settings(page: Any) -> None:
    """What is seldom used stands under one button of the bar."""
    if page.get_attribute(".more", "aria-expanded") == "false":
        page.click(".more")


def of_changes(page: Any, name: str) -> None:
    """Presses a button of what the bar has folded under the number of changes."""
    open_settings(page)
    if not page.evaluate("document.querySelector('.changes').open"):
        page.click(".changes summary")
    page.get_by_role("button", name=name).click()


def focused(page: Any) -> str:
    """The step and the text of what has the focus."""
    return str(
        page.evaluate(
            "(document.activeElement.closest('section')?.id ?? document.activeElement.tagName) + ' '"
            " + document.activeElement.textContent"
        )
    )


def test_the_page_says_what_to_do_and_a_wide_screen_has_a_place_for_the_line(page: Any) -> None:
    assert "Point at a number" in page.inner_text("header, main")
    page.evaluate(f"location.hash = '{SCORES}'")
    page.hover(cell(SCORES, 0, 1))
    until(page, "document.querySelector('.panel').getBoundingClientRect().width > 300")


@pytest.mark.parametrize("script", [True, False])
def test_an_address_leads_to_its_step(browser: Any, chai: str, script: bool) -> None:
    with browser.new_context(java_script_enabled=script) as shown:
        page = shown.new_page()
        page.goto(f"{chai}#{SCORES}")
        top = f"document.getElementById('{SCORES}').getBoundingClientRect().top"
        until(page, f"0 <= {top} && {top} < 720")


QUERIES = SCORES.replace("scores", "w_q")


def test_the_face_is_there_before_the_first_frame(browser: Any, chai: str) -> None:
    with browser.new_context() as shown:
        shown.add_init_script("window.requestAnimationFrame = window.setTimeout = () => 0")  # no frame ever comes
        page = shown.new_page()
        page.goto(chai)
        assert page.locator(".bar *").count() > 1
        page.evaluate("document.querySelector('tbody td').click()")
        assert page.evaluate("document.querySelector('.line').textContent") == "W_E[The, 1] = 1.000"


def test_a_program_may_change_numbers_as_soon_as_the_page_is_read(browser: Any, chai: str) -> None:
    early = f"addEventListener('DOMContentLoaded', () => walkthrough.set('{QUERIES}', 0, 0, 5))"
    with browser.new_context() as shown:
        shown.add_init_script(early)
        page = shown.new_page()
        for place, changes in (("", []), ("#set=embeddings[chai, 1]=2", ["embeddings[chai, 1]=2"])):
            page.goto("about:blank")
            page.goto(chai + place)
            assert page.evaluate("walkthrough.changes()") == [*changes, f"{QUERIES}[1, 1]=5"]
            until(page, "document.querySelectorAll('[data-was]').length > 50 && location.hash.includes('w_q')")


def test_the_bar_follows_a_program(page: Any) -> None:
    page.evaluate("walkthrough.arithmetic('by hand', 2)")
    assert page.locator("output").text_content() == "2"
    assert page.get_by_label("By hand").is_checked()
    page.evaluate("walkthrough.arithmetic('exact')")
    assert page.locator("output").text_content() == "3"
    assert not page.get_by_label("By hand").is_checked()


def test_what_paper_is_told_goes_when_it_is_printed(browser: Any, tmp_path: Path) -> None:
    trace = wt.trace(wt.load_scenario("chai"), arithmetic="by-hand")
    twice = (
        "addEventListener('load', () => ['beforeprint', 'beforeprint'].forEach(one => dispatchEvent(new Event(one))))"
    )
    with browser.new_context() as shown:
        shown.add_init_script(twice)
        page = shown.new_page()
        page.goto(written(tmp_path, trace))
        assert page.locator("header p", has_text="By hand").count() == 1
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.locator("header p", has_text="By hand").count() == 0


def test_pointing_at_a_number_shows_its_line_and_marks_what_it_reads_and_what_reads_it(page: Any) -> None:
    trace = bundled_trace("chai")
    page.hover(cell(SCORES, 1, 2))
    assert line(page) == str(work_out(trace[SCORES], 1, 2, 3, 8))
    marks = page.eval_on_selector_all(
        "td[data-mark]",
        "all => all.map(td => [td.closest('section').id.split('.').pop(), td.textContent, td.dataset.mark])",
    )
    assert marks == [
        ["query", "1.041", "operand"],
        ["query", "1.540", "operand"],
        ["key", "−0.116", "operand"],
        ["key", "1.409", "operand"],
        ["scores", "2.050", "chosen"],
        ["scaled_scores", "1.449", "user"],
    ]
    page.mouse.move(2, 2)
    assert line(page) == ""


def test_the_keyboard_alone_follows_a_number_back_and_returns(page: Any) -> None:
    page.focus(f"[id='{SCORES}'] td[tabindex]")
    for key in ("ArrowDown", "End", "ArrowLeft"):
        page.keyboard.press(key)
    assert line(page).startswith("S[chai, is] = ")
    page.keyboard.press("Enter")
    assert focused(page) == "ASIDE 1.041" or focused(page).endswith("1.041")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert focused(page) == "encoder.1.attention.head.1.query 1.540"
    assert line(page).startswith("Q[chai, 2] = ")
    page.keyboard.press("Escape")
    assert focused(page) == f"{SCORES} 2.050"
    page.keyboard.press("Escape")
    assert line(page) == ""
    assert focused(page) == f"{SCORES} 2.050"
    page.keyboard.press("Enter")
    assert line(page).startswith("S[chai, is] = ")
    page.keyboard.press("Escape")
    assert focused(page) == f"{SCORES} 2.050"


def test_a_pointer_that_rests_takes_nothing_from_the_keyboard(page: Any) -> None:
    page.click(cell("encoder.1.attention.head.1.softmax.exp", 1, 2))
    for start in ("S'[chai, is] = ", "S[chai, is] = ", "Q[chai, 1] = ", "X[chai, 1] = "):
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        page.wait_for_timeout(300)
        assert line(page).startswith(start)


def test_a_table_is_one_stop_of_the_tab_key(page: Any) -> None:
    page.focus("[id='encoder.1.attention.head.1.query'] td[tabindex]")
    page.keyboard.press("ArrowRight")
    stops = []
    for _ in range(8):
        page.keyboard.press("Tab")
        stops.append(
            page.evaluate("document.activeElement.tagName + ' ' + document.activeElement.closest('section')?.id")
        )
    head = "encoder.1.attention.head.1"
    key, scores = ([f"{kind} {path}" for kind in ("SUMMARY", "A", "A")] for path in (f"{head}.key", SCORES))
    assert stops == [f"TD {head}.w_k", *key, f"TD {head}.key", *scores]


def test_a_changed_number_changes_what_follows_and_is_kept_in_the_address(page: Any) -> None:
    page.focus("[id='embeddings'] td[tabindex]")
    page.keyboard.press("F2")
    page.keyboard.type("2,5")
    page.keyboard.press("Enter")
    until(page, "document.querySelectorAll('#input td[data-was]').length === 1")
    assert page.text_content(cell("input", 0, 0)) == "2.500"
    assert page.get_attribute(cell("input", 0, 0), "data-was") == "1.000"
    assert page.url.endswith("#set=embeddings%5BThe%2C%201%5D%3D2.5")
    page.click("nav a[href='#encoder.1.norm_1']")
    assert page.url.endswith("#encoder.1.norm_1&set=embeddings%5BThe%2C%201%5D%3D2.5")
    of_changes(page, "Copy command")
    assert page.text_content(".changes code") == "walkthrough run chai --set 'embeddings[The, 1]=2.5'"
    of_changes(page, "Reset numbers")
    until(page, "document.querySelectorAll('td[data-was]').length === 0")
    assert page.text_content(cell("input", 0, 0)) == "1.000"
    assert page.url.endswith("#encoder.1.norm_1")


def test_what_is_no_number_is_said_until_the_next_one_is_taken_and_escape_leaves_an_edit(page: Any) -> None:
    page.focus("[id='embeddings'] td[tabindex]")
    for text in ("many", "0x10", "1,234.5"):
        page.keyboard.press("Enter")
        page.keyboard.press("Control+A")
        page.keyboard.type(text)
        page.keyboard.press("Enter")
        assert page.text_content(".fault") == f"“{text}” is not a number."
        page.keyboard.press("Escape")
        assert focused(page) == "embeddings 1.000"
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    assert page.evaluate("walkthrough.changes()") == ["embeddings[The, 1]=3"]
    assert page.locator(".fault").is_hidden()


def test_what_is_not_given_cannot_be_edited(page: Any) -> None:
    page.focus("[id='input'] td[tabindex]")
    page.keyboard.press("F2")
    assert page.query_selector("td input") is None


def test_a_link_carries_place_and_changes_and_says_what_it_cannot_read(browser: Any, chai: str) -> None:
    address = f"{chai}#{SCORES}&set=embeddings%5BThe%2C%201%5D%3D2.5&set=input%5BThe%2C%201%5D%3D3&set=x"
    with opened(browser, chai) as page:
        page.goto(address)
        page.reload()
        assert page.evaluate("walkthrough.values('input')[0][0]") == 2.5
        edge = "document.querySelector('.bar').getBoundingClientRect().bottom"
        until(page, f"Math.abs(document.getElementById('{SCORES}').getBoundingClientRect().top - {edge} - 12) < 2")
        assert "input[The, 1]" in page.text_content(".fault")
        assert "x" in page.text_content(".fault")


def test_decimals_and_by_hand(page: Any) -> None:
    open_settings(page)
    page.click("text=By hand")
    until(page, "document.querySelectorAll('.drift').length > 10")
    by_hand = bundled_trace("chai", by_hand=True)
    assert page.evaluate(f"walkthrough.values('{SCORES}')") == by_hand[SCORES].array.tolist()
    open_settings(page)
    page.click("text=By hand")
    until(page, "document.querySelectorAll('.drift').length === 0")
    page.click("[aria-label='More decimals']")
    until(page, f"document.querySelector(\"{cell(SCORES, 1, 2)}\").textContent === '2.0498'")


def test_by_hand_rounds_as_the_scenario_says_until_somebody_asks_for_decimals(browser: Any, tmp_path: Path) -> None:
    with opened(browser, written(tmp_path, bundled_trace("cooking"))) as page:
        page.evaluate("walkthrough.set('embeddings', 0, 0, 2)")
        for by_hand in (None, 4):
            open_settings(page)
            page.click("[aria-label='More decimals']" if by_hand else "text=By hand")
            wanted = wt.trace(
                wt.load_scenario("cooking"), arithmetic="by-hand", decimals=by_hand, changes={"embeddings[I, 1]": 2.0}
            )
            until(page, "document.querySelectorAll('.drift').length > 5")
            assert [page.evaluate(f"walkthrough.values('{value.path}')") for value in wanted] == [
                value.array.tolist() for value in wanted
            ]
            of_changes(page, "Copy command")
            asked = " --decimals 4" if by_hand else ""
            command = f"walkthrough run cooking --set 'embeddings[I, 1]=2' --by-hand{asked}"
            assert page.text_content(".changes code") == command


def test_what_cannot_be_copied_is_said(browser: Any, chai: str) -> None:
    """By http a page has no clipboard."""
    with opened(browser, chai) as page:
        page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
        page.evaluate("walkthrough.set('embeddings', 0, 0, 2)")
        of_changes(page, "Copy link")
        until(page, "document.querySelector('.changes span').textContent.startsWith('Not copied')")
        assert page.text_content(".changes code") == page.url


def test_keys_with_ctrl_or_command_are_those_of_the_browser(page: Any) -> None:
    """Print, the source, zoom, back: neither swallowed nor a key of ours."""

    def is_left_alone(key: str, *held: str) -> bool:
        about = ", ".join(f"{name}: true" for name in held)
        event = f"new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true, cancelable: true, {about} }})"
        return bool(page.evaluate(f"document.activeElement.dispatchEvent({event})"))

    page.click(cell("encoder.1.attention.head.1.scores", 0, 0))
    for key in ("p", "u", "ArrowDown", "Home", "Enter"):
        for held in ("ctrlKey", "metaKey"):
            assert is_left_alone(key, held), (key, held)
    assert not is_left_alone("ArrowDown")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.closest('.reads') !== null")
    assert is_left_alone("ArrowLeft", "altKey")
    assert is_left_alone("Escape", "ctrlKey")
    page.click(cell("embeddings", 0, 0))
    assert [is_left_alone(key, "ctrlKey") for key in ("0", "-", "1")] == [True] * 3
    assert page.locator("td input").count() == 0


@pytest.mark.parametrize("width", [360, slow(768), 1280])
def test_nothing_lies_over_what_is_pointed_at_or_has_the_focus(browser: Any, chai: str, width: int) -> None:
    free = """element => {
      const box = element.getBoundingClientRect()
      const top = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2)
      return element.contains(top)
    }"""
    with opened(browser, chai, viewport={"width": width, "height": 740}) as page:
        page.focus("[id='embeddings'] td[tabindex]")
        for _ in range(30):
            for key in ("ArrowDown", "ArrowDown", "Tab"):
                page.keyboard.press(key)
                until(page, f"({free})(document.activeElement)")
        page.keyboard.press("Escape")
        page.evaluate("document.activeElement.blur()")
        said = "document.querySelector('[role=status]').textContent.startsWith('S[hot, The] = ')"
        for _ in range(20):  # steps take their size late, which moves what is below them
            page.evaluate(f"document.getElementById('{SCORES}').scrollIntoView({{block: 'end'}})")
            page.wait_for_timeout(100)
            box = page.locator(cell(SCORES, 3, 0)).bounding_box()
            page.mouse.move(box["x"] + 9, box["y"] + 9)
            if page.evaluate(said):
                break
        assert page.evaluate(said)
        assert page.evaluate(f"document.elementFromPoint({box['x'] + 9}, {box['y'] + 9}).tagName") == "TD"
        page.mouse.click(box["x"] + 9, box["y"] + 9)
        assert focused(page) == f"{SCORES} −0.249"


def test_the_map_shows_where_the_chosen_number_is(page: Any) -> None:
    page.click(cell(SCORES, 1, 2))
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('nav [aria-current]').getAttribute('href').endsWith('.query')")
    assert page.evaluate("document.querySelector('[id$=\".head.1.query\"] h6').getBoundingClientRect().top") > 40


def test_the_map_shows_the_step_at_hand_after_a_jump(page: Any) -> None:
    page.wait_for_timeout(300)
    page.evaluate("document.querySelector('[id$=\".head.1.key\"]').scrollIntoView()")
    until(page, "document.querySelector('nav [aria-current=true]')?.getAttribute('href').endsWith('.head.1.key')")


LECTURE = """(() => { const box = document.querySelector('#-lecture');
    return box && [box.dataset.step.split('.').at(-1), box.querySelectorAll('tr[data-covered]').length] })()"""


def test_a_lecture_begins_at_the_step_of_the_address_however_early_the_key_comes(browser: Any, chai: str) -> None:
    with opened(browser, f"{chai}#{SCORES}") as page:
        page.keyboard.press("f")
        assert page.evaluate(LECTURE) == ["scores", 4]
        assert page.evaluate("location.hash") == f"#{SCORES}&lecture"


def test_keys_uncover_rows_and_go_on_and_back_and_escape_leaves_at_the_same_step(browser: Any, chai: str) -> None:
    with opened(browser, f"{chai}#{SCORES}&lecture") as page:
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
        page.keyboard.press("End")
        page.keyboard.press("Escape")
        until(page, "!document.querySelector('#-lecture')")
        last = page.evaluate("location.hash.slice(1)")
        assert last == list(bundled_trace("chai"))[-1].path
        bottom = f"document.getElementById('{last}').getBoundingClientRect().bottom"
        until(page, f"{bottom} < innerHeight + 1")  # a page scrolls by whole pixels: of its last, a part may be cut


@pytest.mark.parametrize(("wide", "high"), [slow(1920, 1080), (1440, 900), slow(1024, 768)])
def test_in_a_lecture_line_formula_and_names_can_be_read_and_cover_no_matrix(
    browser: Any, chai: str, wide: int, high: int
) -> None:
    with opened(browser, f"{chai}#{SCORES}", viewport={"width": wide, "height": high}) as page:
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


def test_a_row_that_is_uncovered_lights_with_what_it_is_made_of(browser: Any, chai: str) -> None:
    lit = "[...document.querySelectorAll('#-lecture table')].map(one => one.querySelectorAll('td[data-lit]').length)"
    with opened(browser, f"{chai}#{SCORES}&lecture") as page:
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


def test_in_a_lecture_numbers_are_chosen_edited_and_followed(browser: Any, chai: str) -> None:
    with opened(browser, f"{chai}#{QUERIES.replace('w_q', 'query')}&lecture") as page:
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
    browser: Any, chai: str, wide: int, high: int, digits: int
) -> None:
    with opened(browser, f"{chai}#{SCORES}&lecture", viewport={"width": wide, "height": high}) as page:
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
def test_an_address_of_a_lecture_that_cannot_be_read_opens_the_page_and_says_so(
    browser: Any, chai: str, address: str
) -> None:
    with opened(browser, chai + address) as page:
        until(page, "document.querySelector('.fault')?.textContent.includes('there is no such step')")
        assert page.evaluate(LECTURE) is None


def test_the_keys_are_read_on_a_telephone(browser: Any, chai: str) -> None:
    with opened(browser, chai, viewport={"width": 360, "height": 740}) as page:
        page.get_by_role("button", name="Settings").click()
        page.click(".keys summary")
        box = page.locator(".keys ul").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360


def test_attention_is_one_row_of_heat_maps_with_the_words_once(browser: Any, tmp_path: Path) -> None:
    trace = bundled_trace("cooking-multihead")
    with opened(browser, written(tmp_path, trace)) as page:
        figure = page.locator("[data-attention='encoder.1.attention']")
        figure.locator(".heads > div").first.wait_for()  # drawn when it comes into view
        assert figure.locator(".heads > div").count() == 1
        assert figure.locator("li").all_text_contents() == list(trace["encoder.1.attention.head.1.weights"].rows)
        heats = figure.locator("[data-heat]")
        assert [heats.nth(at).get_attribute("data-heat") for at in (0, 1)] == [
            f"encoder.1.attention.head.{number}.weights" for number in (1, 2)
        ]
        boxes = [heats.nth(at).bounding_box() for at in (0, 1)]
        assert boxes[0]["y"] == boxes[1]["y"]
        assert figure.locator(".sentence path").count() == 0


def test_below_the_table_of_one_head_which_is_shaded_are_its_words_alone(page: Any) -> None:
    figure = page.locator("[data-attention='encoder.1.attention']")
    assert figure.locator("[data-heat]").count() == 0
    assert figure.locator(".sentence span").all_text_contents() == ["The", "chai", "is", "hot"]


def test_a_word_draws_an_arc_for_each_head_and_key_as_wide_as_the_weight(browser: Any, tmp_path: Path) -> None:
    trace = bundled_trace("cooking-multihead")
    with opened(browser, written(tmp_path, trace)) as page:
        figure = page.locator("[data-attention='encoder.1.attention']")
        figure.locator(".sentence span").nth(1).hover()
        weights = {
            (value.path, f"1,{column}"): float(value.array[1, column])
            for value in (trace[f"encoder.1.attention.head.{number}.weights"] for number in (1, 2))
            for column in range(3)
            if value.array[1, column] >= 0.01
        }
        arcs = figure.locator("path[data-of]").evaluate_all(
            "all => all.map(one => [one.dataset.of, one.dataset.c, +one.getAttribute('stroke-width'),"
            " getComputedStyle(one).stroke])"
        )
        assert {(path, place): width / 12 for path, place, width, _ in arcs} == pytest.approx(weights, abs=1e-3)
        assert len({stroke for *_, stroke in arcs}) == 2
        below = figure.locator("svg text").evaluate_all(
            "all => all.map(one => [one.dataset.of, one.dataset.c, one.textContent])"
        )
        assert {(path, place): text for path, place, text in below} == {at: f"{x:.3f}" for at, x in weights.items()}
        page.mouse.move(2, 2)
        assert figure.locator("path[data-of]").count() == 0


def test_the_sentence_of_an_attention_is_one_stop_and_arrows_move_in_it(browser: Any, tmp_path: Path) -> None:
    with opened(browser, written(tmp_path, bundled_trace("not-on-your-life"))) as page:
        figure = page.locator("[data-attention='encoder.1.attention']")
        assert figure.locator("[tabindex='0']").count() == 1
        figure.locator("[tabindex='0']").focus()
        page.keyboard.press("ArrowRight")
        assert page.evaluate("document.activeElement.textContent") == "me"
        assert figure.locator("path[data-of]").first.get_attribute("data-c").startswith("1,")
        cross = page.locator("[data-attention='decoder.1.cross_attention']")
        lines = [one.strip() for one in cross.locator(".sentence > div").all_text_contents()]
        assert lines == ["<start>", "Showmethemoney"]


def test_nothing_overflows_a_telephone(browser: Any, tmp_path: Path) -> None:
    for name, width in (("chai", 768), ("chai", 1280), *((name, 360) for name in TRACES)):
        with opened(browser, written(tmp_path, TRACES[name]()), viewport={"width": width, "height": 800}) as page:
            page.add_style_tag(content="section{content-visibility:visible!important}")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name


def test_long_words_leave_the_numbers_of_the_panel_in_sight(browser: Any, tmp_path: Path) -> None:
    address = written(tmp_path, hostile_trace(["Donaudampfschifffahrtsgesellschaftskapitän" * 2, "x"]))
    for width in (360, 1280):
        with opened(browser, address, viewport={"width": width, "height": 800}) as page:
            page.click("section[id$='.weights'] td >> nth=1")
            buttons = page.locator(".reads button, .users button")
            boxes = [buttons.nth(at).bounding_box() for at in range(buttons.count())]
            assert len(boxes) >= 2
            assert all(box["x"] + box["width"] <= width for box in boxes)


def test_text_of_a_scenario_runs_nothing(browser: Any, tmp_path: Path) -> None:
    with opened(browser, written(tmp_path, hostile_trace())) as page:
        page.on("dialog", lambda dialog: pytest.fail("a script ran"))
        page.click("section td:visible >> nth=3")
        assert line(page) != ""
        assert page.locator("img, iframe, object").count() == 0


def test_the_command_turns_no_line_around_and_every_link_leads_to_the_same_changes(
    browser: Any, tmp_path: Path
) -> None:
    words = ["a", "", " ", "a ", "x, 1", "b=1", "&set=x", "%41", "\u202eright", "</script>"]
    address = written(tmp_path, hostile_trace(words))
    with opened(browser, address) as page:
        for row in range(len(words)):
            page.evaluate(f"walkthrough.set('token_embedding', {row}, 0, {row}.5)")
        changes = page.evaluate("walkthrough.changes()")
        of_changes(page, "Copy command")
        assert r"'token_embedding[\u202eright, 1]=8.5'" in str(page.text_content(".changes code"))
        link = page.url
    with opened(browser, address) as page:
        page.goto(link)
        until(page, "walkthrough.changes().length > 0")
        assert page.evaluate("walkthrough.changes()") == changes
        assert page.locator(".fault").is_hidden()
        page.goto(address + "#set=")
        until(page, "!document.querySelector('.fault').hidden")


def test_the_command_of_some_steps_leaves_out_what_only_the_page_takes_as_given(browser: Any, tmp_path: Path) -> None:
    with opened(browser, written(tmp_path, bundled_trace("chai"), Options(steps=["query", "scores"]))) as page:
        page.evaluate("walkthrough.set('encoder.1.attention.head.1.key', 0, 0, 2)")
        page.evaluate("walkthrough.set('encoder.1.attention.head.1.w_q', 0, 0, 2)")
        of_changes(page, "Copy command")
        changed = "--set 'encoder.1.attention.head.1.w_q[1, 1]=2'"
        assert page.text_content(".changes code") == f"walkthrough run chai --step query --step scores {changed}"
        until(page, "document.querySelector('.changes span').textContent.includes('leaves out')")


def test_words_from_right_to_left_turn_no_number_around(browser: Any, tmp_path: Path) -> None:
    trace = hostile_trace(["שלום", "עולם", "is"])
    left = """name => [...document.querySelectorAll(name)].map(line => {
      const range = document.createRange(), found = []
      const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT)
      while (walker.nextNode()) {
        range.selectNodeContents(walker.currentNode)
        const box = range.getClientRects()[0]
        found.push([Math.round(box.top), box.left])
      }
      return found
    })"""
    with opened(browser, written(tmp_path, trace)) as page:
        path = "attention.head.1.scores"
        page.add_style_tag(content="section{content-visibility:visible!important}")
        page.click(cell(path, 0, 1))
        assert line(page) == str(work_out(trace[path], 0, 1, 3, 8))
        for name in (".line", f"[id='{path}'] .worked"):
            (found,) = page.evaluate(left, name)
            assert len(found) >= 3
            assert found == sorted(found)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", [slow("chai"), "small", slow("tea-gpt")])
def test_axe_finds_nothing_serious(browser: Any, tmp_path: Path, name: str, scheme: str) -> None:
    axe = pytest.importorskip("axe_core_python.sync_playwright").Axe()
    with opened(browser, written(tmp_path, TRACES[name]()), color_scheme=scheme, bypass_csp=True) as page:
        page.add_style_tag(content="section{content-visibility:visible!important}")
        page.locator("section:not(.off):last-of-type td:visible").nth(1).click()
        page.get_by_role("button", name="Quiz").click()
        found = axe.run(page)["violations"]
        page.keyboard.press("f")
        page.wait_for_selector("#-lecture table")
        page.keyboard.press("Space")
        found += axe.run(page)["violations"]
        serious = [
            (one["id"], one["nodes"][0]["html"][:120]) for one in found if one["impact"] in ("serious", "critical")
        ]
        assert serious == []


CONTRAST = """(() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true})
  const light = colours => {
    for (const colour of [getComputedStyle(document.body).backgroundColor, ...colours]) {
      canvas.fillStyle = colour
      canvas.fillRect(0, 0, 1, 1)
    }
    const parts = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map(x => x / 255)
    const [r, g, b] = parts.map(x => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  window.contrast = (one, other) => {
    const both = [light(one), light(other)]
    return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05)
  }
})()"""
"""Afterwards `contrast` is that of two colours, each given with those that lie below it."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_numbers_can_be_read_on_every_shade(browser: Any, chai: str, scheme: str) -> None:
    measure = """() => {
      const td = document.querySelector("tbody td")
      return [...Array(9).keys()].flatMap(at => ["p", "n"].map(sign => {
        td.className = sign + (at + 1)
        const style = getComputedStyle(td)
        return contrast([style.color], [style.backgroundColor])
      }))
    }"""
    with opened(browser, chai, color_scheme=scheme) as page:
        page.evaluate(CONTRAST)
        contrasts = page.evaluate(measure)
        assert len(set(contrasts)) > 9
        assert min(contrasts) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marks_stand_out_from_what_is_around_them(browser: Any, chai: str, tmp_path: Path, scheme: str) -> None:
    measure = """([selector, property]) => {
      const one = document.querySelector(selector), behind = []
      for (let box = one.parentElement; box; box = box.parentElement)
        behind.unshift(getComputedStyle(box).backgroundColor)
      const value = getComputedStyle(one)[property].match(/^(rgb|color)[^)]*[)]/)[0]
      return contrast([...behind, value], behind)
    }"""
    norm, given = "encoder.1.norm_1.output", "encoder.1.attention.head.1.w_q"
    marks = {
        "": {"#\\-map svg": "outlineColor", "#\\-map .box": "borderTopColor", "#\\-bar button": "borderTopColor"},
        cell(norm, 1, 2): {".norm circle": "fill", ".norm rect": "stroke", ".norm .way": "stroke"},
        cell("encoder.1.residual_1", 1, 2): {".drawn [data-bar]": "backgroundColor"},
        cell(SCORES, 1, 2): {
            ".drawn [data-lit]": "boxShadow",
            "#\\-map svg[data-lit]": "outlineColor",
            "#\\-map [aria-current]": "boxShadow",
            "td[data-mark=chosen]": "outlineColor",
            "td[data-mark=operand]": "outlineColor",
            "td[data-mark=user]": "outlineColor",
            f"[id='{given}'] td:nth-child(3)": "borderBottomColor",
            ".sentence span": "borderTopColor",
        },
    }
    with opened(browser, chai, color_scheme=scheme) as page:
        page.evaluate(CONTRAST)
        for chosen, found in marks.items():
            if chosen:
                page.click(chosen)
                page.wait_for_selector("#\\-map [aria-current]")
            faint = {name: page.evaluate(measure, [name, value]) for name, value in found.items()}
            assert {name: at for name, at in faint.items() if at < 3} == {}
    heads = written(tmp_path, bundled_trace("cooking-multihead"))
    with opened(browser, heads, color_scheme=scheme) as page:
        page.evaluate(CONTRAST)
        assert page.evaluate(measure, [".heads svg", "outlineColor"]) >= 3


@pytest.mark.parametrize(
    ("name", "script"),
    [
        ("chai", True),
        ("hostile", False),
        *(slow(*case) for case in product(("tea-gpt", "wide"), (True, False))),
    ],
)
@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="needs pdftotext")
def test_every_number_is_on_paper(browser: Any, tmp_path: Path, name: str, script: bool) -> None:
    trace = TRACES[name]()
    with opened(browser, written(tmp_path, trace), java_script_enabled=script) as page:
        page.pdf(path=str(tmp_path / "page.pdf"), prefer_css_page_size=True)
    done = subprocess.run(
        ["pdftotext", "-layout", tmp_path / "page.pdf", "-"], capture_output=True, text=True, check=True
    )
    counts = re.findall(r"−?\d+\.\d{3}(?!\d)", done.stdout)
    wanted = sum(value.array.size for value in trace if not (value.array == value.array.round()).all())
    assert len(counts) >= 0.999 * wanted
    numbers = {typeset(f"{x:.3f}") for value in trace for x in value.array.ravel() if np.isfinite(x) and x != round(x)}
    assert len(numbers - set(counts)) <= 0.01 * len(numbers)


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="needs pdftotext")
def test_on_paper_a_step_stays_together(browser: Any, chai: str, tmp_path: Path) -> None:
    with opened(browser, chai) as page:
        steps = page.evaluate("""[...document.querySelectorAll("section:has(>.worked)")].map(section => [
            section.querySelector("h2,h3,h4,h5,h6").textContent, section.querySelector(".worked").textContent])""")
        page.pdf(path=str(tmp_path / "page.pdf"), prefer_css_page_size=True)
    done = subprocess.run(["pdftotext", tmp_path / "page.pdf", "-"], capture_output=True, text=True)
    sheets = [" ".join(sheet.split()) for sheet in done.stdout.split("\f")]
    for title, line in steps:
        assert any(" ".join(title.split()) in sheet and line.split("=")[-1] in sheet for sheet in sheets), title


@pytest.mark.parametrize(
    ("name", "step", "most"), [("chai", "", 6), slow("chai", "attention", 2), slow("cooking-multihead", "attention", 4)]
)
@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="needs pdftotext")
def test_on_paper_two_columns_are_few_pages_with_their_title_number_and_legible_type(
    browser: Any, tmp_path: Path, name: str, step: str, most: int
) -> None:
    trace = bundled_trace(name)
    with opened(browser, written(tmp_path, trace, Options(steps=[step] if step else []))) as page:
        page.pdf(path=str(tmp_path / "page.pdf"), prefer_css_page_size=True)
        page.emulate_media(media="print")
        sizes = page.evaluate("""[...document.querySelectorAll("body *")].filter((one) => one.checkVisibility() &&
            [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
            .map((one) => parseFloat(getComputedStyle(one).fontSize) * 0.75)""")
    assert min(sizes) >= 7 - 0.05
    done = subprocess.run(["pdftotext", tmp_path / "page.pdf", "-"], capture_output=True, encoding="utf-8", check=True)
    sheets = done.stdout.split("\f")[:-1]
    assert len(sheets) <= most
    for at, sheet in enumerate(sheets, 1):
        assert sheet.startswith(trace.title)
        assert f"{at}/{len(sheets)}" in sheet.replace(" ", "")


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="needs pdftotext")
def test_paper_says_what_was_changed_and_which_arithmetic_it_shows(browser: Any, chai: str, tmp_path: Path) -> None:
    def printed(page: Any) -> str:
        page.pdf(path=str(tmp_path / "page.pdf"))
        done = subprocess.run(["pdftotext", "-l", "1", tmp_path / "page.pdf", "-"], capture_output=True, text=True)
        return " ".join(done.stdout.split())

    with opened(browser, chai) as page:
        assert not re.search("Changed:|By hand", printed(page))
        page.evaluate("walkthrough.set('embeddings', 1, 0, 0.5), walkthrough.set('embeddings', 0, 1, 2)")
        assert "Changed: embeddings[chai, 1]=0.5; embeddings[The, 2]=2. " in printed(page)
        open_settings(page)
        page.get_by_label("By hand").check()
        page.get_by_label("Fewer decimals").click()
        assert "embeddings[The, 2]=2. By hand, rounded to 2 decimals. " in printed(page)
        of_changes(page, "Reset numbers")
        page.get_by_label("By hand").uncheck()
        assert not re.search("Changed:|By hand", printed(page))


def test_on_paper_the_bars_of_the_likeliest_words_are_filled(browser: Any, tmp_path: Path) -> None:
    with opened(browser, written(tmp_path, bundled_trace("first-step"), Options(steps=("output_head",)))) as page:
        bar, adjusting = page.locator(".likeliest [data-bar]").first, "bar => getComputedStyle(bar).printColorAdjust"
        assert bar.evaluate(adjusting) == "economy"
        page.emulate_media(media="print")
        assert bar.evaluate(adjusting) == "exact"  # else a browser prints no backgrounds


def test_a_screen_reader_hears_a_verdict_while_the_verdicts_are_folded_away(page: Any) -> None:
    open_settings(page)
    page.get_by_label("Printed numbers").check()
    td, note = "td[data-v=wrong]", page.evaluate("document.querySelector('ul[data-kind=wrong] li').textContent")
    assert not page.evaluate("document.querySelector('.verdicts').open")
    page.locator(td).first.scroll_into_view_if_needed()
    page.wait_for_timeout(300)  # what is out of sight is not in the tree
    session = page.context.new_cdp_session(page)
    found = session.send("Runtime.evaluate", {"expression": f"document.querySelector('{td}')"})
    node = {"objectId": found["result"]["objectId"], "fetchRelatives": False}
    heard = session.send("Accessibility.getPartialAXTree", node)["nodes"][0]
    assert heard["role"]["value"] == "gridcell"
    assert heard["description"]["value"] == " ".join(note.split())


def test_printed_numbers_are_behind_a_switch_that_is_off_at_first(page: Any) -> None:
    judge = bundled_trace("chai").judge
    assert judge is not None
    wanted = [
        (one.cell.value.path, one.cell.row, one.cell.column, one.verdict)
        for one in judge().cells
        if one.verdict != "exact"
    ]
    first = next(one for one in wanted if one[3] == "wrong")
    page.click(cell(*first[:3]))
    assert page.locator("[data-v], [data-printed]").count() == 0
    open_settings(page)
    page.get_by_label("Printed numbers").check()
    places = (
        "[...document.querySelectorAll('[data-v]')].map(td => [td.closest('section').id,"
        " td.parentElement.sectionRowIndex, td.cellIndex - 1, td.dataset.v])"
    )
    assert sorted(map(tuple, page.evaluate(places))) == sorted(set(wanted))
    assert page.text_content(".panel [data-printed]") == "Printed 0.258, right −0.139: wrong."
    page.click(cell("embeddings", 0, 0))
    assert page.locator("[data-printed]").count() == 0
    open_settings(page)
    page.get_by_label("Printed numbers").uncheck()
    assert page.locator("[data-v], td[aria-describedby]").count() == 0


def test_the_bar_says_what_comes_out_before_and_after_an_edit(browser: Any, tmp_path: Path) -> None:
    with opened(browser, written(tmp_path, bundled_trace("cooking"))) as page:
        last = bundled_trace("cooking")["output_head.prediction"]
        before = f"next word {last.names[int(last.array[-1, 0])]} {last.array[-1, 1]:.3f}"
        assert page.text_content("#-outcome") == before
        high = page.locator("#-bar").bounding_box()["height"]
        page.evaluate("walkthrough.set(walkthrough.paths.find(p => p.endsWith('w_v')), 0, 0, 40)")
        until(page, "document.querySelector('#-outcome').textContent.includes('→')")
        until(page, "document.querySelector('[id=\"output_head.prediction\"] tbody tr:last-child [data-was]') !== null")
        now = page.locator("[id='output_head.prediction'] tbody tr:last-child td").all_text_contents()
        assert page.text_content("#-outcome") == f"{before} → {' '.join(now)}"
        assert page.locator("#-bar").bounding_box()["height"] == high
        page.evaluate("walkthrough.undo()")
        until(page, f"document.querySelector('#-outcome').textContent === '{before}'")


def test_without_a_prediction_the_bar_says_a_number_and_any_other_can_be_pinned_there(page: Any) -> None:
    last = bundled_trace("chai")["encoder.output"]
    assert page.text_content("#-outcome") == f"output of hot, 1st of 4 {last.array[-1, 0]:.3f}"
    page.click(cell(SCORES, 1, 2))
    page.keyboard.press("p")
    assert page.text_content("#-outcome") == "S[chai, is] 2.050"
    page.evaluate(f"walkthrough.set('{QUERIES}', 0, 0, 3)")
    until(page, "document.querySelector('#-outcome').textContent.startsWith('S[chai, is] 2.050 → ')")
    page.click("text=Unpin")
    assert page.text_content("#-outcome").startswith("output of hot, 1st of 4 ")


def test_undo_and_redo_by_key_and_button_but_not_in_a_field(page: Any) -> None:
    page.evaluate(f"walkthrough.set('{QUERIES}', 0, 0, 3)")
    page.keyboard.press("Control+z")
    assert page.evaluate("walkthrough.changes()") == []
    page.keyboard.press("Control+Shift+Z")
    assert page.evaluate("walkthrough.changes()") == [f"{QUERIES}[1, 1]=3"]
    page.get_by_role("button", name="Undo").click()
    assert page.evaluate("walkthrough.changes()") == []
    assert page.get_by_role("button", name="Undo").is_disabled()
    page.get_by_role("button", name="Redo").click()
    page.click(cell(QUERIES, 1, 1))
    page.keyboard.press("Enter")
    page.keyboard.press("Control+z")
    assert page.evaluate("walkthrough.changes()") == [f"{QUERIES}[1, 1]=3"]


def test_what_a_link_carries_is_where_undo_ends(browser: Any, chai: str) -> None:
    with browser.new_context() as shown:
        page = shown.new_page()
        page.goto(f"{chai}#set=embeddings[chai, 1]=2&set=embeddings[chai, 2]=3")
        until(page, "walkthrough.changes().length === 2")
        assert page.evaluate("walkthrough.undo()") is False


def dragged(page: Any, place: str, *ways: int) -> None:
    page.locator(place).scroll_into_view_if_needed()
    box = page.locator(place).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for way in ways:
        page.mouse.move(x + way, y)
        page.wait_for_timeout(50)


def test_a_given_number_is_dragged_and_a_drag_is_one_edit(page: Any) -> None:
    place = cell("embeddings", 1, 0)  # 0.2, of numbers up to 1
    dragged(page, place, 10, 25, 37)
    page.mouse.up()
    assert page.evaluate("walkthrough.changes()") == ["embeddings[chai, 1]=0.57"]
    assert page.locator("td input").count() == 0
    assert page.evaluate("[walkthrough.undo(), walkthrough.undo()]") == [True, False]
    dragged(page, place, 20)
    page.keyboard.press("Escape")
    page.mouse.up()
    assert page.evaluate("walkthrough.changes()") == []
    assert page.evaluate("[walkthrough.undo(), walkthrough.redo()]") == [False, False]
    dragged(page, place, 3)
    page.mouse.up()
    assert focused(page) == "embeddings 0.200"
    dragged(page, cell(SCORES, 0, 0), 30)
    page.mouse.up()
    assert page.evaluate("walkthrough.changes()") == []


def swiped(page: Any, place: str, right: float, down: float) -> None:
    """Moves a finger from a cell; the browser may take that for scrolling."""
    box = page.locator(place).bounding_box()
    x, y, touch = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, page.context.new_cdp_session(page)
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for part in (0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1):
        at = {"x": x + part * right, "y": y + part * down}
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [at]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_finger_drags_the_chosen_number_sideways_and_scrolls_anywhere_else(browser: Any, chai: str) -> None:
    place = cell("encoder.1.attention.head.1.w_q", 0, 0)
    with opened(browser, chai, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True) as page:
        page.locator(place).scroll_into_view_if_needed()
        swiped(page, place, 40, 0)
        page.tap(place)
        assert page.locator("td input").count() == 0
        assert page.evaluate("walkthrough.changes()") == []
        swiped(page, place, 40, 0)
        until(page, "walkthrough.changes().join() === 'encoder.1.attention.head.1.w_q[1, 1]=1.4'")
        before = page.evaluate("scrollY")
        swiped(page, place, 60, -160)
        until(page, f"scrollY > {before} + 50")
        assert page.evaluate("walkthrough.changes()") == ["encoder.1.attention.head.1.w_q[1, 1]=1.4"]
        assert page.evaluate("[walkthrough.undo(), walkthrough.undo()]") == [True, False]


def test_the_first_click_chooses_a_given_number_and_the_second_edits_it(page: Any) -> None:
    for row, column in ((0, 0), (1, 1)):  # the first is what the tab key stops at
        place = cell("encoder.1.attention.head.1.w_q", row, column)
        page.click(place)
        assert page.locator(f"{place}[data-mark=chosen]").count() == 1
        assert page.locator("td input").count() == 0
        page.click(place)
        assert page.locator("td input").count() == 1
        page.keyboard.press("Escape")


def test_alt_and_arrows_change_a_given_number_by_units(page: Any) -> None:
    page.click(cell("embeddings", 1, 0))
    for key, wanted in (("Alt+ArrowUp", "0.21"), ("Alt+Shift+ArrowUp", "0.31"), ("Alt+ArrowDown", "0.3")):
        page.keyboard.press(key)
        assert page.evaluate("walkthrough.changes()") == [f"embeddings[chai, 1]={wanted}"]


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_boxes_light_in_the_order_of_the_calculation_and_at_once_without_motion(
    browser: Any, chai: str, motion: str
) -> None:
    with opened(browser, chai, reduced_motion=motion) as page:
        page.evaluate("""window.order = []
            const note = one => window.order.push([one.target.dataset.heat, performance.now()])
            new MutationObserver(all => all.forEach(note)).observe(
                document.querySelector('#-map'), {subtree: true, attributeFilter: ['data-changed']})""")
        page.evaluate(f"walkthrough.set('{QUERIES}', 0, 0, 3)")
        until(page, "order.length > 15 && performance.now() - order.at(-1)[1] > 500")
        order = page.evaluate("window.order")
        paths = [value.path for value in bundled_trace("chai")]
        assert [paths.index(path) for path, _ in order] == sorted(paths.index(path) for path, _ in order)
        spread = order[-1][1] - order[0][1]
        assert spread < 30 if motion == "reduce" else spread > 300


def test_the_line_below_a_table_is_that_of_the_chosen_number(page: Any) -> None:
    below = f"[id='{SCORES}'] .worked"
    first = page.text_content(below)
    page.click(cell(SCORES, 2, 3))
    assert page.text_content(below) == line(page) != first
    page.click(cell(QUERIES, 0, 0))
    assert page.text_content(below) == first


def test_a_number_that_was_followed_to_looks_as_one_that_was_clicked(page: Any) -> None:
    page.click(cell(SCORES, 1, 2))
    page.locator(".reads button").first.press("Enter")
    assert page.locator("[data-here]").count() == 0
    assert page.locator("td[data-mark=chosen]").count() == 1


def test_the_tab_key_in_the_bar_scrolls_nothing(page: Any) -> None:
    page.evaluate(f"document.getElementById('{SCORES}').scrollIntoView()")
    page.wait_for_timeout(300)
    page.get_by_role("button", name="Lecture").focus()
    page.wait_for_timeout(200)
    before = page.evaluate("scrollY")
    for key in ("Tab", "Tab", "Shift+Tab", "Tab"):
        page.keyboard.press(key)
        page.wait_for_timeout(50)
        assert page.evaluate("scrollY") == before
        assert page.evaluate("document.activeElement.closest('.bar') !== null")


def test_without_script_everything_is_there_to_read(browser: Any, chai: str) -> None:
    with opened(browser, chai, java_script_enabled=False) as page:
        assert page.locator("section table").count() == 37
        assert page.locator("section .worked").count() == 28
        assert page.locator("nav [data-heat]").count() == 37


def test_where_an_edit_changes_what_is_calculated_the_rest_keeps_its_numbers_and_says_so(
    browser: Any, tmp_path: Path
) -> None:
    with opened(browser, written(tmp_path, bundled_trace("tea-gpt"))) as page:
        page.evaluate("walkthrough.set('embeddings', 0, 0, 9)")
        until(page, "document.querySelectorAll('[data-stale]').length > 200")
        command = "walkthrough run tea-gpt --set 'embeddings[hot, 1]=9'"
        wanted = f"This changes what is calculated: run {command} again."
        assert page.text_content("#generated .stale") == wanted
        assert page.text_content(".bar .stale").startswith(wanted)
        assert page.evaluate(
            "[...document.querySelectorAll('section[data-stale]')].every(one => one.querySelector('.stale'))"
        )
        assert page.text_content(cell("generated", 0, 0)) == "tea"
        assert page.text_content(cell("output_head.prediction", 0, 0)) == "<end>"
        page.evaluate("walkthrough.reset()")
        until(page, "document.querySelectorAll('[data-stale], section .stale').length === 0")


def heat_maps(page: Any) -> list[list[list[str]]]:
    return list(
        page.evaluate("""[...document.querySelectorAll('#-map svg')].map(svg => [[svg.dataset.heat],
            [...svg.querySelectorAll('path')].map(path => path.getAttribute('class') + path.getAttribute('d')).sort(),
            [svg.parentElement.querySelector('pre')?.textContent]])""")
    )


@pytest.mark.parametrize("name", ["cooking", "sandwich", "wide"])
def test_the_first_screen_follows_and_comes_back_as_it_was_written(browser: Any, tmp_path: Path, name: str) -> None:
    trace = wide_trace() if name == "wide" else bundled_trace(name)
    with opened(browser, written(tmp_path, trace)) as page:
        before = heat_maps(page)
        page.evaluate("walkthrough.set(walkthrough.paths.find(p => /embed|w_v|angle|x$/.test(p)), 0, 0, 40)")
        until(page, "document.querySelectorAll('#-map [data-changed]').length > 1")
        assert heat_maps(page) != before
        page.evaluate("walkthrough.arithmetic('exact')")  # all is painted again
        page.evaluate("walkthrough.reset()")
        until(page, "document.querySelectorAll('#-map [data-changed]').length === 0")
        assert heat_maps(page) == before


def test_the_likeliest_words_follow_an_edit(browser: Any, tmp_path: Path) -> None:
    with opened(browser, written(tmp_path, bundled_trace("cooking"))) as page:
        before = page.locator(".likeliest li").all_text_contents()
        page.evaluate("walkthrough.set(walkthrough.paths.find(p => p.endsWith('w_v')), 0, 0, 40)")
        row = "walkthrough.values('output_head.probabilities').at(-1)"
        until(page, "document.querySelectorAll('#-map [data-changed]').length > 1")
        shares = sorted(page.evaluate(row), reverse=True)[:5]
        found = page.locator(".likeliest li").all_text_contents()
        assert found != before
        assert [one[-5:] for one in found] == [f"{share:.3f}" for share in shares]


def test_pointing_at_the_map_shows_the_line_of_a_number_and_lights_what_it_comes_from(page: Any) -> None:
    box = page.locator(f"#-map [data-heat='{SCORES}']").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.4)
    assert line(page) == "S[chai, is] = 1.0415×(−0.1161) + 1.5403×1.4093 = 2.050"
    lit = page.eval_on_selector_all("#-map [data-lit]", "all => all.map(one => one.dataset.heat.split('.').pop())")
    assert lit == ["query", "key", "scores"]
    page.mouse.click(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.4)
    until(page, "document.querySelector('td[data-mark=chosen]')?.textContent === '2.050'")
    assert SCORES in page.url


def test_the_first_screen_of_a_wide_window_holds_all_of_the_model(browser: Any, tmp_path: Path) -> None:
    for name in (
        "chai",
        "cat-sat",
        "cooking-multihead",
        "help-me",
        "tea-gpt",
        "tiny-llama",
        "cat-gpt",
        "fuchs",
        "latent",
        "lens",
        "specialise",
    ):
        size = {"width": 1440, "height": 900}
        with opened(browser, written(tmp_path, bundled_trace(name)), viewport=size) as page:
            page.wait_for_timeout(300)
            box = page.locator("#-map").bounding_box()
            assert box["y"] + box["height"] <= 900
            assert box["width"] * box["height"] >= 0.3 * 1440 * 900


def test_in_a_larger_window_the_model_is_larger_and_a_cell_is_still_the_one_under_the_pointer(
    browser: Any, chai: str
) -> None:
    widths = []
    for wide, high in ((1440, 900), (1920, 1080)):
        with opened(browser, chai, viewport={"width": wide, "height": high}) as page:
            box = page.locator(f'#-map [data-heat="{SCORES}"]').bounding_box()
            widths.append(box["width"])
            page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + box["height"] * 0.6)
            until(page, "document.querySelector('[data-cell]')?.dataset.cell === 'is, chai'")
            whole = page.locator("#-map").bounding_box()
            assert whole["y"] + whole["height"] <= high
    assert widths[1] >= 1.15 * widths[0]


@pytest.mark.parametrize("is_first", [True, False])
def test_on_a_phone_a_step_that_the_address_names_begins_below_the_bar(browser: Any, chai: str, is_first: bool) -> None:
    with opened(browser, f"{chai}#{SCORES}" if is_first else chai, viewport={"width": 390, "height": 844}) as page:
        until(page, "document.getElementById('-here') !== null")
        page.evaluate("path => { location.hash = path }", SCORES)
        top = f"document.getElementById('{SCORES}').querySelector('h6').getBoundingClientRect().top"
        bar = "document.querySelector('.bar').getBoundingClientRect().bottom"
        until(page, f"!document.getElementById('-here').hidden && {top} >= {bar} && {top} < innerHeight / 2")


@pytest.mark.parametrize("size", [(1024, 768), (390, 844)])
def test_scrolled_past_the_map_is_a_rail_or_a_line_says_where_one_is(
    browser: Any, chai: str, size: tuple[int, int]
) -> None:
    wide, high = size
    with opened(browser, f"{chai}", viewport={"width": wide, "height": high}) as page:
        words = page.locator("#-map [data-word]").first.bounding_box()
        assert words["y"] + words["height"] < high
        page.evaluate(f"location.hash = '{SCORES}'")
        until(page, "document.querySelector('#-map [aria-current=true]')?.getAttribute('href').endsWith('.scores')")
        page.wait_for_timeout(300)
        assert page.locator("#-bar").bounding_box()["height"] <= 0.14 * high
        rail, link = page.locator("#-map"), page.locator("#-map [aria-current]")
        if wide >= 1024:
            assert rail.bounding_box()["width"] <= 320
            assert 0 <= link.bounding_box()["y"] <= high - 20
            assert page.locator("#-here").is_hidden()
        else:
            said = [page.text_content(f"#-here {part}") for part in ("span", "b")]
            assert said == ["Encoder · Layer 1 · Attention · Head 1", "Scores"]
            page.click("#-here a[rel=next]")
            until(page, "document.querySelector('#-here b').textContent === 'Scaled scores'")


def test_a_page_by_hand_says_how_far_each_step_has_drifted(browser: Any, tmp_path: Path) -> None:
    with opened(browser, written(tmp_path, bundled_trace("cooking", by_hand=True))) as page:
        drifts = page.locator(".drift").count()
        assert drifts > 5
        open_settings(page)
        page.click("text=By hand")
        until(page, "document.querySelectorAll('.drift').length === 0")
        exact = bundled_trace("cooking")
        path = next(value.path for value in exact if value.path.endswith("weights"))
        assert np.allclose(page.evaluate(f"walkthrough.values('{path}')"), exact[path].array, rtol=1e-12, atol=0)


def test_in_firefox_a_number_is_followed_by_the_keyboard_and_a_table_is_one_stop(chai: str) -> None:
    with firefox(chai) as page:

        def said(script: str) -> Any:
            return page.ask("WebDriver:ExecuteScript", {"script": f"return {script}", "args": []})["value"]

        def press(*keys: str) -> None:
            for key in keys:
                actions = [{"type": kind, "value": key} for kind in ("keyDown", "keyUp")]
                page.ask("WebDriver:PerformActions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

        while not said("document.querySelector('td[tabindex]') !== null"):
            time.sleep(0.05)
        tab, enter, escape, down, end, left = "\ue004", "\ue007", "\ue00c", "\ue015", "\ue010", "\ue012"
        said(f"document.querySelector(\"[id='{SCORES}'] td[tabindex]\").focus()")
        press(down, end, left)
        assert said("document.querySelector('[role=status]').textContent").startswith("S[chai, is] = ")
        press(enter, down, enter)
        assert said("document.querySelector('[role=status]').textContent").startswith("Q[chai, 2] = ")
        assert said("document.querySelectorAll('td.p9, td.n9').length") > 3
        stops = []
        for _ in range(6):
            press(tab)
            stops.append(said("document.activeElement.tagName + ' ' + document.activeElement.closest('section')?.id"))
        head = "encoder.1.attention.head.1"
        key = [f"{kind} {head}.key" for kind in ("SUMMARY", "A", "A")]
        assert stops == [f"TD {head}.w_k", *key, f"TD {head}.key", f"SUMMARY {SCORES}"]
        said(f"document.querySelector(\"[id='{SCORES}'] td[tabindex]\").focus()")
        press(escape)
        assert said("document.querySelector('.trail').textContent") == ""


def apart(one: dict[str, float], other: dict[str, float]) -> bool:
    """Whether two boxes have no point in common."""
    return any(
        one[start] + one[size] <= other[start] or other[start] + other[size] <= one[start]
        for start, size in (("x", "width"), ("y", "height"))
    )


def test_firefox_says_nothing_of_sizes_that_follow_from_one_another(chai: str) -> None:
    script = """const [done] = [arguments[arguments.length - 1]], said = [];
        addEventListener("error", ({ message }) => said.push(message));
        const cells = [...document.querySelectorAll("main td")].filter((td) => td.textContent);
        const lecture = [...document.querySelectorAll(".bar button")].find((one) => one.textContent === "Lecture");
        const all = [...[3, 20, 60, 100].map((at) => cells[at]), lecture];
        const next = () => { const one = all.shift(); one?.click(); setTimeout(one ? next : () => done(said), 200); };
        next();"""
    with firefox(chai) as page:
        assert page.ask("WebDriver:ExecuteAsyncScript", {"script": script, "args": []})["value"] == []


@pytest.mark.parametrize("size", [(1440, 900), slow((1280, 720)), slow((1024, 768))])
def test_on_the_first_screen_a_glance_is_low_and_covers_nothing_that_it_is_about(
    browser: Any, chai: str, size: tuple[int, int]
) -> None:
    with opened(browser, chai, viewport={"width": size[0], "height": size[1]}) as page:
        for name in ("input", "encoder.1.attention.head.1.weights", "encoder.1.norm_2.output"):
            heat = page.locator(f"#-map [data-heat='{name}']")
            heat.hover()
            until(page, "document.querySelector('.panel .line').textContent")
            panel = page.locator("#-panel").bounding_box()
            assert panel["height"] <= 160
            assert apart(panel, heat.bounding_box())
            assert apart(panel, page.locator("#-bar").bounding_box())
            assert page.locator("#-panel :is(.users button, .pin):visible").count() == 0
            if size[0] >= 1280 and page.evaluate("scrollY") == 0:
                assert all(apart(panel, page.locator(one).bounding_box()) for one in ("#-map", "h1", ".about >> nth=0"))
        page.locator("#-map [data-heat='encoder.1.attention.head.1.weights']").click()
        page.locator("#-panel .users button").first.wait_for()
        assert page.locator("#-panel .pin").is_visible()


def test_the_panel_is_below_the_bar(browser: Any, chai: str) -> None:
    with opened(browser, f"{chai}#{SCORES}", viewport={"width": 390, "height": 844}) as page:
        page.click(cell(SCORES, 1, 2))
        assert page.evaluate(
            "(name => +getComputedStyle(document.querySelector(name)).zIndex)('.panel')"
        ) < page.evaluate("(name => +getComputedStyle(document.querySelector(name)).zIndex)('.bar')")


def test_bars_of_numbers_with_signs_have_a_line_at_0(page: Any) -> None:
    path = "encoder.1.attention.head.1.weights"
    page.evaluate(f"location.hash = '{path}'")
    page.click(cell(path, 2, 0))
    scores = bundled_trace("chai")[path.replace("weights", "scaled_scores")].array[2]
    wide, low = max(scores.max(), 0) - min(scores.min(), 0), min(scores.min(), 0)
    assert low < 0 < scores.max()
    for at, bar in enumerate(page.locator(".shares [data-zero] [data-bar]").all()):
        style = dict(one.split(":") for one in bar.get_attribute("style").split(";"))
        start, end = (100 * (x - low) / wide for x in sorted((0, scores[at])))
        assert float(style["margin-left"][:-1]) == pytest.approx(start, abs=0.01)
        assert float(style["width"][:-1]) == pytest.approx(end - start, abs=0.01)


@pytest.mark.parametrize("name", ["chai", "tea-gpt"])
def test_on_a_phone_the_model_stands_at_the_top_and_the_settings_above_the_panel(
    browser: Any, tmp_path: Path, name: str
) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    with opened(browser, written(tmp_path, bundled_trace(name)), **phone) as page:
        page.wait_for_selector(".bar button")
        assert page.locator("#-map").bounding_box()["y"] < 260
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        page.evaluate("document.querySelector('section[id$=\".scores\"]:not(.off) tbody td').click()")
        page.wait_for_selector(".panel:not(.empty)")
        page.get_by_role("button", name="Settings").tap()
        box = page.locator(".settings").bounding_box()
        spot = f"{box['x'] + box['width'] / 2}, {box['y'] + box['height'] - 8}"
        assert page.evaluate(f"document.elementFromPoint({spot}).closest('.settings') !== null")
