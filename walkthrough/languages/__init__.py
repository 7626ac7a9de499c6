"""The languages that people read, a data file each: English, the source, first; `catalogue.py` says things in them."""

from pathlib import Path

_OTHERS = {path.stem for path in Path(__file__).parent.glob("*.yaml")} - {"en"}
LANGUAGES = ("en", *sorted(_OTHERS))
"""Their names, which are those of the files."""
