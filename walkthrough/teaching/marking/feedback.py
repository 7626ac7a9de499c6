"""The files of a class's feedback: one for each sheet, and of several `index.html`, the class."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import BinaryIO

from walkthrough.languages.catalogue import Catalogue, catalogue
from walkthrough.teaching.marking.class_page import write_class_page
from walkthrough.teaching.marking.feedback_page import write_page
from walkthrough.teaching.marking.marked import Marked
from walkthrough.teaching.marking.report import sheet_report
from walkthrough.teaching.marking.results import Result
from walkthrough.teaching.sheets.titles import Titles
from walkthrough.views.markdown import text

INDEX = "index.html"
Write = Callable[[BinaryIO], object]


def write_markdown(marked: Marked, words: Catalogue, out: BinaryIO) -> None:
    """Writes the report on one sheet."""
    out.write(text([sheet_report(marked, Titles.of(marked.sheet, words))]).encode())


_FORMATS = {"html": (".html", write_page), "markdown": (".md", write_markdown)}
"""How the name of a file ends, and what writes it."""


def feedback_files(results: Sequence[Result], format: str, language: str | None, words: Catalogue) -> dict[str, Write]:
    """By the name of each file what writes it.

    format: `html` or `markdown`; language: of all files; None: each in that of its sheet; words: of the class
    """
    suffix, write = _FORMATS[format]
    marked = [one for one in results if isinstance(one, Marked)]
    has_index = len(results) > 1 and bool(marked)
    stems = _distinguish([Path(one.name).stem for one in marked], [Path(INDEX).stem] if has_index else [])
    names = {one: f"{stem}{suffix}" for one, stem in zip(marked, stems, strict=True)}
    files: dict[str, Write] = {
        name: partial(write, one, catalogue(language or one.sheet.language)) for one, name in names.items()
    }
    return {**files, INDEX: partial(write_class_page, results, names, words)} if has_index else files


def _distinguish(stems: Sequence[str], others: Sequence[str]) -> list[str]:
    """Names of files that no disk takes for one: a further `ada` or `Ada` is `ada-2`. others: names of other files"""
    names = dict.fromkeys(others, "")
    for stem in stems:
        numbered = chain([stem], (f"{stem}-{number}" for number in count(2)))
        name = next(name for name in numbered if _fold(name) not in names)
        names[_fold(name)] = name
    return list(names.values())[len(others) :]


def _fold(name: str) -> str:
    """What names have in common that a disk takes for one: letters of either case, ü as one character or two."""
    return unicodedata.normalize("NFC", name.casefold())
