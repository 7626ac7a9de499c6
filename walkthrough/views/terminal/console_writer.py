"""Prints lines on a console: harmless, in the characters that its encoding has, and exactly as laid out."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.style import Style
from rich.text import Text

from walkthrough.text import escape_label, escape_text
from walkthrough.views.report.grid import Grid

WIDEST_TEXT = 100
"""Prose is not set wider than this, however wide the terminal."""


class ConsoleWriter:
    """A console, its width, and what can be said on it."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._file = console.file
        self._encoding = console.encoding
        self.width = console.width
        self.text_width = min(console.width, WIDEST_TEXT)
        self.ellipsis = self.spell("…")
        self.is_plain = console.color_system is None and not console.is_terminal and not console.record

    def write_line(self, text: str = "", style: str = "") -> None:
        """Prints one line in one style."""
        self.write_pieces((text, style))

    def write_lines(self, texts: Iterable[str], style: str = "") -> None:
        """Prints several lines."""
        for text in texts:
            self.write_line(text, style)

    def write_pieces(self, *pieces: tuple[str, str | Style | None]) -> None:
        """Prints one line of several styles; rich wraps, crops and interprets nothing."""
        if self.is_plain:  # rich takes ten times as long to add nothing
            self._file.write(self.spell("".join([piece for piece, _ in pieces])) + "\n")
            return
        text = Text()
        for piece, style in pieces:
            text.append(self.spell(piece), style=style or None)
        self.console.print(
            text, soft_wrap=True, no_wrap=True, overflow="ignore", crop=False, highlight=False, markup=False
        )

    def safe_text(self, text: str) -> str:
        """Text of a scenario: no control characters, and nothing that the encoding lacks."""
        return self.spell(escape_text(text))

    def safe_grid(self, grid: Grid) -> Grid:
        """The table with harmless texts, so that it can be laid out."""
        rows, columns = self._labels(grid.rows), self._labels(grid.columns)
        return grid._replace(rows=rows, columns=columns, cells=tuple(map(self._labels, grid.cells)))

    def _labels(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self.spell(escape_label(text)) for text in texts)

    def spell(self, text: str) -> str:
        """The text, with characters that the console's encoding lacks written in ASCII."""
        if self._can_say(text):
            return text
        return "".join(character if self._can_say(character) else _ascii(character) for character in text)

    def _can_say(self, text: str) -> bool:
        if text.isascii():
            return True
        try:
            text.encode(self._encoding)
        except (UnicodeEncodeError, LookupError):
            return False
        return True


def _ascii(character: str) -> str:
    return _ASCII.get(character) or character.encode("ascii", "backslashreplace").decode("ascii")


_ASCII = {
    "×": "x", "·": "*", "−": "-", "√": "sqrt ", "ᵀ": "^T", "→": "->", "…": "...", "─": "-", "–": "-", "—": "-",
    "═": "=", "Σ": "sum", "σ": "sigma", "μ": "mu", "γ": "gamma", "β": "beta", "ε": "eps", "∞": "inf", "⊙": "(.)",
    "ŷ": "y^", "├": "|", "└": "`", "│": "|", "π": "pi", "∂": "d", "η": "eta", "‘": "'", "’": "'", "“": '"', "”": '"',
    **{raised: f"^{digit}" for digit, raised in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
}  # fmt: skip
