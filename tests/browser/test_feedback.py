"""Feedback on one page; and what a class gets in Firefox: a sheet to fill in by the keyboard, practice that judges."""

from __future__ import annotations

import base64
import random
import shutil
import subprocess
import time
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from tests.browser import test_practice, test_sheet
from tests.browser.firefox import Marionette
from tests.browser.pages import opened
from tests.examples import slow
from tests.teaching.faults import changed_cells, one_digit
from tests.teaching.students import maker
from walkthrough.languages.catalogue import catalogue
from walkthrough.teaching.marking import feedback_page as html
from walkthrough.teaching.marking.assignment import Assignment
from walkthrough.teaching.marking.feedback import INDEX, feedback_files
from walkthrough.teaching.marking.handed_in import mark_filled
from walkthrough.teaching.marking.marked import Marked
from walkthrough.teaching.sheets.read import yaml

pytestmark = pytest.mark.browser
ENTER = "\ue007"
NARROW = 390


def fits_a_phone(firefox: Marionette) -> bool:
    """Whether a page scrolls not sideways in a frame as wide as a phone; a window of Firefox is never so narrow."""
    return bool(
        firefox.wait_for(
            "const frame = document.createElement('iframe');"
            f"frame.style.cssText = 'width: {NARROW}px; height: 800px; border: 0'; frame.src = location.href;"
            "frame.onload = () => { const root = frame.contentDocument.documentElement;"
            "done(root.scrollWidth <= root.clientWidth); }; document.body.append(frame);"
        )
    )


def test_a_sheet_is_filled_in_and_what_it_gives_is_marked(firefox: Marionette, tmp_path: Path) -> None:
    sheet = test_sheet.made("help-me")
    texts = test_sheet.right(sheet)
    firefox.open(test_sheet.written(tmp_path, sheet))
    firefox.evaluate("document.querySelector('input[data-path]').focus()")
    for _ in sheet.places:
        place = firefox.evaluate("(at => [at.path, at.row, at.column])(document.activeElement.dataset)")
        firefox.press(texts[tuple(place)] + ENTER)
    assert firefox.evaluate("document.activeElement.id") == "download"
    assert firefox.evaluate("document.querySelector('input[data-path]').inputMode") == "decimal"
    (filled,) = yaml.read("a.yaml", firefox.evaluate("document.getElementById('answers').value").encode())
    assert fits_a_phone(firefox)
    marked = mark_filled(filled, Assignment())
    assert marked.counts["right"] == len(sheet.places)


def test_practice_judges_and_goes_on(firefox: Marionette, tmp_path: Path) -> None:
    sheet = test_sheet.made("help-me")
    texts = test_sheet.right(sheet)
    firefox.open(test_practice.written(tmp_path, sheet))
    for _ in range(200):  # it is given the focus
        if firefox.evaluate("window.practice && document.activeElement.id === 'answer'"):
            break
        time.sleep(0.05)
    first = firefox.evaluate("practice.question()")
    firefox.press("77" + ENTER)
    assert firefox.evaluate("document.getElementById('verdict').dataset.verdict") == "wrong"
    firefox.evaluate("document.getElementById('answer').value = ''")
    firefox.press(texts[first["path"], first["row"], first["column"]] + ENTER)
    second = firefox.evaluate("practice.question()")
    assert (second["row"], second["column"]) != (first["row"], first["column"])
    assert fits_a_phone(firefox)


def six_slips() -> Marked:
    """A sheet of 38 steps, six of them with wrong cells."""
    sheet, rng = maker("cooking-multihead").sheet(), random.Random(4)
    steps = rng.sample([step for step in sheet.blank_steps if len(step.places) >= 6 and not step.value.holds_ids], 6)
    places = [place for step in steps for place in rng.sample(step.places, 5)]
    marked = changed_cells(sheet, {place: one_digit(rng) for place in places}).marked()
    assert (marked.of, len(marked.slips)) == (38, 6)
    return marked


def pages(pdf: Path) -> str:
    said = subprocess.run(["pdfinfo", pdf], capture_output=True, encoding="utf-8", check=True).stdout
    return said.partition("Pages:")[2].split()[0]


@pytest.mark.skipif(shutil.which("pdfinfo") is None, reason="needs pdfinfo")
@pytest.mark.parametrize("language", [slow("en"), "de"])
def test_six_slips_and_forty_steps_print_on_one_page(browser: Any, language: str, tmp_path: Path) -> None:
    out = BytesIO()
    html.write_page(six_slips(), catalogue(language), out)
    (tmp_path / "ada.html").write_bytes(out.getvalue())
    with opened(browser, (tmp_path / "ada.html").as_uri()) as page:
        page.pdf(path=tmp_path / "ada.pdf", prefer_css_page_size=True)
        page.set_viewport_size({"width": NARROW, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") == NARROW
    assert pages(tmp_path / "ada.pdf") == "1"


@pytest.mark.parametrize("width", [NARROW, 900])
def test_the_page_of_a_class_is_as_wide_as_its_window_and_its_bars_start_at_the_left(
    browser: Any, width: int, tmp_path: Path
) -> None:
    marked, out = six_slips(), BytesIO()
    sheets = [marked, marked.replace(name="Maximiliane Mustermann.yaml")]
    feedback_files(sheets, "html", None, catalogue("de"))[INDEX](out)
    (tmp_path / INDEX).write_bytes(out.getvalue())
    with opened(browser, (tmp_path / INDEX).as_uri(), {"width": width, "height": 900}) as page:
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.evaluate("getComputedStyle(document.querySelector('.histogram td')).textAlign") == "left"


@pytest.mark.skipif(shutil.which("pdfinfo") is None, reason="needs pdfinfo")
def test_feedback_is_drawn_without_a_script_and_prints_on_one_page(firefox: Marionette, tmp_path: Path) -> None:
    out = BytesIO()
    html.write_page(six_slips(), catalogue("de"), out)
    (tmp_path / "ada.html").write_bytes(out.getvalue())
    firefox.open((tmp_path / "ada.html").as_uri())
    size = firefox.evaluate(
        "(box => [box.width, box.height])(document.querySelector('math mfrac').getBoundingClientRect())"
    )
    assert min(size) > 10
    printed = firefox.ask("WebDriver:Print", {"page": {"width": 21, "height": 29.7}})["value"]
    assert fits_a_phone(firefox)
    (tmp_path / "ada.pdf").write_bytes(base64.b64decode(printed))
    assert pages(tmp_path / "ada.pdf") == "1"
