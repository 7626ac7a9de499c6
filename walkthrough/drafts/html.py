"""A page: its headings, texts and tables. What runs, is hidden or says data-draft="no" is passed over."""

from __future__ import annotations

from html.parser import HTMLParser

from walkthrough.drafts.items import Cell, Heading, Line, Table

_EMPTY = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
_PASSED_OVER = {"script", "style", "template", "svg", "title", "select", "button", "textarea", "annotation"}
_BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "dd", "details", "div", "dl", "dt", "figure", "footer",
    "header", "li", "main", "nav", "ol", "p", "pre", "section", "summary", "ul", "html", "figcaption", "caption",
    "math",
}  # fmt: skip
_HEADINGS = {f"h{level}": level for level in range(1, 7)}


def _span(said: str | None) -> int:
    """How many columns or rows a cell takes."""
    return max(int(said), 1) if said and said.isdecimal() and len(said) < 4 else 1


class _Page(HTMLParser):
    """Goes through a page. pieces: what has been found; lines of text that follow one another stand together"""

    def __init__(self, first: int = 1) -> None:
        super().__init__()
        self.before = first - 1
        self.pieces: list[Heading | Table | list[Line]] = []
        self.open: list[tuple[str, str, bool]] = []
        self.text: list[str] = []
        self.text_line = 0
        self.is_pre = 0
        self.table: list[list[Cell]] | None = None
        self.cell: list[str] | None = None
        self.cell_line = self.cell_span = self.cell_rows = 0
        self.rows_left: dict[int, int] = {}
        self.caption = ""
        self.figures: list[int] = []

    @property
    def _line(self) -> int:
        return self.before + self.getpos()[0]

    @property
    def _is_passed_over(self) -> bool:
        return bool(self.open) and self.open[-1][2]

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        by_name = dict(attributes)
        passed = self._is_passed_over or tag in _PASSED_OVER or by_name.get("data-draft") == "no"
        if tag not in _EMPTY:
            self._close_implied(tag)
            passed = passed or self._is_passed_over
            self.open.append((tag, by_name.get("id") or "", passed))
        if self._is_passed_over or passed:
            return
        if tag == "table":
            self._flush()
            self.table, self.caption, self.rows_left = [], "", {}
        elif self.table is not None:
            self._begin_cell(tag, by_name)
        elif tag == "br":
            self._end_line()
        elif tag in _BLOCKS or tag in _HEADINGS:
            self._flush()
        if tag == "figure":
            self.figures.append(len(self.pieces))
        if tag == "pre":
            self.is_pre += 1
        if tag == "sup":
            self._add("^")

    def _close_implied(self, tag: str) -> None:
        """Cells, rows, items and paragraphs need no end."""
        ends = {"td": ("td", "th"), "th": ("td", "th"), "tr": ("td", "th", "tr"), "li": ("li",)}.get(tag, ())
        if tag in _BLOCKS or tag in _HEADINGS or tag == "table":
            ends = (*ends, "p")
        while self.open and self.open[-1][0] in ends:
            self.handle_endtag(self.open[-1][0])

    def _begin_cell(self, tag: str, by_name: dict[str, str | None]) -> None:
        assert self.table is not None
        if tag == "tr":
            self.table.append([])
        elif tag in ("td", "th"):
            self.cell, self.cell_line = [], 0
            self.cell_span, self.cell_rows = _span(by_name.get("colspan")), _span(by_name.get("rowspan"))
        elif tag == "caption":
            self.cell = []
        elif tag == "br":
            self._add(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag not in [name for name, *_ in self.open]:
            return
        while self.open:
            name, _, passed = self.open.pop()
            if not passed:
                self._end(name)
            if name == tag:
                break

    def _end(self, tag: str) -> None:
        if tag == "pre":
            self.is_pre = max(self.is_pre - 1, 0)
        if self.table is not None:
            self._end_in_table(tag)
        elif tag in _HEADINGS:
            text = " ".join("".join(self.text).split())
            if text:
                self.pieces.append(Heading(self.text_line, _HEADINGS[tag], text))
            self.text = []
        elif tag == "figcaption":
            caption = " ".join("".join(self.text).split())
            for piece in self.pieces[self.figures[-1] if self.figures else 0 :]:
                if isinstance(piece, Table):
                    piece.caption = piece.caption or caption
            self._flush()
        elif tag in _BLOCKS:
            self._flush()
        if tag == "figure" and self.figures:
            self.figures.pop()

    def _end_in_table(self, tag: str) -> None:
        assert self.table is not None
        if tag in ("td", "th") and self.cell is not None:
            line = self.cell_line or self._line
            text = " ".join("".join(self.cell).split())
            if not self.table:
                self.table.append([])
            row = self.table[-1]
            self._fill_from_above(row, line)
            self.rows_left |= dict.fromkeys(range(len(row), len(row) + self.cell_span), self.cell_rows - 1)
            row += [Cell(text, line), *(Cell("", line),) * (self.cell_span - 1)]
            self.cell = None
        elif tag == "tr" and self.table:
            self._fill_from_above(self.table[-1], self._line)
        elif tag == "caption" and self.cell is not None:
            self.caption, self.cell = " ".join("".join(self.cell).split()), None
        elif tag == "table":
            ids = tuple(name for _, name, _ in self.open if name)
            self.pieces.append(Table([row for row in self.table if row], caption=self.caption, ids=ids))
            self.table = self.cell = None

    def _fill_from_above(self, row: list[Cell], line: int) -> None:
        """The next places of a row, as far as cells of rows above reach into them: they are empty."""
        while self.rows_left.get(len(row), 0) > 0:
            self.rows_left[len(row)] -= 1
            row.append(Cell("", line))

    def handle_data(self, data: str) -> None:
        if not self._is_passed_over and (self.table is None or self.cell is not None):
            self._add(data)

    def _add(self, data: str) -> None:
        blank = len(data) - len(data.lstrip())
        line = self._line + data.count("\n", 0, blank)
        if self.cell is not None:
            self.cell_line = self.cell_line or (line if data.strip() else 0)
            self.cell.append(data)
            return
        if self.table is not None:
            return
        if not self.is_pre:
            self.text_line = self.text_line if self.text else line
            self.text.append(data.replace("\n", " "))
            return
        for at, part in enumerate(data.split("\n")):
            if at:
                self._end_line()
            self.text_line = self.text_line if self.text else self._line + at
            self.text.append(part)

    def _end_line(self) -> None:
        """The text so far is a line."""
        if not self.pieces or not isinstance(self.pieces[-1], list):
            self.pieces.append([])
        lines = self.pieces[-1]
        assert isinstance(lines, list)
        lines.append(Line(self.text_line or self._line, "".join(self.text)))
        self.text, self.text_line = [], 0

    def _flush(self) -> None:
        """A paragraph ends."""
        if "".join(self.text).strip():
            self._end_line()
            lines = self.pieces[-1]
            assert isinstance(lines, list)
            lines.append(Line(lines[-1].number, ""))
        self.text, self.text_line = [], 0


def pieces(text: str, first: int = 1) -> list[Heading | Table | list[Line]]:
    """What a page is made of: headings, tables, and between them lines of text."""
    page = _Page(first)
    page.feed(text)
    page.close()
    page._flush()
    return page.pieces


def tables_in(text: str, first: int) -> list[Table]:
    """The tables of a piece of HTML that begins on this line."""
    return [piece for piece in pieces(text, first) if isinstance(piece, Table)]
