"""What was handed out: finds the sheet that answers belong to, and marks them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from walkthrough.recording.selectors import SelectorError
from walkthrough.records import Record
from walkthrough.scenario.sources import line_of_sheet
from walkthrough.teaching.sheets.kinds import KINDS
from walkthrough.teaching.sheets.make.maker import Maker, SheetOptions
from walkthrough.teaching.sheets.read.files import decode, read_file
from walkthrough.teaching.sheets.read.filled import Filled
from walkthrough.teaching.sheets.sheet import Sheet, SheetError
from walkthrough.text import escape_label, whole_number
from walkthrough.transformer.loading.load import load_scenario


class Assignment(Record):
    """What sheets are marked against, besides what they hold themselves.

    solved:   the sheets of an answer key, each with its student
    base:     the sheets or the answer key that `--scenario` names
    scenario: makes the sheet of a seed, where that names a scenario
    """

    solved: Sequence[Filled] = ()
    base: Sequence[Filled] = ()
    scenario: Callable[[Filled], Sheet] | None = None

    @classmethod
    def of(cls, scenario: str | None, key: str | None) -> Assignment:
        """Reads the files that the options name."""
        solved = read_file(key) if key is not None else []
        if scenario is None:
            return cls(solved)
        if _holds_sheets(scenario):
            return cls(solved, read_file(scenario))
        return cls(solved, (), _sheets_of(scenario))

    def sheet(self, filled: Filled) -> Sheet:
        """The sheet that was handed out. Raises SheetError where none is known."""
        if self.solved:
            return _unaltered(_sheet_of(self.solved, filled, "the answer key"))
        if self.base:
            return _unaltered(_sheet_of(self.base, filled, "--scenario"))
        return self.scenario(filled) if self.scenario is not None else _own_sheet(filled)


def _own_sheet(filled: Filled) -> Sheet:
    """The sheet by what it holds itself. Raises SheetError where its numbers were altered: nothing else knows them.

    One without its digest may have been altered too.
    """
    sheet = filled.sheet()
    if sheet.digest != filled.digest:
        raise SheetError(f"{escape_label(filled.name)}: the given numbers in its text were altered; mark it with --key")
    return sheet


def _unaltered(handed_out: Filled) -> Sheet:
    """The sheet of an answer key. Raises SheetError where its numbers were altered: no student is to blame for that."""
    sheet = handed_out.sheet()
    if handed_out.digest and sheet.digest != handed_out.digest:
        name = escape_label(handed_out.name)
        raise SheetError(f"{name}: the given numbers in its text were altered; take the file as it was written")
    return sheet


def _sheets_of(name: str) -> Callable[[Filled], Sheet]:
    """Makes again the sheets of a scenario: that of a seed, or with the scenario's own numbers where there is none."""
    scenario = load_scenario(name)

    @cache
    def maker(blank: tuple[str, ...], decimals: int | None) -> Maker:
        return Maker(scenario, Path(name).stem, SheetOptions(blank or None, decimals))

    @cache
    def made(seed: int | None, blank: tuple[str, ...], decimals: int | None) -> Sheet:
        return maker(blank, decimals).sheet(seed)

    def sheet(filled: Filled) -> Sheet:
        filled.check_whole()
        file, of = escape_label(filled.name), escape_label(name)
        try:
            found = made(filled.seed, filled.blank, filled.decimals)
        except SelectorError as error:
            raise SheetError(f"{file} is not a sheet of {of}: {error}") from None
        if filled.digest and found.digest != filled.digest:
            why = f"its given numbers are not those of {of}"
            raise SheetError(f"{file}: {why}; leave out --scenario to mark it by its own, or give its --key")
        return found.replace(student=filled.student)

    return sheet


def _holds_sheets(name: str) -> bool:
    path = Path(name)
    if not path.is_file():
        return False
    if path.suffix.lower() in (*KINDS["xlsx"].suffixes, *KINDS["ods"].suffixes):
        return True
    with path.open("rb") as file:
        return line_of_sheet(decode(name, file.read(4000))) is not None


def _sheet_of(sheets: Sequence[Filled], filled: Filled, where: str) -> Filled:
    """The one of several sheets that a student has filled in; where there is only one, it is that.

    It is found by the student's name, else by the name of the file, else by its given numbers.
    """
    if len(sheets) == 1:
        return sheets[0]
    student = filled.student.strip().casefold()
    found = [one for one in sheets if student and one.student.casefold() == student]
    if len(found) > 1:
        found = [one for one in found if one.seed == filled.seed] or found
    found = found or _named_after(sheets, Path(filled.name).stem)
    found = found or [one for one in sheets if filled.digest and one.digest == filled.digest]
    if len(found) == 1:
        return found[0]
    why, file = "several sheets" if found else "no sheet", Path(filled.name)
    first, last = (escape_label(one.student or Path(one.name).name) for one in (sheets[0], sheets[-1]))
    raise SheetError(
        f"{escape_label(filled.name)}: {where} has {why} for {escape_label(filled.student or file.stem)}; it has 1 for "
        f"{first} to {len(sheets)} for {last}: "
        f"let the file's name begin with its number, as {escape_label(f'1-{file.name}')}"
    )


def _named_after(sheets: Sequence[Filled], stem: str) -> list[Filled]:
    """The sheets whose student a file is named after: `3-Ada`, or `Ada`."""
    number, _, rest = stem.partition("-")
    exact = [one for one in sheets if one.student.casefold() in (stem.casefold(), rest.casefold())]
    at = whole_number(number) or 0
    return [sheets[at - 1]] if len(exact) != 1 and 0 < at <= len(sheets) else exact
