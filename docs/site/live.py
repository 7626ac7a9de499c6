"""Live pages within the site: of a scenario, or of a few of its steps."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

import walkthrough
from docs.site.output import Output
from walkthrough.recording.parts import parts_of
from walkthrough.views.options import Options
from walkthrough.views.page import embed, html
from walkthrough.views.selection import TooLargeError


def live_page(trace: walkthrough.Trace, place: str, out: Output) -> str:
    """Writes the live page of a trace; of one that is too large the first part that is not. The path of that part."""
    names = next((parts_of(value.path) for value in trace if parts_of(value.path)), ())
    for part in ("", *(name.path for name in names)):
        try:
            with out.open(place) as file:
                html.write(trace, Options(steps=(part,) if part else ()), file)
        except TooLargeError:
            continue
        return part
    raise ValueError(f"{trace.title}: every part is too large for a page")


def steps_page(trace: walkthrough.Trace, steps: Sequence[str], place: str, out: Output) -> None:
    """Writes some steps to stand within another page; without any, the whole live page."""
    with out.open(place) as file:
        (embed if steps else html).write(trace, Options(steps=tuple(steps)), file)


def frame(place: str, title: str, height: int = 420) -> str:
    """An iframe of such a page, with a link for those who go from number to number past all of it.

    place: from the page that shows it; height: in pixels
    """
    end = f"past-{Path(place).stem}"
    return (
        f'<div class="frame"><a class="past" href="#{end}">Skip the live page</a>\n<iframe src="{escape(place)}" '
        f'title="{escape(title)}" height="{height}" loading="lazy"></iframe></div><span id="{end}"></span>\n'
    )
