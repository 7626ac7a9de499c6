"""What a page says of printed numbers: the verdict on each that is not exact, and its arithmetic.

The cells carry nothing of it: the script marks them while somebody asks for it.
"""

from __future__ import annotations

from collections import Counter

from walkthrough.explaining.worked import line_in
from walkthrough.judging.check import CheckResult, Judged
from walkthrough.languages.catalogue import catalogue
from walkthrough.notation import typeset
from walkthrough.recording.values import Value
from walkthrough.text import escape_label
from walkthrough.views.report.published import arithmetic, cell_label, right_text
from walkthrough.views.text.html import attribute, line_html


class VerdictNotes:
    """The verdicts on the numbers of a trace, by their places."""

    def __init__(self, report: CheckResult, language: str) -> None:
        self.words, self.report = catalogue(language), report
        self._by_cell: dict[tuple[str, int, int], list[Judged]] = {}
        for one in report.cells:
            if one.verdict != "exact":
                place = one.cell.value.path, one.cell.row, one.cell.column
                self._by_cell.setdefault(place, []).append(one)

    def notes(self, value: Value) -> str:
        """The verdicts of a step in words, folded away under how many there are."""
        found = [some for (path, _, _), some in sorted(self._by_cell.items()) if path == value.path]
        kinds = Counter(some[0].verdict for some in found)
        if not kinds:
            return ""
        words = self.words
        said = ", ".join(f"{count} {words(f'verdict_{verdict}')}" for verdict, count in kinds.items())
        lists = "".join(
            f"<p><b>{words(f'verdict_{verdict}')}</b>: {words(f'means_{verdict}')}"
            f"<ul data-kind={verdict}>{self._items(found, verdict)}</ul>"
            for verdict in kinds
        )
        summary = words("printed_numbers", said=said)
        return f"<details class=verdicts data-draft=no><summary>{summary}</summary>{lists}</details>\n"

    def _items(self, found: list[list[Judged]], verdict: str) -> str:
        return "".join(
            f"<li data-c={some[0].cell.row},{some[0].cell.column} data-says={attribute(self._said(some))}>"
            f"{self._note(some)}</li>"
            for some in found
            if some[0].verdict == verdict
        )

    def _note(self, prints: list[Judged]) -> str:
        """Of one number, what each print has; the arithmetic where a print is not explained by rounding."""
        one = prints[0]
        words, texts = self.words, self._texts(prints)
        if one.verdict in ("wrong", "inherited"):
            line = escape_label(str(line_in(arithmetic(self.report, one), words)))
            said = words("line_printed", line=line, printed=texts)
        else:
            label = cell_label(one).removeprefix(one.cell.value.path)
            said = words("cell_printed", cell=label, printed=texts, right=self._right(one))
        return line_html(said)

    def _texts(self, prints: list[Judged]) -> str:
        """What is printed, as it is printed."""
        return f" {self.words('and')} ".join(dict.fromkeys(escape_label(each.cell.text) for each in prints))

    def _said(self, prints: list[Judged]) -> str:
        """Of one number: as it is printed, as it is right, the verdict."""
        verdict = self.words(f"verdict_{prints[0].verdict}")
        return self.words("printed_said", printed=self._texts(prints), right=self._right(prints[0]), verdict=verdict)

    def _right(self, one: Judged) -> str:
        text = right_text(one)
        return text if isinstance(one.computed, str) else self.words.number(typeset(text))
