"""The lecture as a file: a slide with the model, then one for each chosen step; on paper a page each."""

from __future__ import annotations

from typing import BinaryIO

from walkthrough.recording.trace import Trace
from walkthrough.views.options import Options
from walkthrough.views.page.html import write_as


def write(trace: Trace, options: Options, out: BinaryIO) -> None:
    """Writes the slides, as UTF-8. Raises SelectorError for a step that is not there."""
    write_as("slides", trace, options, out)
