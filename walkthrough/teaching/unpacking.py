"""Unpacks a workbook that somebody handed in, with limits, before any other program looks at it."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping

from walkthrough.teaching.making import SheetError
from walkthrough.text import printable

MOST_UNPACKED, MOST_PARTS, MOST_CELLS = 64 * 2**20, 2_000, 2_000_000
"""Bytes that a file may unpack to, its parts, and the cells of one sheet in it: more is not a worksheet of ours."""
_PLACE = re.compile(rb'<(?:\w+:)?c\b[^>]*?\br="([A-Z]{1,4})([0-9]{1,8})"')
_NO_VALUE = re.compile(rb"<c\b([^>]*)>\s*<f\b[^>]*>([^<]*)</f>\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>")
_NO_TEXT = re.compile(rb" office:string-value=\"\"(?= calcext:value-type=\"error\")")
"""Hides that a cell of an .ods file shows an error."""
_ERROR = re.compile(rb'<c\b([^>]*\st="e"[^>]*)>\s*(?:<f\b[^>]*>[^<]*</f>|<f\b[^>]*/>)?\s*<v>([^<]*)</v>\s*</c>')
_TYPE = re.compile(rb'\st="[^"]*"')
_ROW = re.compile(rb"<table:table-row\b([^>]*)>(.*?)</table:table-row>", re.DOTALL)
_HELD = re.compile(rb"<table:(?:covered-)?table-cell\b[^>]*office:value[^>]*>")
_ROWS, _COLUMNS = (re.compile(rb'table:number-%s-repeated="([0-9]+)"' % one) for one in (b"rows", b"columns"))


def unpacked(name: str, content: bytes) -> dict[str, bytes]:
    """The parts of a workbook. Raises SheetError where there is more than a worksheet has."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = dict(_parts(name, archive))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        if isinstance(error, SheetError):
            raise
        raise SheetError(f"{printable(name)} is not a workbook: {printable(str(error))}") from None
    for part, text in parts.items():
        _check_cells(name, part, text)
        if part.startswith("xl/worksheets/"):
            parts[part] = _without_errors(text)
        elif part == "content.xml":
            parts[part] = _NO_TEXT.sub(b"", text)
    return parts


def packed(parts: Mapping[str, bytes]) -> io.BytesIO:
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
        raise SheetError(f"{printable(name)} is too large for a worksheet when unpacked, and is not read")
    for entry in entries:
        with archive.open(entry) as file:
            text = file.read(room + 1)
        room -= len(text)
        if room < 0:
            raise SheetError(f"{printable(name)} is too large for a worksheet when unpacked, and is not read")
        if b"<!DOCTYPE" in text[:2000] or b"<!ENTITY" in text[:2000]:
            raise SheetError(
                f"{printable(name)} has XML declarations of its own in {printable(entry.filename)}: not read"
            )
        yield entry.filename, text


def _check_cells(name: str, part: str, text: bytes) -> None:
    """Refuses few cells that stand far apart: what lies between them would be made too."""
    if part.startswith("xl/worksheets/"):
        columns, rows = map(set, zip(*_PLACE.findall(text), strict=True)) if _PLACE.search(text) else (set(), set())
        if max(map(int, rows), default=0) * max(map(_column, columns), default=0) > MOST_CELLS:
            raise SheetError(f"{printable(name)} has cells too far apart for a worksheet: it is not read")
    elif part == "content.xml":
        total = sum(_repeated(row, cells) for row, cells in _ROW.findall(text))
        if total > MOST_CELLS:
            raise SheetError(f"{printable(name)} has too many cells for a worksheet: it is not read")


def _repeated(row: bytes, cells: bytes) -> int:
    """How many cells a row of an .ods stands for, as far as they hold something."""
    held = sum(_times(_COLUMNS, cell) for cell in _HELD.findall(cells))
    before = sum(map(int, _COLUMNS.findall(cells[: cells.rfind(b"office:value")]))) if held else 0
    return _times(_ROWS, row) * (held + before) if held else 0


def _times(pattern: re.Pattern[bytes], text: bytes) -> int:
    found = pattern.search(text)
    return int(found[1]) if found else 1


def _without_errors(text: bytes) -> bytes:
    """The cells of a page; formulas without a value, and errors, as texts. Most pages have none."""
    if b"<f" in text:
        text = _NO_VALUE.sub(_as_formula, text)
    return _ERROR.sub(_as_error, text) if b't="e"' in text else text


def _as_formula(found: re.Match[bytes]) -> bytes:
    """A formula that nobody has calculated, as a text."""
    return b'<c%s t="str"><v>=%s</v></c>' % (_TYPE.sub(b"", found[1]), found[2])


def _as_error(found: re.Match[bytes]) -> bytes:
    """An error such as #DIV/0!, as a text."""
    return b'<c%s t="str"><v>%s</v></c>' % (_TYPE.sub(b"", found[1]), found[2])


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number
