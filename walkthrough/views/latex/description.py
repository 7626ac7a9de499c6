"""The Markdown of a description as LaTeX: paragraphs and lists, with `code`, **bold** and *italic*."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from walkthrough.views.latex.tex import guarded, tex, typewriter

_SPAN = re.compile(
    r"(?P<ticks>`+)(?P<code>.+?)(?P=ticks)|\*\*(?P<bold>\S.*?)\*\*|(?<!\w)\*(?P<italic>[^\s*][^*]*)\*(?!\w)"
)


def prose(markdown: str) -> Iterator[str]:
    """The paragraphs of a text."""
    for paragraph in re.split(r"\n\s*\n", markdown.strip()):
        lines = [line.strip() for line in paragraph.splitlines() if line.strip()]
        head: list[str] = []
        items: list[str] = []
        for line in lines:
            if re.match(r"[-*+] ", line):
                items.append(line[2:])
            elif items:
                items[-1] += f" {line}"
            else:
                head.append(line)
        if head:
            yield spans(" ".join(head))
        if items:
            yield itemized(map(spans, items))


def itemized(items: Iterable[str]) -> str:
    """A list."""
    lines = "\n".join(f"\\item {guarded(item)}" for item in items)
    return f"\\begin{{itemize}}\n{lines}\n\\end{{itemize}}"


def spans(text: str) -> str:
    """One paragraph."""
    parts, at = [], 0
    for match in _SPAN.finditer(text):
        parts.append(tex(text[at : match.start()]))
        if match["code"]:
            parts.append(typewriter(match["code"].strip()))
        elif match["bold"]:
            parts.append(rf"\textbf{{{tex(match['bold'])}}}")
        else:
            parts.append(rf"\emph{{{tex(match['italic'])}}}")
        at = match.end()
    return "".join([*parts, tex(text[at:])])
