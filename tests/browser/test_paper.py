"""The page on paper."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
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


def printed(page: Any, folder: Path) -> Path:
    file = folder / "page.pdf"
    page.pdf(path=file, prefer_css_page_size=True)
    return file


def sheets(pdf: Path, *options: str) -> list[str]:
    """The text of each printed page."""
    read = ["pdftotext", *options, pdf, "-"]
    return subprocess.run(read, capture_output=True, encoding="utf-8", check=True).stdout.split("\f")[:-1]


@pytest.fixture(scope="module")
def page(browser: Any, chai: str) -> Iterator[Any]:
    with opened(browser, chai) as found:
        yield found


@pytest.fixture(scope="module")
def pdf(page: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of chai, printed."""
    return printed(page, tmp_path_factory.mktemp("paper"))


@pytest.mark.slow
def test_of_a_training_the_curve_and_the_first_and_last_step_are_printed(browser: Any, tmp_path: Path) -> None:
    with opened(browser, written(tmp_path, bundled_trace("specialise"))) as page:
        found = sheets(printed(page, tmp_path), "-layout")
    pages = [[line for line in sheet.split("\n") if line.strip()][1:-1] for sheet in found]
    text = "\n".join(line for page in pages for line in page)
    assert len(pages) <= 40
    assert "Loss" in text
    assert "Training step 1 " in text
    assert "Training step 300" in text
    assert "Training step 21" not in text
    assert min(map(len, pages)) > 6  # no page has a heading alone


def test_what_was_printed_elsewhere_is_judged_on_the_screen_alone(pdf: Path) -> None:
    assert not any("Printed numbers" in sheet for sheet in sheets(pdf))


@pytest.fixture
def on_paper(page: Any) -> Iterator[Any]:
    page.emulate_media(media="print")
    yield page
    page.emulate_media(media="null")


def test_negative_cells_have_an_edge_on_paper_as_the_key_says(on_paper: Any) -> None:
    edges = [
        on_paper.evaluate(f"getComputedStyle(document.querySelector('#-map [data-heat] path[class^={sign}]')).stroke")
        for sign in "pn"
    ]
    assert edges == ["none", "rgb(0, 0, 0)"]
    assert on_paper.locator(".key .n").is_visible()


def test_the_lines_of_forks_are_printed_and_the_key_begins_no_page(on_paper: Any) -> None:
    lanes = on_paper.eval_on_selector_all(
        "#-map .lane", "all => all.map(one => getComputedStyle(one).printColorAdjust)"
    )
    assert set(lanes) == {"exact"}
    key, words = on_paper.locator(".key").bounding_box(), on_paper.locator("#-map .words").bounding_box()
    assert key["y"] < words["y"] + words["height"]


def test_what_paper_is_told_goes_when_it_is_printed(show: Any) -> None:
    trace = wt.trace(wt.load_scenario("chai"), arithmetic="by-hand")
    twice = (
        "addEventListener('load', () => ['beforeprint', 'beforeprint'].forEach(one => dispatchEvent(new Event(one))))"
    )
    page = show(trace, before=twice)
    assert page.locator("header p", has_text="By hand").count() == 1
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("header p", has_text="By hand").count() == 0


@pytest.mark.parametrize(
    ("name", "script"),
    [
        ("hostile", False),
        *(slow(*case) for case in product(("tea-gpt", "wide"), (True, False))),
    ],
)
def test_every_number_is_on_paper(show: Any, tmp_path: Path, name: str, script: bool) -> None:
    trace, options = TRACES[name](), {} if script else {"java_script_enabled": False}
    page = show(trace, **options)
    assert_every_number(trace, printed(page, tmp_path))


def test_every_number_of_a_page_that_can_calculate_is_on_paper(pdf: Path) -> None:
    assert_every_number(bundled_trace("chai"), pdf)


def assert_every_number(trace: wt.Trace, pdf: Path) -> None:
    counts = re.findall(r"−?\d+\.\d{3}(?!\d)", "\f".join(sheets(pdf, "-layout")))
    wanted = sum(value.array.size for value in trace if not (value.array == value.array.round()).all())
    assert len(counts) >= 0.999 * wanted
    numbers = {typeset(f"{x:.3f}") for value in trace for x in value.array.ravel() if np.isfinite(x) and x != round(x)}
    assert len(numbers - set(counts)) <= 0.01 * len(numbers)


def test_on_paper_a_step_stays_together(page: Any, pdf: Path) -> None:
    steps = page.evaluate("""[...document.querySelectorAll("section:has(>.worked)")].map(section => [
        section.querySelector("h2,h3,h4,h5,h6").textContent, section.querySelector(".worked").textContent])""")
    texts = [" ".join(sheet.split()) for sheet in sheets(pdf)]
    for title, line in steps:
        assert any(" ".join(title.split()) in sheet and line.split("=")[-1] in sheet for sheet in texts), title


def test_on_paper_no_heading_is_broken(show: Any, tmp_path: Path) -> None:
    found = ["".join(sheet.split()) for sheet in sheets(printed(show("latent"), tmp_path))]
    assert sum("Normofthecompressedrows" in sheet for sheet in found) == 2


def test_on_paper_two_columns_are_few_pages_with_their_title_number_and_legible_type(on_paper: Any, pdf: Path) -> None:
    sizes = on_paper.evaluate("""[...document.querySelectorAll("body *")].filter((one) => one.checkVisibility() &&
        [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
        .map((one) => parseFloat(getComputedStyle(one).fontSize) * 0.75)""")
    assert min(filter(None, sizes)) >= 7 - 0.05  # the sign of an index has none
    found = sheets(pdf)
    assert len(found) <= 5
    for at, sheet in enumerate(found, 1):
        assert sheet.startswith(bundled_trace("chai").title)
        assert f"{at}/{len(found)}" in sheet.replace(" ", "")


def test_paper_says_what_was_changed_and_which_arithmetic_it_shows(show: Any, tmp_path: Path) -> None:
    def first(page: Any) -> str:
        return " ".join(sheets(printed(page, tmp_path), "-l", "1")[0].split())

    page = show("chai", options=Options(steps=["embeddings", "input"]))
    assert not re.search("Changed:|By hand", first(page))
    page.evaluate("walkthrough.set('embeddings', 1, 0, 0.5), walkthrough.set('embeddings', 0, 1, 2)")
    assert "Changed: embeddings[chai, 1]=0.5; embeddings[The, 2]=2. " in first(page)
    open_settings(page)
    page.get_by_label("By hand").check()
    page.get_by_label("Fewer decimals").click()
    assert "embeddings[The, 2]=2. By hand, rounded to 2 decimals. " in first(page)
    of_changes(page, "Reset numbers")
    page.get_by_label("By hand").uncheck()
    assert not re.search("Changed:|By hand", first(page))


def test_on_paper_the_bars_of_the_likeliest_words_are_filled(show: Any, browser: Any) -> None:
    page = show("first-step", options=Options(steps=("output_head",)))
    bar, adjusting = page.locator(".likeliest [data-bar]").first, "bar => getComputedStyle(bar).printColorAdjust"
    assert bar.evaluate(adjusting) == "economy"
    page.emulate_media(media="print")
    assert bar.evaluate(adjusting) == "exact"  # else a browser prints no backgrounds
