"""A class as a page: each sheet with its points and a link to its feedback, and each step, hardest first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import BinaryIO
from urllib.parse import quote

from walkthrough.languages.catalogue import Catalogue
from walkthrough.mistakes.sentences import say_likely
from walkthrough.teaching.marking.feedback_page import STYLE
from walkthrough.teaching.marking.marked import Marked, write_points
from walkthrough.teaching.marking.report import percent, who
from walkthrough.teaching.marking.results import Failed, Result, class_steps, class_titles
from walkthrough.teaching.sheets.write.page import frame, html_text, title_html


def write_class_page(results: Sequence[Result], files: Mapping[Marked, str], words: Catalogue, out: BinaryIO) -> None:
    """Writes the page. files: the name of each sheet's feedback, beside the page"""
    marked = [one for one in results if isinstance(one, Marked)]
    titles = sorted({one.sheet.hand.title for one in marked})
    body = "".join(
        (
            f"<header><h1>{words('class')}</h1><p>{html_text('; '.join(titles))}</p></header>\n",
            _head("class", words("student"), words("points"), words("slips"), ""),
            *(_sheet(one, files, words) for one in results),
            f"</table>\n{_head('steps', words('step'), words('share'), words('usual_slip'))}",
            *_steps(results, words),
            "</table>\n",
        )
    )
    out.write(frame(words("class"), words.language, STYLE, body).encode())


def _head(name: str, *headings: str) -> str:
    cells = "".join(f"<th scope=col>{heading}" for heading in headings)
    return f'<table class="{name}"><thead><tr>{cells}<tbody>\n'


def _sheet(one: Result, files: Mapping[Marked, str], words: Catalogue) -> str:
    """A sheet: whose, its points, its slips; what could not be read."""
    head = f'<tr data-sheet="{html_text(one.name)}"><th scope=row>'
    if isinstance(one, Failed):
        return f"{head}{html_text(who(one))}<td><td><td>{words('not_read')}: {html_text(one.error)}\n"
    points = words("count_of", count=words.number(write_points(one.points)), of=one.of)
    remarks = _say_unread(one, words)
    link = f'<a href="{quote(files[one])}">{html_text(who(one))}</a>'
    return f"{head}{link}<td>{points}<td>{len(one.slips)}<td>{html_text('; '.join(remarks))}\n"


def _say_unread(one: Marked, words: Catalogue) -> Iterator[str]:
    """`2 unreadable, 1 unknown line`: how many answers could not be read, and lines that belong to no cell."""
    found = [f"{count} {words('unreadable')}"] if (count := one.counts["unreadable"]) else []
    found += [words.pluralize("lines_unknown", len(one.ignored))] if one.ignored else []
    if found:
        yield ", ".join(found)


def _steps(results: Sequence[Result], words: Catalogue) -> Iterator[str]:
    """The steps with their share of the points, the hardest first, and what went wrong there most often."""
    titles = class_titles(results, words)
    for step in sorted(class_steps(results), key=lambda step: step.share):
        value, slip = step.marks.value, say_likely(step.causes, words) if step.causes else ""
        head = f'<tr data-path="{html_text(value.path)}"><th scope=row>{title_html(titles.with_symbol(value))}'
        yield f"{head}<td>{percent(step)}<td>{title_html(slip)}\n"
