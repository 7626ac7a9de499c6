"""Answers that stand as the sheet was written are taken without a reader of YAML: the same ones, in any case."""

from __future__ import annotations

import pytest

from tests.teaching.make.test_maker import made, text_of
from walkthrough.scenario.sources import bundled
from walkthrough.teaching.make.maker import Maker, Wishes
from walkthrough.teaching.read import yaml as yaml_filled
from walkthrough.teaching.read.plain_answers import taken
from walkthrough.transformer.loading.load import parse_scenario

BLANK = text_of(made().sheet())
FIRST = BLANK[BLANK.index("  answers:\n") :].splitlines()
ROW, CELL = FIRST[1], FIRST[2]


def read_whole(text: str) -> object:
    """What the reader of YAML finds."""
    return yaml_filled._Document("a.yaml", text, {}).filled()


def filled(text: str) -> str:
    """Every cell with a number of its own."""
    lines = text.split("\n")
    return "\n".join(f"{line} {at / 8}" if line.startswith("      ") and line.endswith(":") else line
                     for at, line in enumerate(lines))  # fmt: skip


@pytest.mark.parametrize("name", ["chai", "fuchs"])
def test_all_of_a_filled_in_sheet_is_taken(name: str) -> None:
    sheet = Maker(parse_scenario(bundled()[name].read_text(encoding="utf-8")), name, Wishes()).sheet(student="Ada")
    text = filled(text_of(sheet))
    assert len(taken(text).answers) == text.count("\n  answers:\n") > 0
    assert yaml_filled.read("a.yaml", text)[0] == read_whole(text)


@pytest.mark.parametrize(
    "cell",
    [
        CELL,
        f"{CELL} 0,295",
        f"{CELL} −1/3",
        f"{CELL} '0.5'",
        f"{CELL} -∞",
        f"{CELL} null",
        f'{CELL} "0.5"',
        f"{CELL} 0.5  # sure?",
        f"{CELL} [1, 2]",
        f"{CELL} about 3",
        f"{CELL}\n\n",
        f"{CELL} 1\n{CELL} 2",
        f"{CELL} 1\n{ROW}\n{CELL} 2",
        f"{CELL} &one 1",
        f"{CELL} 0.5\r",
    ],
)
def test_whatever_is_written_it_means_the_same(cell: str) -> None:
    text = BLANK.replace(f"{ROW}\n{CELL}\n", f"{ROW}\n{cell}\n", 1)
    assert yaml_filled.read("a.yaml", text)[0] == read_whole(text)


def test_lines_of_a_text_are_no_answers() -> None:
    text = BLANK.replace("text: |\n", "text: |\n  answers:\n    a:\n      b: 3\n", 1)
    assert text != BLANK
    assert yaml_filled.read("a.yaml", text)[0] == read_whole(text)
