"""Makes workbook.png: two pages of a workbook as LibreOffice prints them. Needs soffice, pdftoppm and Pillow."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageChops

HERE = Path(__file__).parent
SCENARIO, FIRST, LAST = "chai", 4, 5


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(sys.executable, "-m", "walkthrough", "export", SCENARIO, "-o", str(folder / "book.xlsx"))
        profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
        run("soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", name, str(folder / "book.xlsx"))
        side_by_side(pages(folder / "book.pdf", FIRST, LAST), HERE / "workbook.png")


def pages(document: Path, first: int, last: int) -> list[Image.Image]:
    """Pages of a PDF, without what is empty around them."""
    to = str(document.parent / "page")
    run("pdftoppm", "-r", "100", "-f", str(first), "-l", str(last), "-png", str(document), to)
    return [cropped(Image.open(page)) for page in sorted(document.parent.glob("page*.png"))]


def run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)


def cropped(page: Image.Image) -> Image.Image:
    """The page without its foot and its white margins."""
    page = page.convert("RGB").crop((0, 0, page.width, int(page.height * 0.93)))
    box = ImageChops.difference(page, Image.new("RGB", page.size, "white")).getbbox()
    return page.crop(box) if box else page


def side_by_side(pages: list[Image.Image], file: Path) -> None:
    """The pages as one picture."""
    gap = 40
    size = sum(page.width for page in pages) + gap * (len(pages) + 1), max(page.height for page in pages) + 2 * gap
    picture = Image.new("RGB", size, "white")
    left = gap
    for page in pages:
        picture.paste(page, (left, gap))
        left += page.width + gap
    picture.quantize(64).save(file, optimize=True)


if __name__ == "__main__":
    main()
