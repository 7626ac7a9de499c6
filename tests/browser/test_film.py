"""A generation and a training as a film."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import walkthrough as wt
from tests.browser.pages import opened, until
from tests.views.samples import bundled_trace, small_training
from walkthrough.views.options import Options
from walkthrough.views.page import thinning
from walkthrough.views.passes import passes_of

pytestmark = pytest.mark.browser
SCORES = "decoder.1.self_attention.head.1.scores"
HASH = "location.hash.slice(1)"


@pytest.fixture(scope="module")
def generation(browser: Any, addressed: Callable[[str], str]) -> Iterator[Any]:
    with opened(browser, f"{addressed('tea-gpt')}#{SCORES}") as found:
        found.wait_for_selector("[id='-film']")
        yield found


@pytest.fixture
def page(generation: Any) -> Any:
    """A generation at its first pass, whatever was looked at before."""
    generation.click(chip(1))
    generation.evaluate(f"location.hash = '{SCORES}'")
    return generation


def chip(number: int | str) -> str:
    return f"[id='-film'] button[data-pass='{number}']"


def test_each_generated_word_shows_its_pass_at_the_same_step(page: Any) -> None:
    words = page.locator("[id='-film'] .chips [data-word]").all_inner_texts()
    assert words == ["hot", "tea", "is", "not", "cold", "tea", "<end>"]
    page.click(chip(3))
    assert page.evaluate(HASH) == f"generate.3.{SCORES}"
    assert page.locator("[id='generate.3']").is_visible()
    assert page.locator("[id='generate.2']").is_hidden()
    for number in (4, 5, 5):  # the keyboard stays on the chips
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
    page.evaluate("location.hash = 'generate.5.output_head.logits'")
    page.locator("[id='generate.5']").wait_for()
    assert page.locator(chip(5)).get_attribute("aria-pressed") == "true"


def test_play_goes_through_the_words(page: Any) -> None:
    page.click(chip(4))
    page.get_by_role("button", name="Play").click()
    until(page, f"{HASH} === 'generate.5.{SCORES}'")
    page.get_by_role("button", name="Play").wait_for()  # it has ended


def test_a_training_is_a_curve_with_a_cursor_over_its_steps(show: Any) -> None:
    trace = small_training(300)
    page = show(trace, options=Options(steps=["training", "trained.loss", "train.2.loss"]))
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


def test_of_one_step_the_loss_is_said_before_and_after(show: Any) -> None:
    trace = bundled_trace("cooking-training")
    page = show("cooking-training")
    before, after = (float(trace[path].array[0, 0]) for path in ("loss.mean", "trained.loss.mean"))
    page.wait_for_selector("[id='-film']")
    assert page.inner_text("[id='-film']") == f"Loss {before:.3f} → {after:.3f}"


SHOWN = """(() => { const map = document.querySelector('#-map');
    const of = (name) => [...map.querySelectorAll(`[${name}]`)].flatMap((one) => one.getAttribute(name).split(' '));
    const links = of('href').map((one) => one.slice(1));
    return [map.dataset.pass, of('data-heat'), [...links, ...of('data-from'), ...of('data-to')]];
})()"""


def shown(page: Any, trace: wt.Trace) -> str:
    """The pass that the map shows: all that it names is of this pass, or recorded once, and its numbers are those."""
    name, heats, named = page.evaluate(SHOWN)
    wanted = next(one for one in passes_of(list(trace)) if one.name == name)
    assert sorted(heats) == sorted(value.path for value in wanted.values)
    ids = set(page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)"))
    assert set(named) <= ids
    assert all(path.startswith(wanted.tick) for path in named if path.startswith("generate.") and wanted.tick)
    return str(name)


def test_a_generation_opens_at_its_last_pass_and_the_map_follows_each_choice(show: Any) -> None:
    trace = bundled_trace("tea-gpt")
    page = show("tea-gpt", viewport={"width": 1440, "height": 900})
    assert shown(page, trace) == "5"
    assert page.text_content("#-outcome") == "next word <end> 0.984"
    page.click(chip(2))
    assert shown(page, trace) == "2"
    assert page.evaluate("scrollY") == 0
    assert page.text_content("#-outcome") == "next word not 0.990"
    assert page.eval_on_selector_all("#-map .words [data-word]", "all => all.map(one => one.dataset.word)") == [
        "hot",
        "tea",
        "is",
    ]
    first = page.locator("#-map .likeliest li").first
    assert first.inner_text().split() == ["not", "0.990"]
    heat = page.locator(f"#-map [data-heat='generate.2.{SCORES}']")
    assert heat.get_attribute("viewBox") == "0 0 3 3"
    digits = heat.evaluate("svg => svg.nextElementSibling.textContent").split()
    assert digits == typed(trace[f"generate.2.{SCORES}"].array)
    page.evaluate("location.hash = 'generate.4.input'")
    until(page, "document.querySelector('#-map').dataset.pass === '4'")
    assert shown(page, trace) == "4"
    page.evaluate("location.hash = 'embeddings'")  # recorded once: the pass stays
    page.wait_for_timeout(100)
    assert shown(page, trace) == "4"
    page.evaluate("location.hash = 'input'")
    until(page, "document.querySelector('#-map').dataset.pass === '1'")
    assert page.locator(chip(1)).get_attribute("aria-pressed") == "true"
    assert page.locator("[id='generate.4']").is_hidden()


def typed(numbers: Any) -> list[str]:
    return [f"{x:.3f}".replace("-", "−") for x in numbers.ravel()]


def test_beside_the_rail_the_film_is_clear_of_it(show: Any) -> None:
    page = show("tea-gpt", at="#generate.4.input", viewport={"width": 1440, "height": 900})
    until(page, "document.documentElement.classList.contains('railed')")
    rail, film = (page.locator(f"[id='{name}']").bounding_box() for name in ("-map", "-film"))
    assert rail["x"] + rail["width"] <= film["x"]
    assert film["y"] <= page.locator("[id='-bar']").bounding_box()["height"] + 1
    page.click(chip(2))
    until(page, "location.hash === '#generate.2.input'")


def test_the_steps_of_other_passes_are_not_shown_but_what_is_recorded_once_is(page: Any) -> None:
    page.click(chip(5))
    assert page.locator("[id='generate.5.input']").is_visible()
    assert page.locator("[id='input']").is_hidden()
    assert page.locator("[id='embeddings']").is_visible()
    assert page.locator("[id='decoder.1.norm_1']").is_hidden()  # nothing in it was recorded once


def test_without_script_the_last_pass_stands(show: Any) -> None:
    page = show("tea-gpt", java_script_enabled=False)
    assert page.get_attribute("#-map", "data-pass") == "5"
    assert page.locator("[id='input']").is_visible()


def test_a_first_pass_without_a_cache_has_other_boxes(show: Any) -> None:
    trace = bundled_trace("key-cache")
    page = show("key-cache")
    assert shown(page, trace) == "3"
    assert page.locator("#-map [data-heat$=key_cache]").count() == 1
    page.click(chip(1))
    assert shown(page, trace) == "1"
    assert page.locator("#-map [data-heat$=key_cache]").count() == 0
    page.click(chip(2))
    assert shown(page, trace) == "2"


def test_the_slider_of_a_training_moves_the_model(show: Any) -> None:
    trace = small_training(4)
    page = show(trace, viewport={"width": 1440, "height": 900})
    assert shown(page, trace) == "trained"
    after = float(trace["trained.loss.mean"].array[0, 0])
    assert page.text_content("#-outcome") == f"loss {after:.3f} after 4 steps"
    page.locator("[id='-film'] input[type=range]").fill("2")
    assert shown(page, trace) == "2"
    assert page.text_content("#-outcome") == f"loss {float(trace['train.2.loss.mean'].array[0, 0]):.3f} at step 2"
    weights = "train.1.update.output_head.w"  # what step 2 calculates with
    digits = page.locator(f"#-map [data-heat='{weights}'] + pre").text_content()
    assert digits.split() == typed(trace[weights].array)
    assert page.locator("[id='train.2.output_head.logits']").is_visible()
    assert page.locator("[id='trained.output_head.logits'], [id='train.3.output_head.logits']").first.is_hidden()
    page.get_by_role("button", name="after the last update").click()
    assert shown(page, trace) == "trained"


def test_of_several_examples_the_map_says_which_it_is(show: Any) -> None:
    page = show("microgpt")
    around = page.locator("#-map .part").first
    assert (around.text_content(), around.get_attribute("href")) == ("Example 1", "#trained.example.1")
    page.focus("input[type=range]")
    page.keyboard.press("ArrowLeft")
    until(page, "document.querySelector('#-map').dataset.pass === '5'")
    assert (around.text_content(), around.get_attribute("href")) == ("Example 2", "#train.5.example.2")


def test_a_step_that_is_not_kept_shows_the_one_before(show: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinning, "_MOST_NUMBERS", 1000)
    trace = small_training(30)
    kept = thinning.thin(trace, ()).kept
    page = show(trace)
    assert 1 < kept[1] < 29 < kept[-1]
    page.locator("[id='-film'] input[type=range]").fill("29")
    step = max(one for one in kept if one <= 29)
    assert page.get_attribute("#-map", "data-pass") == str(step)
    assert f"matrices of step {step}" in page.inner_text("[id='-film']")


def test_a_chosen_number_goes_along_and_one_of_another_pass_turns_to_it(show: Any) -> None:
    trace = bundled_trace("cooking-training")
    number = f"[id='{'encoder.1.attention.head.1.scores'}'] tbody td"
    page = show("cooking-training")
    assert shown(page, trace) == "trained"
    page.locator(number).first.click()
    assert shown(page, trace) == "1"
    assert page.text_content("#-outcome") == "loss 2.337 at step 1"
    page.click(chip("trained"))
    assert shown(page, trace) == "trained"
    line = page.text_content("[role=status]")
    assert line.endswith(f" = {trace['trained.encoder.1.attention.head.1.scores'].array[0, 0]:.3f}")


def test_a_beam_search_is_a_tree_whose_numbers_follow_an_edit(show: Any) -> None:
    trace = bundled_trace("beam")
    changed = wt.trace(wt.load_scenario("beam"), changes={"output_head.w[1, tea]": -4.1})
    numbers = "[...document.querySelectorAll('.tree [data-of]')].map((one) => one.textContent)"
    page = show("beam", at="#generated")
    page.wait_for_selector("[id='-film']")
    assert page.locator("[id='-film'] .chips [data-word]").all_inner_texts() == ["hot", "tea", "warms", "you", "<end>"]
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
