"""The languages that people read sheets and marks in, a file each: English, the source, first."""

from pathlib import Path

LANGUAGES = ("en", *sorted({path.stem for path in Path(__file__).parent.glob("[!_]*.py")} - {"en"}))
"""Their names, which are those of the files."""
