"""The page as somebody uses it: looking, following, changing, reading."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.browser.firefox import Marionette
from tests.browser.pages import QUERIES, SCORES, TRACES, cell, focused, line, of_changes, open_settings, until, written
from tests.examples import slow
from tests.views.samples import bundled_trace, hostile_trace
from walkthrough.explaining.worked import work_out
from walkthrough.views.options import Options

pytestmark = pytest.mark.browser


def test_the_page_says_what_to_do_and_a_wide_screen_has_a_place_for_the_line(page: Any) -> None:
    assert "Point at a number" in page.inner_text("header, main")
    page.evaluate(f"location.hash = '{SCORES}'")
    page.hover(cell(SCORES, 0, 1))
    until(page, "document.querySelector('.panel').getBoundingClientRect().width > 300")


@pytest.mark.parametrize("script", [True, False])
def test_an_address_leads_to_its_step(show: Any, script: bool) -> None:
    page = show("chai", at=f"#{SCORES}", java_script_enabled=script)
    top = f"document.getElementById('{SCORES}').getBoundingClientRect().top"
    until(page, f"0 <= {top} && {top} < 720")


@pytest.mark.parametrize("changes", [[], ["embeddings[chai, 1]=2"]])
def test_a_program_may_change_numbers_as_soon_as_the_page_is_read(show: Any, changes: list[str]) -> None:
    early = f"addEventListener('DOMContentLoaded', () => walkthrough.set('{QUERIES}', 0, 0, 5))"
    page = show("chai", at="".join(f"#set={change}" for change in changes), before=early)
    assert page.evaluate("walkthrough.changes()") == [*changes, f"{QUERIES}[1, 1]=5"]
    until(page, "document.querySelectorAll('[data-was]').length > 50 && location.hash.includes('w_q')")


def test_the_bar_follows_a_program(page: Any) -> None:
    page.evaluate("walkthrough.arithmetic('by hand', 2)")
    assert page.locator("output").text_content() == "2"
    assert page.get_by_label("By hand").is_checked()
    page.evaluate("walkthrough.arithmetic('exact')")
    assert page.locator("output").text_content() == "3"
    assert not page.get_by_label("By hand").is_checked()


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


def test_a_link_carries_place_and_changes_and_says_what_it_cannot_read(show: Any, chai: str) -> None:
    address = f"{chai}#{SCORES}&set=embeddings%5BThe%2C%201%5D%3D2.5&set=input%5BThe%2C%201%5D%3D3&set=x"
    page = show("chai")
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


def test_by_hand_rounds_as_the_scenario_says_until_somebody_asks_for_decimals(show: Any) -> None:
    page = show("cooking")
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


def test_what_cannot_be_copied_is_said(show: Any) -> None:
    """By http a page has no clipboard."""
    page = show("chai")
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
def test_nothing_lies_over_what_is_pointed_at_or_has_the_focus(show: Any, width: int) -> None:
    free = """element => {
      const box = element.getBoundingClientRect()
      const top = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2)
      return element.contains(top)
    }"""
    page = show("chai", viewport={"width": width, "height": 740})
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


def test_attention_is_one_row_of_heat_maps_with_the_words_once(show: Any) -> None:
    trace = bundled_trace("cooking-multihead")
    page = show("cooking-multihead")
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


def test_a_word_draws_an_arc_for_each_head_and_key_as_wide_as_the_weight(show: Any) -> None:
    trace = bundled_trace("cooking-multihead")
    page = show("cooking-multihead")
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
    at_rest = figure.locator("path[data-of]").evaluate_all("all => all.map(one => one.dataset.c[0])")
    assert set(at_rest) == {"2"}


def test_the_sentence_of_an_attention_is_one_stop_and_arrows_move_in_it(show: Any) -> None:
    page = show("not-on-your-life")
    figure = page.locator("[data-attention='encoder.1.attention']")
    assert figure.locator("[tabindex='0']").count() == 1
    figure.locator("[tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.textContent") == "me"
    assert figure.locator("path[data-of]").first.get_attribute("data-c").startswith("1,")
    cross = page.locator("[data-attention='decoder.1.cross_attention']")
    lines = [one.strip() for one in cross.locator(".sentence > div").all_text_contents()]
    assert lines == ["<start>", "Showmethemoney"]


@pytest.mark.parametrize("name", ["chai", "small", "hostile", "wide", slow("cooking-training"), slow("tea-gpt")])
def test_nothing_overflows_a_telephone(show: Any, name: str) -> None:
    page = show(TRACES[name]())
    page.add_style_tag(content="section{content-visibility:visible!important}")
    for width in (1280, 768, 360) if name == "chai" else (360,):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_long_words_leave_the_numbers_of_the_panel_in_sight(show: Any) -> None:
    page = show(hostile_trace(["Donaudampfschifffahrtsgesellschaftskapitän" * 2, "x"]))
    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        page.click("section[id$='.weights'] td >> nth=1")
        buttons = page.locator(".reads button, .users button")
        boxes = [buttons.nth(at).bounding_box() for at in range(buttons.count())]
        assert len(boxes) >= 2
        assert all(box["x"] + box["width"] <= width for box in boxes)


def test_text_of_a_scenario_runs_nothing(show: Any) -> None:
    page = show(hostile_trace(), before="window.alert = () => { throw new Error('a script ran') }")
    page.click("section td:visible >> nth=3")
    assert line(page) != ""
    assert page.locator("img, iframe, object").count() == 0


def test_the_command_turns_no_line_around_and_every_link_leads_to_the_same_changes(show: Any, tmp_path: Path) -> None:
    words = ["a", "", " ", "a ", "x, 1", "b=1", "&set=x", "%41", "\u202eright", "</script>"]
    address = written(tmp_path, hostile_trace(words))
    page = show(address)
    for row in range(len(words)):
        page.evaluate(f"walkthrough.set('token_embedding', {row}, 0, {row}.5)")
    changes = page.evaluate("walkthrough.changes()")
    of_changes(page, "Copy command")
    assert r"'token_embedding[\u202eright, 1]=8.5'" in str(page.text_content(".changes code"))
    page.reload()
    until(page, "walkthrough.changes().length > 0")
    assert page.evaluate("walkthrough.changes()") == changes
    assert page.locator(".fault").is_hidden()
    page.goto(address + "#set=")
    until(page, "!document.querySelector('.fault').hidden")


def test_the_command_of_some_steps_leaves_out_what_only_the_page_takes_as_given(show: Any) -> None:
    page = show("chai", options=Options(steps=["query", "scores"]))
    page.evaluate("walkthrough.set('encoder.1.attention.head.1.key', 0, 0, 2)")
    page.evaluate("walkthrough.set('encoder.1.attention.head.1.w_q', 0, 0, 2)")
    of_changes(page, "Copy command")
    changed = "--set 'encoder.1.attention.head.1.w_q[1, 1]=2'"
    assert page.text_content(".changes code") == f"walkthrough run chai --step query --step scores {changed}"
    until(page, "document.querySelector('.changes span').textContent.includes('leaves out')")


def test_words_from_right_to_left_turn_no_number_around(show: Any) -> None:
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
    page = show(trace)
    path = "attention.head.1.scores"
    page.add_style_tag(content="section{content-visibility:visible!important}")
    page.click(cell(path, 0, 1))
    assert line(page) == str(work_out(trace[path], 0, 1, 3, 8))
    for name in (".line", f"[id='{path}'] .worked"):
        (found,) = page.evaluate(left, name)
        assert len(found) >= 3
        assert found == sorted(found)


def test_a_screen_reader_hears_a_verdict_while_the_verdicts_are_folded_away(page: Any) -> None:
    open_settings(page)
    page.get_by_label("Printed numbers").check()
    td, note = "td[data-v=wrong]", page.evaluate("document.querySelector('ul[data-kind=wrong] li').textContent")
    assert not page.evaluate("document.querySelector('.verdicts').open")
    page.locator(td).first.scroll_into_view_if_needed()
    session = page.context.new_cdp_session(page)
    found = session.send("Runtime.evaluate", {"expression": f"document.querySelector('{td}')"})
    node = {"objectId": found["result"]["objectId"], "fetchRelatives": False}
    for _ in range(100):  # what is out of sight is not in the tree
        heard = session.send("Accessibility.getPartialAXTree", node)["nodes"][0]
        if heard["role"]["value"] == "gridcell":
            break
        page.wait_for_timeout(50)
    assert heard["description"]["value"] == " ".join(note.split())
    session.detach()


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


def test_the_bar_says_what_comes_out_before_and_after_an_edit(show: Any) -> None:
    page = show("cooking")
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


def test_what_a_link_carries_is_where_undo_ends(show: Any) -> None:
    page = show("chai", at="#set=embeddings[chai, 1]=2&set=embeddings[chai, 2]=3")
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


def test_a_finger_drags_the_chosen_number_sideways_and_scrolls_anywhere_else(show: Any) -> None:
    place = cell("encoder.1.attention.head.1.w_q", 0, 0)
    page = show("chai", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
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


def test_the_line_below_a_table_is_left_out_while_the_panel_says_the_same(page: Any) -> None:
    below = page.locator(f"[id='{SCORES}'] .worked")
    row, column = map(int, below.get_attribute("data-c").split(","))
    said = below.text_content()
    page.click(cell(SCORES, row, column))
    assert line(page) == said == below.text_content()
    assert not below.is_visible()
    page.emulate_media(media="print")
    assert below.is_visible()
    page.emulate_media(media="screen")
    page.click(cell(SCORES, row, column + 1))
    assert line(page) != said == below.text_content()
    assert below.is_visible()


def test_the_script_sets_a_worked_line_as_it_was_sent(page: Any) -> None:
    lines = page.locator(".worked").evaluate_all("all => all.map(one => one.innerHTML)")
    assert sum("<sub><u>_</u>" in one for one in lines) > 9
    page.evaluate(f"walkthrough.set('{QUERIES}', 0, 0, 5)")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.evaluate("walkthrough.reset()")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".worked").evaluate_all("all => all.map(one => one.innerHTML)") == lines


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


def test_without_script_everything_is_there_to_read(show: Any) -> None:
    page = show("chai", java_script_enabled=False)
    assert page.locator("section table").count() == 37
    assert page.locator("section .worked").count() == 28
    assert page.locator("nav [data-heat]").count() == 37


def test_where_an_edit_changes_what_is_calculated_the_rest_keeps_its_numbers_and_says_so(show: Any) -> None:
    page = show("tea-gpt")
    page.evaluate("walkthrough.set('embeddings', 0, 3, 9)")
    until(page, "document.querySelectorAll('[data-stale]').length > 200")
    command = "walkthrough run tea-gpt --set 'embeddings[hot, 4]=9'"
    wanted = f"This changes what is calculated: {command} calculates it."
    assert page.text_content("#generated .stale") == wanted
    assert page.text_content(".bar .stale").startswith(wanted)
    assert page.evaluate(
        "[...document.querySelectorAll('section[data-stale]')].every(one => one.querySelector('.stale'))"
    )
    assert page.text_content(cell("generated", 0, 0)) == "is"
    assert page.text_content(cell("output_head.prediction", 1, 0)) == "hot"
    page.evaluate("walkthrough.reset()")
    until(page, "document.querySelectorAll('[data-stale], section .stale').length === 0")


def test_a_page_by_hand_says_how_far_each_step_has_drifted(show: Any) -> None:
    page = show(bundled_trace("cooking", by_hand=True))
    drifts = page.locator(".drift").count()
    assert drifts > 5
    open_settings(page)
    page.click("text=By hand")
    until(page, "document.querySelectorAll('.drift').length === 0")
    exact = bundled_trace("cooking")
    path = next(value.path for value in exact if value.path.endswith("weights"))
    assert np.allclose(page.evaluate(f"walkthrough.values('{path}')"), exact[path].array, rtol=1e-12, atol=0)


def test_in_firefox_a_number_is_followed_by_the_keyboard_and_a_table_is_one_stop(
    firefox: Marionette, chai: str
) -> None:
    firefox.open(chai)
    while not firefox.evaluate("document.querySelector('td[tabindex]') !== null"):
        time.sleep(0.05)
    tab, enter, escape, down, end, left = "\ue004", "\ue007", "\ue00c", "\ue015", "\ue010", "\ue012"
    first = f"document.querySelector(\"[id='{SCORES}'] td[tabindex]\").focus()"
    said = "document.querySelector('{}').textContent"
    firefox.evaluate(first)
    firefox.press(down + end + left)
    assert firefox.evaluate(said.format("[role=status]")).startswith("S[chai, is] = ")
    firefox.press(enter + down + enter)
    assert firefox.evaluate(said.format("[role=status]")).startswith("Q[chai, 2] = ")
    assert firefox.evaluate("document.querySelectorAll('td.p9, td.n9').length") > 3
    stops = []
    for _ in range(6):
        firefox.press(tab)
        at = "document.activeElement.tagName + ' ' + document.activeElement.closest('section')?.id"
        stops.append(firefox.evaluate(at))
    head = "encoder.1.attention.head.1"
    key = [f"{kind} {head}.key" for kind in ("SUMMARY", "A", "A")]
    assert stops == [f"TD {head}.w_k", *key, f"TD {head}.key", f"SUMMARY {SCORES}"]
    firefox.evaluate(first)
    firefox.press(escape)
    assert firefox.evaluate(said.format(".trail")) == ""


def test_firefox_says_nothing_of_sizes_that_follow_from_one_another(firefox: Marionette, chai: str) -> None:
    firefox.open(chai)
    said = firefox.wait_for("""const said = [];
        addEventListener("error", ({ message }) => said.push(message));
        const cells = [...document.querySelectorAll("main td")].filter((td) => td.textContent);
        const lecture = [...document.querySelectorAll(".bar button")].find((one) => one.textContent === "Lecture");
        const all = [...[3, 20, 60, 100].map((at) => cells[at]), lecture];
        const next = () => { const one = all.shift(); one?.click(); setTimeout(one ? next : () => done(said), 200); };
        next();""")
    assert said == []


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
