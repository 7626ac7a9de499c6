"""A notebook with numpy: each step with its formula in Markdown, and as a line of Python."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from walkthrough.explaining.formulas import formula_latex
from walkthrough.explaining.steps import Reasons
from walkthrough.expressions.notations.code import NUMPY
from walkthrough.expressions.tree.shapes import shape_text
from walkthrough.languages.catalogue import catalogue
from walkthrough.recording.trace import Trace
from walkthrough.views.code import script
from walkthrough.views.code.program import Program, Statement
from walkthrough.views.markdown import BLANK, escape_markdown, paragraphs
from walkthrough.views.options import Options
from walkthrough.views.report.document import reason
from walkthrough.views.report.head import about, changes

_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def write(trace: Trace, options: Options, out: BinaryIO, name: str = "") -> script.Beside | None:
    """Writes the notebook, as UTF-8; what writes the file beside it, where it needs one: as `script.write`."""
    program = Program(trace, options, NUMPY, script.beside_name(name))
    cells = [{"id": f"cell-{number}", **cell} for number, cell in enumerate(_cells(program), 1)]
    notebook = {"cells": cells, "metadata": _METADATA, "nbformat": 4, "nbformat_minor": 5}
    out.write((json.dumps(notebook, indent=1) + "\n").encode())
    return script.beside(program)


write_beside = write


def _cells(program: Program) -> Iterator[dict[str, Any]]:
    yield _markdown(_title(program.trace))
    yield _code((*script.imports(program, is_script=False), "", *script.setup(program, "{name}")))
    reasons = Reasons(catalogue(program.trace.language))
    for step in program.steps:
        yield _markdown(_about(step, program, reasons))
        yield _code((*step.lines, step.name))
    words = catalogue(program.trace.language)
    yield _markdown([f"## {words('same_numbers')}", words("same_numbers_said")])
    yield _code(script.values(program))
    yield _code(script.recorded_dictionary(program))
    yield _code((*script.comparison(program), "", "", *script.checks(program)))


def _title(trace: Trace) -> Iterator[str]:
    yield f"# {escape_markdown(trace.title)}"
    words = catalogue(trace.language)
    for block in about(trace, words):
        yield from paragraphs(block)
    if changed := changes(trace, words):
        yield escape_markdown(changed)
    yield words("notebook_how")


def _about(step: Statement, program: Program, reasons: Reasons) -> Iterator[str]:
    value, words = step.value, catalogue(program.trace.language)
    origin = words("is_taken" if value in program.selection.as_given else "is_given")
    given = f", {origin}" if program.is_given(value) else ""
    yield f"## {escape_markdown(words.title(value.kind))}"
    yield f"`{value.path}` — {shape_text(value.shape)}{given}"
    if not program.is_given(value):
        yield f"$$\n{formula_latex(value, words).replace('~', BLANK)}\n$$"
    if purpose := words.purpose(value.kind):
        yield escape_markdown(purpose)
    if not program.is_given(value) and reasons.are_new(value):
        yield escape_markdown(reason(value, words).text)


def _markdown(paragraphs: Iterable[str]) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": _source("\n\n".join(paragraphs))}


def _code(lines: Iterable[str]) -> dict[str, Any]:
    source = _source("\n".join(lines))
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}


def _source(text: str) -> list[str]:
    return text.strip("\n").splitlines(keepends=True)
