"""The kinds of files that a sheet is written to, and that answers come in."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from walkthrough.records import Record
from walkthrough.teaching.sheets.sheet import SheetError
from walkthrough.text import did_you_mean, in_quotes


class SheetKind(Record):
    """One kind of file.

    suffixes:    how names of such files end; the first is the one that is written
    writes:      whether write/ has a module of this kind's name
    reads:       the module of read/ that reads its answers; none: it holds no answers
    holds_class: whether one file can hold the sheets of a class
    key_lines:   whether its answer key is a line for each step; `write_key` writes it
    is_quiz:     whether it is a quiz for a learning platform: one file with all variants, and the answers in it
    """

    suffixes: tuple[str, ...]
    writes: bool = True
    reads: str = ""
    holds_class: bool = True
    key_lines: bool = False
    is_quiz: bool = False


KINDS = {
    "xlsx": SheetKind((".xlsx",), reads="xlsx", holds_class=False),
    "html": SheetKind((".html", ".htm"), key_lines=True),
    "markdown": SheetKind((".md", ".markdown"), key_lines=True),
    "yaml": SheetKind((".yaml", ".yml"), reads="yaml"),
    "ods": SheetKind((".ods",), writes=False, reads="xlsx", holds_class=False),
    "csv": SheetKind((".csv", ".txt"), reads="csv", holds_class=False),
    "moodle": SheetKind((".xml",), is_quiz=True),
}
"""All kinds by their names."""
WRITABLE = [name for name, kind in KINDS.items() if kind.writes]


def find_kind(name: str) -> str:
    """The kind that a name stands for, or a suffix. Raises SheetError."""
    word = name.lower().lstrip(".")
    found = next((kind for kind in WRITABLE if word == kind or f".{word}" in KINDS[kind].suffixes), None)
    if found is None:
        hint = did_you_mean(name, WRITABLE) or f"known: {', '.join(WRITABLE)}"
        raise SheetError(f"no kind of worksheet is called {in_quotes(name)}; {hint}")
    return found


def kind_of(file: str) -> str:
    """The kind that the end of a file's name says. Raises SheetError."""
    suffix = f".{file.rpartition('.')[2].lower()}"
    found = next((kind for kind in WRITABLE if "." in file and suffix in KINDS[kind].suffixes), None)
    if found is None:
        suffixes = ", ".join(KINDS[kind].suffixes[0] for kind in WRITABLE)
        raise SheetError(f"the kind is not clear from the name {in_quotes(file)}; end it in {suffixes}")
    return found


def writer_of(kind: str) -> Any:
    """The module that writes a kind: `write(sheets, out, solved)`; where `key_lines`, also `write_key(sheets, out)`.

    Of a quiz: `write(sheets, out)`.
    """
    return import_module(f"walkthrough.teaching.sheets.write.{kind}")


def reader_of(file: str) -> Any:
    """The module that reads the answers of a file: `read(name, content)`; None where no kind of answers ends so."""
    suffix = Path(file).suffix.lower()
    name = next((kind.reads for kind in KINDS.values() if kind.reads and suffix in kind.suffixes), None)
    return import_module(f"walkthrough.teaching.sheets.read.{name}") if name else None
