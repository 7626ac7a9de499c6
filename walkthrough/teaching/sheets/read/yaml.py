"""Reads sheets and answer keys in YAML, one document after the other: texts as they were written, 0,295 and 1/3 too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from walkthrough.scenario.yaml.nodes import ListNode, MappingNode, Node, ScalarNode
from walkthrough.scenario.yaml.problems import Problems, ScenarioError
from walkthrough.scenario.yaml.reading import read_nodes
from walkthrough.teaching.sheets.read.answer import EMPTY, Answer, answer_of, both
from walkthrough.teaching.sheets.read.files import decode
from walkthrough.teaching.sheets.read.filled import Filled
from walkthrough.teaching.sheets.sheet import SheetError
from walkthrough.text import escape_label, whole_number

_BETWEEN = re.compile(r"^---[ \t]*\r?\n", re.MULTILINE)


def read(name: str, content: bytes) -> list[Filled]:
    """The sheets of a file. Raises SheetError where it holds none, ScenarioError where it is not YAML."""
    text = decode(name, content)
    documents = [part for part in _BETWEEN.split(text) if part.strip()]
    if not documents:
        raise SheetError(f"{escape_label(name)} is empty; expected a filled-in sheet")
    return [_Document(name, part).read_sheet() for part in documents]


class _Document:
    """One document."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        problems = Problems()
        root = read_nodes(text, problems)
        accepted = set(_repeated_answers(root))
        faults = [problem for problem in problems.found if (problem.line, problem.column) not in accepted]
        if faults or root is None:
            raise ScenarioError(name, faults, text)
        if not isinstance(root, MappingNode) or root.get("worksheet") is None:
            why = "it has no key 'worksheet', as every sheet of `walkthrough worksheet` has"
            raise SheetError(f"{escape_label(name)} is not a worksheet: {why}")
        if _text(root.get("worksheet")) != "1":
            raise SheetError(f"{escape_label(name)} is a worksheet of a version other than 1")
        self.root = root

    def read_sheet(self) -> Filled:
        steps = [step for step in _items(self.root.get("steps")) if isinstance(step, MappingNode)]
        blank = [step for step in steps if step.get("answers") is not None]
        if not blank:
            raise SheetError(f"{escape_label(self.name)} has no step with answers; its `steps` were altered")
        answers: dict[tuple[str, str, str], Answer] = {}
        for key, answer in chain(*map(self._answers, blank)):
            answers[key] = both(answers.get(key, EMPTY), answer)
        given = [block for block in _items(self.root.get("given")) if isinstance(block, MappingNode)]
        return Filled(
            self.name,
            answers,
            _text(self.root.get("text")),
            _text(self.root.get("scenario")),
            self._whole("seed"),
            _text(self.root.get("student")),
            self._whole("decimals"),
            _text(self.root.get("digest")),
            tuple(_text(step.get("path")) for step in blank),
            {_text(block.get("path")): _rows(block.get("values")) for block in given},
        )

    def _whole(self, key: str) -> int | None:
        text = _text(self.root.get(key))
        if not text or text == "null":
            return None
        if (number := whole_number(text)) is None:
            raise SheetError(
                f"{escape_label(self.name)}: {key} is {escape_label(text)}, expected a whole number or null"
            )
        return number

    def _answers(self, step: MappingNode) -> Iterator[tuple[tuple[str, str, str], Answer]]:
        path, answers = _text(step.get("path")), step.get("answers")
        if isinstance(answers, ScalarNode) and not answers.text:
            return
        if not isinstance(answers, MappingNode):
            raise SheetError(
                f"{escape_label(self.name)}, line {step.line}: the answers of {path} must be rows with their labels"
            )
        for label, cells in (*answers.entries, *answers.repeated):
            if isinstance(cells, ScalarNode) and not cells.text:
                continue
            if not isinstance(cells, MappingNode):
                raise SheetError(
                    f"{escape_label(self.name)}, line {label.line}: write one cell per line: 'column: number'"
                )
            for beside, cell in (*cells.entries, *cells.repeated):
                yield (path, label.text, beside.text), _answer(cell)


def _repeated_answers(root: Node | None) -> Iterator[tuple[int, int]]:
    """Where a row or a cell of answers is written once more: a fault of a scenario, but not of a sheet."""
    for step in _items(root.get("steps")) if isinstance(root, MappingNode) else ():
        answers = step.get("answers") if isinstance(step, MappingNode) else None
        if isinstance(answers, MappingNode):
            rows = [cells for _, cells in (*answers.entries, *answers.repeated) if isinstance(cells, MappingNode)]
            for mapping in (answers, *rows):
                yield from ((label.line, label.column) for label, _ in mapping.repeated)


def _answer(cell: Node) -> Answer:
    if not isinstance(cell, ScalarNode):
        return Answer("[…]" if isinstance(cell, ListNode) else "{…}", reason="text")
    return _read(cell)


def _read(cell: ScalarNode) -> Answer:
    """A cell; null and an empty one are missing, unless they are quoted words."""
    return EMPTY if cell.plain and cell.value is None else answer_of(cell.text)


def _rows(node: Node | None) -> list[list[Answer]]:
    return [
        [_read(cell) if isinstance(cell, ScalarNode) else Answer("…") for cell in _items(row)] for row in _items(node)
    ]


def _items(node: Node | None) -> list[Node]:
    return node.items if isinstance(node, ListNode) else []


def _text(node: Node | None) -> str:
    return node.text if isinstance(node, ScalarNode) and not (node.plain and node.value is None) else ""
