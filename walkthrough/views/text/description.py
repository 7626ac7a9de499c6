"""The Markdown of a description as HTML: what people write in one, and nothing that could do harm.

Paragraphs, lists, headings, fences, `code`, **bold**, *italic* and links to http(s); all else stays text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape, unescape
from itertools import groupby

from walkthrough.text import visible

_ITEM = re.compile(r"\s*(?:[-*+]|(\d+)[.)])\s+(.*)")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_WHOLE = re.compile(
    r"(?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)|\[(?P<text>[^\]\[]+)\]\((?P<url>https?://[^\s()]+)\)"
)
"""What is not looked into: code, and the address of a link."""
_SPANS = (
    (re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"(?<![\w*])\*(?=[^\s*])(.+?)(?<=[^\s*])\*(?![\w*])"), r"<em>\1</em>"),
    (re.compile(r"(?<!\w)_(?=\S)(.+?)(?<=\S)_(?!\w)"), r"<em>\1</em>"),
)
_LEFTWARDS = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]+"
"""Letters that are written from right to left."""


def isolated(html: str) -> str:
    """A line of labels and numbers whose labels may be written from right to left: they turn nothing around them."""
    return html if html.isascii() else re.sub(f"{_LEFTWARDS}(?: {_LEFTWARDS})*", r"<bdi>\g<0></bdi>", html)


def html_of(markdown: str) -> str:
    """The description as HTML."""
    return "".join(_blocks([visible(line) for line in markdown.expandtabs(4).split("\n")]))


def plain_lines(markdown: str) -> Iterator[str]:
    """The description as lines of text: its paragraphs, and the items of its lists, without the marks of Markdown."""
    for found in re.finditer(r"<(p|li|pre)>(.*?)</\1>", html_of(markdown), re.DOTALL):
        text = re.sub(r'<a href="([^"]*)"[^>]*>(.*?)</a>', r"\2 (\1)", found[2])
        lead = "• " if found[1] == "li" else ""
        yield lead + " ".join(unescape(re.sub("<[^>]*>", "", text)).split())


def span_html(text: str) -> str:
    """One line or paragraph."""
    pieces, at = [], 0
    for found in _WHOLE.finditer(text):
        pieces.append(_marked(text[at : found.start()]))
        if found["code"]:
            pieces.append(f"<code>{escape(found['code'].strip())}</code>")
        else:
            pieces.append(f'<a href="{escape(found["url"])}" rel="noreferrer">{_marked(found["text"])}</a>')
        at = found.end()
    return "".join([*pieces, _marked(text[at:])])


def _marked(text: str) -> str:
    html = escape(text)
    for pattern, mark in _SPANS:
        html = pattern.sub(mark, html)
    return html


def _blocks(lines: list[str]) -> Iterator[str]:
    """Paragraphs, lists and fences, each a run of lines."""
    while lines:
        fence = _FENCE.match(lines[0])
        if fence:
            end = next((at for at, line in enumerate(lines[1:], 1) if line.strip() == fence[1]), len(lines))
            yield f"<pre>{escape(chr(10).join(lines[1:end]))}</pre>"
            lines = lines[end + 1 :]
            continue
        end = next((at for at, line in enumerate(lines) if not line.strip() or _FENCE.match(line)), len(lines))
        if end:
            yield from _paragraphs(lines[:end])
        lines = lines[end or 1 :]


def _paragraphs(lines: list[str]) -> Iterator[str]:
    """Lines without a blank one between them: prose, and the items of lists."""
    items: list[tuple[str, str]] = []
    for line in lines:
        item = _ITEM.fullmatch(line)
        heading = re.fullmatch(r"#{1,6}\s+(.*?)[\s#]*", line.strip())
        if item:
            items.append(("ol" if item[1] else "ul", item[2]))
        elif heading:
            items.append(("heading", heading[1]))
        elif items and items[-1][0] != "heading":
            items[-1] = (items[-1][0], f"{items[-1][1]} {line.strip()}")
        else:
            items.append(("p", line.strip()))
    for kind, run in groupby(items, key=lambda item: item[0]):
        texts = [span_html(text) for _, text in run]
        if kind in ("ul", "ol"):
            yield f"<{kind}>{''.join(f'<li>{text}</li>' for text in texts)}</{kind}>"
        else:
            yield "".join(f"<p>{f'<strong>{text}</strong>' if kind == 'heading' else text}</p>" for text in texts)


def attribute(text: str) -> str:
    """The value of an attribute; without quotation marks where it can do without."""
    return text if text.translate(_PLAIN).isalnum() else f'"{escape(text)}"'


_PLAIN = dict.fromkeys(map(ord, "#._"))
