"""A worksheet in a real browser: its form, its download, and its paper."""

from __future__ import annotations

import re
import shutil
import subprocess
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.browser.pages import opened
from tests.examples import slow
from walkthrough.teaching.marking.assignment import Assignment
from walkthrough.teaching.marking.handed_in import mark_file
from walkthrough.teaching.marking.marked import Marked
from walkthrough.teaching.sheets.kinds import writer_of
from walkthrough.teaching.sheets.make.maker import Maker, SheetOptions
from walkthrough.teaching.sheets.sheet import Sheet
from walkthrough.teaching.sheets.write.texts import Cells
from walkthrough.transformer.loading.load import load_scenario, parse_scenario

pytestmark = pytest.mark.browser

HOSTILE = "\"]} # \\ - ': </textarea></script><script>alert(1)</script>\u2028\x85"
WORDS = r"""
title: '</title><script>alert(1)</script>'
tokens: ['</script><b>', 'a"b: #', "ü\u202e", '- x', '${body}', '''']
embeddings:
  - [1, 0]
  - [0, 1]
  - [1, 1]
  - [2, 0]
  - [0, 2]
  - [1, 2]
attention: {w_q: [[1, 0], [0, 1]], w_k: [[1, 1], [0, 1]], w_v: [[1, 0], [1, 1]]}
output_head:
  w: [[1, 0, 1, 0, 0, 1], [0, 1, 0, 1, 1, 0]]
  vocabulary: ['</script><b>', 'a"b: #', "ü\u202e", '- x', '${body}', '=1+1']
"""


def made(name: str, seed: int | None = None, student: str = "", **options: Any) -> Sheet:
    return Maker(load_scenario(name), name, SheetOptions(**options)).sheet(seed, student)


def written(folder: Path, sheet: Sheet, name: str = "1-Ada.html", solved: bool = False) -> str:
    out = BytesIO()
    writer_of("html").write([sheet], out, solved)
    (folder / name).write_bytes(out.getvalue())
    return (folder / name).as_uri()


def right(sheet: Sheet) -> dict[tuple[str, str, str], str]:
    """What belongs into each field, by what the page says of it."""
    from walkthrough.text import escape_label

    return {
        (path, escape_label(step.value.rows[row]), escape_label(step.value.columns[column])): Cells(step.value).text(
            row, column
        )
        for step, (path, row, column) in sheet.places
    }


def fields(page: Any) -> list[tuple[str, str, str]]:
    found = page.locator("input[data-path]").evaluate_all(
        "all => all.map(one => [one.dataset.path, one.dataset.row, one.dataset.column])"
    )
    return [tuple(one) for one in found]


def fill(page: Any, sheet: Sheet) -> None:
    """Types what is right into every field, as the browser says it of each key."""
    texts = right(sheet)
    page.locator("input[data-path]").evaluate_all(
        """(all, texts) => all.forEach((one, at) => {
            one.value = texts[at]
            one.dispatchEvent(new Event("input", {bubbles: true}))
        })""",
        [texts[place] for place in fields(page)],
    )


def downloaded(page: Any, folder: Path) -> Path:
    with page.expect_download() as waiting:
        page.click("#download")
    file = folder / str(waiting.value.suggested_filename)
    waiting.value.save_as(file)
    return file


def marked(file: Path) -> Marked:
    (found,) = mark_file(str(file), Assignment())
    assert isinstance(found, Marked), found
    return found


def test_what_is_typed_is_downloaded_and_marked(browser: Any, tmp_path: Path) -> None:
    sheet = made("help-me", 3, "Ada", language="de")
    with opened(browser, written(tmp_path, sheet)) as page:
        assert set(fields(page)) == right(sheet).keys()
        fill(page, sheet)
        file = downloaded(page, tmp_path)
        assert page.input_value("#answers") == file.read_text("utf-8")
        assert page.inner_text("#filled").startswith("14 von 14")
    assert file.name == "1-Ada.answers.yaml"
    result = marked(file)
    assert (result.points, result.student, result.sheet.seed) == (4, "Ada", 3)


def test_words_that_would_break_out_stay_words(browser: Any, tmp_path: Path) -> None:
    sheet = Maker(parse_scenario(WORDS), "words", SheetOptions()).sheet()
    address = written(tmp_path, sheet, "a b#c.html")
    with opened(browser, address) as page:
        assert set(fields(page)) == right(sheet).keys()
        fill(page, sheet)
        page.fill("#student", HOSTILE)
        page.locator("input[data-path]").first.fill(HOSTILE)
        assert page.locator("script").count() == 2
        file = downloaded(page, tmp_path)
    assert file.name == "a b#c.answers.yaml"
    result = marked(file)
    first, *others = result.cells
    assert (result.student, first.answer.text.split("…")[0]) == (HOSTILE, HOSTILE[:60])
    assert {cell.verdict for cell in others} == {"right"}


def test_the_download_is_the_yaml_sheet_with_answers_as_typed(browser: Any, tmp_path: Path) -> None:
    sheet, blank = made("help-me"), BytesIO()
    writer_of("yaml").write([sheet], blank)
    with opened(browser, written(tmp_path, sheet)) as page:
        page.locator("input[data-path]").first.fill(" 1/3 ")
        found = yaml.safe_load(page.input_value("#answers"))
    expected = yaml.safe_load(blank.getvalue())
    assert expected["steps"][0]["answers"]["help"]["help"] is None
    expected["steps"][0]["answers"]["help"]["help"] = "1/3"
    assert found == expected


def test_enter_goes_to_the_next_field_and_keys_type_into_it(show: Any, tmp_path: Path) -> None:
    page = show(written(tmp_path, made("help-me")))
    inputs = page.locator("input[data-path]")
    assert set(inputs.evaluate_all("all => all.map(one => one.inputMode)")) == {"decimal"}
    inputs.nth(0).focus()
    page.click("[data-key='−']")
    page.keyboard.type("6")
    page.click("[data-key='/']")
    page.click("[data-key='√']")
    page.keyboard.type("2")
    assert inputs.nth(0).input_value() == "−6/√2"
    assert '"−6/√2"' in page.input_value("#answers")
    page.keyboard.press("Enter")
    page.keyboard.type("7")
    page.click("#next")
    page.keyboard.type("8")
    assert [inputs.nth(at).input_value() for at in (1, 2)] == ["7", "8"]
    inputs.last.press("Enter")
    assert page.evaluate("document.activeElement.id") == "download"


def test_only_what_cannot_be_read_is_marked(show: Any, tmp_path: Path) -> None:
    read = "1,5", "−∞", "6/√2 ≈ 4,24", "3·sqrt(2)", "2,00 (gerundet)", "ca. 3.2e-4", "45 %", "3 1/2", "-inf"
    page = show(written(tmp_path, made("help-me")))
    field = page.locator("input[data-path]").first
    for text in (*read, "one", "?"):
        field.fill(text)
        field.press("Enter")
        assert (field.get_attribute("aria-invalid") is not None) == (text not in read), text


def test_what_was_typed_is_kept_and_emptied_when_asked(show: Any, tmp_path: Path) -> None:
    page = show(written(tmp_path, made("help-me")))
    page.fill("#student", "Bo")
    page.locator("input[data-path]").first.fill("1.5")
    page.reload()
    assert (page.input_value("#student"), page.locator("input[data-path]").first.input_value()) == ("Bo", "1.5")
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.click("#empty")
    assert page.input_value("#student") == "Bo"
    page.once("dialog", lambda dialog: dialog.accept())
    page.click("#empty")
    assert (page.input_value("#student"), "1.5" in page.input_value("#answers")) == ("", False)
    page.reload()
    assert page.locator("input[data-path]").first.input_value() == ""


def test_sheets_of_one_folder_do_not_share_what_is_typed(browser: Any, tmp_path: Path) -> None:
    shown = browser.new_context()
    page = shown.new_page()
    first, *others = (
        written(tmp_path, sheet, f"{at}.html")
        for at, sheet in enumerate([made("help-me", 1, "Ada"), made("help-me", 1, "Bo"), made("help-me", 2, "Ada")])
    )
    page.goto(first)
    page.locator("input[data-path]").first.fill("1.5")
    for address in others:
        page.goto(address)
        assert page.locator("input[data-path]").first.input_value() == ""
    shown.close()


def test_nothing_fails_where_nothing_may_be_kept(show: Any, tmp_path: Path) -> None:
    refuse = "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError') }})"
    sheet = made("help-me")
    page = show(written(tmp_path, sheet), before=refuse)
    fill(page, sheet)
    assert marked(downloaded(page, tmp_path)).points == 4


@pytest.mark.parametrize("name", ["cooking-multihead", *(slow(name) for name in ("not-on-your-life", "cat-sat"))])
def test_a_phone_needs_no_sideways_scroll(show: Any, tmp_path: Path, name: str) -> None:
    page = show(written(tmp_path, made(name)), viewport={"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.locator("#bar").bounding_box()["width"] <= 390


@pytest.mark.parametrize(
    ("name", "most"), [slow("cooking-multihead", 4), slow("chai", 4), ("cat-sat", 4), ("help-me", 1)]
)
def test_a_sheet_is_short_on_paper_and_no_table_is_wider(show: Any, tmp_path: Path, name: str, most: int) -> None:
    sheet = made(name)
    page = show(written(tmp_path, sheet))
    page.locator("input[data-path]").first.fill("−1.234")
    page.locator("input[data-path]").nth(1).fill("≈ −123.456/√2")
    assert pdf_pages(page, tmp_path) <= most
    assert "−1.234" in pdf_text(tmp_path)
    assert "−123.456/√2" in pdf_text(tmp_path)
    assert "Download" not in pdf_text(tmp_path)
    assert_fits_paper(page)


def test_wide_tables_with_long_labels_fit_on_paper(browser: Any, tmp_path: Path) -> None:
    words = [f"Donaudampfschiffahrtsgesellschaft{at}" for at in range(30)]
    text = yaml.safe_dump(
        {
            "title": "Wide",
            "tokens": words[:9],
            "embeddings": {word: [at % 3, 1, 0.123456789012] for at, word in enumerate(words)},
            "attention": {name: [[1, 0, 1], [0, 1, 0], [1, 1, 0]] for name in ("w_q", "w_k", "w_v")},
        }
    )
    sheet = Maker(parse_scenario(text), "wide", SheetOptions(decimals=9)).sheet()
    for solved in (False, True):
        with opened(browser, written(tmp_path, sheet, solved=solved)) as page:
            assert_fits_paper(page)


def test_a_page_on_paper_is_filled_before_the_next_begins(show: Any, tmp_path: Path) -> None:
    """One line of steps may stand alone: the last takes none along to its page."""
    page = show(written(tmp_path, made("one-head", decimals=1)))
    assert pdf_pages(page, tmp_path) == 2
    assert re.findall(r"^(\d+)\. ", pdf_text(tmp_path).split("\f")[1], re.MULTILINE) == ["10"]


def assert_fits_paper(page: Any) -> None:
    """Every table lies between the margins of A4, and nothing is cut off."""
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 718, "height": 1000})  # 190 mm
    ends = page.locator("table").evaluate_all("all => all.map(one => one.getBoundingClientRect().right)")
    assert max(ends) <= 718.5


def pdf_pages(page: Any, folder: Path) -> int:
    page.pdf(path=str(folder / "sheet.pdf"), prefer_css_page_size=True)
    return pdf_text(folder).count("\f")


def pdf_text(folder: Path) -> str:
    program = shutil.which("pdftotext")
    if program is None:
        pytest.skip("needs pdftotext")
    return subprocess.run([program, str(folder / "sheet.pdf"), "-"], capture_output=True, text=True, check=True).stdout
