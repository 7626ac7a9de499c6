"""Headings, texts and tables in lines of text, be they Markdown, LaTeX, plain text or what a page says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from walkthrough.drafts.cells import is_nothing
from walkthrough.drafts.enclosed import MARK, take_tables
from walkthrough.drafts.items import Cell, Heading, Item, Line, Table, Text
from walkthrough.drafts.markup import clean
from walkthrough.drafts.number_lines import NumberLine, number_line, take_vectors
from walkthrough.languages.meanings import pattern_for

_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_SECTION = re.compile(
    r"\s*\\(part|chapter|section|subsection|subsubsection|paragraph|subparagraph)\*?(?:\[[^\]]*\])?\{(.*)\}"
)
_LEVELS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph")
_RULED = re.compile(r"\s*(\S.*?)\s*[═]{2,}\s*$")
_RULE = re.compile(r"[\s\-=+|─━═│┼├┤┌┐└┘:]*")
_UNDERLINE = re.compile(r"\s{0,3}(=+|-{3,})\s*")
_PIPE_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_PIPE = re.compile(r"(?<!\\)\|")
_MARKED = re.compile(f"{MARK}([0-9]+){MARK}")
_WRAPPER = re.compile(
    r"(?:[A-Za-z_]+\.)?(?:array|asarray|matrix|tensor|Matrix|Tensor)\(\s*$|\\left\s*[\[(|.]\s*$|[$\[]+\s*$"
)
_COLUMNS_OF_R = re.compile(r"\s*(?:\[,[0-9]{1,4}\]\s*)+")
"""R counts columns above a matrix: `[,1] [,2]`."""


@cache
def _below() -> re.Pattern[str]:
    """A caption below a table."""
    return re.compile(rf"\s*(?::|(?:\*\*|\*|_)?(?:{pattern_for('table')})\b[^:.]{{0,12}}[:.])\s*(.+)")


def find_in_lines(lines: Sequence[Line], is_tex: bool = False) -> Iterator[Item]:
    """What the lines are made of, in their order."""
    rest, tables = take_tables(lines, is_tex)
    yield from _Scanner(rest, tables).items()


class _Scanner:
    """Goes through lines; tables that take several have a mark in their place already."""

    def __init__(self, lines: Sequence[Line], tables: Sequence[Table]) -> None:
        self.lines = lines
        self.tables = tables
        self.at = 0

    def items(self) -> Iterator[Item]:
        """Everything, in order."""
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if MARK in line.text:
                yield from self._marked(line)
                self.at += 1
            elif heading := self._heading(line):
                yield heading
            elif "|" in line.text and "-" in self._below and _PIPE_RULE.fullmatch(self._below):
                yield self._pipe_table()
            elif _COLUMNS_OF_R.fullmatch(line.text):
                self.at += 1
            elif parted := self._vectors(line):
                yield from parted
                self.at += 1
            elif (number := number_line(line.text)) is not None:
                yield from self._numbers(number)
            else:
                if clean(line.text).strip():  # \par} says nothing
                    yield Text(line.number, line.text)
                self.at += 1

    @property
    def _below(self) -> str:
        """The text of the next line; nothing at the end."""
        return self.lines[self.at + 1].text if self.at + 1 < len(self.lines) else ""

    def _heading(self, line: Line) -> Heading | None:
        if found := _HEADING.fullmatch(line.text):
            self.at += 1
            return Heading(line.number, len(found[1]), clean(found[2]))
        if found := _SECTION.match(line.text):
            self.at += 1
            return Heading(line.number, _LEVELS.index(found[1]), clean(found[2]))
        if found := _RULED.fullmatch(line.text):
            self.at += 1
            return Heading(line.number, 2, found[1])
        below = self._below
        if line.text.strip() and _UNDERLINE.fullmatch(below) and "|" not in line.text and not number_line(line.text):
            self.at += 2
            return Heading(line.number, 1 if "=" in below else 2, clean(line.text))
        return None

    def _vectors(self, line: Line) -> list[Item]:
        """Several vectors in round brackets on a line, or one in a sentence; one alone is a line of numbers."""
        found, rest = take_vectors(line.text)
        if not found or (len(found) == 1 and not rest):
            return []
        return [*_tables(found, line.number), *([Text(line.number, rest)] if rest else [])]

    def _marked(self, line: Line) -> Iterator[Item]:
        """A line with enclosed tables: what stands before each is its name, or text."""
        behind, equal = 0, ""
        for found in _MARKED.finditer(line.text):
            vectors, before = take_vectors(line.text[behind : found.start()])
            yield from _tables(vectors, line.number)
            table = self.tables[int(found[1])]
            table.name = table.name or (equal if clean(before).strip(" &") in ("=", "≈") else self._name(before))
            equal = table.name or equal  # `Z = [1+1, 2] = [2, 2]`: both are Z
            if clean(before).strip():  # {\small is no text
                yield Text(line.number, before)
            table.caption = table.caption or self._caption_from(self.at + 1)
            yield table
            behind = found.end()
        vectors, rest = take_vectors(line.text[behind:])
        yield from _tables(vectors, line.number)
        if clean(rest).strip(" $\\]),.&"):
            yield Text(line.number, rest)

    def _name(self, before: str) -> str:
        """What stands before a table and ends in =; it may be on the line before, with only signs of math between."""
        while (shorter := _WRAPPER.sub("", before)) != before:
            before = shorter
        stripped = clean(before).strip(" &")
        if not stripped and self.at and (above := self.lines[self.at - 1].text.rstrip(" $\\[&")).endswith("="):
            return above
        return before if stripped.endswith(("=", ":", "≈")) else ""

    def _caption_from(self, at: int) -> str:
        """A caption on this line or the next."""
        for line in self.lines[at : at + 2]:
            if found := _below().fullmatch(line.text):
                return found[1]
            if line.text.strip():
                break
        return ""

    def _pipe_table(self) -> Table:
        rows = [_pipe_row(self.lines[self.at])]
        self.at += 2
        while self.at < len(self.lines) and "|" in self.lines[self.at].text and MARK not in self.lines[self.at].text:
            rows.append(_pipe_row(self.lines[self.at]))
            self.at += 1
        return Table(rows, caption=self._caption_from(self.at))

    def _numbers(self, first: NumberLine) -> Iterator[Item]:
        """Lines that follow one another with equally many numbers."""
        begin = self.at
        found = [(self.lines[begin], first)]
        self.at += 1
        while self.at < len(self.lines) and not first.is_named:
            line = self.lines[self.at]
            if not line.text.strip() or MARK in line.text:
                break
            more = number_line(line.text)
            if more is None and _RULE.fullmatch(line.text):
                self.at += 1
                continue
            if more is None or more.is_named:
                break
            if len(more.numbers) != len(first.numbers) and not all(map(is_nothing, more.numbers)):
                break
            found.append((line, more))
            self.at += 1
        if first.matrix and len(found) == 1:
            yield Text(self.lines[begin].number, self.lines[begin].text)
            return
        has_labels, is_line = any(one.label for _, one in found), len(found) == 1
        above = self._labels_above(begin, len(first.numbers), has_labels)
        rows = [
            [Cell(one.label, line.number), *(Cell(text, line.number) for text in one.numbers)] for line, one in found
        ]
        if not has_labels or (is_line and first.is_named):
            rows = [row[1:] for row in rows]
        name = first.label if is_line else first.matrix
        yield Table([*above, *rows], name=name, is_list=first.is_list, is_line=is_line)

    def _labels_above(self, begin: int, count: int, has_labels: bool) -> list[list[Cell]]:
        """The words right above lines of numbers, where there is one for each column."""
        above = next((line for line in reversed(self.lines[max(0, begin - 2) : begin])
                      if line.text.strip() and not _RULE.fullmatch(line.text)), None)  # fmt: skip
        if above is None or MARK in above.text or len(above.text) > 400:
            return []
        words = clean(above.text.replace("│", " ").replace("|", " ")).split()
        if words and (words[-1].endswith((":", ".")) or {"=", "≈"} & set("".join(words))):
            # a sentence or an equation of as many words as there are columns
            return []
        if len(words) != count or all(map(is_nothing, words)) or len(words) < 2:
            return []
        cells = [Cell(word, above.number) for word in words]
        return [[Cell("", above.number), *cells] if has_labels else cells]


def _tables(vectors: Sequence[NumberLine], line: int) -> Iterator[Table]:
    for one in vectors:
        yield Table([[Cell(number, line) for number in one.numbers]], name=one.label, is_list=True, is_line=True)


def _pipe_row(line: Line) -> list[Cell]:
    cells = _PIPE.split(line.text.strip())
    if cells and not cells[0].strip() and line.text.strip().startswith("|"):
        cells = cells[1:]
    if cells and not cells[-1].strip() and line.text.strip().endswith("|") and len(cells) > 1:
        cells = cells[:-1]
    return [Cell(cell.strip(), line.number) for cell in cells]
