"""Chapters as they are written: Markdown whose comments, a line each, say what the program makes and what is asked.

<!-- output -->               the block below is `$ walkthrough …` and what it prints
<!-- ask: SCENARIO 'CELL' [--set ITEM]… [--by-hand] [--decimals N] [--step 'STEP[ROW]']… -->    the quote below asks for
                             that number or word; what else to look at
<!-- choose: b [SCENARIO [--set ITEM]… --step 'STEP[ROW]' …] -->    the same, with choices a), b) …
<!-- not a: … -->                 why choice a, or a number, is wrong, below that line
<!-- answer -->                   the details below follow the answer to the question before
<!-- live: SCENARIO --step … -->  here a page may show these steps
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from walkthrough.records import Record

_PACKAGE = Path(__file__).resolve().parents[2]
_NAME = re.compile(r"([0-9])-[a-z0-9-]+\.md")
_MARK = re.compile(r"<!-- (output|ask|choose|answer|live)(?:: (.+?))? -->")
_REASON = re.compile(r"<!-- not ([a-z]|-?[0-9.]+): (.+) -->")
_WORDS_A_MINUTE, _OUTPUTS_A_MINUTE = 120, 2
_MINUTES_A_CHOICE, _MINUTES_A_NUMBER = 1, 2


class Text(Record):
    """Prose, as Markdown."""

    markdown: str


class Output(Record):
    """A command whose output is shown, as its words after `walkthrough`."""

    arguments: tuple[str, ...]


class Live(Record):
    """Steps that a page may show, as the words after `walkthrough view`."""

    arguments: tuple[str, ...]


class Question(Record):
    """A question, and what follows its answer.

    letter:   of the right choice; empty where a number or a word is asked for
    scenario, cell, sets, decimals: of the number or the word
    before:   the commands whose output stands before it in its chapter
    reasons:  why each other choice is wrong, by its letter; why a number is that no usual mistake is behind
    by_hand:  it is calculated by hand, as the scenario rounds
    looks_at: the steps that it is answered from, besides those that a number is calculated from; STEP[ROW] is one row
    """

    markdown: str
    answer: str = ""
    letter: str = ""
    scenario: str = ""
    cell: str = ""
    sets: tuple[str, ...] = ()
    decimals: int | None = None
    by_hand: bool = False
    before: tuple[tuple[str, ...], ...] = ()
    reasons: tuple[tuple[str, str], ...] = ()
    looks_at: tuple[str, ...] = ()


Part = Text | Output | Live | Question


class Section(Record):
    """A section: its heading, and what it holds."""

    heading: str
    parts: tuple[Part, ...]

    @property
    def questions(self) -> list[Question]:
        return [part for part in self.parts if isinstance(part, Question)]


class Chapter(Record):
    """A chapter: its number, what it is called on the command line, its title and its sections."""

    number: int
    name: str
    title: str
    sections: tuple[Section, ...]

    @property
    def questions(self) -> list[Question]:
        """All questions, in order."""
        return [question for section in self.sections for question in section.questions]

    @property
    def minutes(self) -> int:
        """About how long it takes: to read, to look at what the program prints, and to find the answers by hand."""
        parts = [part for section in self.sections for part in section.parts]
        words = sum(len(part.markdown.split()) for part in parts if isinstance(part, Text))
        outputs = sum(isinstance(part, Output) for part in parts)
        answers = sum(_MINUTES_A_CHOICE if one.letter else _MINUTES_A_NUMBER for one in self.questions)
        return round(words / _WORDS_A_MINUTE + outputs / _OUTPUTS_A_MINUTE + answers)


def chapters() -> list[Chapter]:
    """All chapters, in order."""
    installed = _PACKAGE / "course"
    folder = installed if installed.is_dir() else _PACKAGE.parent / "docs" / "course"
    return [read_chapter(path) for path in sorted(folder.iterdir()) if _NAME.fullmatch(path.name)]


def read_chapter(path: Path) -> Chapter:
    """The chapter of a file."""
    head, *sections = re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    title, _, before = head.strip().partition("\n")
    number, name = path.stem.split("-", 1)
    found = [Section("", tuple(_parts(before.splitlines())))] if before.strip() else []
    for section in sections:
        heading, _, body = section.partition("\n")
        found.append(Section(heading.strip(), tuple(_parts(body.splitlines()))))
    return Chapter(int(number), name, title.partition(". ")[2], tuple(_with_commands(found)))


def _with_commands(sections: Sequence[Section]) -> Iterator[Section]:
    """The sections; each question knows the commands before it."""
    before: tuple[tuple[str, ...], ...] = ()
    for section in sections:
        parts = list[Part]()
        for part in section.parts:
            before += (part.arguments,) if isinstance(part, Output) else ()
            parts.append(part.replace(before=before) if isinstance(part, Question) else part)
        yield section.replace(parts=tuple(parts))


def _parts(lines: Sequence[str]) -> Iterator[Part]:
    """The parts of a section; an answer goes to the question before it."""
    at, prose, open_questions = 0, list[str](), list[Question]()
    while at < len(lines):
        mark = _MARK.fullmatch(lines[at])
        if mark is None:
            prose.append(lines[at])
            at += 1
            continue
        kind, words = mark[1], shlex.split(mark[2] or "")
        if kind != "answer" and open_questions:
            yield open_questions.pop()
        if "".join(prose).strip():
            yield Text("\n".join(prose).strip())
        prose, at = [], at + 1
        if kind == "output":
            _, _, *arguments = shlex.split(lines[at + 1])
            at = _end(lines, at + 1, "```") + 1
            yield Output(tuple(arguments))
        elif kind == "live":
            yield Live(tuple(words))
        elif kind == "answer":
            end = _end(lines, at, "</details>")
            text = "\n".join(lines[at:end])
            open_questions[-1] = open_questions[-1].replace(answer=text.partition("</summary>")[2].strip())
            yield open_questions.pop()
            at = end + 1
        else:
            start = next(place for place in range(at, len(lines)) if lines[place].startswith(">"))
            reasons = tuple(found.groups() for line in lines[at:start] if (found := _REASON.fullmatch(line)))
            at = start
            while at < len(lines) and lines[at].startswith(">"):
                at += 1
            quote = "\n".join(line[1:].removeprefix(" ") for line in lines[start:at])
            open_questions.append(_question(kind, words, quote).replace(reasons=reasons))
    yield from open_questions
    if "".join(prose).strip():
        yield Text("\n".join(prose).strip())


def _end(lines: Sequence[str], start: int, last: str) -> int:
    return next(at for at in range(start, len(lines)) if lines[at] == last)


def _question(kind: str, words: Sequence[str], text: str) -> Question:
    by_hand = "--by-hand" in words
    first, second, *options = [*(word for word in words if word != "--by-hand"), *[""] * (len(words) == 1)]
    pairs = list(zip(options[::2], options[1::2], strict=True))
    sets, steps = (tuple(value for name, value in pairs if name == wanted) for wanted in ("--set", "--step"))
    found = Question(text, sets=sets, looks_at=steps, by_hand=by_hand)
    if kind == "choose":
        return found.replace(letter=first, scenario=second)
    decimals = next((int(value) for name, value in pairs if name == "--decimals"), None)
    return found.replace(scenario=first, cell=second, decimals=decimals)
