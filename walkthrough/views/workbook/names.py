"""Names of cells and sheets: those of our paths, as far as a spreadsheet takes them."""

from __future__ import annotations

import re
from collections.abc import Collection

_LIKE_A_CELL = re.compile(r"[a-z]{1,3}[0-9]+|r[0-9]*c?[0-9]*|c[0-9]*|true|false", re.IGNORECASE)
"""`W1`, `R1C1`, `R`, `C` are cells, rows and columns."""
_FOREIGN = re.compile(r"[^\w.]")
_LONGEST_NAME = 255
_LONGEST_SHEET = 31


def defined_name(path: str, used: Collection[str] = ()) -> str:
    """The defined name of a path: the path itself where it is legal.

    A character that a name cannot have becomes `_`, a path that a spreadsheet would read as a cell or that begins with
    no letter gets `_` in front, one that is used (case does not count) a number behind it.
    """
    name = _FOREIGN.sub("_", path)
    if _LIKE_A_CELL.fullmatch(name) or not re.match(r"[^\W\d]", name):
        name = f"_{name}"
    return _free(name, _LONGEST_NAME, used)


def sheet_name(path: str, used: Collection[str] = ()) -> str:
    """The name of the sheet of a part: its path, no longer than a spreadsheet takes."""
    return _free(_FOREIGN.sub("_", path), _LONGEST_SHEET, used)


def _free(name: str, longest: int, used: Collection[str]) -> str:
    found, number = name[:longest], 1
    while found.lower() in used:
        number += 1
        found = f"{name[: longest - len(str(number)) - 1]}_{number}"
    return found
