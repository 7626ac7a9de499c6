"""The kinds of files that a sheet is written as, each one module with SUFFIXES, HOLDS_CLASS and `write`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from walkthrough.teaching.make.maker import SheetError
from walkthrough.text import did_you_mean, in_quotes

KINDS = ("xlsx", "html", "markdown", "yaml")
"""Names, and those of the modules beside this one."""
_SUFFIXES = {".xlsx": "xlsx", ".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown"}
_SUFFIXES |= {".yaml": "yaml", ".yml": "yaml"}
_SHORT = {"md": "markdown", "yml": "yaml", "htm": "html"}


def kind_named(name: str) -> str:
    """The kind that a name stands for. Raises SheetError."""
    found = _SHORT.get(name.lower().lstrip("."), name.lower().lstrip("."))
    if found not in KINDS:
        hint = did_you_mean(name, KINDS) or f"known: {', '.join(KINDS)}"
        raise SheetError(f"no kind of worksheet is called {in_quotes(name)}; {hint}")
    return found


def kind_of(file: str) -> str:
    """The kind that the end of a file's name says. Raises SheetError."""
    suffix = f".{file.rpartition('.')[2].lower()}" if "." in file else ""
    if suffix not in _SUFFIXES:
        raise SheetError(
            f"the kind is not clear from the name {in_quotes(file)}; end it in {', '.join(KINDS_SUFFIXES)}"
        )
    return _SUFFIXES[suffix]


KINDS_SUFFIXES = (".xlsx", ".html", ".md", ".yaml")


def suffix_of(kind: str) -> str:
    """How the names of files of a kind end."""
    return KINDS_SUFFIXES[KINDS.index(kind)]


def writer(kind: str) -> Any:
    """The module that writes a kind."""
    return import_module(f"walkthrough.teaching.write.{kind}")
