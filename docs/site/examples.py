"""The bundled scenarios: their live pages, their cards in the gallery, and what is wrong in print."""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from html import escape

import walkthrough
from docs.site.live import live_page
from docs.site.output import Output
from docs.site.page import WEB, Page
from docs.site.search import SearchIndex
from walkthrough.judging.check import VERDICTS, CheckResult, Judged, check
from walkthrough.mistakes.sentences import say_likely
from walkthrough.scenario.gallery import GROUPS, Listed
from walkthrough.text import escape_text, pluralize
from walkthrough.transformer.loading.load import load_scenario
from walkthrough.views.pictures.card import card
from walkthrough.views.pictures.svg import svg
from walkthrough.views.report.published import arithmetic, cell_label, shown_print, shown_right
from walkthrough.views.text.html import span_html


class Example:
    """A bundled scenario, calculated and judged once."""

    def __init__(self, listed: Listed) -> None:
        self.listed = listed
        self.name = listed.name
        self.title = escape_text(listed.title)
        self.lesson = " ".join(listed.description.strip().partition("\n\n")[0].split())
        self.scenario = load_scenario(listed.name)
        self.trace = walkthrough.trace(self.scenario)

    @cached_property
    def report(self) -> CheckResult | None:
        """The verdicts on its published numbers, where it has some."""
        return check(self.scenario, self.trace, self.name) if self.listed.published else None

    @property
    def is_wrong_in_print(self) -> bool:
        return self.report is not None and self.report.summary["wrong"] > 0

    @property
    def source(self) -> str:
        """Where it comes from, as HTML."""
        return span_html(escape_text(" ".join(self.trace.source.split())))


def write_examples(examples: list[Example], out: Output, search: SearchIndex) -> None:
    """Writes the live pages, the gallery and the errata."""
    notes = {}
    for one in examples:
        part = live_page(one.trace, f"scenarios/{one.name}.html", out)
        notes[one.name] = f'<p class="note">Shown: {escape(part)}</p>\n' if part else ""
        out.write(f"pictures/{one.name}.svg", svg(card(one.trace)))
        search.add(f"scenarios/{one.name}.html", f"{one.name}: {one.title}", "Scenario", one.lesson)
    cards = {one.name: _card(one, notes[one.name]) for one in examples}
    sections = "".join(
        f'<section>\n<h2 id="{group}">{escape(title)}</h2>\n<ul class="gallery">\n'
        + "".join(cards[name] for name in members if name in cards)
        + "</ul>\n</section>\n"
        for group, (title, members) in GROUPS.items()
    )
    body = (
        "<h1>Gallery</h1>\n<p>Every example is a live page: point at a number to see where it comes from, change one "
        f"and watch what follows.</p>\n{sections}"
    )
    out.write("gallery.html", Page("gallery.html", "Gallery", body).html())
    judged = [one for one in examples if one.report is not None]
    out.write("errata/index.html", Page("errata/index.html", "Errata", _errata(judged)).html())
    search.add("errata/index.html", "Errata", "")
    for one in judged:
        place = f"errata/{one.name}.html"
        out.write(place, Page(place, f"Errata: {one.title}", _erratum(one)).html())
        search.add(place, f"Errata: {one.title}", "Errata", one.name)


_SENTENCE = re.compile(r".+?[.!?](?= +[A-Z0-9*`]|$)", re.DOTALL)


def first_sentence(markdown: str) -> str:
    """What a card says of an example; all of it where it is no sentence."""
    found = _SENTENCE.match(" ".join(markdown.split()))
    return found[0] if found else markdown


def _card(one: Example, note: str) -> str:
    """A card is the same in every group that it stands in."""
    errata = f' · <a href="errata/{one.name}.html">errata</a>' if one.report is not None else ""
    return (
        f'<li><a href="scenarios/{one.name}.html"><img src="pictures/{one.name}.svg" alt="" loading="lazy">'
        f"<h3>{escape(one.title)}</h3></a>\n<p>{span_html(escape_text(first_sentence(one.lesson)))}</p>\n{note}"
        f"<p><code>walkthrough run {one.name}</code></p>\n"
        f'<p><a href="try/#scenario={one.name}">playground</a>{errata}</p></li>\n'
    )


def _errata(judged: list[Example]) -> str:
    rows = "".join(_row(one) for one in judged)
    heads = "".join(
        f'<th scope="col">{name}</th>' for name in ("Example", *VERDICTS, "conclusions that fail", "source")
    )
    table = (
        '<div class="box" tabindex="0" role="group" aria-label="Errata by example"><table id="errata">\n'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>"
    )
    return (WEB / "errata.htm").read_text(encoding="utf-8").replace("<!-- table -->", table)


def _row(one: Example) -> str:
    report = _report(one)
    counts = "".join(f'<td data-verdict="{verdict}">{report.summary[verdict]}</td>' for verdict in VERDICTS)
    failed = sum(not conclusion.holds for conclusion in report.conclusions)
    return (
        f'<tr id="{one.name}"><th scope="row"><a href="{one.name}.html">{escape(one.title)}</a></th>{counts}'
        f"<td data-conclusions>{failed}</td><td>{one.source}</td></tr>\n"
    )


def _report(one: Example) -> CheckResult:
    assert one.report is not None
    return one.report


def _erratum(one: Example) -> str:
    """Conclusions first, then each wrong number with its right line."""
    report = _report(one)
    counts = ", ".join(f"{report.summary[verdict]} {verdict}" for verdict in VERDICTS)
    printed = pluralize(len(report.cells), "published number")
    return (
        f"<h1>Errata: {escape(one.title)}</h1>\n<p>{one.source}</p>\n<p>{printed}: {counts}. "
        f'<a href="../scenarios/{one.name}.html">The live page</a> · <code>walkthrough check {one.name}</code></p>\n'
        f'<h2 id="conclusions">Conclusions</h2>\n{_conclusions(report)}'
        f'<h2 id="numbers">Wrong numbers</h2>\n{_numbers(report)}'
        f'<p class="note">{span_html(escape_text(report.assumed))}</p>\n<p>'
        '<a href="../docs/sources.html">Where these numbers come from</a> · '
        '<a href="index.html">All errata</a></p>\n'
    )


def _conclusions(report: CheckResult) -> str:
    distinct = dict.fromkeys(report.conclusions)
    failed = [one for one in distinct if not one.holds]
    if not distinct:
        return "<p>The text draws no conclusion that could be checked.</p>\n"
    if not failed:
        return f"<p>All {len(distinct)} conclusions hold.</p>\n"
    items = "".join(
        f"<li>{one.before}<code>{escape(one.place)}</code>{one.behind}: {escape(one.said)}</li>\n" for one in failed
    )
    return f"<p>{len(distinct) - len(failed)} hold; these do not:</p>\n<ul>\n{items}</ul>\n"


def _numbers(report: CheckResult) -> str:
    """A row for each wrong number, in the order of the calculation."""
    wrong = report.with_verdict("wrong")
    if not wrong:
        return "<p>None.</p>\n"
    prints = Counter((cell_label(one), one.cell.text) for one in wrong)
    distinct = {(cell_label(one), one.cell.text): one for one in reversed(wrong)}
    has_causes = any(one.cell in report.causes() for one in wrong)
    rows = "".join(_number(report, distinct[key], prints[key], has_causes) for key in dict.fromkeys(prints))
    names = ("number", "printed", "right", "times printed", "the right line", *(["likely cause"] if has_causes else []))
    heads = "".join(f'<th scope="col">{name}</th>' for name in names)
    return (
        '<div class="box" tabindex="0" role="group" aria-label="Wrong numbers"><table>\n'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
    )


def _number(report: CheckResult, one: Judged, count: int, has_causes: bool) -> str:
    label, cause = cell_label(one), report.causes().get(one.cell)
    path = f"{one.cell.value.path}[{one.row}, {one.column}]"
    texts = (
        shown_print(one),
        shown_right(one),
        str(count),
        str(arithmetic(report, one)),
        *([say_likely([cause]) if cause else ""] if has_causes else []),
    )
    cells = "".join(f"<td>{escape(text)}</td>" for text in texts)
    return f'<tr data-cell="{escape(path)}"><th scope="row"><code>{escape(label)}</code></th>{cells}</tr>\n'
