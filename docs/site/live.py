"""Live pages within the site: of a scenario, or of a few of its steps."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import walkthrough
from docs.site.output import Output
from walkthrough.recording.parts import parts_of
from walkthrough.views.options import Options
from walkthrough.views.page import html
from walkthrough.views.selection import TooLargeError


def live_page(trace: walkthrough.Trace, place: str, out: Output) -> str:
    """Writes the live page of a trace; of one that is too large the first part that is not. The path of that part."""
    names = next((parts_of(value.path) for value in trace if parts_of(value.path)), ())
    for part in ("", *(name.path for name in names)):
        try:
            steps_page(trace, (part,) if part else (), place, out)
        except TooLargeError:
            continue
        return part
    raise ValueError(f"{trace.title}: every part is too large for a page")


def steps_page(trace: walkthrough.Trace, steps: Sequence[str], place: str, out: Output) -> None:
    """Writes the live page of some steps."""
    with out.open(place) as file:
        html.write(trace, Options(steps=tuple(steps)), file)


def frame(place: str, title: str) -> str:
    """An iframe of such a page. place: from the page that shows it"""
    return f'<iframe src="{escape(place)}" title="{escape(title)}" height="600" loading="lazy"></iframe>\n'
