"""Steps that stand within another page, and a hand-out, as somebody uses them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.browser.pages import opened, until
from tests.views.samples import bundled_trace
from walkthrough.views import formats
from walkthrough.views.options import Options

pytestmark = pytest.mark.browser


def made(folder: Path, name: str, *steps: str, of: str = "chai") -> str:
    file = folder / "page.html"
    file.write_bytes(formats.to_bytes(bundled_trace(of), Options(steps=steps), name))
    return file.as_uri()


def test_an_embedded_step_keeps_its_first_matrix_in_sight_and_takes_changes_back(show: Any, tmp_path: Path) -> None:
    small = {"width": 720, "height": 420}
    page = show(made(tmp_path, "embed", "scores"), viewport=small)
    page.click("section:nth-of-type(1) tbody tr:nth-child(2) td:nth-child(3)")
    page.wait_for_selector(".panel:not(.empty)")
    table, panel = (page.locator(one).first.bounding_box() for one in ("table", ".panel"))
    assert table["y"] >= 0
    assert table["y"] + table["height"] <= panel["y"]
    assert panel["y"] + panel["height"] <= 420
    path = page.evaluate("walkthrough.paths[0]")
    page.evaluate(f"walkthrough.set('{path}', 1, 1, 5)")
    page.get_by_role("button", name="Reset").click()
    assert page.evaluate("walkthrough.changes()") == []
    assert page.evaluate("walkthrough.undo()") is True


def test_an_embedded_product_is_whole_with_its_factors_left_and_above(show: Any, tmp_path: Path) -> None:
    page = show(made(tmp_path, "embed", "scores"), viewport={"width": 720, "height": 420})
    page.click("section[id$='.scores'] tbody tr:nth-child(2) td:nth-child(3)")
    until(page, "document.querySelector('.panel .line').textContent.startsWith('S[chai, chai] =')")
    left, above, result = (
        page.locator(f"section[id$='.{name}'] table").bounding_box() for name in ("query", "key", "scores")
    )
    assert left["x"] + left["width"] <= result["x"]
    assert above["y"] + above["height"] <= result["y"]
    assert result["y"] + result["height"] <= page.locator(".panel").bounding_box()["y"]
    assert page.evaluate("document.querySelector('main').scrollTop") == 0


def test_embedded_heads_have_their_names_and_are_whole(show: Any, tmp_path: Path) -> None:
    page = show(made(tmp_path, "embed", "scores", of="cooking-multihead"), viewport={"width": 720, "height": 420})
    names = page.locator(".part > :is(h2, h3, h4, h5):visible, .part > figure:visible")
    assert names.all_inner_texts() == ["Head 1", "Head 2"]
    assert page.evaluate("document.querySelector('main').scrollHeight") <= 420


@pytest.mark.parametrize("size", [(720, 420), (1120, 764)])
def test_in_an_embedded_step_the_line_of_what_is_pointed_at_lies_clear_of_it(
    show: Any, tmp_path: Path, size: tuple[int, int]
) -> None:
    last = "section[id$='.scores'] tbody tr:last-child td:last-child"
    viewport = {"width": size[0], "height": size[1]}
    page = show(made(tmp_path, "embed", "scores"), viewport=viewport)
    page.hover(last)
    until(page, "document.querySelector('.panel .line').textContent.startsWith('S[hot, hot] =')")
    cell, panel = (page.locator(one).bounding_box() for one in (last, ".panel"))
    assert cell["y"] >= panel["y"] + panel["height"] or cell["y"] + cell["height"] <= panel["y"]
    assert page.evaluate("getComputedStyle(document.querySelector('.panel')).backgroundColor").startswith("rgb(")
    page.click(last)
    assert page.locator(f"{last}[data-mark=chosen]").count() == 1


@pytest.mark.skipif(shutil.which("pdfinfo") is None, reason="needs pdfinfo")
@pytest.mark.parametrize(("name", "most"), [("chai", 2), ("cooking-multihead", 4)])
def test_a_hand_out_of_attention_is_few_pages_and_w_stands_beside_q(
    browser: Any, tmp_path: Path, name: str, most: int
) -> None:
    file = tmp_path / "handout.html"
    file.write_bytes(formats.to_bytes(bundled_trace(name), Options(["attention"]), "handout"))
    with opened(browser, file.as_uri()) as page:
        page.pdf(path=tmp_path / "handout.pdf", prefer_css_page_size=True)
        page.emulate_media(media="print")
        page.set_viewport_size({"width": 703, "height": 1000})  # between the margins of A4
        w, q = (
            page.locator(f"[id='encoder.1.attention.head.1.{step}'] table").bounding_box() for step in ("w_q", "query")
        )
        assert w["x"] + w["width"] <= q["x"]
        assert abs(w["y"] - q["y"]) < 40
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    said = subprocess.run(["pdfinfo", tmp_path / "handout.pdf"], capture_output=True, encoding="utf-8").stdout
    assert int(re.findall(r"Pages:\s+(\d+)", said)[0]) <= most
