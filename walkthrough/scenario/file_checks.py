"""What every kind of file is checked for, and how its faults are worded: never in a library's own words."""

from __future__ import annotations

import math
import stat
from collections.abc import Sequence
from pathlib import Path

from walkthrough.errors import reason_of
from walkthrough.scenario.yaml.problems import WeightsError
from walkthrough.text import did_you_mean, escape_label, in_quotes

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


def no_real_numbers(held: str) -> WeightsError:
    """The error for a tensor of words, truth values, complex numbers and the like."""
    return WeightsError(f"the tensor holds {held}, expected real numbers", "tensor")


def check_count(shape: Sequence[int], what: str = "the tensor") -> None:
    """Raises WeightsError where the numbers would not fit into memory."""
    if math.prod(shape) > MOST_NUMBERS:
        raise WeightsError(f"{what} has {'×'.join(map(str, shape))} numbers, more than {MOST_NUMBERS:,}", "tensor")


def check_is_file(path: Path) -> None:
    """Raises WeightsError where there is no file, or something that is none."""
    shown = f"'{escape_label(str(path))}'"
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: a NUL in the name
        if _is_link(path):
            raise WeightsError(f"{shown} is a link to a file that does not exist", "file") from None
        raise WeightsError(f"there is no file {shown}", "file", _neighbours(path)) from None
    except OSError as error:
        raise WeightsError(f"{shown} cannot be read: {reason_of(error)}", "file") from None
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "a pipe" if stat.S_ISFIFO(mode) else "a device or socket"
        raise WeightsError(f"{shown} is {what}, not a file", "file")


def _is_link(path: Path) -> bool:
    try:
        return path.is_symlink()
    except (OSError, ValueError):
        return False


def _neighbours(path: Path) -> str:
    """A file of its kind and of a similar name beside one that is not there."""
    try:
        beside = (other for other in path.parent.iterdir() if other.suffix == path.suffix and other.is_file())
        return did_you_mean(path.name, sorted(other.name for other in beside))
    except (OSError, ValueError):
        return ""
