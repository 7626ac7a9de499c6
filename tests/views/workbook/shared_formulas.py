"""What Excel 2010, LibreOffice and Google Sheets all take: where a formula goes beyond it.

Two spreadsheet engines that calculate a formula do not show that Excel does: a range where one number is wanted is
cut to a cell there, without a word.
"""

from __future__ import annotations

import functools
import re
from itertools import pairwise
from typing import Any

from openpyxl.formula import Tokenizer
from openpyxl.utils.cell import range_boundaries

FUNCTIONS = (
    {"ABS", "CHOOSE", "COS", "ERF", "EXP", "IF", "INDEX", "INT", "LN", "LOG10", "MATCH", "MAX", "MIN", "MMULT", "MOD"}
    | {"NA", "OR", "ROUND", "SIGN", "SIN", "SQRT", "SUM", "SUMPRODUCT", "SUMSQ", "TANH"}
)  # fmt: skip
"""Functions of Excel 2010 that LibreOffice and Google Sheets have too."""
TAKE_RANGES = frozenset({"INDEX", "MATCH", "MAX", "MIN", "MMULT", "SUM", "SUMPRODUCT", "SUMSQ"})
"""Those that want a range, or a range among other arguments, as it is."""
CALCULATE_WITH_RANGES = frozenset({"SUMPRODUCT"})
"""Those whose arguments may be calculated from ranges, cell by cell, without array entry."""
_RANGE = re.compile(r"(.*!)?\$?[A-Z]+\$?\d+:\$?[A-Z]+\$?\d+")
MOST_ARGUMENTS, DEEPEST, LONGEST = 254, 64, 8192


@functools.cache
def faults(text: str) -> tuple[str, ...]:
    """What some spreadsheet would not take of a formula without its `=`."""
    found = [f"longer than {LONGEST}"] if len(text) > LONGEST else []
    calls: list[list[Any]] = []  # of each open bracket: the name of the function, its arguments
    items = [item for item in Tokenizer(f"={text}").items if item.type != "WHITE-SPACE"]
    for before, item, after in zip([None, *items], items, [*items[1:], None], strict=False):
        if item.subtype == "OPEN":
            calls.append([item.value.rstrip("("), [""]])
            found += [f"function {calls[-1][0]}"] if calls[-1][0] not in {*FUNCTIONS, ""} else []
            found += ["nested too deep"] if len(calls) > DEEPEST else []
        elif item.subtype == "CLOSE":
            name, arguments = calls.pop()
            found += _of_call(name, arguments)
        elif item.type == "SEP":
            calls[-1][1].append("")
        elif item.subtype == "RANGE":
            found += _of_range(item.value, before, after, [name for name, _ in calls])
        if calls and item.subtype == "RANGE":
            calls[-1][1][-1] += item.value
    return tuple(found)


def _of_call(name: str, arguments: list[str]) -> list[str]:
    found = [f"{len(arguments)} arguments"] if len(arguments) > MOST_ARGUMENTS else []
    shapes = [_size(one) for one in arguments if _RANGE.fullmatch(one)]
    if name == "MMULT" and (len(shapes) != 2 or shapes[0][0] != 1 or shapes[1] != (shapes[0][1], 1)):
        found.append(f"MMULT of {shapes}")
    if name == "SUMPRODUCT" and any(one != other for one, other in pairwise(shapes)):
        found.append(f"SUMPRODUCT of {shapes}")
    return found


def _of_range(text: str, before: Any, after: Any, calls: list[str]) -> list[str]:
    """A range of several cells stands as an argument by itself, or within SUMPRODUCT."""
    if ":" not in text:
        return []
    inner = next((name for name in reversed(calls) if name), "no function")
    alone = getattr(before, "subtype", "") == "OPEN" or getattr(before, "type", "") == "SEP"
    alone = alone and (getattr(after, "subtype", "") == "CLOSE" or getattr(after, "type", "") == "SEP")
    if inner in CALCULATE_WITH_RANGES or (alone and calls[-1] in TAKE_RANGES):
        return []
    return [f"a range in {inner}"]


def _size(address: str) -> tuple[int, int]:
    """Rows and columns of a range."""
    left, top, right, bottom = range_boundaries(address.rpartition("!")[2].replace("$", ""))
    return bottom - top + 1, right - left + 1
