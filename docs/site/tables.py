"""Steps of a chapter as tables whose numbers say where they come from; those that a question needs are framed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape

import walkthrough
from walkthrough.explaining.explanation import MOST_TERMS
from walkthrough.explaining.worked import work_out
from walkthrough.languages.catalogue import catalogue
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.teaching.lessons.chapters import Question
from walkthrough.teaching.lessons.questions import rows_to_look_at, strips_before
from walkthrough.transformer.loading.changes import read_change
from walkthrough.transformer.loading.load import load_scenario
from walkthrough.views.text.cells import cell_texts

Place = tuple[int, int]
"""A row and a column."""
_HEAD = re.compile(r"(?:layer|head)\.[0-9]+|^generate\.[0-9]+")


class StepTable:
    """A step as a table, with what the program prints of it.

    rows: those that are shown
    """

    def __init__(self, trace: Trace, value: Value, rows: Sequence[int], printed: str) -> None:
        self.trace, self.value, self.rows = trace, value, rows
        self.asked: set[Place] = set()
        found = re.search(rf"^ *(\d+\.) {re.escape(value.path)} ─+\n((?:    .*\n)+)", printed, re.MULTILINE)
        self.number, said = (found[1], found[2].strip()) if found is not None else ("", "")
        self.title = catalogue("en").title(value.kind)
        self.said = " ".join(re.sub(r" {3,}(?=\S)", " · ", said).replace("\n ·", "").split()).replace(
            f"{self.title}. ", "· "
        )
        symbol = re.escape(value.kind.symbol)
        line = re.search(rf"^    ({symbol}\[.*(?:\n {{6,}}\S.*)*)", printed, re.MULTILINE)
        self.line = " ".join(line[1].split()) if line is not None else ""
        """Stands below it until a number is pointed at."""

    def html(self) -> Iterator[str]:
        """The table with its number, title, formula and sizes."""
        value = self.value
        head = " ".join(found.replace(".", " ") for found in _HEAD.findall(value.path))
        title = f"{self.number} {self.title}{f', {head}' if head else ''}"
        columns = "".join(f'<th scope="col">{escape(label)}</th>' for label in value.columns)
        caption = f"<b>{escape(title)}</b> <span>{escape(self.said)}</span>"
        yield f'<figure class="step"><figcaption>{caption}</figcaption>\n'
        yield f'<div class="box"><table data-step="{escape(value.path)}">\n<tr><td></td>{columns}</tr>\n'
        texts = cell_texts(self.trace, value, self.trace.decimals)
        for row in self.rows:
            numbers = "".join(self._cell(row, column, text) for column, text in enumerate(texts[row]))
            yield f'<tr><th scope="row">{escape(value.rows[row])}</th>{numbers}</tr>\n'
        yield f'</table></div>\n<p class="line" role="status">{escape(self.line)}</p></figure>\n'

    def _cell(self, row: int, column: int, text: str) -> str:
        worked = work_out(self.value, row, column, self.trace.decimals, MOST_TERMS)
        line = " = ".join(filter(None, (str(worked.name), worked.arithmetic, worked.result)))
        asked = ' class="asked"' if (row, column) in self.asked else ""
        first = 0 if (row, column) == (self.rows[0], 0) else -1
        return f'<td tabindex="{first}" data-line="{escape(line)}"{asked}>{escape(text)}</td>'


class Tables:
    """The tables of a chapter so far, by what they were calculated with."""

    def __init__(self) -> None:
        self._traces: dict[tuple[str, ...], Trace] = {}
        self._shown: list[tuple[tuple[str, ...], StepTable]] = []

    def show(self, arguments: Sequence[str], printed: str) -> list[StepTable] | None:
        """The tables of a command; None where it is not one that runs a scenario, and shows steps of it.

        printed: what it prints
        """
        command, scenario, *options = arguments
        options = [option for option in options if option != "--full"]
        pairs = list(zip(options[::2], options[1::2], strict=False))
        if command != "run" or {name for name, _ in pairs} - {"--step", "--set", "--token", "--work"}:
            return None
        of = {name: [value for key, value in pairs if key == name] for name in ("--step", "--set", "--token")}
        key = (scenario, *of["--set"])
        trace = self._trace(key)
        found = []
        for value in dict.fromkeys(one for step in of["--step"] for one in trace.select(step)):
            rows = [at for at, label in enumerate(value.rows) if label in of["--token"]] or range(value.shape[0])
            found.append(StepTable(trace, value, rows, printed))
        self._shown += [(key, one) for one in found]
        return found or None

    def ask(self, question: Question, needed: Sequence[tuple[str, Sequence[Place]]]) -> bool:
        """Frames what a question is answered from where it was shown last; whether any of it was.

        needed: paths of steps, each with cells
        """
        is_shown = False
        for path, places in needed:
            tables = [one for key, one in self._shown if key == (question.scenario, *question.sets)]
            last = next((one for one in reversed(tables) if one.value.path == path), None)
            if last is not None and any(row in last.rows for row, _ in places):
                last.asked |= set(places)
                is_shown = True
        return is_shown

    def _trace(self, key: tuple[str, ...]) -> Trace:
        if key not in self._traces:
            changes = dict(map(read_change, key[1:]))
            self._traces[key] = walkthrough.trace(load_scenario(key[0]), changes=changes)
        return self._traces[key]

    def needed(self, question: Question) -> list[tuple[str, Sequence[Place]]]:
        """The cells of other steps that a question is answered from, by the path of their step."""
        if not question.scenario:
            return []
        trace = self._trace((question.scenario, *question.sets))
        strips = [*(strips_before(question, trace) if question.cell else []), *rows_to_look_at(question, trace)]
        return [(one.value.path, one.places) for one in strips]
