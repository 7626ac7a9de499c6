"""Explains a marked sheet: the line with the student's own numbers, and what was probably done."""

from __future__ import annotations

import numpy as np

from walkthrough.explaining.worked import work_out
from walkthrough.teaching.catalogue import Catalogue
from walkthrough.teaching.mark.likely import find_likely
from walkthrough.teaching.mark.marked import Marked, MarkedCell
from walkthrough.teaching.mark.own import Own

_MOST_TERMS = 12


@np.errstate(all="ignore")  # a wrong 0 is divided by like any other number
def explain(marked: Marked, words: Catalogue) -> Marked:
    """The sheet with a line and a likely cause for each wrong cell, and a reason for each that cannot be read."""
    causes = find_likely(marked, words)

    def explain_cell(cell: MarkedCell) -> MarkedCell:
        if cell.verdict == "unreadable":
            return cell.replace(line=unreadable_reason(cell, words))
        if cell.verdict != "wrong":
            return cell
        return cell.replace(line=describe_line(cell, marked.own, words), likely=causes.get(cell.place))

    return marked.replace(cells=tuple(map(explain_cell, marked.cells)))


def describe_line(cell: MarkedCell, own: Own, words: Catalogue) -> str:
    """The arithmetic with the student's own numbers, and the steps before it of which a number is missing."""
    shadow = own.shadow(cell.value)
    shown = work_out(shadow, cell.row, cell.column, max(cell.step.digits.count, 1), _MOST_TERMS)
    arithmetic = shown._replace(arithmetic=words.arithmetic(shown.arithmetic), result=words.number(shown.result))
    missing = own.missing_before(cell.value, cell.row, cell.column)
    return f"{arithmetic} ({words('not_handed_in', paths=', '.join(missing))})" if missing else str(arithmetic)


def unreadable_reason(cell: MarkedCell, words: Catalogue) -> str:
    """Why a cell cannot be read."""
    name, *parts = cell.answer.reason.split("\n")
    if name:
        return words(f"unreadable_{name}", **dict(zip(("one", "other"), parts, strict=False)))
    return words("unreadable_word" if cell.value.names and not cell.column else "unreadable_text")
