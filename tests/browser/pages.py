"""Pages of the program in a real browser; tests that need one skip where there is none."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import walkthrough as wt
from tests.views.samples import bundled_trace, hostile_trace, small_trace, wide_trace
from walkthrough.views import formats
from walkthrough.views.options import Options

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SCORES = "encoder.1.attention.head.1.scores"
QUERIES = "encoder.1.attention.head.1.w_q"
TRACES = {
    **{name: partial(bundled_trace, name) for name in ("chai", "cooking-training", "tea-gpt")},
    "small": small_trace,
    "wide": wide_trace,
    "hostile": hostile_trace,
}
"""The pages of tea-gpt and wide are many times as long as that of chai: where a test is slow for that, marked so."""


def written(folder: Path, trace: wt.Trace, options: Options | None = None) -> str:
    """The address of a page of a trace."""
    file = folder / "page.html"
    file.write_bytes(formats.to_bytes(trace, options or Options(), "html"))
    return file.as_uri()


@contextmanager
def chromium() -> Iterator[Any]:
    """Debian's browser, driven by Playwright."""
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("needs chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def opened(browser: Any, address: str, **context: Any) -> Iterator[Any]:
    """A page that must neither fail nor ask for anything but itself."""
    shown = browser.new_context(**({"viewport": {"width": 1280, "height": 900}} | context))
    page = shown.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    file = address.partition("#")[0]
    page.on("request", lambda request: faults.append(request.url) if request.url.partition("#")[0] != file else None)
    page.goto(address)
    yield page
    shown.close()
    assert faults == []


def until(page: Any, holds: str) -> None:
    """Waits for what the page paints in its next frames; its policy lets no driver wait inside of it."""
    for _ in range(100):
        if page.evaluate(holds):
            return
        page.wait_for_timeout(50)
    pytest.fail(f"it never held that {holds}")


def line(page: Any) -> str:
    return str(page.text_content("[role=status]"))


def cell(path: str, row: int, column: int) -> str:
    return f"[id='{path}'] tbody tr:nth-child({row + 1}) td:nth-child({column + 2})"


def open_settings(page: Any) -> None:
    """What is seldom used stands under one button of the bar."""
    if page.get_attribute(".more", "aria-expanded") == "false":
        page.click(".more")


def of_changes(page: Any, name: str) -> None:
    """Presses a button of what the bar has folded under the number of changes."""
    open_settings(page)
    if not page.evaluate("document.querySelector('.changes').open"):
        page.click(".changes summary")
    page.get_by_role("button", name=name).click()


def focused(page: Any) -> str:
    """The step and the text of what has the focus."""
    return str(
        page.evaluate(
            "(document.activeElement.closest('section')?.id ?? document.activeElement.tagName) + ' '"
            " + document.activeElement.textContent"
        )
    )
