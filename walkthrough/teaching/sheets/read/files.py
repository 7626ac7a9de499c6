"""Reads a file of answers, whatever its kind."""

from __future__ import annotations

import codecs
from pathlib import Path

from walkthrough.teaching.sheets.kinds import KINDS, reader_of
from walkthrough.teaching.sheets.read.filled import Filled
from walkthrough.teaching.sheets.sheet import SheetError
from walkthrough.text import escape_label

MOST_BYTES = 32 * 2**20
_WIDE = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""Encodings by the mark that a file begins with."""


def read_file(name: str) -> list[Filled]:
    """The sheets that a file holds. Raises SheetError, ScenarioError or OSError."""
    if not name:
        raise SheetError("a sheet has no name; expected that of a file")
    with Path(name).open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise SheetError(f"{escape_label(name)} is larger than {MOST_BYTES // 2**20} MB: this is not a worksheet")
    reader = reader_of(name)
    if reader is None:
        is_page = Path(name).suffix.lower() in KINDS["html"].suffixes
        hint = "; of a sheet filled in as a page, take the file that it downloads" if is_page else ""
        raise SheetError(f"{escape_label(name)}: a filled-in sheet ends in .xlsx, .ods, .yaml or .csv{hint}")
    sheets: list[Filled] = reader.read(name, content)
    return sheets


def decode(name: str, content: bytes) -> str:
    """The text of a file: UTF-8, UTF-16 as Excel saves it, or what older spreadsheets save. Raises SheetError."""
    text = _decode(content).removeprefix("\ufeff")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise SheetError(f"{escape_label(name)} is not a text file: line {line} holds a NUL character")
    return text


def _decode(content: bytes) -> str:
    wide = next((encoding for start, encoding in _WIDE.items() if content.startswith(start)), None)
    if wide is None and b"\0" in content[:2] and content[:2] != b"\0\0":  # without a mark; the first is a Latin letter
        wide = "utf-16-be" if content[:1] == b"\0" else "utf-16-le"
    if wide is not None:
        return content.decode(wide, "replace")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")
