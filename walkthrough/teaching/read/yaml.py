"""Reads sheets and keys in YAML, one document after the other: texts as they were written, 0,295 and 1/3 too."""

from __future__ import annotations

import re
from collections.abc import Iterator

from walkthrough.scenario.yaml.nodes import ListNode, MappingNode, Node, ScalarNode
from walkthrough.scenario.yaml.problems import Problem, Problems, ScenarioError
from walkthrough.scenario.yaml.reading import read_nodes
from walkthrough.teaching.read.answer import Answer, answer_of
from walkthrough.teaching.read.files import decode
from walkthrough.teaching.read.filled import Filled
from walkthrough.teaching.sheet import SheetError
from walkthrough.text import printable, whole_number

_BETWEEN = re.compile(r"^---[ \t]*\r?\n", re.MULTILINE)
_REPEATED = re.compile(r"key .* is repeated; it is first given on line ([0-9]+)", re.DOTALL)
_ENTRY = re.compile(r"""\s*(?:'(?:[^']|'')*'|"(?:[^"\\]|\\.)*"|[^'":][^:]*)\s*:\s*(?P<value>.*?)\s*(?:#.*)?""")


def is_sheet(text: str) -> bool:
    """Whether a text begins as a sheet does."""
    return re.search(r"^worksheet\s*:", text[:4000], re.MULTILINE) is not None


def read(name: str, content: bytes) -> list[Filled]:
    """The sheets of a file. Raises SheetError where it holds none, ScenarioError where it is not YAML."""
    text = decode(name, content).removeprefix("\ufeff")
    documents = [part for part in _BETWEEN.split(text) if part.strip()]
    return [_Document(name, part).filled() for part in documents or [""]]


class _Document:
    """One document."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        problems = Problems()
        root = read_nodes(text, problems)
        self.repeated, faults = _sorted(problems.found, text.split("\n"))
        if faults or root is None:
            raise ScenarioError(name, faults or problems.found, text)
        if not isinstance(root, MappingNode) or root.get("worksheet") is None:
            raise SheetError(f"{printable(name)} is not a worksheet: it has no key 'worksheet'")
        if _text(root.get("worksheet")) != "1":
            raise SheetError(f"{printable(name)} is a worksheet of another version than 1")
        self.root = root

    def filled(self) -> Filled:
        steps = [step for step in _items(self.root.get("steps")) if isinstance(step, MappingNode)]
        asked = [step for step in steps if step.get("answers") is not None]
        given = [block for block in _items(self.root.get("given")) if isinstance(block, MappingNode)]
        return Filled(
            self.name,
            {key: answer for step in asked for key, answer in self._answers(step)},
            _text(self.root.get("text")),
            _text(self.root.get("scenario")),
            self._whole("seed"),
            _text(self.root.get("student")),
            self._whole("decimals"),
            _text(self.root.get("digest")),
            tuple(_text(step.get("path")) for step in asked),
            {_text(block.get("path")): _rows(block.get("values")) for block in given},
        )

    def _whole(self, key: str) -> int | None:
        text = _text(self.root.get(key))
        if not text or text == "null":
            return None
        if (number := whole_number(text)) is None:
            raise SheetError(f"{printable(self.name)}: {key} is {printable(text)}, expected a whole number or null")
        return number

    def _answers(self, step: MappingNode) -> Iterator[tuple[tuple[str, str, str], Answer]]:
        path, answers = _text(step.get("path")), step.get("answers")
        if isinstance(answers, ScalarNode) and not answers.text:
            return
        if not isinstance(answers, MappingNode):
            raise SheetError(
                f"{printable(self.name)}, line {step.line}: the answers of {path} must be rows with their labels"
            )
        for label, cells in answers.entries:
            if isinstance(cells, ScalarNode) and not cells.text:
                continue
            if not isinstance(cells, MappingNode):
                raise SheetError(
                    f"{printable(self.name)}, line {label.line}: write one cell per line: 'column: number'"
                )
            for beside, cell in cells.entries:
                yield (path, label.text, beside.text), self._answer(beside, cell)

    def _answer(self, label: ScalarNode, cell: Node) -> Answer:
        if not isinstance(cell, ScalarNode):
            return Answer("[…]" if isinstance(cell, ListNode) else "{…}", reason="text")
        answer = _read(cell)
        for other in self.repeated.get(label.line, ()):
            again = answer_of(other.strip("'\""))
            if again.text != answer.text and (again.number is None or again.number != answer.number):
                answer = Answer(f"{answer.text} | {again.text}", reason=f"two\n{answer.text}\n{again.text}")
        return answer


def _sorted(problems: list[Problem], lines: list[str]) -> tuple[dict[int, list[str]], list[Problem]]:
    """What stands behind keys that are repeated, by the line of the first; and the other problems."""
    repeated: dict[int, list[str]] = {}
    faults = []
    for problem in problems:
        found = _REPEATED.fullmatch(problem.message)
        entry = _ENTRY.fullmatch(lines[problem.line - 1].rstrip("\r"))
        if found is None or entry is None or not problem.key.startswith("steps.") or ".answers." not in problem.key:
            faults.append(problem)
            continue
        repeated.setdefault(int(found[1]), []).append(entry["value"])
    return repeated, faults


def _read(cell: ScalarNode) -> Answer:
    """A cell; null and an empty one are missing, unless they are quoted words."""
    if cell.plain and cell.value is None:
        return Answer("")
    return answer_of(cell.text)


def _rows(node: Node | None) -> list[list[Answer]]:
    return [
        [_read(cell) if isinstance(cell, ScalarNode) else Answer("…") for cell in _items(row)] for row in _items(node)
    ]


def _items(node: Node | None) -> list[Node]:
    return node.items if isinstance(node, ListNode) else []


def _text(node: Node | None) -> str:
    return node.text if isinstance(node, ScalarNode) and not (node.plain and node.value is None) else ""
