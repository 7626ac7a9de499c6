"""The table of formats: a module for each, with SUFFIXES and `write(trace, options, out)`; some write reports too."""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO, Protocol, runtime_checkable

if TYPE_CHECKING:
    from walkthrough.recording.trace import Trace
    from walkthrough.views.report.blocks import Report
    from walkthrough.views.report.trace import Options

FORMATS = {
    "markdown": "a handout to read and to print",
    "json": "every number with its path and labels, for programs",
    "npz": "every matrix as a NumPy array",
    "latex": "a document for pdflatex and lualatex",
    "python": "a NumPy script: a line for each step; it checks every number",
    "torch": "the same with PyTorch, which computes the gradients itself",
    "notebook": "a notebook with NumPy, step by step, for Jupyter",
    "html": "a live page: every step, where each number comes from and what changes with it",
    "xlsx": "a workbook whose cells calculate, for Excel, LibreOffice and Google Sheets",
}
"""What each format is for; the first is that of standard output."""

_MODULES = {
    "latex": "latex.document",
    "python": "code.python",
    "torch": "code.torch",
    "notebook": "code.notebook",
    "html": "page.html",
    "xlsx": "workbook.workbook",
    "terminal": "terminal.terminal",
}
"""Where a format's module is, if not under its own name."""


class Format(Protocol):
    """What a format's module offers."""

    SUFFIXES: tuple[str, ...]
    OPTIONS: tuple[str, ...]
    """Which of token, work, full, columns and no-drift it takes; none where it does not say."""

    def write(self, trace: Trace, options: Options, out: BinaryIO) -> None:
        """Writes the trace in this format."""


@runtime_checkable
class Paired(Protocol):
    """What the module of a format offers that may need a second file."""

    def write_beside(
        self, trace: Trace, options: Options, out: BinaryIO, name: str
    ) -> Callable[[BinaryIO], object] | None:
        """Writes the file of that name; what writes the one beside it, NAME.npz, where it needs one."""


@runtime_checkable
class Remarking(Protocol):
    """What the module of a format offers that has something to say about what it writes."""

    def remark(self, trace: Trace, options: Options) -> str:
        """One line; empty where there is nothing to say."""


class ReportFormat(Protocol):
    """What the module of a format offers in which every report can be written."""

    def text(self, reports: Sequence[Report]) -> str:
        """The reports, one after the other."""


def by_name(name: str) -> Format:
    """The format of that name."""
    return importlib.import_module(f"walkthrough.views.{_MODULES.get(name, name)}")


def for_reports(name: str) -> ReportFormat:
    """The format of that name; it has to be one for reports."""
    return importlib.import_module(f"walkthrough.views.{_MODULES.get(name, name)}")


def written(trace: Trace, options: Options, name: str) -> bytes:
    """A trace in the format of that name, as a whole."""
    out = io.BytesIO()
    by_name(name).write(trace, options, out)
    return out.getvalue()


def ignored(options: Options, name: str) -> list[str]:
    """Those options of reports that are asked for and have no effect in a format."""
    usual = options._field_defaults
    wanted = {
        "token": options.tokens,
        "work": options.work != usual["work"],
        "full": options.full,
        "columns": options.columns,
        "no-drift": not options.drift,
    }
    taken = getattr(by_name(name), "OPTIONS", ())
    return [option for option, is_wanted in wanted.items() if is_wanted and option not in taken]


def by_suffix(filename: str) -> str | None:
    """The name of the format that a file's suffix stands for; of several with the same one the first."""
    suffix = PurePath(filename).suffix.lower()
    return next((name for name in FORMATS if suffix in by_name(name).SUFFIXES), None)
