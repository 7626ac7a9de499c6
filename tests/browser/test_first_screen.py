"""The first screen: the model as a map, what comes out, and the panel over neither."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.firefox import Marionette
from tests.browser.pages import QUERIES, SCORES, cell, line, opened, until
from tests.examples import slow
from tests.views.samples import bundled_trace, wide_trace

pytestmark = pytest.mark.browser


def test_the_face_is_there_before_the_first_frame(show: Any) -> None:
    page = show("chai", before="window.requestAnimationFrame = window.setTimeout = () => 0")  # no frame ever comes
    assert page.locator(".bar *").count() > 1
    page.evaluate("document.querySelector('tbody td').click()")
    assert page.evaluate("document.querySelector('.line').textContent") == "W_E[The, 1] = 1.000"


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


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_boxes_light_in_the_order_of_the_calculation_and_at_once_without_motion(show: Any, motion: str) -> None:
    page = show("chai", reduced_motion=motion)
    page.evaluate("""window.order = []
        const note = one => window.order.push([one.target.dataset.heat, performance.now()])
        new MutationObserver(all => all.forEach(note)).observe(
            document.querySelector('#-map'), {subtree: true, attributeFilter: ['data-changed']})""")
    page.evaluate(f"walkthrough.set('{QUERIES}', 0, 0, 3)")
    until(page, "order.length > 15 && performance.now() - order.at(-1)[1] > 500")
    order = page.evaluate("window.order")
    paths = [value.path for value in bundled_trace("chai")]
    assert [paths.index(path) for path, _ in order] == sorted(paths.index(path) for path, _ in order)
    assert (order[-1][1] - order[0][1] > 300) == (motion != "reduce")  # milliseconds, on a busy machine too


def heat_maps(page: Any) -> list[list[list[str]]]:
    return list(
        page.evaluate("""[...document.querySelectorAll('#-map svg')].map(svg => [[svg.dataset.heat],
            [...svg.querySelectorAll('path')].map(path => path.getAttribute('class') + path.getAttribute('d')).sort(),
            [svg.parentElement.querySelector('pre')?.textContent]])""")
    )


@pytest.mark.parametrize("name", ["cooking", slow("sandwich"), slow("wide")])
def test_the_first_screen_follows_and_comes_back_as_it_was_written(show: Any, name: str) -> None:
    trace = wide_trace() if name == "wide" else bundled_trace(name)
    page = show(trace)
    before = heat_maps(page)
    page.evaluate("walkthrough.set(walkthrough.paths.find(p => /embed|w_v|angle|x$/.test(p)), 0, 0, 40)")
    until(page, "document.querySelectorAll('#-map [data-changed]').length > 1")
    assert heat_maps(page) != before
    page.evaluate("walkthrough.arithmetic('exact')")  # all is painted again
    page.evaluate("walkthrough.reset()")
    until(page, "document.querySelectorAll('#-map [data-changed]').length === 0")
    assert heat_maps(page) == before


def test_the_likeliest_words_follow_an_edit(show: Any) -> None:
    page = show("cooking")
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


WIDE = "tiny-llama", "tea-gpt", "cat-gpt", "cat-sat", "cooking-multihead", "latent", "lens", "specialise", "shared-keys"


@pytest.mark.parametrize("name", ["chai", "help-me", "fuchs", *map(slow, WIDE)])
def test_the_first_screen_of_a_wide_window_holds_all_of_the_model(show: Any, name: str) -> None:
    page = show(name, viewport={"width": 1440, "height": 900})
    box = "document.querySelector('#-map').getBoundingClientRect()"
    until(page, f"{box}.bottom <= 900 && {box}.width * {box}.height >= 0.3 * 1440 * 900")


def test_what_joins_a_fork_stands_beside_it(show: Any) -> None:
    page = show("experts", viewport={"width": 1440, "height": 900})
    joined, joining = (page.locator(f"#-map {one}").bounding_box() for one in (".fork", ".fork + .box"))
    assert joining["x"] > joined["x"] + joined["width"]


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


def test_the_words_of_a_cell_are_seen_in_whole_where_lines_are_cut_off(show: Any) -> None:
    page = show("cooking-multihead", viewport={"width": 1440, "height": 900})
    box = page.locator(f'#-map [data-heat="{SCORES}"]').bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 20)
    until(page, "document.querySelector('[data-cell]')?.dataset.cell === 'learned, I'")
    above = f"document.elementFromPoint({box['x'] + 5}, {box['y'] - 10})"
    assert page.evaluate(f"{above}.dataset.cell") == "learned, I"
    assert page.evaluate("document.documentElement.scrollHeight - document.querySelector('main').offsetHeight") < 900


CUT_OFF = """[...document.querySelectorAll("#-map .box a[style]")].filter((one) => {
    const [inside, box] = [one, one.closest(".box")].map((shown) => shown.getBoundingClientRect());
    const low = [...one.querySelectorAll("sub")].map((sub) => sub.getBoundingClientRect().bottom);
    return inside.left < box.left || inside.right > box.right || Math.max(...low) > inside.bottom + 2;
}).map((one) => one.getAttribute("href"))"""
"""Matrices of the map that stick out of their box, or whose index the next one lies on."""


@pytest.mark.parametrize("name", ["not-on-your-life", "one-head"])
def test_in_a_window_of_any_width_no_matrix_and_no_word_is_cut_off(show: Any, name: str) -> None:
    page = show(name)
    for wide in (390, 700, 768, 1000, 1440):
        page.set_viewport_size({"width": wide, "height": 900})
        assert page.evaluate(CUT_OFF) == []
    high, type_size = page.evaluate("""(() => {
        const chip = getComputedStyle(document.querySelector("#-map select[data-word]"));
        return [chip.height, chip.fontSize].map(parseFloat);
    })()""")
    assert high >= 1.5 * type_size


def test_firefox_has_the_same_lines_of_matrices_and_exchanges_words(
    show: Any, firefox: Marionette, addressed: Callable[[str], str]
) -> None:
    for name in ("cat-gpt", "chai"):
        page = show(name, viewport={"width": 1440, "height": 900})
        firefox.open(addressed(name))
        firefox.evaluate("document.body.style.width = '1440px'")
        tops = """Object.entries(Object.groupBy(document.querySelectorAll("#-map .box a[style]"),
            (one) => Math.round(one.getBoundingClientRect().bottom))).map(([, line]) => line.length)"""
        assert firefox.evaluate(tops) == page.evaluate(tops)
    firefox.evaluate("document.querySelector('#-map [aria-label=\"Another word for hot\"]').focus()")
    firefox.press("c")
    assert firefox.wait_for("setTimeout(() => done(document.getElementById('-outcome').textContent), 200)").startswith(
        "output of chai@4, 1st of 4 "
    )


@pytest.mark.parametrize("is_first", [True, False])
def test_on_a_phone_a_step_that_the_address_names_begins_below_the_bar(show: Any, is_first: bool) -> None:
    page = show("chai", at=f"#{SCORES}" if is_first else "", viewport={"width": 390, "height": 844})
    until(page, "document.getElementById('-here') !== null")
    page.evaluate("path => { location.hash = path }", SCORES)
    top = f"document.getElementById('{SCORES}').querySelector('h6').getBoundingClientRect().top"
    bar = "document.querySelector('.bar').getBoundingClientRect().bottom"
    until(page, f"!document.getElementById('-here').hidden && {top} >= {bar} && {top} < innerHeight / 2")


@pytest.mark.parametrize("size", [(1024, 768), (390, 844)])
def test_scrolled_past_the_map_is_a_rail_or_a_line_says_where_one_is(show: Any, size: tuple[int, int]) -> None:
    wide, high = size
    page = show("chai", viewport={"width": wide, "height": high})
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


def apart(one: dict[str, float], other: dict[str, float]) -> bool:
    """Whether two boxes have no point in common."""
    return any(
        one[start] + one[size] <= other[start] or other[start] + other[size] <= one[start]
        for start, size in (("x", "width"), ("y", "height"))
    )


@pytest.mark.parametrize("size", [(1440, 900), slow((1280, 720)), slow((1024, 768))])
def test_on_the_first_screen_a_glance_is_low_and_covers_nothing_that_it_is_about(
    show: Any, size: tuple[int, int]
) -> None:
    page = show("chai", viewport={"width": size[0], "height": size[1]})
    for name in ("input", SCORES, "encoder.1.attention.head.1.weights", "encoder.1.norm_2.output"):
        heat = page.locator(f"#-map [data-heat='{name}']")
        heat.hover()
        until(page, "document.querySelector('.panel .line').textContent")
        panel = page.locator("#-panel").bounding_box()
        assert panel["height"] <= 160
        assert apart(panel, heat.bounding_box())
        assert apart(panel, page.locator("#-bar").bounding_box())
        assert page.locator("#-panel :is(.users button, .pin, .adding):visible").count() == 0
        if size[0] >= 1280 and page.evaluate("scrollY") == 0:
            assert all(apart(panel, page.locator(one).bounding_box()) for one in ("#-map", "h1", ".about >> nth=0"))
    if size == (1440, 900):
        page.locator(f"#-map [data-heat='{SCORES}']").hover()
        until(
            page,
            "document.querySelector('.product').getBoundingClientRect().bottom <= "
            "document.getElementById('-panel').getBoundingClientRect().bottom",
        )
    page.locator("#-map [data-heat='encoder.1.attention.head.1.weights']").click()
    page.locator("#-panel .users button").first.wait_for()
    assert page.locator("#-panel .pin").is_visible()


@pytest.mark.parametrize("name", ["chai", "key-cache"])
def test_on_a_phone_the_model_stands_at_the_top_and_the_settings_above_the_panel(show: Any, name: str) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    page = show(name, **phone)
    page.wait_for_selector(".bar button")
    assert page.locator("#-map").bounding_box()["y"] < 260
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.evaluate("document.querySelector('section[id$=\".scores\"]:not(.off) tbody td').click()")
    page.wait_for_selector(".panel:not(.empty)")
    page.get_by_role("button", name="Settings").tap()
    box = page.locator(".settings").bounding_box()
    spot = f"{box['x'] + box['width'] / 2}, {box['y'] + box['height'] - 8}"
    assert page.evaluate(f"document.elementFromPoint({spot}).closest('.settings') !== null")
