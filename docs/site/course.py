"""The course: its chapters with live steps, and questions that the page itself judges."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from html import escape
from itertools import count

import walkthrough
from docs.site.documents import DOCS, document
from docs.site.live import frame, steps_page
from docs.site.markdown import headings, plain, render
from docs.site.output import Output
from docs.site.page import WEB, Page
from docs.site.search import SearchIndex
from docs.site.tables import Tables
from walkthrough.mistakes.mistake import mistake
from walkthrough.mistakes.sentences import say_likely
from walkthrough.teaching.lessons.chapters import Chapter, Question
from walkthrough.teaching.lessons.questions import AnswerJudge, NumberJudge, judge_of
from walkthrough.transformer.loading.changes import read_change
from walkthrough.transformer.loading.load import load_scenario
from walkthrough.views.data import safe_json
from walkthrough.views.page import assets

SCRIPT = "course.js"
FOLDER = DOCS / "course"
_DIGITS = 9
_SLIPS_OF_THE_PEN = ("sign", "swapped", "point", "fewer")
_PARTS = re.compile(
    r"^<!-- (?:ask|choose): .+? -->\n(?:<!-- not .+? -->\n)*\s*(?:>.*\n)+"
    r"|^<!-- live: (?P<live>.+?) -->\n"
    r"|^<!-- output -->\n```console\n\$ walkthrough (?P<command>.+)\n(?P<printed>(?:(?!```).*\n)*)```\n",
    re.MULTILINE,
)
"""Quotes that ask, comments that show, and what the program prints."""
_DECIMALS_OF_WHOLE = 3
_STEPS = 12
"""How often the range in which the edge of what is right lies is halved."""


def write_course(known: Sequence[Chapter], out: Output, search: SearchIndex) -> None:
    """Writes the chapters, the list of them, and what their questions need."""
    out.write(SCRIPT, assets.script(SCRIPT, WEB))
    for at, chapter in enumerate(known):
        place = f"course/{chapter.number}-{chapter.name}.html"
        body = f"{_body(chapter, place, out)}{_turn(known[at - 1] if at else None, known[at + 1 : at + 2])}"
        search.add_document(place, f"Course, {chapter.number}. {chapter.title}", headings(body))
        out.write(place, Page(place, chapter.title, body, scripts=(SCRIPT,)).html())
    place, index = "course/index.html", FOLDER / "README.md"
    body = document(index, index.read_text(encoding="utf-8"), place, out)
    search.add(place, "The course", "")
    counts = {chapter.name: len(chapter.questions) for chapter in known}
    body += f'<p id="far" data-counts="{escape(safe_json(counts))}"></p>\n'
    out.write(place, Page(place, "The course", body, scripts=(SCRIPT,)).html())


def _turn(before: Chapter | None, after: Sequence[Chapter]) -> str:
    """To the chapters before and after."""
    links = []
    for way, chapter in (("prev", before), ("next", next(iter(after), None))):
        if chapter is not None:
            name = f"{chapter.number}. {escape(chapter.title)}"
            words = f"← {name}" if way == "prev" else f"{name} →"
            links.append(f'<a rel="{way}" href="{chapter.number}-{chapter.name}.html">{words}</a>')
    return f'<nav class="turn" aria-label="Chapters">{" ".join(links)}</nav>\n'


def _body(chapter: Chapter, place: str, out: Output) -> str:
    """The chapter as it is written, with forms where it asks and frames where it shows live steps."""
    file = FOLDER / f"{chapter.number}-{chapter.name}.md"
    questions, frames, tables = iter(chapter.questions), count(1), Tables()
    kept: list[Callable[[], str]] = []

    def keep(html: Callable[[], str]) -> str:
        kept.append(html)
        return f'\n\n<div data-kept="{len(kept) - 1}"></div>\n\n'

    def replace(found: re.Match[str]) -> str:
        if found["live"] is not None:
            html = _live(shlex.split(found["live"]), f"live/{chapter.number}-{next(frames)}.html", out)
            return keep(lambda: html)
        if found["command"] is None:
            question = next(questions)
            is_shown = tables.ask(question, tables.needed(question))
            return keep(lambda: _form(question, is_shown))
        shown = tables.show(shlex.split(found["command"]), found["printed"])
        if shown is None:
            return found[0]
        command = f'<pre tabindex="0"><code>$ walkthrough {escape(found["command"])}</code></pre>\n'
        return keep(
            lambda: f'{command}<div class="steps">{"".join(part for one in shown for part in one.html())}</div>\n'
        )

    body = document(file, _PARTS.sub(replace, file.read_text(encoding="utf-8")), place, out)
    said = {word: say_likely([mistake(word)]) for word in _SLIPS_OF_THE_PEN}
    body += f'<p id="far" data-chapter="{chapter.name}" data-slips="{escape(safe_json(said))}"></p>\n'
    for at, html in enumerate(kept):
        body = body.replace(f'<div data-kept="{at}"></div>', html())
    return body


def _live(arguments: Sequence[str], place: str, out: Output) -> str:
    """A frame with steps of a scenario. place: from the course's folder"""
    scenario, *options = arguments
    pairs = list(zip(options[::2], options[1::2], strict=True))
    steps = [value for name, value in pairs if name == "--step"]
    changes = [read_change(value) for name, value in pairs if name == "--set"]
    trace = walkthrough.trace(load_scenario(scenario), changes=dict(changes))
    steps_page(trace, steps, f"course/{place}", out)
    return frame(place, f"Live: {scenario}", 420 if steps else 640)


def _form(question: Question, is_shown: bool) -> str:
    """A question with what is right, for the page's script. is_shown: what it is answered from is framed above"""
    judge = judge_of(question)
    if not isinstance(judge, NumberJudge):
        stem, choices = _choices(question.markdown)
        right: dict[str, object] = {"letter": question.letter, "reasons": dict(question.reasons)}
        fields = "".join(
            f'<label><input type="radio" name="answer" value="{letter}"> {plain_paragraph(text)}</label>\n'
            for letter, text in choices
        )
        name, legend = "data-choose", f"<fieldset>\n<legend>{render(stem)}</legend>\n{fields}</fieldset>\n"
    else:
        right = answer_data(judge)
        name = f'data-cell="{escape(judge.cell)}"'
        label = plain(render(question.markdown)).strip()
        legend = (
            f"{render(question.markdown)}"
            f'<input type="text" name="answer" autocomplete="off" spellcheck="false" aria-label="{escape(label)}">\n'
        )
    data = escape(safe_json(right))
    legend += '<p class="note">What it is calculated from is framed in the tables above.</p>\n' if is_shown else ""
    return f'<form class="ask" {name} data-right="{data}">\n{legend}<button>Check</button><output></output>\n</form>\n'


def plain_paragraph(markdown: str) -> str:
    """Markdown of one paragraph, without the paragraph."""
    return render(markdown).strip().removeprefix("<p>").removesuffix("</p>")


def _choices(markdown: str) -> tuple[str, list[tuple[str, str]]]:
    """The question, and its choices by their letters; a choice may run over several lines."""
    stem, *parts = re.split(r"^- ([a-z])\) ", markdown, flags=re.MULTILINE)
    return stem.strip(), list(zip(parts[::2], (" ".join(text.split()) for text in parts[1::2]), strict=True))


def answer_data(judge: NumberJudge) -> dict[str, object]:
    """The numbers from low to high that are right, and what mistakes give; or the word."""
    try:
        right = float(judge.right.replace("−", "-"))
    except ValueError:
        return {"words": [judge.right]}
    ends = {"low": _edge(judge, right, -1), "high": _edge(judge, right, 1)}
    slips = [[made.word, say_likely([made]), round(number, _DIGITS)] for made, number in judge.slips]
    said = [one for one in slips if one[2] == one[2]]
    return {
        **ends,
        "right": judge.rights,
        "half": judge.half,
        "operands": judge.operands,
        "slips": said,
        "reasons": {f"{number:g}": reason for number, reason in judge.reasons.items()},
    }


def _edge(judge: AnswerJudge, right: float, way: int) -> float:
    """The last number on one side that is taken for right; the judge takes all in between."""
    reach = 10.0 ** -(len(judge.right.partition(".")[2]) or _DECIMALS_OF_WHOLE)
    near, far = right, right + way * reach
    while judge.judge(repr(far)).is_right:
        near, far, reach = far, far + way * 2 * reach, 2 * reach
    for _ in range(_STEPS):
        middle = (near + far) / 2
        near, far = (middle, far) if judge.judge(repr(middle)).is_right else (near, middle)
    return near
