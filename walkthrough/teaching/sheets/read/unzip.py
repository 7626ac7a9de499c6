"""Unpacks a workbook that somebody handed in, with limits, before any other program looks at it."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from xml.parsers.expat import ExpatError, ParserCreate

from walkthrough.teaching.sheets.sheet import SheetError
from walkthrough.text import escape_label

MOST_UNPACKED, MOST_PARTS, MOST_CELLS = 64 * 2**20, 2_000, 2_000_000
"""Bytes that a file may unpack to, its parts, and the cells of one sheet in it: more is not a worksheet of ours."""
_FORMULA = re.compile(rb"<f[\s>]")
_NO_VALUE = re.compile(rb"<c\b([^>]*)>\s*<f\b[^>]*>([^<]*)</f>\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>")
_NO_TEXT = re.compile(rb" office:string-value=\"\"(?= calcext:value-type=\"error\")")
"""Hides that a cell of an .ods file shows an error."""
_ERROR = re.compile(rb'<c\b([^>]*\st="e"[^>]*)>\s*(?:<f\b[^>]*>[^<]*</f>|<f\b[^>]*/>)?\s*<v>([^<]*)</v>\s*</c>')
_MOST_DIGITS = 12
_TYPE = re.compile(rb'\st="[^"]*"')


def unpack(name: str, content: bytes) -> dict[str, bytes]:
    """The parts of a workbook. Raises SheetError where there is more than a worksheet has."""
    if not content.startswith(b"PK"):
        raise SheetError(f"{escape_label(name)} is not a workbook, whatever its name ends in")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = dict(_parts(name, archive))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError, zlib.error) as error:
        if isinstance(error, SheetError):
            raise
        raise SheetError(f"{escape_label(name)} is not a workbook: {escape_label(str(error))}") from None
    for part, text in parts.items():
        _check_cells(name, part, text)
        if part.startswith("xl/worksheets/"):
            parts[part] = _without_errors(text)
        elif part == "content.xml":
            parts[part] = _NO_TEXT.sub(b"", text)
    return parts


def pack(parts: Mapping[str, bytes]) -> io.BytesIO:
    """The same parts in a file that says how large they are."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for part, text in parts.items():
            archive.writestr(part, text)
    file.seek(0)
    return file


def _parts(name: str, archive: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    room, entries = MOST_UNPACKED, archive.infolist()
    if len(entries) > MOST_PARTS or sum(entry.file_size for entry in entries) > room:
        raise SheetError(f"{escape_label(name)} is too large for a worksheet when unpacked, and is not read")
    for entry in entries:
        with archive.open(entry) as file:
            text = file.read(room + 1)
        room -= len(text)
        if room < 0:
            raise SheetError(f"{escape_label(name)} is too large for a worksheet when unpacked, and is not read")
        if b"<!DOCTYPE" in text[:2000] or b"<!ENTITY" in text[:2000]:
            part = escape_label(entry.filename)
            raise SheetError(f"{escape_label(name)} has XML declarations of its own in {part}, and is not read")
        yield entry.filename, text


def _check_cells(name: str, part: str, text: bytes) -> None:
    """Refuses cells that are far apart: everything between them would be created too."""
    if part.startswith("xl/worksheets/"):
        if _area(name, text, _Placed()) > MOST_CELLS:
            raise SheetError(f"{escape_label(name)} has cells too far apart for a worksheet, and is not read")
    elif part == "content.xml" and _area(name, text, _Repeated()) > MOST_CELLS:
        raise SheetError(f"{escape_label(name)} has too many cells for a worksheet, and is not read")


def _area(name: str, text: bytes, counted: _Placed | _Repeated) -> int:
    """How many cells a page has."""
    parser = ParserCreate()
    parser.StartElementHandler = counted.start
    try:
        parser.Parse(text, True)
    except ExpatError as error:
        raise SheetError(f"{escape_label(name)} cannot be read as a workbook: {error}") from None
    return counted.area


class _Placed:
    """Counts the cells between the first of a page of .xlsx and the farthest ones."""

    def __init__(self) -> None:
        self.row = self.column = self.rows = self.columns = 0

    @property
    def area(self) -> int:
        return self.rows * self.columns

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Takes a row, or a cell; one without a position comes after the last."""
        kind = tag.rpartition(":")[2]
        if kind == "row":
            self.row, self.column = _number(attributes.get("r", ""), self.row + 1), 0
        elif kind == "c":
            place = attributes.get("r", "")
            letters = place.rstrip("0123456789")
            self.column = column_number(letters) if letters else self.column + 1
            self.rows = max(self.rows, self.row, _number(place[len(letters) :], 0))
            self.columns = max(self.columns, self.column)


class _Repeated:
    """Counts the cells of an .ods file, each as often as it is repeated, as far as they hold something."""

    def __init__(self) -> None:
        self.before = self.times = self.cells = self.held = 0

    @property
    def area(self) -> int:
        return self.before + self.times * self.held

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Takes a row or a cell."""
        if tag == "table:table-row":
            self.before, self.times, self.cells, self.held = self.area, _times(attributes, "rows"), 0, 0
        elif tag in ("table:table-cell", "table:covered-table-cell"):
            self.cells += _times(attributes, "columns")
            if any(key.startswith(("office:", "table:formula")) for key in attributes):
                self.held = self.cells


def _times(attributes: Mapping[str, str], of: str) -> int:
    return _number(attributes.get(f"table:number-{of}-repeated", ""), 1)


def _number(digits: str, otherwise: int) -> int:
    """A number in a workbook; of many digits the first ones, which are more than enough to refuse it."""
    return int(digits[:_MOST_DIGITS]) if digits.isdecimal() else otherwise


def _without_errors(text: bytes) -> bytes:
    """The cells of a page; formulas without a value, and errors, as texts. Most pages have none."""
    if _FORMULA.search(text):
        text = _NO_VALUE.sub(_as_formula, text)
    return _ERROR.sub(_as_error, text) if b't="e"' in text else text


def _as_formula(found: re.Match[bytes]) -> bytes:
    """A formula that nobody has calculated, as a text."""
    return b'<c%s t="str"><v>=%s</v></c>' % (_TYPE.sub(b"", found[1]), found[2])


def _as_error(found: re.Match[bytes]) -> bytes:
    """An error such as #DIV/0!, as a text."""
    return b'<c%s t="str"><v>%s</v></c>' % (_TYPE.sub(b"", found[1]), found[2])


def column_number(letters: str) -> int:
    """The number of a column, from 1: `AA` is 27."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number
