"""Makes latex.png: two pages of a LaTeX document. `python -m docs.pictures.latex` needs pdflatex, pdftoppm and Pillow."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from docs.pictures.workbook import HERE, pages, run, side_by_side

SCENARIO, FIRST, LAST = "chai", 4, 5


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(sys.executable, "-m", "walkthrough", "export", SCENARIO, "-o", str(folder / "document.tex"))
        run("pdflatex", "-output-directory", name, "-interaction=nonstopmode", str(folder / "document.tex"))
        side_by_side(pages(folder / "document.pdf", FIRST, LAST), HERE / "latex.png")


if __name__ == "__main__":
    main()
