"""A generation and a training as a film."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import walkthrough as wt
from tests.browser.pages import opened, until, written
from tests.views.samples import bundled_trace
from walkthrough.views.options import Options

pytestmark = pytest.mark.browser
SCORES = "decoder.1.self_attention.head.1.scores"
HASH = "location.hash.slice(1)"


@pytest.fixture(scope="module")
def tea(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(tmp_path_factory.mktemp("tea"), bundled_trace("tea-gpt"))


@pytest.fixture
def page(browser: Any, tea: str) -> Iterator[Any]:
    with opened(browser, f"{tea}#{SCORES}") as found:
        found.wait_for_selector("[id='-film']")
        yield found


def chip(number: int) -> str:
    return f"[id='-film'] button[data-pass='{number}']"


def test_each_generated_word_shows_its_pass_at_the_same_step(page: Any) -> None:
    words = page.locator("[id='-film'] .chips [data-word]").all_inner_texts()
    assert words == ["hot", "tea", "is", "not", "cold", "tea", "<end>"]
    page.click(chip(3))
    assert page.evaluate(HASH) == f"generate.3.{SCORES}"
    assert page.locator("[id='generate.3']").is_visible()
    assert page.locator("[id='generate.2']").is_hidden()
    for number in (4, 5, 6, 6):  # the keyboard stays on the chips
        page.keyboard.press("ArrowRight")
        assert page.evaluate(HASH) == f"generate.{number}.{SCORES}"
    page.click(chip(1))
    assert page.evaluate(HASH) == SCORES


def test_the_likeliest_next_words_of_the_pass_stand_beside(page: Any) -> None:
    page.click(chip(4))
    bars = page.locator("[id='-film'] [data-bar]")
    path = "generate.4.output_head.probabilities"
    shares = bundled_trace("tea-gpt")[path].array[-1]
    assert bars.first.get_attribute("data-of") == path
    widths = [box.get_attribute("style") for box in bars.all()]
    assert widths[0] == "width:100.0%"
    wanted = sorted(shares, reverse=True)[1] / max(shares)
    assert float(widths[1][6:-1]) == pytest.approx(100 * wanted, abs=0.06)


def test_an_address_turns_to_its_pass(page: Any) -> None:
    page.goto(page.url.partition("#")[0] + "#generate.5.output_head.logits")
    assert page.locator("[id='generate.5']").is_visible()
    assert page.locator(chip(5)).get_attribute("aria-pressed") == "true"


def test_play_goes_through_the_words(page: Any) -> None:
    page.click(chip(5))
    page.get_by_role("button", name="Play").click()
    until(page, f"{HASH} === 'generate.6.{SCORES}'")
    page.get_by_role("button", name="Play").wait_for()  # it has ended


def test_a_training_is_a_curve_with_a_cursor_over_its_steps(browser: Any, tmp_path: Path) -> None:
    trace = bundled_trace("specialise")
    with opened(browser, written(tmp_path, trace, Options(steps=["training", "trained.loss", "train.2.loss"]))) as page:
        assert page.locator(".curve path").get_attribute("d").count("L") == trace["training"].shape[0]
        assert page.locator(".curve .tick").count() >= 6
        last = page.locator(".curve circle").last
        assert last.get_attribute("data-of") == "trained.loss.mean"
        page.locator("[id='-film'] input[type=range]").fill("40")
        said = page.locator("[id='-film'] input[type=range]").get_attribute("aria-valuetext")
        assert said == f"Step 40 of 300: loss {trace['training'].array[39, 0]:.3f}"
        before = page.locator(".curve path").get_attribute("d")
        page.get_by_label("Log scale").check()
        assert page.locator(".curve path").get_attribute("d") != before


def test_of_one_step_the_loss_is_said_before_and_after(browser: Any, tmp_path: Path) -> None:
    trace = bundled_trace("cooking-training")
    with opened(browser, written(tmp_path, trace)) as page:
        before, after = (float(trace[path].array[0, 0]) for path in ("loss.mean", "trained.loss.mean"))
        page.wait_for_selector("[id='-film']")
        assert page.inner_text("[id='-film']") == f"Loss {before:.3f} → {after:.3f}"


def test_a_beam_search_is_a_tree_whose_numbers_follow_an_edit(browser: Any, tmp_path: Path) -> None:
    trace = bundled_trace("beam")
    changed = wt.trace(wt.load_scenario("beam"), changes={"output_head.w[1, tea]": -4.1})
    numbers = "[...document.querySelectorAll('.tree [data-of]')].map((one) => one.textContent)"
    with opened(browser, f"{written(tmp_path, trace)}#generated") as page:
        page.wait_for_selector("[id='-film']")
        assert page.locator("[id='-film'] .chips [data-word]").all_inner_texts() == ["tea", "warms", "you", "<end>"]
        assert page.evaluate(numbers) == in_tree(trace)
        assert page.locator(".tree li", has_text="←").last.inner_text() == "<end> −1.590 = −1.338 ←"
        page.focus("[id='output_head.w'] td[tabindex]")
        page.keyboard.press("F2")
        page.keyboard.type("-4.1")
        page.keyboard.press("Enter")
        page.wait_for_selector("[id='generate.3.finished'] td[data-was]", state="attached")
        assert page.evaluate(numbers) == in_tree(changed)
        assert in_tree(changed) != in_tree(trace)


def in_tree(trace: wt.Trace) -> list[str]:
    """Words, totals and scores of the kept hypotheses, each before those that go on from it."""

    def of(branches: Any) -> Iterator[str]:
        for one in branches:
            word, total = one.table.array[one.row, 1:3]
            yield from ((one.table.names or {})[int(word)], f"{total:.3f}".replace("-", "−"))
            if one.score is not None:
                table, row = one.score
                yield f"{table.array[row, 3]:.3f}".replace("-", "−")
            yield from of(one.children)

    return list(of(trace["generated"].tree))
