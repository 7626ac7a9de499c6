"""Texts as HTML: descriptions, lines with labels of any script, attributes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from walkthrough.views.text.description import Marks, Passage, read, read_line, write_spans

_LEFTWARDS = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]+"
"""Letters that are written from right to left."""


def isolate_labels(html: str) -> str:
    """A line of labels and numbers whose labels may be written from right to left: they turn nothing around them."""
    return html if html.isascii() else re.sub(f"{_LEFTWARDS}(?: {_LEFTWARDS})*", r"<bdi>\g<0></bdi>", html)


_PARTS = re.compile(
    r"(?<![\w.\[])[^\W\d_][²']?_[^\W_]+(?:\(\d+\))?(?=[\[,)]| =)"
    r"|\^(?:−?[\d.,]*\d|−?∞|\((?:[^()]|\([^()]*\))*\))"
    rf"|{_LEFTWARDS}(?: {_LEFTWARDS})*"
)
"""A symbol with an index, a power, and words that are written from right to left."""


def line_html(line: str) -> str:
    """A line of names and numbers, its words isolated; indices and powers are set as such, their signs unseen."""
    return _PARTS.sub(_part, escape(line, quote=False))


def _part(found: re.Match[str]) -> str:
    base, *raised = re.split("([_^])", found[0], maxsplit=1)
    if not raised:
        return f"<bdi>{base}</bdi>"
    tag = "sub" if raised[0] == "_" else "sup"
    return f"{base}<{tag}><u>{raised[0]}</u>{_PARTS.sub(_part, raised[1])}</{tag}>"


def html_of(markdown: str) -> str:
    """A description as HTML."""
    return "".join(map(_html, read(markdown)))


def first_and_rest(markdown: str) -> tuple[str, str]:
    """A description as HTML: its first paragraph, and what comes after it."""
    blocks = read(markdown)
    count = int(bool(blocks) and blocks[0].kind == "paragraph")
    return _join(blocks[:count]), _join(blocks[count:])


def span_html(markdown: str) -> str:
    """One line or paragraph."""
    return write_spans(read_line(markdown), _MARKS)


def _html(block: Passage) -> str:
    match block.kind:
        case "list":
            first = block.blocks[0].mark[:-1]
            tag, start = ("ol", "" if first == "1" else f' start="{first}"') if first else ("ul", "")
            return f"<{tag}{start}>{_join(block.blocks)}</{tag}>"
        case "item":
            return f"<li>{_join(block.blocks)}</li>"
        case "code":
            return f"<pre>{escape(chr(10).join(block.lines))}</pre>"
        case "heading":
            return f"<p><strong>{write_spans(block.spans, _MARKS)}</strong></p>"
        case "paragraph":
            return f"<p>{write_spans(block.spans, _MARKS)}</p>"
        case _:
            return write_spans(block.spans, _MARKS)


def _join(blocks: Sequence[Passage]) -> str:
    return "".join(map(_html, blocks))


_MARKS = Marks(
    text=escape,
    code=lambda text: f"<code>{escape(text)}</code>",
    strong=("<strong>", "</strong>"),
    emphasis=("<em>", "</em>"),
    link=lambda inner, address: f'<a href="{escape(address)}" rel="noreferrer">{inner}</a>',
)


def attribute(text: str) -> str:
    """The value of an attribute; without quotation marks where it can do without."""
    return text if text.translate(_PLAIN).isalnum() else f'"{escape(text)}"'


_PLAIN = dict.fromkeys(map(ord, "#._"))
