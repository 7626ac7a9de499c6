"""The style of the pages of the site; the live pages have their own."""

from __future__ import annotations

from pathlib import Path

STYLE = (Path(__file__).parent / "web" / "site.css").read_text(encoding="utf-8")
