"""A Python script with PyTorch, whose autograd computes the recorded gradients; chosen with --format."""

from __future__ import annotations

from typing import BinaryIO

from walkthrough.expressions.notations.code import TORCH
from walkthrough.recording.trace import Trace
from walkthrough.views.code import script
from walkthrough.views.options import Options


def write(trace: Trace, options: Options, out: BinaryIO, name: str = "") -> script.Beside | None:
    """As `script.write`. Raises ByHandError."""
    if trace.by_hand is not None and trace.by_hand.format is not None:
        message = f"the script in PyTorch cannot calculate in {trace.arithmetic}"
        raise script.ByHandError(f"{message}: leave out --arithmetic, or choose --format python")
    if trace.exact is not None:
        raise script.ByHandError("PyTorch cannot calculate by hand; remove --by-hand, or choose --format python")
    return script.write(trace, options, out, name, TORCH)


write_beside = write
