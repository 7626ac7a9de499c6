"""What was handed out: finds the sheet that answers belong to, and marks them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from walkthrough.judging.recipes import Known
from walkthrough.recording.selectors import SelectorError
from walkthrough.teaching.catalogue import Catalogue
from walkthrough.teaching.kinds import KINDS
from walkthrough.teaching.make.maker import Maker, SheetOptions
from walkthrough.teaching.mark.mark import Marked, mark
from walkthrough.teaching.mark.own import Place
from walkthrough.teaching.read.answer import Answer
from walkthrough.teaching.read.files import read_file
from walkthrough.teaching.read.filled import Filled, altered_cells, place_answers
from walkthrough.teaching.read.yaml import is_sheet
from walkthrough.teaching.sheet import Sheet, SheetError
from walkthrough.text import printable, whole_number
from walkthrough.transformer.loading.load import load_scenario


@dataclass(frozen=True, slots=True)
class Assignment:
    """What sheets are marked against, beside what stands in them.

    keys:     the sheets of a key, each with its student
    base:     the sheets or the key that `--scenario` names
    scenario: makes the sheet of a seed, where that names a scenario
    known:    how the numbers of a sheet are computed: the same for all of a class
    """

    keys: Sequence[Filled] = ()
    base: Sequence[Filled] = ()
    scenario: Callable[[Filled], Sheet] | None = None
    known: Known = field(default_factory=Known)

    @classmethod
    def of(cls, scenario: str | None, key: str | None) -> Assignment:
        """Reads the files that the options name."""
        keys = read_file(key) if key is not None else []
        if scenario is None:
            return cls(keys)
        if _holds_sheets(scenario):
            return cls(keys, read_file(scenario))
        return cls(keys, (), _Scenario(scenario).sheet)

    def sheet(self, filled: Filled) -> Sheet:
        """The sheet that was handed out. Raises SheetError where none is known."""
        if self.keys:
            return _of(self.keys, filled, "the key").sheet()
        if self.base:
            return _of(self.base, filled, "--scenario").sheet()
        return self.scenario(filled) if self.scenario is not None else filled.sheet()


class _Scenario:
    """A scenario that sheets were made of."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.scenario = load_scenario(name)
        self.made = lru_cache(maxsize=None)(self._made)

    def sheet(self, filled: Filled) -> Sheet:
        """The sheet of a seed; with the scenario's own numbers where there is none."""
        filled.check_whole()
        try:
            sheet = self.made(filled.seed, filled.asked, filled.decimals)
        except SelectorError as error:
            raise SheetError(f"{printable(filled.name)} is not a sheet of {printable(self.name)}: {error}") from None
        if filled.digest and sheet.digest != filled.digest:
            raise SheetError(
                f"{printable(filled.name)}: its given numbers are not those of {printable(self.name)}; leave out "
                "--scenario to mark it by its own, or give its --key"
            )
        return replace(sheet, student=filled.student)

    def _made(self, seed: int | None, asked: tuple[str, ...], decimals: int | None) -> Sheet:
        return Maker(self.scenario, Path(self.name).stem, SheetOptions(asked or None, decimals)).sheet(seed)


def _holds_sheets(name: str) -> bool:
    path = Path(name)
    if not path.is_file():
        return False
    if path.suffix.lower() in (*KINDS["xlsx"].suffixes, *KINDS["ods"].suffixes):
        return True
    with path.open("rb") as file:
        return is_sheet(file.read(4000).decode("utf-8", "replace"))


def _of(sheets: Sequence[Filled], filled: Filled, where: str) -> Filled:
    """The one of several sheets that is a student's: by the name on it, else in its file's name; of one, that one.

    Where no name says it, the given numbers do.
    """
    if len(sheets) == 1:
        return sheets[0]
    student = filled.student.strip().casefold()
    found = [one for one in sheets if student and one.student.casefold() == student]
    if len(found) > 1:
        found = [one for one in found if one.seed == filled.seed] or found
    found = found or _named(sheets, Path(filled.name).stem)
    found = found or [one for one in sheets if filled.digest and one.digest == filled.digest]
    if len(found) == 1:
        return found[0]
    why = "several sheets" if found else "no sheet"
    raise SheetError(
        f"{printable(filled.name)}: {where} has {why} for {printable(filled.student or Path(filled.name).stem)}"
    )


def _named(sheets: Sequence[Filled], stem: str) -> list[Filled]:
    """The sheets whose student a file is named after: `3-Ada`, or `Ada`."""
    number, _, rest = stem.partition("-")
    exact = [one for one in sheets if one.student.casefold() in (stem.casefold(), rest.casefold())]
    at = whole_number(number) or 0
    return [sheets[at - 1]] if len(exact) != 1 and 0 < at <= len(sheets) else exact


def mark_filled(filled: Filled, assignment: Assignment, words: Catalogue | None) -> Marked:
    """Marks what was handed in; says what of the given numbers is altered. words: None: the language of the sheet"""
    from walkthrough.teaching.catalogue import catalogue
    from walkthrough.teaching.mark.explained import explained

    sheet = assignment.sheet(filled)
    words = words or catalogue(sheet.language)
    student = filled.student or sheet.student
    answers = _placed(filled, sheet)
    found = mark(
        replace(sheet, student=student), answers, filled.name, _altered(filled, sheet, words), assignment.known
    )
    return explained(found, words)


def _placed(filled: Filled, sheet: Sheet) -> dict[Place, Answer]:
    try:
        return place_answers(filled, sheet)
    except SheetError as error:
        if filled.scenario in ("", sheet.name):
            raise
        names = map(printable, (filled.name, filled.scenario, sheet.name))
        raise SheetError("{} is a sheet of {}, not of {}: {}".format(*names, error)) from None


def _altered(filled: Filled, sheet: Sheet, words: Catalogue) -> list[str]:
    said = [
        words("altered_cell", cell=printable(cell), found=words.number(printable(found)), given=words.number(given))
        for cell, found, given in altered_cells(filled, sheet)
    ]
    if filled.text and filled.is_whole and filled.seed != sheet.seed:
        said.append(words("altered_seed", found=filled.seed, given=sheet.seed))
    is_other = bool(filled.text) and filled.text.strip() != sheet.text.strip()
    if is_other or (not said and filled.digest and filled.digest != sheet.digest):
        said.append(words("altered_numbers"))
    if filled.lost:
        said.append(words("altered_lost", paths=", ".join(filled.lost)))
    return said
