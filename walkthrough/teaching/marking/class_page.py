"""A class as a page: each sheet with its points and a link to its feedback, the mistakes, and each step."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from walkthrough.languages.catalogue import Catalogue
from walkthrough.mistakes.sentences import say_likely
from walkthrough.teaching.marking.feedback_page import STYLE
from walkthrough.teaching.marking.marked import Marked, write_points
from walkthrough.teaching.marking.report import percent, say_where, who
from walkthrough.teaching.marking.results import (
    Failed,
    Result,
    class_mistakes,
    class_steps,
    class_titles,
    handed_in_again,
)
from walkthrough.teaching.marking.sentences import say_note
from walkthrough.teaching.sheets.write.page import frame, html_text, title_html
from walkthrough.text import escape_label

_TENTHS = 10
_BAR = "█"


def write_class_page(results: Sequence[Result], files: Mapping[Marked, str], words: Catalogue, out: BinaryIO) -> None:
    """Writes the page. files: the name of each sheet's feedback, beside the page"""
    marked = [one for one in results if isinstance(one, Marked)]
    titles, again = sorted({one.sheet.hand.title for one in marked}), handed_in_again(results)
    body = "".join(
        (
            f"<header><h1>{words('class')}</h1><p>{html_text('; '.join(titles))}</p></header>\n",
            _middle(marked, words),
            _head("class", words("student"), words("points"), words("wrong"), words("missing"), ""),
            *(_sheet(one, again, files, words) for one in results),
            "</table>\n",
            *_histogram(marked, words),
            *_mistakes(results, words),
            _head("steps", words("step"), words("share"), words("usual_slip")),
            *_steps(results, words),
            "</table>\n",
        )
    )
    out.write(frame(words("class"), words.language, STYLE, body).encode())


def _middle(marked: Sequence[Marked], words: Catalogue) -> str:
    """The mean and the median: of points, where all sheets have as many; else of their shares."""
    lengths = {one.of for one in marked}
    numbers = [one.points for one in marked] if len(lengths) == 1 else [100 * one.points / one.of for one in marked]
    mean, median = (words.number(write_points(middle(numbers))) for middle in (statistics.mean, statistics.median))
    said = words("middle", mean=mean, median=median, of=lengths.pop() if len(lengths) == 1 else "100 %")
    return f'<p class="middle">{said}</p>'


def _histogram(marked: Sequence[Marked], words: Catalogue) -> Iterator[str]:
    """How many sheets have up to a tenth of the points, up to two, …"""
    counts = Counter(min(int(_TENTHS * one.points / one.of + 1e-9), _TENTHS - 1) for one in marked)
    yield _head("histogram", words("share"), words("sheets"))
    for tenth in range(_TENTHS):
        bar = f"{_BAR * counts[tenth]} {counts[tenth]}" if counts[tenth] else ""
        yield f"<tr data-sheets={counts[tenth]}><th scope=row>{10 * tenth}–{10 * tenth + 10} %<td>{bar}\n"
    yield "</table>\n"


def _mistakes(results: Sequence[Result], words: Catalogue) -> Iterator[str]:
    """What was done, by whom, and what it cost the class, the most costly first."""
    mistakes, titles = class_mistakes(results), class_titles(results, words)
    if not mistakes:
        return
    yield _head("mistakes", words("slips"), words("points_lost"), words("sheets"), words("student"))
    for one in mistakes:
        word, where = one.slips[0].causes[0].word, title_html(say_where(one, titles))
        head = f'<tr data-cause="{word}"><th scope=row>{where}: {title_html(say_likely(one.causes, words))}'
        names = html_text(", ".join(map(who, one.sheets)))
        yield f"{head}<td>{words.number(write_points(one.costs))}<td>{len(one.sheets)}<td>{names}\n"
    yield "</table>\n"


def _head(name: str, *headings: str) -> str:
    cells = "".join(f"<th scope=col>{heading}" for heading in headings)
    return f'<table class="{name}"><thead><tr>{cells}<tbody>\n'


def _sheet(one: Result, again: Mapping[str, int], files: Mapping[Marked, str], words: Catalogue) -> str:
    """A sheet: whose, its points, its wrong and its blank cells; what is to be noted of it.

    again: how many sheets those have handed in who have more than one
    """
    head = f'<tr data-sheet="{html_text(one.name)}"><th scope=row>'
    if isinstance(one, Failed):
        return f"{head}{html_text(who(one))}<td><td><td><td>{words('not_read')}: {html_text(one.error)}\n"
    points = words("count_of", count=words.number(write_points(one.points)), of=one.of)
    remarks = [*filter(None, (_say_unread(one, words), say_note(one, words)))]
    if (count := again.get(one.student)) is not None:
        remarks.append(words("handed_in_again", count=count, file=escape_label(Path(one.name).name)))
    link = f'<a href="{quote(files[one])}">{html_text(who(one))}</a>'
    counts = f"<td>{one.counts['wrong']}<td>{one.counts['missing']}"
    return f"{head}{link}<td>{points}{counts}<td>{html_text('; '.join(remarks))}\n"


def _say_unread(one: Marked, words: Catalogue) -> str:
    """`2 unreadable, 1 unknown line`: how many answers could not be read, and lines that belong to no cell."""
    found = [f"{count} {words('unreadable')}"] if (count := one.counts["unreadable"]) else []
    found += [words.pluralize("lines_unknown", len(one.ignored))] if one.ignored else []
    return ", ".join(found)


def _steps(results: Sequence[Result], words: Catalogue) -> Iterator[str]:
    """The steps with their share of the points, the hardest first, and what went wrong there most often."""
    titles = class_titles(results, words)
    for step in sorted(class_steps(results), key=lambda step: step.share):
        value, slip = step.marks.value, say_likely(step.causes, words) if step.causes else ""
        head = f'<tr data-path="{html_text(value.path)}"><th scope=row>{title_html(titles.with_symbol(value))}'
        yield f"{head}<td>{percent(step)}<td>{title_html(slip)}\n"
