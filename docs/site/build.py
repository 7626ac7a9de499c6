"""Builds the site: pages that any static host can serve, and whose links work from the folder itself.

No page asks for anything from elsewhere; the same tree gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

from docs.site.course import write_course
from docs.site.documents import write_documents
from docs.site.examples import Example, write_examples
from docs.site.output import Output
from docs.site.page import SCRIPT, WEB
from docs.site.playground.page import write_playground
from docs.site.playground.pyodide import Pyodide
from docs.site.search import SearchIndex
from docs.site.start import write_start
from walkthrough.scenario.gallery import Listed, gallery
from walkthrough.teaching.lessons.chapters import Chapter, chapters


def build(
    out: Output,
    pyodide: Pyodide | None = None,
    listed: Sequence[Listed] | None = None,
    course: Sequence[Chapter] | None = None,
) -> None:
    """Writes the site; with a Pyodide, its playground too.

    listed: scenarios for the gallery, course: chapters; by default all
    """
    search = SearchIndex()
    write_start(out)
    write_documents(out, search)
    write_course(chapters() if course is None else course, out, search)
    write_examples([Example(one) for one in (gallery() if listed is None else listed)], out, search)
    write_playground(out, pyodide)
    search.write(out)
    out.write(SCRIPT, (WEB / SCRIPT).read_bytes())
