"""What a page says of printed numbers: the verdict on each that is not exact, and its arithmetic.

The cells carry nothing of it: the script marks them while somebody asks for it.
"""

from __future__ import annotations

from collections import Counter
from html import escape

from walkthrough.judging.check import Judged, Report
from walkthrough.notation import typeset
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.text import escape_label
from walkthrough.views.report.published import MEANING, arithmetic, cell_label, right_text
from walkthrough.views.text.html import attribute, isolate_labels


class VerdictNotes:
    """The verdicts of a trace, by the place of the number."""

    def __init__(self, trace: Trace) -> None:
        self.report: Report | None = trace.judge() if trace.judge is not None else None
        found = self.report.cells if self.report is not None else ()
        self._by_cell: dict[tuple[str, int, int], list[Judged]] = {}
        for one in found:
            if one.verdict != "exact":
                place = one.cell.value.path, one.cell.row, one.cell.column
                self._by_cell.setdefault(place, []).append(one)

    def notes(self, value: Value) -> str:
        """The verdicts of a step in words, folded away under how many there are."""
        found = [some for (path, _, _), some in sorted(self._by_cell.items()) if path == value.path]
        kinds = Counter(some[0].verdict for some in found)
        if not kinds:
            return ""
        said = ", ".join(f"{count} {verdict}" for verdict, count in kinds.items())
        lists = "".join(
            f"<p><b>{verdict}</b>: {MEANING[verdict]}<ul data-kind={verdict}>{self._items(found, verdict)}</ul>"
            for verdict in kinds
        )
        return f"<details class=verdicts data-draft=no><summary>Printed numbers: {said}</summary>{lists}</details>\n"

    def _items(self, found: list[list[Judged]], verdict: str) -> str:
        return "".join(
            f"<li data-c={some[0].cell.row},{some[0].cell.column} data-says={attribute(_said(some))}>"
            f"{self._note(some)}</li>"
            for some in found
            if some[0].verdict == verdict
        )

    def _note(self, prints: list[Judged]) -> str:
        """Of one number, what each print has; the arithmetic where a print is not explained by rounding."""
        assert self.report is not None
        one = prints[0]
        texts = _texts(prints)
        if one.verdict in ("wrong", "inherited"):
            return isolate_labels(escape(f"{escape_label(arithmetic(self.report, one))}, printed {texts}", quote=False))
        label = cell_label(one).removeprefix(one.cell.value.path)
        return isolate_labels(escape(f"{label} printed {texts}, right is {_right(one)}", quote=False))


def _texts(prints: list[Judged]) -> str:
    return " and ".join(dict.fromkeys(escape_label(each.cell.text) for each in prints))


def _said(prints: list[Judged]) -> str:
    """Of one number: as it is printed, as it is right, the verdict."""
    return f"Printed {_texts(prints)}, right {_right(prints[0])}: {prints[0].verdict}."


def _right(one: Judged) -> str:
    text = right_text(one)
    return text if isinstance(one.computed, str) else typeset(text)
