"""Photographs docs/pictures/page.png: the live page of chai, with one score chosen. Needs Playwright and chromium.

python -m docs.pictures.page
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import walkthrough
from tests.browser.pages import chromium, opened, written

PICTURE = Path(__file__).parent / "page.png"
SCENARIO, STEP, ROW, COLUMN = "chai", "encoder.1.attention.head.1.scores", 2, 4


def photograph(file: Path) -> None:
    """The page as it stands after a click on a score."""
    trace = walkthrough.trace(walkthrough.load_scenario(SCENARIO))
    size = {"width": 1280, "height": 760}
    with (
        tempfile.TemporaryDirectory() as folder,
        chromium() as browser,
        opened(browser, written(Path(folder), trace), viewport=size) as page,
    ):
        page.goto(f"{page.url}#{STEP}")
        page.click(f"[id='{STEP}'] tbody tr:nth-child({ROW}) td:nth-child({COLUMN})")
        page.evaluate("scrollBy(0, -90)")
        page.mouse.move(1100, 700)
        page.wait_for_timeout(300)
        page.screenshot(path=file)


if __name__ == "__main__":
    photograph(PICTURE)
