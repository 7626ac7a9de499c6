"""The live page in Chromium: its size, its first paint, and how long an edit takes.

The first paint stands beside that of a page with one word, and of one with nothing but the text above the steps.

python -m docs.benchmarks.page
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import walkthrough as wt
from tests.browser.pages import chromium, written

EDITS = 9
VISITS = 15
BARS = {"chai": 16, "tea-gpt": 33, "six layers": 250}

_INIT = "{init: normal, std: 0.05}"
SIX_LAYERS = f"""
title: benchmark
tokens: [{", ".join(f"t{at}" for at in range(16))}]
embeddings: {{init: normal, std: 1}}
dimensions: {{d_model: 64, d_ff: 256}}
encoder:
  layers:
    repeat: 6
    layer:
      attention: {{num_heads: 4, w_q: {_INIT}, w_k: {_INIT}, w_v: {_INIT}, w_o: {_INIT}}}
      feed_forward: {{w_1: {_INIT}, b_1: {_INIT}, w_2: {_INIT}, b_2: {_INIT}}}
"""

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
    return found | {"six layers": wt.trace(wt.parse_scenario(SIX_LAYERS))}


def first_paint(browser: Any, address: str) -> float:
    """Of several visits, in milliseconds."""
    paints = []
    for _ in range(VISITS):
        page = browser.new_page()
        page.goto(address)
        page.wait_for_timeout(500)
        paints.append(page.evaluate(FIRST))
        page.close()
    return median(paints)


def edited(browser: Any, address: str) -> tuple[float, list[float]]:
    """The time to read and run the page, and of each edit until its frame; in milliseconds."""
    page = browser.new_page()
    page.goto(address)
    page.wait_for_timeout(1500)
    ran, edits = page.evaluate(SCRIPT), []
    for edit in range(EDITS):
        edits.append(page.evaluate(PAINTED, edit))
        page.wait_for_timeout(1200)
    page.close()
    return ran, edits


def other(folder: Path, name: str, text: str) -> str:
    """The address of a page to compare with."""
    path = folder / f"{name}.html"
    path.write_text(text, encoding="utf-8")
    return path.as_uri()


def text_alone(page: str) -> str:
    """A page without map, steps and script, and free to do without the policy of the one it was."""
    return re.sub(r"<nav.*</html>|<meta http-equiv.*?>", "", page, flags=re.DOTALL)


def main() -> None:
    """Prints the figures of three pages."""
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        word = other(Path(folder), "word", "<!doctype html><title>empty</title><p>word")
        print(f"one word   first paint {first_paint(browser, word):5.0f} ms")
        for name, trace in traces().items():
            address = written(Path(folder), trace)
            page = (Path(folder) / "page.html").read_text(encoding="utf-8")
            text = other(Path(folder), "text", text_alone(page))
            paints = first_paint(browser, address), first_paint(browser, text)
            ran, edits = edited(browser, address)
            print(
                f"{name:10} {len(page.encode()) / 1000:7.0f} KB   "
                f"first paint {paints[0]:5.0f} ms, of its text alone {paints[1]:5.0f}   read and run {ran:5.0f} ms   "
                f"edit {median(edits):5.1f} ms, at most {max(edits):5.1f} (bar {BARS[name]})"
            )


if __name__ == "__main__":
    main()
