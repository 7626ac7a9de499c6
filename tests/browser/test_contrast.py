"""What can be read by everybody: axe, the contrast of numbers and marks."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.pages import SCORES, TRACES, cell
from tests.examples import slow

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", [slow("chai"), "small", slow("tea-gpt")])
def test_axe_finds_nothing_serious(show: Any, name: str, scheme: str) -> None:
    axe = pytest.importorskip("axe_core_python.sync_playwright").Axe()
    page = show(TRACES[name](), color_scheme=scheme, bypass_csp=True)
    page.add_style_tag(content="section{content-visibility:visible!important}")
    open_panel_and_quiz(page)
    assert serious(axe, page) == []
    open_lecture(page)
    assert serious(axe, page) == []


def open_panel_and_quiz(page: Any) -> None:
    page.locator("section:not(.off):last-of-type td:visible").nth(1).click()
    page.get_by_role("button", name="Quiz").click()


def open_lecture(page: Any) -> None:
    page.keyboard.press("f")
    page.wait_for_selector("#-lecture table")
    page.keyboard.press("Space")


def serious(axe: Any, page: Any) -> list[tuple[str, str]]:
    """What axe finds serious, each with the first element that has it."""
    found = axe.run(page)["violations"]
    return [(one["id"], one["nodes"][0]["html"][:120]) for one in found if one["impact"] in ("serious", "critical")]


ONE_OF_EACH = """(() => {
    const seen = new Set();
    for (const step of document.querySelectorAll("main section")) {
        const title = step.querySelector("h2,h3,h4,h5,h6").textContent.replace(/[0-9]/g, "");
        if (seen.has(title)) step.remove();
        seen.add(title);
    }
})()"""
"""Leaves one of the steps that are called the same: the time that axe takes grows much faster than a page."""


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("is_lecture", [False, True])
def test_axe_finds_nothing_serious_in_a_long_page(show: Any, is_lecture: bool, scheme: str) -> None:
    axe = pytest.importorskip("axe_core_python.sync_playwright").Axe()
    page = show("microgpt", color_scheme=scheme, bypass_csp=True)
    open_panel_and_quiz(page)
    if is_lecture:
        open_lecture(page)
    page.evaluate(ONE_OF_EACH)
    page.add_style_tag(content="section{content-visibility:visible!important}")
    assert serious(axe, page) == []


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
def test_numbers_can_be_read_on_every_shade(show: Any, scheme: str) -> None:
    measure = """() => {
      const td = document.querySelector("tbody td")
      return [...Array(9).keys()].flatMap(at => ["p", "n"].map(sign => {
        td.className = sign + (at + 1)
        const style = getComputedStyle(td)
        return contrast([style.color], [style.backgroundColor])
      }))
    }"""
    page = show("chai", color_scheme=scheme)
    page.evaluate(CONTRAST)
    contrasts = page.evaluate(measure)
    assert len(set(contrasts)) > 9
    assert min(contrasts) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marks_stand_out_from_what_is_around_them(show: Any, scheme: str) -> None:
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
    page = show("chai", color_scheme=scheme)
    page.evaluate(CONTRAST)
    for chosen, found in marks.items():
        if chosen:
            page.click(chosen)
            page.wait_for_selector("#\\-map [aria-current]")
        faint = {name: page.evaluate(measure, [name, value]) for name, value in found.items()}
        assert {name: at for name, at in faint.items() if at < 3} == {}
    page = show("cooking-multihead", color_scheme=scheme)
    page.evaluate(CONTRAST)
    assert page.evaluate(measure, [".heads svg", "outlineColor"]) >= 3
