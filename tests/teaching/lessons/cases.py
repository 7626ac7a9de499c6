"""The table of cases that every judge of an answer agrees on: answers.csv beside this file.

scenario, cell, decimals: what is asked for, by hand; without decimals the scenario's;
         a name is that of a file in `given`, or of a bundled scenario
own:     what was answered before, `CELL=ANSWER; CELL=ANSWER`; `CELL=!` asks for the right number
answer:  as it is typed
reading: the number that is read, empty where there is none
verdict, cause: right, follows, wrong or unreadable; the word of what was probably done, or nothing
"""

from __future__ import annotations

import csv
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from walkthrough.teaching.sheets.make.maker import Maker, SheetOptions
from walkthrough.teaching.sheets.sheet import Place, Sheet, Step
from walkthrough.text import escape_label
from walkthrough.transformer.loading.load import load_scenario


class Case(NamedTuple):
    """A row of the table."""

    scenario: str
    cell: str
    decimals: str
    own: str
    answer: str
    reading: str
    verdict: str
    cause: str

    @property
    def given(self) -> list[tuple[str, str]]:
        """What was answered before, by its cell."""
        return [(one.partition("]=")[0] + "]", one.partition("]=")[2]) for one in self.own.split("; ") if one]

    @property
    def source(self) -> str:
        """The name of its scenario, or the path of its file."""
        return source_of(self.scenario)

    @property
    def sheet(self) -> Sheet:
        """What is asked for, by hand."""
        return _sheet(self.scenario, int(self.decimals) if self.decimals else None)


def source_of(scenario: str) -> str:
    """The path of a file in `given`, or the name of a bundled scenario."""
    path = Path(__file__).with_name("given") / f"{scenario}.yaml"
    return str(path) if path.exists() else scenario


@cache
def _sheet(scenario: str, decimals: int | None) -> Sheet:
    return Maker(load_scenario(source_of(scenario)), scenario, SheetOptions(decimals=decimals)).sheet()


def place_of(sheet: Sheet, cell: str) -> tuple[Step, Place]:
    """The step and the place of `PATH[row, column]`."""
    path, _, labels = cell[:-1].partition("[")
    step = next(one for one in sheet.blank_steps if one.value.path == path)
    for place in step.places:
        row, column = place[1:]
        if f"{escape_label(step.value.rows[row])}, {escape_label(step.value.columns[column])}" == labels:
            return step, place
    raise LookupError(cell)


def cases() -> list[Case]:
    """All rows."""
    with Path(__file__).with_name("answers.csv").open(encoding="utf-8", newline="") as file:
        return [Case(**row) for row in csv.DictReader(file)]


def of_each_kind(rows: list[Case]) -> list[Case]:
    """One row of every way to write an answer, and of every verdict and cause that a scenario has."""
    found: dict[tuple[str, ...], Case] = {}
    for case in rows:
        written = re.sub(r"\d+", "9", re.sub("[A-Za-z]+", "a", case.answer.replace("−", "-")))
        found.setdefault((written,), case)
        found.setdefault((case.scenario, case.verdict, case.cause), case)
    return [case for case in rows if case in found.values()]
