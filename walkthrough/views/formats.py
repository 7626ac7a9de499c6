"""The table of export formats: a module for each, with SUFFIXES and `write(trace, options) -> bytes`."""

from __future__ import annotations

import importlib
from pathlib import PurePath
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from walkthrough.recording.trace import Trace
    from walkthrough.views.document import Options

FORMATS = ("markdown", "json", "npz")
"""The names of the formats, which are the names of their modules in this folder."""


class Format(Protocol):
    """What a format's module offers."""

    SUFFIXES: tuple[str, ...]

    def write(self, trace: Trace, options: Options) -> bytes:
        """The trace in this format."""


def by_name(name: str) -> Format:
    """The format of that name."""
    return importlib.import_module(f"walkthrough.views.{name}")


def by_suffix(filename: str) -> str | None:
    """The name of the format that a file's suffix stands for."""
    suffix = PurePath(filename).suffix.lower()
    return next((name for name in FORMATS if suffix in by_name(name).SUFFIXES), None)
