"""The live page: one file that shows every step, and recalculates when a number is changed."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from html import escape
from typing import BinaryIO, Literal

from walkthrough.languages.catalogue import Catalogue, catalogue
from walkthrough.recording.trace import Trace
from walkthrough.text import escape_text
from walkthrough.views.model_map import map_of
from walkthrough.views.options import Options
from walkthrough.views.page import assets
from walkthrough.views.page.data import page_json
from walkthrough.views.page.front import KEY, maps_html
from walkthrough.views.page.print_bands import paper_style
from walkthrough.views.page.sections import SectionWriter, name_html
from walkthrough.views.page.thinning import Thinned, thin
from walkthrough.views.page.verdicts import VerdictNotes
from walkthrough.views.report.head import changes, source
from walkthrough.views.selection import Selection, check_size
from walkthrough.views.text.html import attribute, first_and_rest, line_html, span_html

Form = Literal["page", "embed"]


def write(trace: Trace, options: Options, out: BinaryIO, asked: Sequence[str] = ()) -> None:
    """Writes the page, as UTF-8. Raises SelectorError for a step that is not there.

    asked: paths of the steps that it begins to practise
    """
    write_as("page", trace, options, out, asked)


def write_as(form: Form, trace: Trace, options: Options, out: BinaryIO, asked: Sequence[str] = ()) -> None:
    """The same page, or to embed in another: without what surrounds the steps."""
    thinned = thin(trace, options.steps)
    selection = thinned.selection
    check_size(selection.values, "a page")
    verdicts = VerdictNotes(trace.judge(), trace.language) if trace.judge is not None else None
    writer = SectionWriter(trace, selection, options.decimals, verdicts)
    steps = "".join(writer.write_part(map_of(trace, selection.values)))
    data = page_json(trace, selection, options.decimals)
    title, script = escape_text(trace.title), assets.script()
    style = assets.style() + paper_style(title, writer.bands.values())
    for text in (
        assets.head(trace.language, title, style, script),
        _body(form, trace, options.steps, asked),
        *(_introduction(trace, thinned, options) if form == "page" else ()),  # whoever embeds a step says what it is
        f"<main>\n{steps}</main>\n",
        f'<script type="application/json" id="data">{data}</script>\n',
        f'<script type="module">{script}</script>\n</body>\n</html>\n',
    ):
        out.write(text.encode("utf-8", "replace"))


def _body(form: Form, trace: Trace, steps: Sequence[str], asked: Sequence[str]) -> str:
    """The beginning of the body, with what the scripts are told."""
    return (
        f'<body data-form={form} data-run="{escape(_command(trace, steps))}"'
        f"{' data-prints' if trace.judge is not None else ''}"
        f"{f' data-asked={attribute(chr(32).join(asked))}' if asked else ''}>\n"
    )


def _command(trace: Trace, steps: Sequence[str]) -> str:
    """The command that calculates this trace and shows these steps."""
    shown = [word for step in steps for word in ("--step", step)]
    others = [word for item in trace.changed for word in ("--set", item)]
    return escape_text(shlex.join(["walkthrough", "run", trace.scenario or "SCENARIO", *shown, *others]))


def _introduction(trace: Trace, thinned: Thinned, options: Options) -> Iterator[str]:
    """The first screen: what this is, and the model with what comes out."""
    words = catalogue(trace.language)
    selection = thinned.selection
    yield '<div id="-bar" class=bar></div>\n'
    yield f"<header data-draft=no>\n<h1>{name_html(trace.title)}</h1>\n"
    first, rest = first_and_rest(trace.description)
    notes = "".join(
        f"<p class=source>{one.lead}: {span_html(escape_text(one.markdown))}</p>" for one in source(trace, words)
    )
    yield f"<div class=about>{first}</div>\n"
    if more := _kept_steps(thinned, words) + rest + notes:
        yield f"<details class=about><summary>{words('more_about')}</summary>{more}</details>\n"
    if said := changes(trace, words):
        yield f"<p>{line_html(escape_text(said))}</p>\n"
    if not thinned.kept:
        yield _given_steps(selection, words)
    yield f"<p class=do>{words('what_to_do')}</p>\n{KEY}\n"
    yield f'<a class=skip href="#{escape(selection.values[0].path)}">{words("skip_map")}</a>\n'
    yield "</header>\n<div class=front data-draft=no>"
    yield from maps_html(trace, selection.values, options.decimals)
    yield "</div>\n"


def _kept_steps(thinned: Thinned, words: Catalogue) -> str:
    if not thinned.kept:
        return ""
    named = ", ".join(map(str, thinned.kept[:-1]))
    said = words("kept_steps", steps=thinned.steps, count=len(thinned.kept), named=named, last=thinned.kept[-1])
    return f"<p>{said}</p>"


def _given_steps(selection: Selection, words: Catalogue) -> str:
    if not selection.as_given:
        return ""
    links = ", ".join(
        f'<a href="#{escape(value.path)}">{escape(value.path)}</a>'
        for value in selection.values
        if value in selection.as_given
    )
    return f"<p>{words('only_some', links=links)}</p>\n"
