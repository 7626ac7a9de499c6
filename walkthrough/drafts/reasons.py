"""Why a table is not placed: each reason is true of the step it names."""

from __future__ import annotations

from collections.abc import Sequence

from walkthrough.drafts.fit import ENOUGH, Fit, ReadCells, foreign_labels, shape_of, share
from walkthrough.drafts.markup import clean
from walkthrough.drafts.names import Named
from walkthrough.expressions.tree.shapes import shape_text
from walkthrough.recording.values import Value
from walkthrough.text import escape_label

NO_NAME = "it has no name"
HOW_TO_NAME = (
    "A table is named by a heading, caption, symbol or path before it: “Scaled scores”, “S' =”, “scaled_scores”."
)


def differs(named: Named, table: ReadCells) -> str:
    """A table that fits no step of its name."""
    alike = [value for value in named.values if value.shape == shape_of(table)]
    if alike:
        return _no_numbers(alike, table)
    shapes = list(dict.fromkeys(shape_text(value.shape) for value in named.values))
    paths = named.values[0].path + (", …" if len(named.values) > 1 else "")
    return f"{clean(named.name)} is {' or '.join(shapes[:3])} ({paths})"


def fits_nowhere(steps: Sequence[Value], table: ReadCells) -> str:
    """A table without a name that fits no step."""
    shape = shape_of(table)
    alike = [value for value in steps if value.shape == shape]
    return _no_numbers(alike, table) if alike else f"no step is {shape_text(shape)}"


def _no_numbers(steps: Sequence[Value], table: ReadCells) -> str:
    """A table of the right shape: what it holds is not what the steps hold."""
    words = [entry.text for line in table for entry in line if entry.is_word]
    said = f" (it says {_few(words)})" if words else ""
    return f"it has the shape of {_listed(steps)}, but too few of its cells are numbers of it{said}"


def unlike(fits: Sequence[Fit]) -> str:
    """Steps that it could be, if its numbers were theirs; without a name half of them are not enough."""
    few = "fewer than half" if max(map(share, fits)) < ENOUGH else "it has no name, and too few"
    nearest = sorted(fits, key=share, reverse=True)
    return f"{few} of its numbers are those of {_listed([one.value for one in nearest])}"


def has_other_labels(one: Fit, table: ReadCells) -> str:
    """A table about other words."""
    printed, expected = foreign_labels(table, one.value)
    return f"its labels ({_few(printed)}) are none of those of {one.value.path} ({_few(expected)})"


def is_another(one: Fit, other: Fit) -> str:
    """A table whose text names one step while its numbers are another's, printed before."""
    return (
        f"its text names {one.value.path}, but its numbers are those of {other.value.path}, which stands above already"
    )


def is_called_otherwise(one: Fit, other: Fit) -> str:
    """A table under the symbol of one step whose numbers are all another's: the author's symbols are others."""
    return f"its symbol is that of {one.value.path} here, but its numbers are those of {other.value.path}"


def _listed(steps: Sequence[Value]) -> str:
    return _few([value.path for value in steps])


def _few(names: Sequence[str]) -> str:
    return ", ".join(map(escape_label, names[:3])) + (", …" if names[3:] else "")
