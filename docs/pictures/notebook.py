"""Photographs notebook.png: two steps of a notebook after it has run. Needs nbclient, ipykernel, nbconvert, Playwright
and chromium.

python -m docs.pictures.notebook
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbconvert import HTMLExporter

import walkthrough
from tests.browser.pages import chromium
from walkthrough.explaining.formulas import formula_mathml
from walkthrough.recording.trace import Trace
from walkthrough.views import formats
from walkthrough.views.options import Options

PICTURE = Path(__file__).parent / "notebook.png"
SCENARIO, FIRST, CELLS = "chai", "encoder.1.attention.head.1.scores", 4
_FORMULA = re.compile(r"\$\$.*?\$\$", re.DOTALL)


def ran(trace: Trace) -> nbformat.NotebookNode:
    """The notebook after it has run, with the cells that are shown."""
    notebook = nbformat.reads(formats.to_bytes(trace, Options(), "notebook").decode(), 4)
    NotebookClient(notebook).execute()
    first = next(at for at, cell in enumerate(notebook.cells) if f"`{FIRST}`" in cell.source)
    notebook.cells = notebook.cells[first : first + CELLS]
    return notebook


def page(trace: Trace) -> str:
    """As Jupyter shows it; formulas in MathML, since its own writer of them has to be fetched."""
    notebook = ran(trace)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            path = re.findall(r"`([\w.]+)`", cell.source)[0]
            math = f'<math display="block" style="font-size:1.3em">{formula_mathml(trace[path])}</math>'
            cell.source = _FORMULA.sub(lambda _, math=math: math, cell.source)
    text, _ = HTMLExporter(template_name="lab").from_notebook_node(notebook)
    return text


def photograph(file: Path) -> None:
    """The page without its empty margins; nothing is asked for."""
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        written = Path(folder) / "notebook.html"
        written.write_text(page(walkthrough.trace(walkthrough.load_scenario(SCENARIO))), encoding="utf-8")
        shown = browser.new_page(viewport={"width": 760, "height": 900})
        shown.route("**/*", lambda route: route.continue_() if route.request.url.startswith("file:") else route.abort())
        shown.goto(written.as_uri())
        shown.wait_for_timeout(300)
        shown.locator("main, body").first.screenshot(path=file)


if __name__ == "__main__":
    photograph(PICTURE)
