"""LibreOffice without a window: recalculates workbooks, and makes PDFs of them."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PROGRAM = shutil.which("soffice")
_AT_ONCE = 60
"""Files of one start: after some 250 the program ends without a word."""
_ALWAYS_RECALCULATE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema"
           xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
"""  # noqa: E501


def converted(files: list[Path], folder: Path, to: str) -> None:
    """Files as another format, in one start of the program; formulas are calculated on loading."""
    assert PROGRAM is not None
    profile = folder / "profile"
    (profile / "user").mkdir(parents=True, exist_ok=True)
    (profile / "user" / "registrymodifications.xcu").write_text(_ALWAYS_RECALCULATE, encoding="utf-8")
    subprocess.run(
        [PROGRAM, f"-env:UserInstallation={profile.as_uri()}", "--headless", "--convert-to", to,
         "--outdir", str(folder), *map(str, files)],
        check=True, capture_output=True, timeout=60 + 20 * len(files),
    )  # fmt: skip


class Recalculated:
    """A workbook after LibreOffice; cells by sheet, row and column, counted from 0."""

    def __init__(self, file: Path) -> None:
        from python_calamine import CalamineWorkbook

        book = CalamineWorkbook.from_path(str(file))
        self._rows = {name: book.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in book.sheet_names}

    def number(self, sheet: str, row: int, column: int) -> Any:
        """What a cell holds: a number, or a text."""
        return self._rows[sheet][row][column]


def recalculated(books: Mapping[str, bytes], folder: Path) -> dict[str, Recalculated]:
    """Workbooks by name, recalculated."""
    before, after = folder / "before", folder / "after"
    before.mkdir()
    after.mkdir()
    for name, content in books.items():
        (before / f"{name}.xlsx").write_bytes(content)
    files = sorted(before.iterdir())
    for at in range(0, len(files), _AT_ONCE):
        converted(files[at : at + _AT_ONCE], after, "xlsx")
    return {name: Recalculated(after / f"{name}.xlsx") for name in books}
