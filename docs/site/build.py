"""Builds the site: a gallery of the bundled scenarios with their live pages, the documents and the playground.

Any static host can serve it, and its links work from the folder itself; no page asks for anything from elsewhere.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt

import walkthrough
from docs.site.output import Output
from docs.site.page import Page
from docs.site.picture import picture
from docs.site.playground.page import write_playground
from docs.site.playground.pyodide import Pyodide
from walkthrough.recording.parts import parts_of
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.text import escape_text
from walkthrough.views.options import Options
from walkthrough.views.page import html
from walkthrough.views.selection import TooLargeError
from walkthrough.views.text.html import span_html

ROOT = Path(__file__).resolve().parents[2]
_PLACES = {"docs": "", "docs/course": "course-", ".github": ""}
"""The folders of documents, and what the names of their pages begin with."""
_LINK = re.compile(r'(?P<before>(?:href|src)=")(?P<target>[^"#:]+)(?P<anchor>#[^"]*)?"')
_HEADING = re.compile(r"<h([1-6])>(.*?)</h\1>", re.DOTALL)


def build(out: Output, pyodide: Pyodide | None = None) -> None:
    """Writes the site; with a Pyodide, its playground too."""
    cards = [card(name, out) for name in bundled_scenarios()]
    pages = [ROOT / "README.md", *(page for place in _PLACES for page in sorted((ROOT / place).glob("*.md")))]
    titles = {written(page).name: document(page, out) for page in pages}
    out.write("index.html", Page("index.html", "walkthrough", index(cards, titles)).html())
    write_playground(out, pyodide)


def card(name: str, out: Output) -> str:
    """Writes the live page of a scenario; its entry in the gallery."""
    trace = walkthrough.trace(walkthrough.load_scenario(name))
    about = trace.description.strip().partition("\n\n")[0]
    part = live_page(trace, f"scenarios/{name}.html", out)
    note = f"<p class=note>Shown: {escape(part)}</p>" if part else ""
    return (
        f'<li><a href="scenarios/{name}.html">{picture(trace)}<h3>{escape(escape_text(trace.title))}</h3></a>'
        f"<p>{span_html(escape_text(' '.join(about.split())))}</p>{note}"
        f"<p class=note><code>walkthrough run {escape(name)}</code></p></li>\n"
    )


def live_page(trace: walkthrough.Trace, place: str, out: Output) -> str:
    """Writes the live page of a trace; of one that is too large the first part that is not. The path of that part."""
    names = next((parts_of(value.path) for value in trace if parts_of(value.path)), ())
    for part in ("", *(name.path for name in names)):
        options = Options(steps=(part,) if part else ())
        try:
            with out.open(place) as file:
                html.write(trace, options, file)
        except TooLargeError:
            continue
        return part
    raise ValueError(f"{trace.title}: every part is too large for a page")


def written(page: Path) -> Path:
    """Where a document is written, from the folder of the site."""
    if page.parent == ROOT:
        return Path("docs/walkthrough.html")
    return Path("docs") / f"{_PLACES[page.parent.relative_to(ROOT).as_posix()]}{page.stem.lower()}.html"


def document(page: Path, out: Output) -> str:
    """Writes a document as HTML, with whatever of the repository it links to; its title."""
    text = re.sub(r"^<!-- .*? -->\n", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    body = MarkdownIt("gfm-like", {"linkify": False}).render(text)
    body = _LINK.sub(lambda found: linked(found, page, out), _HEADING.sub(anchored, body))
    heading = _HEADING.search(body) or re.search(r"<h(1)[^>]*>(.*?)</h1>", body, re.DOTALL)
    title = re.sub(r"<[^>]*>", "", heading[2]) if heading else page.stem
    place = written(page).as_posix()
    out.write(place, Page(place, title, body).html())
    return title


def anchored(found: re.Match[str]) -> str:
    """A heading with the anchor that GitHub gives it."""
    words = re.sub(r"<[^>]*>", "", found[2]).lower()
    name = re.sub(r"[^\w\- ]", "", re.sub(r"&\w+;", "", words)).replace(" ", "-")
    return f'<h{found[1]} id="{escape(name)}">{found[2]}</h{found[1]}>'


def linked(found: re.Match[str], page: Path, out: Output) -> str:
    """A link between documents, or to a file of the repository, which is copied into the site."""
    source = (page.parent / found["target"]).resolve()
    target, anchor = found["target"], found["anchor"] or ""
    if source.suffix == ".md" and source.is_file():
        target = written(source).name
    elif source == ROOT / "scenarios":
        target = "../index.html"
    elif source.is_relative_to(ROOT) and source.exists():
        target = f"../{copied(source, out).as_posix()}"
    return f'{found["before"]}{target}{anchor}"'


def copied(source: Path, out: Output) -> Path:
    """Copies a file, or the files in a folder with a list of them; where it is to be found, from the site's folder."""
    place = Path("files") / source.relative_to(ROOT)
    if source.is_file():
        out.write(place.as_posix(), source.read_bytes())
        return place
    names = [copied(file, out).name for file in sorted(source.iterdir()) if file.is_file()]
    links = "".join(f'<li><a href="{escape(name)}">{escape(name)}</a></li>\n' for name in names)
    page = place / "index.html"
    out.write(
        page.as_posix(), Page(page.as_posix(), source.name, f"<h1>{source.name}</h1>\n<ul>\n{links}</ul>\n").html()
    )
    return page


def index(cards: list[str], titles: dict[str, str]) -> str:
    """The first page: the gallery, and the list of documents."""
    links = "".join(f'<li><a href="docs/{name}">{title}</a></li>\n' for name, title in titles.items())
    return (
        "<h1>walkthrough</h1>\n<p>Worked examples of the Transformer: every matrix step by step, every number with its "
        "arithmetic. Open an example, point at a number to see where it comes from, change one and watch what "
        "follows.</p>\n"
        f"<h2>Examples</h2>\n<ul class=gallery>\n{''.join(cards)}</ul>\n<h2>Documents</h2>\n<ul>\n{links}</ul>\n"
    )
