"""The live page: one file that shows every step, and recalculates when a number is changed."""

from __future__ import annotations

import base64
import hashlib
import shlex
from collections.abc import Iterator, Sequence
from html import escape
from typing import BinaryIO

from walkthrough.errors import UserError
from walkthrough.explaining.shown import Shown, decimals_of
from walkthrough.expressions.tree.shapes import shape_text
from walkthrough.recording.labels import Labels
from walkthrough.recording.parts import parts_of
from walkthrough.recording.selectors import within_pass
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.text import escape_label, escape_text
from walkthrough.views.model_map import map_of
from walkthrough.views.options import Options
from walkthrough.views.page import assets, print_bands
from walkthrough.views.page.data import page_json
from walkthrough.views.page.map_svg import draw_map
from walkthrough.views.page.steps import StepWriter, cell_text
from walkthrough.views.page.verdicts import VerdictNotes
from walkthrough.views.report.trace.head import about, changes
from walkthrough.views.selection import Selection, selection_of
from walkthrough.views.text.html import html_of, isolate_labels, span_html

MOST_NUMBERS = 500_000
_MOST_PREDICTED = 8
_MOST_WORDS = 40


def write(trace: Trace, options: Options, out: BinaryIO) -> None:
    """Writes the page, as UTF-8. Raises SelectorError for a step that is not there."""
    selection = selection_of(trace, options.steps)
    _check_size(selection)
    writer = StepWriter(trace, selection, options.decimals, VerdictNotes(trace))
    steps = "".join(writer.write_part(map_of(trace, selection.values)))
    script, style = assets.script(), assets.style() + print_bands.rules(writer.bands)
    for text in (
        _head(trace, options.steps, script, style),
        *_introduction(trace, selection, options),
        f"<main>\n{steps}</main>\n",
        f'<script type="application/json" id="data">{page_json(trace, selection, options.decimals)}</script>\n',
        f'<script type="module">{script}</script>\n</body>\n</html>\n',
    ):
        out.write(text.encode("utf-8", "replace"))


class TooLargeError(UserError, ValueError):
    """More than a browser can show."""


def _check_size(selection: Selection) -> None:
    count = sum(value.array.size for value in selection.values)
    if count > MOST_NUMBERS:
        raise TooLargeError(
            f"a page of {count:,} numbers is too large; it holds at most {MOST_NUMBERS:,}: choose steps with --step"
        )


def _head(trace: Trace, steps: Sequence[str], script: str, style: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(escape_text(trace.title))}</title>\n<style>{style}</style>\n</head>\n"
        f'<body data-run="{escape(_command(trace, steps))}"{" data-prints" if trace.judge is not None else ""}>\n'
    )


def _command(trace: Trace, steps: Sequence[str]) -> str:
    """The command that calculates this trace and shows these steps."""
    shown = [word for step in steps for word in ("--step", step)]
    changes = [word for item in trace.changed for word in ("--set", item)]
    return escape_text(shlex.join(["walkthrough", "run", trace.scenario or "SCENARIO", *shown, *changes]))


def _introduction(trace: Trace, selection: Selection, options: Options) -> Iterator[str]:
    """The first screen: what this is, and what comes out."""
    yield f"<header>\n<h1>{escape(escape_text(trace.title))}</h1>\n"
    for one in about(trace):
        if one.lead:
            yield f"<p class=source>{one.lead}: {span_html(escape_text(one.markdown))}</p>\n"
        else:
            yield f"<div class=about>{html_of(one.markdown)}</div>\n"
    if trace.changed:
        yield f"<p>{isolate_labels(escape(escape_text(changes(trace))))}</p>\n"
    yield _texts(trace)
    yield _given_steps(selection)
    yield _outcome(trace, selection, options)
    yield f'</header>\n<a class=skip href="#{escape(selection.values[0].path)}">Skip the map</a>\n'
    yield f'<nav aria-label="Map of the model" id="-map">{draw_map(trace, map_of(trace, selection.values))}</nav>\n'


def _texts(trace: Trace) -> str:
    """What the model reads: the tokens of each sequence and which part reads them, without those it writes itself."""
    readers: dict[Labels, str] = {}
    for value in trace:
        if (parts := parts_of(value.path)) and within_pass(value.path) == value.path:
            readers.setdefault(value.rows, parts[0].title)
    texts = [labels for labels in trace.tokens if labels in readers]
    lines = []
    for labels in texts:
        words = " · ".join(isolate_labels(escape(escape_label(label))) for label in labels[:_MOST_WORDS])
        name = readers[labels] if len(texts) > 1 else "Text"
        lines.append(f"{name}: {words}{' …' if len(labels) > _MOST_WORDS else ''}")
    return f"<p>{'<br>'.join(lines)}</p>\n" if lines else ""


def _given_steps(selection: Selection) -> str:
    if not selection.as_given:
        return ""
    links = ", ".join(
        f'<a href="#{escape(value.path)}">{escape(value.path)}</a>'
        for value in selection.values
        if value in selection.as_given
    )
    return f"<p>Only some steps are shown. Taken as given here, without the steps they come from: {links}.</p>\n"


def _outcome(trace: Trace, selection: Selection, options: Options) -> str:
    """What the model finally says: the last step whose numbers mean words."""
    last = next((value for value in reversed(selection.values) if value.names is not None), None)
    if last is None:
        last = selection.values[-1]
        link = f'<a href="#{escape(last.path)}">{escape(last.kind.title)}</a>'
        return f"<p class=outcome>Final step: {link}, {shape_text(last.shape)}.</p>\n"
    shown = Shown(last, decimals_of(last, trace, options.decimals))
    rows = range(last.shape[0])[-_MOST_PREDICTED:]
    lines = "".join(
        f"<li><i>{escape(escape_label(last.rows[row]))}</i> → {_prediction(last, shown, row)}</li>" for row in rows
    )
    return f'<div class=outcome><a href="#{escape(last.path)}">{escape(last.kind.title)}</a><ul>{lines}</ul></div>\n'


def _prediction(value: Value, shown: Shown, row: int) -> str:
    first, *others = (
        f'<span data-of="{escape(value.path)}" data-c="{row},{at}">{escape(cell_text(value, shown, row, at))}</span>'
        for at in range(value.shape[1])
    )
    return f"<b>{first}</b> {' '.join(others)}"
