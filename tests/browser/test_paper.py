"""The page on paper."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.browser.pages import opened, written
from tests.views.samples import bundled_trace

pytestmark = [pytest.mark.browser, pytest.mark.skipif(shutil.which("pdftotext") is None, reason="needs pdftotext")]


def printed(browser: Any, folder: Path, name: str) -> list[list[str]]:
    """The lines of each printed page, but for its title and its number."""
    with opened(browser, written(folder, bundled_trace(name))) as page:
        page.pdf(path=folder / "page.pdf", prefer_css_page_size=True)
    read = ["pdftotext", "-layout", folder / "page.pdf", "-"]
    text = subprocess.run(read, capture_output=True, encoding="utf-8", check=True).stdout
    return [[line for line in page.split("\n") if line.strip()][1:-1] for page in text.split("\f")[:-1]]


@pytest.mark.slow
def test_of_a_training_the_curve_and_the_first_and_last_step_are_printed(browser: Any, tmp_path: Path) -> None:
    pages = printed(browser, tmp_path, "specialise")
    text = "\n".join(line for page in pages for line in page)
    assert len(pages) <= 40
    assert "Loss" in text
    assert "Training step 1 " in text
    assert "Training step 300" in text
    assert "Training step 21" not in text
    assert min(map(len, pages)) > 6  # no page has a heading alone


def test_what_was_printed_elsewhere_is_judged_on_the_screen_alone(browser: Any, tmp_path: Path) -> None:
    pages = printed(browser, tmp_path, "chai")
    assert len(pages) <= 5
    assert not any("Printed numbers" in line for page in pages for line in page)


def test_negative_cells_have_an_edge_on_paper_as_the_key_says(browser: Any, tmp_path: Path) -> None:
    with opened(browser, written(tmp_path, bundled_trace("chai"))) as page:
        page.emulate_media(media="print")
        edges = [
            page.evaluate(f"getComputedStyle(document.querySelector('#-map [data-heat] path[class^={sign}]')).stroke")
            for sign in "pn"
        ]
        assert edges == ["none", "rgb(0, 0, 0)"]
        assert page.locator("#-map .key .n").is_visible()


def test_the_lines_of_forks_are_printed_and_the_key_begins_no_page(browser: Any, tmp_path: Path) -> None:
    with opened(browser, written(tmp_path, bundled_trace("chai"))) as page:
        page.emulate_media(media="print")
        lanes = page.eval_on_selector_all(
            "#-map .lane", "all => all.map(one => getComputedStyle(one).printColorAdjust)"
        )
        assert set(lanes) == {"exact"}
        key, words = page.locator("#-map .key").bounding_box(), page.locator("#-map .words").bounding_box()
        assert key["y"] < words["y"] + words["height"]
