"""The live page in Chromium: its size, its first paint beside that of a page with one word, and how long an edit takes.

python -m tests.benchmarks.page
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import walkthrough as wt
from tests.benchmarks import encoder
from tests.browser.pages import chromium, written

EDITS = 9
BARS = {"chai": 16, "tea-gpt": 33, "six layers": 250}

PAINTED = """edit => new Promise(done => {
    const path = walkthrough.paths.find(path => path === "embeddings") ?? walkthrough.paths[0];
    const from = performance.now();
    walkthrough.set(path, 0, 0, 0.1 + edit / 100);
    requestAnimationFrame(() => { document.body.offsetHeight; done(performance.now() - from); });
})"""
FIRST = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN"
SCRIPT = "performance.timing.domContentLoadedEventEnd - performance.timing.responseEnd"


def traces() -> dict[str, wt.Trace]:
    found = {name: wt.trace(wt.load_scenario(name)) for name in ("chai", "tea-gpt")}
    return found | {"six layers": wt.trace(encoder.scenario(16, 64, 4, 256))}


def measured(browser: Any, address: str) -> tuple[float, float, list[float]]:
    """First paint, the time to read and run the page, and of each edit until its frame; in milliseconds."""
    page = browser.new_page()
    page.goto(address)
    page.wait_for_timeout(1500)
    first, ran = page.evaluate(FIRST), page.evaluate(SCRIPT)
    edits = []
    for edit in range(EDITS):
        edits.append(page.evaluate(PAINTED, edit))
        page.wait_for_timeout(1200)
    page.close()
    return first, ran, edits


def empty(browser: Any, folder: Path) -> float:
    """The first paint of a page with one word, in milliseconds: the browser's own share."""
    path = folder / "empty.html"
    path.write_text("<!doctype html><title>empty</title><p>word", encoding="utf-8")
    paints = []
    for _ in range(5):
        page = browser.new_page()
        page.goto(path.as_uri())
        page.wait_for_timeout(500)
        paints.append(page.evaluate(FIRST))
        page.close()
    return median(paints)


def main() -> None:
    """Prints the figures of three pages."""
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        print(f"one word   first paint {empty(browser, Path(folder)):5.0f} ms")
        for name, trace in traces().items():
            address = written(Path(folder), trace)
            size = (Path(folder) / "page.html").stat().st_size
            measured(browser, address)  # warms the disk up
            first, ran, edits = measured(browser, address)
            print(
                f"{name:10} {size / 1000:7.0f} KB   first paint {first:5.0f} ms   read and run {ran:5.0f} ms   "
                f"edit {median(edits):5.1f} ms, at most {max(edits):5.1f} (bar {BARS[name]})"
            )


if __name__ == "__main__":
    main()
