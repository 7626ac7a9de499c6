"""Words as chips: one is exchanged for another of the vocabulary, and everything follows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.browser.pages import until
from tests.examples import slow
from tests.views.samples import bundled_trace

pytestmark = pytest.mark.browser

VALUES = "Object.fromEntries(walkthrough.paths.map((path) => [path, walkthrough.values(path)]))"
LABELS = """Object.fromEntries([...document.querySelectorAll('section')].map((one) => [one.id,
    ['tbody th', 'thead th'].map((name) => [...one.querySelectorAll(name)].map((th) => th.textContent))]))"""


def is_as(page: Any, trace: wt.Trace) -> None:
    """All numbers and labels of the page are those of this trace."""
    values, labels = page.evaluate(VALUES), page.evaluate(LABELS)
    assert set(values) == {value.path for value in trace}
    for value in trace:
        found = np.array(values[value.path], float)
        assert np.allclose(found, value.array, rtol=1e-12, atol=1e-12, equal_nan=True), value.path
        assert labels[value.path] == [list(value.rows), list(value.columns)], value.path


@pytest.mark.parametrize(
    ("name", "at", "word"),
    [
        ("chai", 3, "chai"),  # the words are the vocabulary
        ("cooking", 1, "cooking"),  # one of the vocabulary is predicted
        ("hot-sweet-cold", 0, "sweet"),  # each is a row of its own too
        slow("fuchs", 0, "springt"),  # two are padding
        slow("not-on-your-life-teacher-forced", 1, "money"),  # those of the encoder
        slow("shared-keys", 0, "milk"),
    ],
)
def test_with_another_word_the_page_is_that_of_the_run(show: Any, name: str, at: int, word: str) -> None:
    trace = bundled_trace(name)
    words = list(trace.tokens[0])
    words[at] = word
    text = " ".join(label.partition("@")[0] for label in words)
    page = show(name)
    page.evaluate(f"walkthrough.word({at}, '{word}')")
    assert page.evaluate("walkthrough.changes()") == [f"tokens={text}"]
    changed = wt.trace(wt.load_scenario(name), changes={"tokens": text})
    until(page, "document.querySelector('[data-was]') !== null")
    is_as(page, changed)
    assert "→" in page.text_content("#-outcome")
    page.evaluate("walkthrough.undo()")
    assert page.evaluate("walkthrough.changes()") == []
    is_as(page, trace)
    page.evaluate("walkthrough.redo()")
    is_as(page, changed)
    page.evaluate("walkthrough.reset()")
    is_as(page, trace)


def test_a_chip_in_the_map_offers_the_vocabulary(show: Any) -> None:
    page = show("chai")
    chip = page.get_by_label("Another word for hot")
    assert chip.locator("option").all_text_contents() == ["The", "chai", "is", "hot"]
    chip.focus()
    chip.select_option("chai")
    words = "[...document.querySelectorAll('#-map .words [data-word]')].map((one) => one.dataset.word)"
    assert page.evaluate(words) == ["The", "chai@2", "is", "chai@4"]
    assert page.evaluate("document.activeElement.dataset.at") == "3"
    until(page, "location.hash === '#set=tokens%3DThe%20chai%20is%20chai'")
    assert page.text_content("#-outcome").startswith("output of chai@4, 1st of 4 ")
    assert "Printed numbers belong to the words before" in page.inner_text("#-bar")
    assert page.locator(".verdicts:visible").count() == 0
    page.keyboard.press("Control+z")
    assert page.evaluate(words) == ["The", "chai", "is", "hot"]


def test_the_address_says_words_as_set_does_before_numbers(show: Any) -> None:
    scores = "encoder.1.attention.head.1.scores"
    page = show("chai", at=f"#{scores}&set=tokens%3Dhot%20chai%20is%20hot&set=embeddings[hot, 1]=2")
    changes = {"tokens": "hot chai is hot", "embeddings[hot, 1]": 2.0}
    assert page.evaluate("walkthrough.changes()") == ["tokens=hot chai is hot", "embeddings[hot, 1]=2"]
    until(page, "document.querySelector('[data-was]') !== null")
    is_as(page, wt.trace(wt.load_scenario("chai"), changes=changes))
    page.click(".more")
    page.click(".changes summary")
    page.get_by_role("button", name="Copy command").click()
    said = "walkthrough run chai --set 'tokens=hot chai is hot' --set 'embeddings[hot, 1]=2'"
    assert page.text_content(".changes code") == said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("The%20chai", "Expected 4 words, as many as before."),
        ("The%20tea%20is%20hot", "“tea” is not a word of the vocabulary."),
    ],
)
def test_words_that_cannot_be_are_said(show: Any, words: str, said: str) -> None:
    page = show("chai", at=f"#set=tokens%3D{words}")
    assert said in page.inner_text(".fault")
    assert page.evaluate("walkthrough.changes()") == []


def test_in_another_arithmetic_the_words_stay_and_are_taken_back(show: Any) -> None:
    page = show("chai")
    page.evaluate("walkthrough.word(0, 'hot'); walkthrough.arithmetic('by hand', 2)")
    changed = wt.trace(
        wt.load_scenario("chai"), changes={"tokens": "hot chai is hot"}, arithmetic="by-hand", decimals=2
    )
    is_as(page, changed)
    page.evaluate("walkthrough.undo()")
    is_as(page, wt.trace(wt.load_scenario("chai"), arithmetic="by-hand", decimals=2))


def test_a_generation_goes_on_with_the_words_that_another_prompt_chooses(show: Any) -> None:
    trace = bundled_trace("tea-gpt")
    page = show("tea-gpt")
    page.evaluate("walkthrough.word(0, 'cold')")
    until(page, "document.querySelector('[data-was]') !== null")
    is_as(page, wt.trace(wt.load_scenario("tea-gpt"), changes={"tokens": "cold tea"}))
    said = page.locator("[id='-film'] .chips [data-word]").all_inner_texts()
    assert said == ["cold", "tea", "is", "not", "hot", "tea", "<end>"]
    assert page.locator("[data-stale]").count() == 0
    page.evaluate("walkthrough.undo()")
    is_as(page, trace)


def test_behind_its_last_word_a_generation_does_not_go_on(show: Any) -> None:
    page = show("key-cache")
    page.evaluate("walkthrough.word(1, 'the')")
    page.locator(".said .stale").wait_for()
    assert "--set 'tokens=the the'" in page.text_content(".said .stale")


@pytest.mark.parametrize("name", [slow("cooking-training"), slow("bpe"), "help-me"])
def test_where_other_words_are_more_than_other_rows_there_are_no_chips(show: Any, name: str) -> None:
    page = show(name)
    assert page.locator("#-map select").count() == 0
    said = page.evaluate("(() => { try { walkthrough.word(0, 'a') } catch (error) { return error.message } })()")
    assert said == "These words cannot be exchanged here."
