"""The table of formats: where each is written, what it is for, and what it takes."""

from __future__ import annotations

import importlib
import io
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal

from walkthrough.records import Record
from walkthrough.views.options import Options

if TYPE_CHECKING:
    from walkthrough.recording.trace import Trace

Audience = Literal["people", "class", "programs"]


class FileFormat(Record):
    """A format of exported traces.

    module:      in this room, with `write(trace, options, out)`; where a file may need another one beside it, NAME.npz,
                 with `write_beside(trace, options, out, name)`, which gives what writes that one, or None; where there
                 is something to say of what is written, with `remark(trace, options)`, a line or nothing
    purpose:     what it is for
    suffixes:    of its files; without any it is chosen by its name alone, and they are those of the format `within`
    options:     which of token, work, full, columns, drift, picture, pictures and fragment have an effect in it
    for_reports: whether every report can be written in it, by `text(reports)` of its module
    audience:    who needs it: people who read, a class, or programs
    is_binary:   whether it is no text
    """

    module: str
    purpose: str
    suffixes: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    for_reports: bool = False
    within: str = ""
    audience: Audience = "people"
    is_binary: bool = False

    @property
    def view(self) -> Any:
        """Its module, loaded when it is wanted."""
        return importlib.import_module(f"walkthrough.views.{self.module}")


_DOCUMENT = ("token", "work", "full", "columns", "drift", "pictures")
_FRAGMENT = ("token", "full", "fragment")
FORMATS = {
    "markdown": FileFormat(
        "markdown", "a document to read and to print", (".md", ".markdown"), _DOCUMENT, for_reports=True
    ),
    "json": FileFormat(
        "json", "every number with its path and labels, for programs", (".json",), for_reports=True, audience="programs"
    ),
    "npz": FileFormat("npz", "every matrix as a NumPy array", (".npz",), audience="programs", is_binary=True),
    "safetensors": FileFormat(
        "safetensors",
        "the same for programs of machine learning",
        (".safetensors",),
        audience="programs",
        is_binary=True,
    ),
    "latex": FileFormat("latex.document", "a document for pdflatex and lualatex", (".tex",), (*_DOCUMENT, "fragment")),
    "python": FileFormat(
        "code.script", "a NumPy script: a line for each step; it checks every number", (".py",), audience="programs"
    ),
    "torch": FileFormat(
        "code.torch", "the same with PyTorch, which computes the gradients itself", within="python", audience="programs"
    ),
    "notebook": FileFormat(
        "code.notebook", "a notebook with NumPy, step by step, for Jupyter", (".ipynb",), audience="class"
    ),
    "html": FileFormat(
        "page.html", "a live page: every step, where each number comes from and what changes with it", (".html", ".htm")
    ),
    "svg": FileFormat(
        "pictures.draw",
        "a picture: the model, matrices, an equation, attention, a loss",
        (".svg",),
        ("token", "picture"),
    ),
    "handout": FileFormat(
        "page.handout",
        "a hand-out to print on A4, a given matrix beside the step that uses it",
        options=("drift",),
        within="html",
        audience="class",
    ),
    "embed": FileFormat(
        "page.embed",
        "some steps of the live page, to stand within another page; needs --step",
        within="html",
        audience="class",
    ),
    "xlsx": FileFormat(
        "workbook.workbook",
        "a workbook whose cells calculate, for Excel, LibreOffice and Google Sheets",
        (".xlsx",),
        audience="class",
        is_binary=True,
    ),
}
"""Every format by its name; the first is that of standard output."""


def to_bytes(trace: Trace, options: Options, name: str) -> bytes:
    """A trace in the format of that name, as a whole."""
    out = io.BytesIO()
    FORMATS[name].view.write(trace, options, out)
    return out.getvalue()


def without_effect(options: Options, name: str) -> list[str]:
    """Those options of documents that are asked for and have no effect in a format."""
    choices: dict[str, object] = {
        "token": options.tokens,
        "work": options.work != Options().work,
        "full": options.full,
        "columns": options.columns,
        "drift": options.drift,
        "picture": options.picture,
        "pictures": options.pictures,
        "fragment": options.fragment,
    }
    known = _FRAGMENT if options.fragment and name == "latex" else FORMATS[name].options
    return [option for option, is_set in choices.items() if is_set and option not in known]


def with_effect(options: Options, idle: Sequence[str]) -> Options:
    """The options without those that have no effect and would yet choose what is shown."""
    tokens = () if "token" in idle else options.tokens
    return options._replace(tokens=tokens, pictures="" if "pictures" in idle else options.pictures)


def by_suffix(filename: str) -> str | None:
    """The name of the format that a file's suffix stands for."""
    suffix = PurePath(filename).suffix.lower()
    return next((name for name, format in FORMATS.items() if suffix in format.suffixes), None)
