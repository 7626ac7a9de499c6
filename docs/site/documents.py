"""The documents: README, docs/ and how to contribute, in the order and the groups of docs/README.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

from docs.site.api import api
from docs.site.markdown import headings, plain, render, span
from docs.site.output import Output
from docs.site.page import Page
from docs.site.search import SearchIndex

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
LIST = DOCS / "README.md"
"""The one list of documents: a heading for each kind, an entry for each document."""
_ENTRY = re.compile(r"^- \[([^\]]+)\]\(([^)]+)\): (.+)$", re.MULTILINE)
_LINK = re.compile(r'(?P<before>(?:href|src)=")(?P<target>[^"#:]+)(?P<anchor>#[^"]*)?"')
_NAMED = re.compile(r'(?P<link><a href="(?P<target>[^"#:]+)[^"]*">)[\w/-]+\.md</a>')
_OTHERS = {
    ROOT / "README.md": "docs/walkthrough.html",
    ROOT / ".github" / "CONTRIBUTING.md": "docs/contributing.html",
    ROOT / ".github" / "SECURITY.md": "docs/security.html",
    ROOT / ".github" / "CODE_OF_CONDUCT.md": "docs/code_of_conduct.html",
    LIST: "docs/index.html",
    DOCS / "course" / "README.md": "course/index.html",
    ROOT / "scenarios": "gallery.html",
    ROOT / "walkthrough" / "library.py": "docs/api.html",
    ROOT: "docs/walkthrough.html",
}
"""What is written elsewhere than its name says."""


class Entry(NamedTuple):
    """An entry of the list of documents: its title, its file, and what is said of it."""

    title: str
    file: Path
    said: str


def entries(text: str) -> list[Entry]:
    """The entries of the list of documents, in order."""
    return [Entry(title, (DOCS / target).resolve(), said) for title, target, said in _ENTRY.findall(text)]


def place_of(file: Path) -> str | None:
    """Where a document is written, from the folder of the site; None for a file that is none."""
    if file in _OTHERS:
        return _OTHERS[file]
    if file.suffix != ".md":
        return None
    if file.parent == DOCS / "course":
        return f"course/{file.stem}.html"
    return f"docs/{file.stem.lower()}.html" if file.parent == DOCS else None


def write_documents(out: Output, search: SearchIndex) -> None:
    """Writes all documents but the course, the reference of the library, and llms.txt."""
    others = [file for file in _OTHERS if file.suffix == ".md" and file.parent != DOCS / "course"]
    for file in dict.fromkeys([*others, *sorted(DOCS.glob("*.md"))]):
        _write(file, file.read_text(encoding="utf-8"), out, search)
    _write(DOCS / "api.md", api(), out, search)
    out.write("llms.txt", _llms())


def _write(file: Path, text: str, out: Output, search: SearchIndex) -> None:
    place = place_of(file)
    assert place is not None
    body = document(file, text, place, out)
    found = headings(body)
    title = found[0].text
    search.add_document(place, title, found)
    out.write(place, Page(place, title, body).html())


def document(file: Path, markdown: str, place: str, out: Output) -> str:
    """Markdown as HTML with its links as the site has them. file: what they are relative to"""
    body = _NAMED.sub(lambda found: _titled(found, file), render(markdown))
    return _LINK.sub(lambda found: _linked(found, file, place, out), body)


def _titled(found: re.Match[str], file: Path) -> str:
    """A link whose words are the name of a file, which no reader of the site sees: with the document's title."""
    heading = (file.parent / found["target"]).read_text(encoding="utf-8").partition("\n")[0]
    return f"{found['link']}{span(heading.removeprefix('# '))}</a>"


def _linked(found: re.Match[str], file: Path, place: str, out: Output) -> str:
    """A link to a document, or to another file of the repository, which is copied into the site."""
    source = (file.parent / found["target"]).resolve()
    target, anchor = found["target"], found["anchor"] or ""
    if source.is_relative_to(ROOT) and source.exists():
        target = "../" * place.count("/") + (place_of(source) or copied(source, out))
    return f'{found["before"]}{target}{anchor}"'


def copied(source: Path, out: Output) -> str:
    """Copies a file, or the files in a folder with a list of them; where it is to be found, from the site's folder."""
    place = f"files/{source.relative_to(ROOT).as_posix()}"
    if source.is_file():
        out.write(place, source.read_bytes())
        return place
    files = sorted(file for file in source.iterdir() if file.is_file())
    links = "".join(f'<li><a href="{escape(file.name)}">{escape(file.name)}</a></li>\n' for file in files)
    for file in files:
        copied(file, out)
    page = f"{place}/index.html"
    out.write(page, Page(page, source.name, f"<h1>{escape(source.name)}</h1>\n<ul>\n{links}</ul>\n").html())
    return page


def _llms() -> str:
    """What the program is, and each document with a line."""
    about = next(_paragraphs((ROOT / "README.md").read_text(encoding="utf-8")))
    lines = [f"# walkthrough\n\n> {plain(span(about))}\n"]
    for section in LIST.read_text(encoding="utf-8").split("\n## ")[1:]:
        listed = [(place_of(one.file), one) for one in entries(section)]
        links = (f"- [{one.title}]({place}): {plain(span(one.said))}" for place, one in listed if place is not None)
        lines.append("\n".join([f"\n## {section.partition(chr(10))[0]}\n", *links, ""]))
    return "".join(lines)


def _paragraphs(markdown: str) -> Iterator[str]:
    """The paragraphs of a document, each on one line."""
    for block in markdown.split("\n\n"):
        if re.match(r"[\w`*]", block):
            yield " ".join(block.split())
