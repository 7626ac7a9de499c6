"""The page of the playground, and what takes its place where there is no Python for the browser."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

from docs.site.output import Output
from docs.site.page import Page
from docs.site.playground.bundle import bundle, licences
from docs.site.playground.pyodide import Pyodide
from walkthrough.scenario.gallery import gallery, grouped
from walkthrough.scenario.sources import bundled_scenarios

WEB = Path(__file__).parent / "web"
STARTER = Path(__file__).resolve().parents[3] / "walkthrough" / "scenario" / "starter.yaml"
TITLE = "Playground"
_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; "
    "frame-src 'self'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
)


def write_playground(out: Output, pyodide: Pyodide | None) -> None:
    """Writes try/: the playground with its own copy of Python, or how to install the program."""
    if pyodide is None:
        out.write("try/index.html", Page("try/index.html", TITLE, _placeholder()).html())
        return
    style = (WEB / "playground.css").read_text(encoding="utf-8")
    out.write("try/index.html", Page("try/index.html", TITLE, _body(), _POLICY, style).html())
    for file in sorted([*WEB.glob("*.js"), *WEB.glob("*.html")]):
        out.write(f"try/{file.name}", file.read_bytes())
    for name, content in pyodide.files():
        out.write(f"try/{name}", content)
    for name, file in {**bundled_scenarios(), "starter": STARTER}.items():
        out.write(f"try/scenarios/{name}.yaml", file.read_bytes())
    out.write("try/walkthrough.zip", bundle())
    out.write("try/licences.txt", licences(pyodide))


def _placeholder() -> str:
    return (WEB / "placeholder.htm").read_text(encoding="utf-8")


def _body() -> str:
    return (WEB / "body.htm").read_text(encoding="utf-8").replace("<!-- examples -->", "".join(_examples()))


def _examples() -> Iterator[str]:
    """The scenarios in their groups; one that is in several stands in its first."""
    for title, members in grouped(gallery()):
        options = (
            f'<option value="{escape(one.name)}">{escape(one.name)}: {escape(one.title)}</option>\n' for one in members
        )
        yield f'<optgroup label="{escape(title)}">\n{"".join(options)}</optgroup>\n'
    starter = '<option value="starter">A commented scenario to start from</option>'
    yield f'<optgroup label="Your own">\n{starter}\n</optgroup>\n'
