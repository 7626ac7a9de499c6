"""Files of tensors: the shape of each from the head of the file, its numbers when they are wanted."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from walkthrough.errors import reason_of
from walkthrough.scenario.file_checks import MOST_NUMBERS, check_is_file
from walkthrough.scenario.tensors.npy import Npy, Npz
from walkthrough.scenario.tensors.safetensors import Safetensors, SafetensorsIndex
from walkthrough.scenario.yaml.problems import WeightsError
from walkthrough.text import in_quotes

_INDEX = ".safetensors.index.json"


class WeightsFile(Protocol):
    """A file of tensors. What cannot be had raises WeightsError."""

    def names(self) -> list[str]:
        """The names of the tensors; none where there is one without a name."""

    def shape(self, name: str | None) -> list[int]:
        """The shape of a tensor of real numbers."""

    def read(self, name: str | None, rows: list[int] | None) -> Any:
        """Its numbers, of the type stored, or those of the rows from the first to the last, counted from 1."""


_OF_TORCH = (".pt", ".pth", ".bin", ".ckpt")
"""How the names of PyTorch's own files end."""

KINDS: dict[str, Callable[[Path], WeightsFile]] = {
    ".safetensors": Safetensors,
    ".npz": Npz,
    ".npy": Npy,
    _INDEX: SafetensorsIndex,
}
"""How a file's name ends, and its kind."""


def hint_for(path: Path) -> str:
    """What to do with a file of another kind, where that is known."""
    if path.suffix == ".json":
        return f"for a checkpoint in several files, give its {_INDEX}"
    if path.suffix.lower() in _OF_TORCH:
        return "a file of torch.save can run code when it is read: write the tensors with safetensors.torch.save_file"
    return ""


def open_weights(path: Path, name: str = "") -> WeightsFile:
    """The file of tensors at a path, which the user called `name`; a WeightsError that says what is there instead."""
    kind = KINDS.get(_INDEX if path.name.lower().endswith(_INDEX) else path.suffix.lower())
    if kind is None:
        message = f"{in_quotes(name or path.name)} is not a .safetensors, .npz or .npy file"
        raise WeightsError(message, "file", hint_for(path))
    check_is_file(path)
    try:
        with path.open("rb"):  # whether we may
            return kind(path)
    except OSError as error:
        raise WeightsError(f"{in_quotes(str(path))} cannot be read: {reason_of(error)}", "file") from None


def read_tensors(path: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """All arrays of a file by name, of the types stored; and of those that cannot be had, why. An .npy's is the file's.

    Before anything is read: a WeightsError where together they have too many numbers.
    """
    opened = open_weights(path)
    names: dict[str, str | None] = {path.stem: None} if isinstance(opened, Npy) else {n: n for n in opened.names()}
    shapes: dict[str, list[int]] = {}
    others: dict[str, str] = {}
    for name, own in names.items():
        try:
            shapes[name] = opened.shape(own)
        except WeightsError as error:
            others[name] = str(error)
    if (total := sum(map(math.prod, shapes.values()))) > MOST_NUMBERS:
        raise WeightsError(f"{in_quotes(path.name)} has {total:,} numbers, more than {MOST_NUMBERS:,}", "file")
    return {name: opened.read(names[name], None) for name in shapes}, others
