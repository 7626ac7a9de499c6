"""Pages of the program in a real browser; tests that need one skip where there is none."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import walkthrough as wt
from tests.views.samples import HOSTILE, bundled_trace, hostile_trace, small_trace, wide_trace
from walkthrough.views import formats
from walkthrough.views.options import Options

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SCORES = "encoder.1.attention.head.1.scores"
QUERIES = "encoder.1.attention.head.1.w_q"
TRACES = {
    **{name: partial(bundled_trace, name) for name in ("chai", "cooking-training", "tea-gpt")},
    "small": small_trace,
    "wide": wide_trace,
    "hostile": partial(hostile_trace, HOSTILE[1::3]),
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
def opened(
    browser: Any,
    address: str,
    viewport: dict[str, int] | None = None,
    color_scheme: str = "light",
    reduced_motion: str = "no-preference",
    **context: Any,
) -> Iterator[Any]:
    """A page that must neither fail nor ask for anything but itself."""
    faults: list[str] = []
    file = address.partition("#")[0]
    heard: dict[str, Callable[[Any], None]] = {
        "pageerror": lambda error: faults.append(str(error)),
        "console": lambda message: faults.append(message.text) if message.type == "error" else None,
        "request": lambda request: faults.append(request.url) if request.url.partition("#")[0] != file else None,
    }
    with window(browser, **context) as page:
        page.set_viewport_size(viewport or {"width": 1280, "height": 900})
        page.emulate_media(media="null", color_scheme=color_scheme, reduced_motion=reduced_motion)
        for event, hear in heard.items():
            page.on(event, hear)
        page.goto(address)
        yield page
        for event, hear in heard.items():
            page.remove_listener(event, hear)
    assert faults == []


@contextmanager
def window(browser: Any, before: str = "", **context: Any) -> Iterator[Any]:
    """An empty window with these options; without any, one that stands open from the test before.

    A new one costs twice what it takes to read the page of a short scenario. before: what runs before the page's script
    """
    if before or context:
        with browser.new_context(**context) as shown:
            shown.add_init_script(before)
            yield shown.new_page()
        return
    standing = (page for one in browser.contexts for page in one.pages if page.url == "about:blank")
    page = next(standing, None) or browser.new_context().new_page()
    try:
        yield page
    finally:
        page.evaluate("location.protocol === 'file:' && localStorage.clear()")
        page.goto("about:blank")
        page.mouse.move(-1, -1)


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
