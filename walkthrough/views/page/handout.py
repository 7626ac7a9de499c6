"""A hand-out for paper: the steps as blocks in lines, heads side by side, without script, controls and verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import BinaryIO

from walkthrough.languages.catalogue import catalogue
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.text import escape_text
from walkthrough.views.model_map import Part, map_of
from walkthrough.views.options import Options
from walkthrough.views.page import assets
from walkthrough.views.page.print_bands import COLUMN, PAGE, paper_style
from walkthrough.views.page.sections import SectionWriter, name_html
from walkthrough.views.pictures.heat import shades
from walkthrough.views.report.head import arithmetic, changes, source
from walkthrough.views.selection import Selection, check_size, selection_of
from walkthrough.views.text.html import html_of, line_html, span_html


def write(trace: Trace, options: Options, out: BinaryIO) -> None:
    """Writes the hand-out, as UTF-8. Raises SelectorError for a step that is not there."""
    selection = selection_of(trace, options.steps)
    check_size(selection.values, "a hand-out")
    writer = HandoutWriter(trace, selection, options)
    steps = "".join(writer.write_part(map_of(trace, selection.values)))
    title = escape_text(trace.title)
    style = assets.style(assets.ON_PAPER) + paper_style(title, writer.bands.values())
    text = (
        f"{assets.head(trace.language, title, style)}<body data-form=handout>\n"
        f"<header>\n<h1>{name_html(trace.title)}</h1>\n{''.join(_about(trace, options))}</header>\n"
        f"<main>\n{steps}</main>\n</body>\n</html>\n"
    )
    out.write(text.encode("utf-8", "replace"))


def _about(trace: Trace, options: Options) -> Iterator[str]:
    """What the scenario says of itself, and how its numbers are shown."""
    words = catalogue(trace.language)
    yield f"<div class=about>{html_of(trace.description)}</div>\n"
    yield from (
        f"<p class=source>{one.lead}: {span_html(escape_text(one.markdown))}</p>\n" for one in source(trace, words)
    )
    said = " ".join(filter(None, (changes(trace, words), arithmetic(trace, words, options.decimals))))
    yield f"<p class=source>{line_html(escape_text(said))}</p>\n"


class HandoutWriter(SectionWriter):
    """Writes steps as blocks that stand in lines; parts that read nothing of one another stand side by side."""

    column = PAGE

    def __init__(self, trace: Trace, selection: Selection, options: Options) -> None:
        super().__init__(trace, selection, options.decimals, None)
        self.has_drift = options.drift

    def write_parts(self, parts: Sequence[Part], depth: int, before: str) -> Iterator[str]:
        """Parts that follow one another."""
        at = 0
        while at < len(parts):
            count = self._count_abreast(parts[at:])
            if count > 1:
                self.above = []
            written = [text for part in parts[at : at + count] for text in self.write_part(part, depth, before)]
            yield f"<div class=abreast>\n{''.join(written)}</div>\n" if count > 1 else "".join(written)
            self.column = PAGE
            at += count

    def _count_abreast(self, parts: Sequence[Part]) -> int:
        """How many of the first parts can stand side by side; their tables are then as wide as a column."""
        count, known = 1, {step.value for step in parts[0].steps()}
        while count < len(parts) and parts[count].stem == parts[0].stem:
            values = [step.value for step in parts[count].steps()]
            if any(given in known for value in values for given in value.inputs):
                break
            known.update(values)
            count += 1
        if count > 1:
            self.column = COLUMN
            if any("page" in self._bands(value).place for value in known):
                for value in known:
                    self.bands.pop(value, None)
                self.column, count = PAGE, 1
        return count

    def _why(self, value: Value) -> str:
        return ""

    def _symbols(self, value: Value) -> str:
        return ""

    def _cells(self, value: Value, row: int, texts: Sequence[str]) -> str:
        """Shaded by themselves: there is no script that does it."""
        names = (
            f" class={'n' if shade < 0 else 'p'}{abs(int(shade))}" if shade else ""
            for shade in shades(value, False)[row]
        )
        return "".join(f"<td{name}>{escape(text, quote=False)}</td>" for name, text in zip(names, texts, strict=True))
