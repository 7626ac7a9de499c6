"""Workbooks recalculated by other programs: IronCalc, and LibreOffice where it is; cached numbers are taken out."""

from __future__ import annotations

import io
import math
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

import walkthrough as wt
from walkthrough.views.formats import to_bytes
from walkthrough.views.options import Options
from walkthrough.views.selection import selection_of
from walkthrough.views.workbook.plan import PlacedValue, plan

_CACHED = re.compile(rb"(</f>)<v>[^<]*</v>")
_ERROR = re.compile(rb' t="(?:e|str)"(>(?:<f>))')


def workbook(trace: wt.Trace, **options: Any) -> bytes:
    """The workbook of a trace."""
    return to_bytes(trace, Options(**options), "xlsx")


def without_cache(content: bytes) -> bytes:
    """The workbook with no number in a cell that has a formula."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            if name.startswith("xl/worksheets/sheet"):
                data = _ERROR.sub(rb"\1", _CACHED.sub(rb"\1<v>0</v>", data))
            new.writestr(name, data)
    return out.getvalue()


class Recalculated:
    """A workbook in IronCalc."""

    def __init__(self, content: bytes, folder: Path) -> None:
        import ironcalc

        file = folder / "recalculated.xlsx"
        file.write_bytes(without_cache(content))
        self.model = ironcalc.load_from_xlsx(str(file), "en", "UTC", "en")
        self.sheets = {one["name"]: at for at, one in enumerate(self.model.get_worksheets_properties())}
        self.model.evaluate()

    def set(self, sheet: str, row: int, column: int, number: float) -> None:
        """Types a number into a cell; rows and columns counted from 0."""
        self.model.set_user_input(self.sheets[sheet], row + 1, column + 1, repr(number))

    def number(self, sheet: str, row: int, column: int) -> Any:
        """What a cell shows: a number, or a text."""
        return self.model.get_cell_value(self.sheets[sheet], row + 1, column + 1)


def blocks_of(trace: wt.Trace, steps: tuple[str, ...] = ()) -> list[PlacedValue]:
    """Where the numbers of a workbook stand."""
    return plan(trace, selection_of(trace, steps)).blocks


def array_of(recalculated: Any, block: PlacedValue) -> np.ndarray:
    """The numbers of a block; −∞ where it stands for that, nan where there is an error."""
    rows, columns = block.value.shape
    found = np.empty((rows, columns))
    for row in range(rows):
        for column in range(columns):
            one = recalculated.number(block.place.sheet, *block.place.at(row, column))
            is_number = isinstance(one, int | float) and not isinstance(one, bool)
            found[row, column] = (-math.inf if one == -1e300 else one) if is_number else math.nan
    return found


def differences(recalculated: Any, trace: wt.Trace, steps: tuple[str, ...] = (), within: float = 1e-12) -> list[str]:
    """The blocks whose numbers are others than those of a trace, with the largest difference."""
    told = []
    for block in blocks_of(trace, steps):
        value = trace.get(block.value.path) or block.value
        wanted = np.where(value.array == np.inf, np.nan, value.array)
        found = array_of(recalculated, block)
        with np.errstate(all="ignore"):
            off = np.where(found == wanted, 0.0, np.abs(found - wanted) / np.maximum(1, np.abs(wanted)))
        off = np.where(np.isnan(found) & np.isnan(wanted), 0.0, np.where(np.isnan(off), np.inf, off))
        if not (off <= within).all():
            at = np.unravel_index(off.argmax(), off.shape)
            told.append(
                f"{block.value.path}{[int(one) for one in at]} {found[at]!r} is not {wanted[at]!r}, off {off.max():.2g}"
            )
    return told
