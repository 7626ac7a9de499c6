"""Descriptions and lists as LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from walkthrough.views.latex.tex import guard, tex, typewriter
from walkthrough.views.text.description import Marks, Passage, read, read_line, write_spans

_DEEPEST_LIST = 4
"""LaTeX nests no more of them."""


def prose(markdown: str) -> Iterator[str]:
    """The paragraphs of a description."""
    return (_block(block, 1) for block in read(markdown))


def line(markdown: str) -> str:
    """A text that is one line."""
    return write_spans(read_line(markdown), _MARKS)


def itemize(items: Iterable[str]) -> str:
    """A list."""
    return _environment("\n".join(f"\\item {guard(item)}" for item in items))


def _environment(items: str) -> str:
    return f"\\begin{{itemize}}\n{items}\n\\end{{itemize}}"


def _block(block: Passage, depth: int) -> str:
    match block.kind:
        case "list":
            items = "\n".join(_item(item, depth) for item in block.blocks)
            return _environment(items) if depth <= _DEEPEST_LIST else items
        case "code":
            return _code(block.lines)
        case "heading":
            return rf"\textbf{{{write_spans(block.spans, _MARKS)}}}"
        case _:
            return write_spans(block.spans, _MARKS)


def _item(item: Passage, depth: int) -> str:
    mark = "" if item.mark == "-" else f"[{item.mark}]"
    text = "\n\n".join(_block(block, depth + 1) for block in item.blocks)
    return f"\\item{mark} {guard(text)}"


def _code(lines: Sequence[str]) -> str:
    """Lines that stay lines, with their spaces."""
    return "\\\\\n".join(rf"\texttt{{{tex(text.replace(' ', _BLANK))}}}" for text in lines)


_BLANK = "\u00a0"


def _link(inner: str, address: str) -> str:
    return inner if inner == tex(address) else f"{inner} ({typewriter(address)})"


_MARKS = Marks(tex, typewriter, (r"\textbf{", "}"), (r"\emph{", "}"), _link)
