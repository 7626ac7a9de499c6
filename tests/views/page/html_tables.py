"""The tables of an HTML page as lists of rows, and the elements it has: to see what a Markdown parser understood."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from html.parser import HTMLParser

from markdown_it import MarkdownIt

Table = list[list[str]]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[Table] = []
        self.elements: set[str] = set()
        self.headings: list[str] = []
        self.text: list[str] | None = None

    def handle_starttag(self, tag: str, attributes: object) -> None:
        self.elements.add(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("th", "td", "h1", "h2"):
            self.text = []

    def handle_endtag(self, tag: str) -> None:
        if tag in ("th", "td", "h1", "h2") and self.text is not None:
            text = " ".join("".join(self.text).split())
            (self.headings if tag in ("h1", "h2") else self.tables[-1][-1]).append(text)
            self.text = None

    def handle_data(self, data: str) -> None:
        if self.text is not None:
            self.text.append(data)


def read(html: str) -> _Reader:
    """What is in the page: `tables`, `elements`, `headings`."""
    reader = _Reader()
    reader.feed(html)
    return reader


def _by_program(*command: str) -> Callable[[str], str]:
    def render(markdown: str) -> str:
        done = subprocess.run(command, input=markdown, capture_output=True, encoding="utf-8", check=True)
        return done.stdout

    return render


RENDERERS: dict[str, Callable[[str], str]] = {
    "markdown-it": MarkdownIt("gfm-like", {"linkify": False}).render,
    **{
        name: _by_program(*command)
        for name, command in {
            "cmark-gfm": ("cmark-gfm", "--unsafe", "-e", "table", "-e", "strikethrough", "-e", "autolink"),
            "pandoc-gfm": ("pandoc", "-f", "gfm", "-t", "html"),
            "pandoc": ("pandoc", "-f", "markdown-smart", "-t", "html", "--mathjax"),  # Quarto's dialect
        }.items()
        if shutil.which(command[0])
    },
}
"""Parsers of different families; those that are not installed are left out."""
