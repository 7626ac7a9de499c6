"""Reads a file of answers, whatever its kind."""

from __future__ import annotations

from pathlib import Path

from walkthrough.teaching.kinds import reader_of
from walkthrough.teaching.read.filled import Filled
from walkthrough.teaching.sheet import SheetError
from walkthrough.text import escape_label

MOST_BYTES = 32 * 2**20


def read_file(name: str) -> list[Filled]:
    """The sheets that a file holds. Raises SheetError, ScenarioError or OSError."""
    with Path(name).open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise SheetError(f"{escape_label(name)} is larger than {MOST_BYTES // 2**20} MB: this is not a worksheet")
    reader = reader_of(name)
    if reader is None:
        raise SheetError(f"{escape_label(name)}: a filled-in sheet ends in .xlsx, .ods, .yaml or .csv")
    sheets: list[Filled] = reader.read(name, content)
    return sheets


def decode(name: str, content: bytes) -> str:
    """The text of a file: UTF-8, UTF-16 with its byte order mark, or what older spreadsheets save."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", "replace")
    if b"\0" in content:
        raise SheetError(f"{escape_label(name)} is not a text file")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")
