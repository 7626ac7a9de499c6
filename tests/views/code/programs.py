"""Running what the program writes as code, in this process."""

from __future__ import annotations

import contextlib
import io
import sys
from typing import Any

import walkthrough as wt
from walkthrough.views import formats
from walkthrough.views.options import Options


def source(trace: Any, library: str = "python", options: Options = Options()) -> str:  # noqa: B008
    """The script of a trace, with every number in it."""
    return formats.to_bytes(trace, options, library).decode()


def ran(script: str) -> dict[str, Any]:
    """What is defined when a script has run; an AssertionError where a number is not as recorded."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        names: dict[str, Any] = {"__name__": "__main__"}
        try:
            exec(compile(script, "script.py", "exec"), names)
        finally:
            if torch := sys.modules.get("torch"):  # which a script of its own sets to float64
                torch.set_default_dtype(torch.float32)
    assert "match the recorded ones" in printed.getvalue()
    return names


def check(trace: wt.Trace, library: str = "python") -> dict[str, Any]:
    """Runs the script of a trace, which compares every number."""
    return ran(source(trace, library))
