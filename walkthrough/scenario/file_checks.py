"""What every kind of weights file is checked for, and how its faults are told: never in a library's own words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from walkthrough.scenario.yaml.problems import WeightsError
from walkthrough.text import did_you_mean, in_quotes

MOST_NUMBERS = 250_000_000
"""Numbers of one tensor: 2 GB as float64, against archives that are small only on disk."""


def unreadable(path: Path, reason: str) -> WeightsError:
    """The error for a file that is not what its name says, or is damaged."""
    return WeightsError(f"{in_quotes(path.name)} cannot be read: {reason}", "file")


def find_name(name: str | None, names: Sequence[str]) -> str:
    """The name of a tensor as the file has it; a WeightsError that helps to find it where there is none."""
    if name is None:
        raise WeightsError("no tensor is named", help=f"add tensor: …; the file has {_list_names(names)}")
    if name not in names:
        help = did_you_mean(name, names) or f"it has {_list_names(names)}"
        raise WeightsError(f"the file has no tensor {in_quotes(name)}", "tensor", help)
    return names[names.index(name)]


def _list_names(names: Sequence[str]) -> str:
    more = ", …" if len(names) > 6 else ""
    return ", ".join(map(in_quotes, names[:6])) + more or "none"


def no_real_numbers(held: str, key: str = "tensor") -> WeightsError:
    """The error for a tensor of words, truth values, complex numbers and the like."""
    return WeightsError(f"the tensor holds {held}, expected real numbers", key)


def check_count(shape: Sequence[int], what: str = "the tensor") -> None:
    """Raises WeightsError where the numbers would not fit into memory."""
    if math.prod(shape) > MOST_NUMBERS:
        raise WeightsError(f"{what} has {'×'.join(map(str, shape))} numbers, more than {MOST_NUMBERS:,}", "tensor")
