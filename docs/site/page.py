"""A page of the site: what is the same on all of them."""

from __future__ import annotations

from docs.site.style import STYLE
from walkthrough.records import Record

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' file: data:; base-uri 'none'; form-action 'none'"
)


class Page(Record):
    """A page.

    place:  its path in the site
    title:  as plain text with entities
    body:   what stands in main
    policy: what it may load; style: what it adds; attributes: of its body
    """

    place: str
    title: str
    body: str
    policy: str = POLICY
    style: str = ""
    attributes: str = ""

    def html(self) -> str:
        """The whole file."""
        up = "../" * self.place.count("/")
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{self.policy}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n<link rel="icon" href="data:,">\n'
            f"<title>{self.title}</title>\n<style>{STYLE}{self.style}</style>\n</head>\n"
            f'<body{self.attributes}>\n<nav><a href="{up}index.html">walkthrough</a></nav>\n'
            f"<main>\n{self.body}</main>\n</body>\n</html>\n"
        )
