"""The Markdown of a scenario's texts, read once for every format: paragraphs, headings, lists, code, **bold**, *italic*
and links to http(s); all else stays text.

A format says by its `Marks` how these are written, so that it decides by itself what is harmless in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from walkthrough.records import Record
from walkthrough.text import escape_text
from walkthrough.views.text.wrapping import wrap_prose

_RULES = (
    *("heading", "lheading", "list", "fence", "code"),
    *("emphasis", "backticks", "link", "autolink", "escape", "entity", "newline"),
)
_DEEPEST_BLOCK, _DEEPEST_SPAN = 50, 8
"""Some formats have no room for more; what is deeper is text."""
_WITHIN_A_WORD = re.compile(r"(?<=\w)\*(?=\w)")
_CODE_INDENT = 4


Line = tuple[str, str]
"""What kind of text, and the text."""


class Passage(Record):
    """A piece of Markdown.

    kind:   `paragraph`, `line` (a paragraph of a list without blank lines), `heading`, `code`, `list` or `item`
    spans:  what a paragraph, line or heading says
    lines:  of code
    blocks: the items of a list, the content of an item
    mark:   of an item, `-` or `12.`
    """

    kind: str
    spans: tuple[Token, ...] = ()
    lines: tuple[str, ...] = ()
    blocks: tuple[Passage, ...] = ()
    mark: str = ""

    @property
    def has_paragraphs(self) -> bool:
        """Whether some item of a list has a paragraph: a blank line separates its items."""
        return any(block.kind == "paragraph" for item in self.blocks for block in item.blocks)


def _link(text: str, address: str) -> str:
    """A link as text, with its address unless it is that."""
    return text if text == address else f"{text} ({address})"


class Marks(Record):
    """How a format writes the spans of a paragraph.

    text, code:       a piece of text, and of code; neither has control characters
    strong, emphasis: what is written before and after
    link:             a text that is written already, with its address
    bullet:           of an item, where descriptions become lines
    """

    text: Callable[[str], str] = str
    code: Callable[[str], str] = str
    strong: tuple[str, str] = ("", "")
    emphasis: tuple[str, str] = ("", "")
    link: Callable[[str, str], str] = _link
    bullet: str = "-"


def read(markdown: str) -> tuple[Passage, ...]:
    """The blocks of a text."""
    return _nest(iter(_parser().parse(markdown.strip("\n").expandtabs(4))))


def read_line(markdown: str) -> tuple[Token, ...]:
    """The spans of a text that is one line, whatever it begins with."""
    (inline,) = _parser().parseInline(" ".join(markdown.split()))
    return tuple(inline.children or ())


def write_spans(spans: Sequence[Token], marks: Marks) -> str:
    """A paragraph as a format writes it."""
    opened: list[tuple[str, list[str]]] = [("", [])]
    for token in spans:
        kind = token.type.removesuffix("_open").removesuffix("_close")
        if token.nesting == 1:
            opened.append((escape_text(str(token.attrs.get("href", ""))), []))
        elif token.nesting == -1:
            address, inner = opened.pop()
            opened[-1][1].append(_mark(kind, "".join(inner), address, marks, len(opened)))
        elif kind in ("softbreak", "hardbreak"):
            opened[-1][1].append(" ")
        else:
            opened[-1][1].append((marks.code if kind == "code_inline" else marks.text)(escape_text(token.content)))
    return "".join(opened[0][1])


def plain_text(markdown: str) -> str:
    """A paragraph without any marks, on one line."""
    return " ".join(write_spans(read_line(markdown), Marks(link=lambda text, address: text)).split())


def _mark(kind: str, inner: str, address: str, marks: Marks, depth: int) -> str:
    if depth > _DEEPEST_SPAN:
        return inner
    if kind == "link":
        return marks.link(inner, address)
    before, behind = marks.strong if kind == "strong" else marks.emphasis
    return f"{before}{inner}{behind}"


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("zero", {"maxNesting": _DEEPEST_BLOCK}).enable(_RULES)
    parser.inline.ruler.before("emphasis", "star within a word", _star_within_a_word)
    parser.validateLink = _is_web_address  # type: ignore[method-assign]
    return parser


def _is_web_address(url: str) -> bool:
    return re.match("https?://", url, re.IGNORECASE) is not None


def _star_within_a_word(state: StateInline, silent: bool) -> bool:
    """In `2*3*4` nothing is emphasized."""
    if not _WITHIN_A_WORD.match(state.src, state.pos):
        return False
    if not silent:
        state.pending += "*"
    state.pos += 1
    return True


def _nest(tokens: Iterator[Token]) -> tuple[Passage, ...]:
    """The blocks up to the end of the one that they are in."""
    found: list[Passage] = []
    for token in tokens:
        if token.nesting == -1:
            break
        kind = token.type.removesuffix("_open")
        if kind in ("paragraph", "heading"):
            inline, _ = next(tokens), next(tokens)
            found.append(Passage("line" if token.hidden else kind, tuple(inline.children or ())))
        elif token.nesting == 1:
            mark = f"{token.info}{token.markup}" if token.info else "-"
            found.append(Passage("item" if kind == "list_item" else "list", blocks=_nest(tokens), mark=mark))
        else:
            found.append(Passage("code", lines=tuple(map(escape_text, token.content.removesuffix("\n").split("\n")))))
    return tuple(found)


def lines_of(markdown: str, marks: Marks, width: int) -> Iterator[Line]:
    """The text in lines of at most `width`, each after its kind: `heading`, `code` or `text`."""
    yield from _space(read(markdown), marks, width, 0, True)


def _space(blocks: Sequence[Passage], marks: Marks, width: int, indent: int, is_loose: bool) -> Iterator[Line]:
    for at, block in enumerate(blocks):
        if at and is_loose:
            yield "text", ""
        yield from _lines(block, marks, width, indent)


def _lines(block: Passage, marks: Marks, width: int, indent: int) -> Iterator[Line]:
    match block.kind:
        case "list":
            yield from _space(block.blocks, marks, width, indent, block.has_paragraphs)
        case "item":
            lead = f"{marks.bullet if block.mark == '-' else block.mark} "
            is_loose = any(one.kind == "paragraph" for one in block.blocks)
            inner = list(_space(block.blocks, marks, width, indent + len(lead), is_loose)) or [("text", "")]
            (kind, first), *rest = inner
            yield kind, " " * indent + lead + first[indent + len(lead) :]
            yield from rest
        case "code":
            yield from (("code", " " * (indent + _CODE_INDENT) + marks.text(line)) for line in block.lines)
        case _:
            kind = "heading" if block.kind == "heading" else "text"
            yield from ((kind, line) for line in wrap_prose(write_spans(block.spans, marks), width, indent))
