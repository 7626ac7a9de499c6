"""A Python script with numpy: a line for each step, and a check of every number."""

from __future__ import annotations

from typing import BinaryIO

from walkthrough.expressions.notations.code import NUMPY
from walkthrough.recording.trace import Trace
from walkthrough.views.code import script
from walkthrough.views.options import Options


def write(trace: Trace, options: Options, out: BinaryIO) -> None:
    """Writes the script, as UTF-8; it holds every number."""
    script.write(trace, options, out, NUMPY)


def write_beside(trace: Trace, options: Options, out: BinaryIO, name: str) -> script.Beside | None:
    """Writes the script of that name; what writes the file beside it, NAME.npz, where it needs one."""
    return script.write(trace, options, out, NUMPY, name)
