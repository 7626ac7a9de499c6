"""Some steps of the live page, to stand within another page."""

from __future__ import annotations

from typing import BinaryIO

from walkthrough.errors import UserError
from walkthrough.recording.trace import Trace
from walkthrough.views.options import Options
from walkthrough.views.page.html import write_as


class NoStepsError(UserError, ValueError):
    """All steps are too many for a small window."""


def write(trace: Trace, options: Options, out: BinaryIO) -> None:
    """Writes the steps, as UTF-8. Raises NoStepsError, and SelectorError for a step that is not there."""
    if not options.steps:
        raise NoStepsError("a page to embed shows some steps: choose them with --step, such as --step scores")
    write_as("embed", trace, options, out)
