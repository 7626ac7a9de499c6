"""The first page: what it is, a live page, and three ways in."""

from __future__ import annotations

import walkthrough
from docs.site.live import frame, steps_page
from docs.site.output import Output
from docs.site.page import WEB, Page
from walkthrough.transformer.loading.load import load_scenario

SCENARIO = "one-head"


def write_start(out: Output) -> None:
    """Writes index.html, with the first example as a live page."""
    place = "live/one-head.html"
    steps_page(walkthrough.trace(load_scenario(SCENARIO)), (), place, out)
    text = (WEB / "start.htm").read_text(encoding="utf-8")
    out.write(
        "index.html",
        Page("index.html", "walkthrough", text.replace("<!-- live -->", frame(place, "A live page"))).html(),
    )
