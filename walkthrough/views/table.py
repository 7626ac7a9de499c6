"""Plain tables of texts: columns padded to equal width."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len


def padded(header: Sequence[str] | None, rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """The lines of a table; the columns whose numbers stand in `right` are set flush right."""
    lines = [*([header] if header else []), *rows]
    widths = [max(cell_len(line[at]) for line in lines) for at in range(len(lines[0]))] if lines else []

    def cell(text: str, at: int) -> str:
        space = " " * (widths[at] - cell_len(text))
        return space + text if at in right else text + space

    return ["  ".join(cell(text, at) for at, text in enumerate(line)).rstrip() for line in lines]
