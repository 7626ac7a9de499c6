"""Large matrices as pixels, and boxes that scroll."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.pages import opened, written
from tests.views.samples import wide_trace

pytestmark = pytest.mark.browser
STEP = "attention.head.1.query"


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(tmp_path_factory.mktemp("wide"), wide_trace(40))


@pytest.fixture
def page(browser: Any, wide: str) -> Iterator[Any]:
    with opened(browser, f"{wide}#{STEP}", viewport={"width": 1440, "height": 900}) as found:
        found.wait_for_selector("canvas")
        yield found


def test_a_large_matrix_is_a_canvas_of_square_cells(page: Any) -> None:
    box = page.locator(f"canvas[data-heat='{STEP}']").bounding_box()
    assert box["width"] == box["height"] >= 80
    assert page.locator(f"[id='{STEP}'] .matrix").is_hidden()
    assert page.locator(f"[id='{STEP}']").get_attribute("data-pixels") == ""
    most = "Math.max(...document.querySelector('canvas').getContext('2d').getImageData(0, 0, 40, 40).data)"
    assert page.evaluate(most) == 255


def test_the_lens_shows_the_cell_below_the_pointer_and_two_on_each_side(page: Any) -> None:
    canvas = page.locator(f"canvas[data-heat='{STEP}']")
    side = canvas.bounding_box()["width"] / 40
    canvas.hover(position={"x": 10.5 * side, "y": 20.5 * side})
    assert page.locator(".lens td[data-of]").count() == 25
    lit = page.locator(".lens [data-lit]")
    assert lit.get_attribute("data-c") == "20,10"
    number = wide_trace(40)[STEP].array[20, 10]
    assert lit.inner_text() == f"{number:.3f}".replace("-", "−")
    assert page.locator(".lens tr").nth(3).locator("th").inner_text() == "word21"
    canvas.hover(position={"x": 1, "y": 1})
    assert page.locator(".lens td[data-of]").count() == 9


def test_a_click_and_arrows_choose_and_the_table_is_there_too(page: Any) -> None:
    canvas = page.locator(f"canvas[data-heat='{STEP}']")
    side = canvas.bounding_box()["width"] / 40
    canvas.click(position={"x": 10.5 * side, "y": 20.5 * side})
    assert str(page.text_content("[role=status]")).startswith("Q[word21, 11] = ")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert str(page.text_content("[role=status]")).startswith("Q[word22, 12] = ")
    page.locator(f"[id='{STEP}']").get_by_role("button", name="As table").click()
    assert page.locator(f"[id='{STEP}'] .matrix").is_visible()
    assert canvas.is_hidden()


def test_a_box_that_scrolls_says_where_there_is_more_and_has_the_room_of_the_panel(page: Any) -> None:
    page.locator(f"[id='{STEP}']").get_by_role("button", name="As table").click()
    table = page.locator(f"[id='{STEP}'] .matrix")
    page.wait_for_selector(".matrix[data-more='right']")
    assert table.bounding_box()["x"] + table.bounding_box()["width"] > 1440 - 352
    table.evaluate("box => box.scrollLeft = 200")
    page.wait_for_selector(".matrix[data-more='left right']")
    table.evaluate("box => box.scrollLeft = 1e6")
    page.wait_for_selector(".matrix[data-more='left']")
    table.locator("tbody td").nth(39).click()
    assert table.bounding_box()["x"] + table.bounding_box()["width"] <= 1440 - 352
    assert page.evaluate("document.documentElement.scrollWidth") == 1440
