"""Documents as HTML: headings with the anchors that GitHub gives them, tables and code in boxes that scroll."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from html import escape, unescape
from typing import NamedTuple

from markdown_it import MarkdownIt

_COMMENT = re.compile(r"^<!-- .*? -->\n", re.MULTILINE)
_HEADING = re.compile(r"<h([1-6])>(.*?)</h\1>", re.DOTALL)
_OWN = re.compile(r'<a id="([^"]+)"></a>')
_TAG = re.compile(r"<[^>]*>")


class Heading(NamedTuple):
    """A heading: its level, its anchor, its words, and the words below it up to the next one."""

    level: int
    anchor: str
    text: str
    words: str


@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("gfm-like", {"linkify": False})


def render(markdown: str) -> str:
    """Markdown as HTML; comments on lines of their own, which tell tests and outputs apart, are left out."""
    taken: Counter[str] = Counter()
    body = _HEADING.sub(lambda found: _anchored(found, taken), _markdown().render(_COMMENT.sub("", markdown)))
    body = body.replace("<table>", '<div class="box" tabindex="0" role="group" aria-label="Table"><table>')
    return body.replace("</table>", "</table></div>").replace("<pre>", '<pre tabindex="0">')


def span(markdown: str) -> str:
    """One line of Markdown, as HTML."""
    return str(_markdown().renderInline(markdown))


def plain(html: str) -> str:
    """The words of HTML."""
    return unescape(_TAG.sub("", html))


def headings(body: str) -> list[Heading]:
    """The headings of a rendered document with what stands below them; the code blocks left out."""
    parts = re.split(r'<h([1-6]) id="([^"]*)">(.*?)</h\1>', re.sub(r"<pre.*?</pre>", " ", body, flags=re.DOTALL))
    found = zip(*(parts[at::4] for at in range(1, 5)), strict=True)
    return [
        Heading(int(level), anchor, plain(text), plain(below.replace("<", " <")))
        for level, anchor, text, below in found
    ]


def _anchored(found: re.Match[str], taken: Counter[str]) -> str:
    """A heading with its anchor: one that is written in it, else its words; a second one of the same words counts."""
    if written := _OWN.search(found[2]):
        return f'<h{found[1]} id="{written[1]}">{_OWN.sub("", found[2])}</h{found[1]}>'
    name = re.sub(r"[^\w\- ]", "", plain(found[2]).lower()).replace(" ", "-")
    anchor = f"{name}-{taken[name]}" if taken[name] else name
    taken[name] += 1
    return f'<h{found[1]} id="{escape(anchor)}">{found[2]}</h{found[1]}>'
