"""What of the given numbers is not as it was handed out."""

from __future__ import annotations

from walkthrough.teaching.catalogue import Catalogue
from walkthrough.teaching.read.answer import Answer
from walkthrough.teaching.read.filled import Filled
from walkthrough.teaching.sheet import Sheet
from walkthrough.teaching.write.cells import Cells
from walkthrough.text import printable


def describe_altered(filled: Filled, sheet: Sheet, words: Catalogue) -> list[str]:
    """A sentence for each difference between what was handed in and the sheet that was handed out."""
    found_out = [
        words("altered_cell", cell=printable(cell), found=words.number(printable(found)), given=words.number(given))
        for cell, found, given in _altered_cells(filled, sheet)
    ]
    if filled.text and filled.is_whole and filled.seed != sheet.seed:
        found_out.append(words("altered_seed", found=filled.seed, given=sheet.seed))
    is_other = bool(filled.text) and filled.text.strip() != sheet.text.strip()
    if is_other or (not found_out and filled.digest and filled.digest != sheet.digest):
        found_out.append(words("altered_numbers"))
    if filled.lost:
        found_out.append(words("altered_lost", paths=", ".join(filled.lost)))
    return found_out


def _altered_cells(filled: Filled, sheet: Sheet) -> list[tuple[str, str, str]]:
    """The given numbers that are not as they were: the cell, what it holds, and what was given."""
    found = []
    for value in sheet.given:
        rows = filled.given.get(value.path)
        if rows is None:
            continue
        for i, (row, numbers) in enumerate(zip(rows, value.array.tolist(), strict=False)):
            for j, (answer, number) in enumerate(zip(row, numbers, strict=False)):
                if not _is_near(answer, number) and answer.text != (text := Cells(value).text(i, j)):
                    found.append((f"{value.path}[{value.rows[i]}, {value.columns[j]}]", answer.text, text))
    return found


def _is_near(answer: Answer, number: float) -> bool:
    """Whether an answer is the number that was given, or nothing where that is unknown."""
    if number != number:  # unknown
        return answer.text.strip() in ("", "?")
    return answer.number is not None and (
        answer.number == number or abs(answer.number - number) <= 1e-9 * max(1, abs(number))
    )
