"""A page of the site: what is the same on all of them."""

from __future__ import annotations

from html import escape
from pathlib import Path

from walkthrough.records import Record

SCRIPT = "site.js"
"""The script of every page, beside index.html: the search."""
POLICY = (
    "default-src 'none'; script-src 'self' file:; style-src 'unsafe-inline'; img-src 'self' file: data:; "
    "frame-src 'self' file:; base-uri 'none'; form-action 'none'"
)
"""What a page may load; from a folder, a browser has no other name for its own files than file:."""
NAVIGATION = {
    "index.html": "walkthrough",
    "course/index.html": "Course",
    "docs/index.html": "Docs",
    "gallery.html": "Gallery",
    "try/index.html": "Playground",
    "errata/index.html": "Errata",
}
WEB = Path(__file__).parent / "web"
STYLE = (WEB / "site.css").read_text(encoding="utf-8")


class Page(Record):
    """A page.

    place:  its path in the site
    title:  as plain text
    body:   what stands in main, as HTML
    policy: what it may load; style: what it adds; scripts: files beside index.html
    """

    place: str
    title: str
    body: str
    policy: str = POLICY
    style: str = ""
    scripts: tuple[str, ...] = ()

    def html(self) -> str:
        """The whole file."""
        up = "../" * self.place.count("/")
        title = "walkthrough" if self.place == "index.html" else f"{escape(self.title)} · walkthrough"
        scripts = "".join(f'<script src="{up}{name}" defer></script>\n' for name in (SCRIPT, *self.scripts))
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{self.policy}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n<link rel="icon" href="data:,">\n'
            f"<title>{title}</title>\n<style>{STYLE}{self.style}</style>\n{scripts}</head>\n"
            f'<body data-up="{up}">\n<a class="skip" href="#main">Skip to the content</a>\n'
            f'<header>\n<nav aria-label="Site">{self._navigation(up)}</nav>\n{_SEARCH}</header>\n'
            f'<main id="main" tabindex="-1">\n{self.body}</main>\n</body>\n</html>\n'
        )

    def _navigation(self, up: str) -> str:
        links = []
        for place, title in NAVIGATION.items():
            is_here = place == self.place
            is_within = "/" in place and place.partition("/")[0] == self.place.partition("/")[0]
            current = ' aria-current="page"' if is_here else ' aria-current="true"' if is_within else ""
            links.append(f'<a href="{up}{place}"{current}>{title}</a>')
        return "\n".join(links)


_SEARCH = (
    '<div class="search"><input id="search" type="search" placeholder="Search" aria-label="Search" '
    'autocomplete="off"><span id="found" class="unseen" role="status"></span>'
    '<nav id="results" aria-label="Search results" tabindex="-1" hidden></nav></div>\n'
)
