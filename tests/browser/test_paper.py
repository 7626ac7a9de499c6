"""The page on paper."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.browser.pages import TRACES, of_changes, open_settings, opened, written
from tests.examples import slow
from tests.views.samples import bundled_trace
from walkthrough.notation import typeset
from walkthrough.views.options import Options

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


@pytest.mark.parametrize(
    ("name", "script"),
    [
        ("chai", True),
        ("hostile", False),
        *(slow(*case) for case in product(("tea-gpt", "wide"), (True, False))),
    ],
)
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
