"""The tensors of a checkpoint against the layout of its family: names, shapes and types; no number is read for that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

from walkthrough.checkpoints.layout import ALWAYS, IF_THERE, SEPARATE, STACKED, CheckpointModel, Family, Size, Tensor
from walkthrough.checkpoints.problems import CheckpointError
from walkthrough.errors import reason_of
from walkthrough.scenario.tensors.files import open_weights
from walkthrough.scenario.yaml.problems import WeightsError
from walkthrough.text import did_you_mean, escape_text, in_quotes, pluralize

ONE, SEVERAL = "model.safetensors", "model.safetensors.index.json"
_FLOATS = ("F64", "F32", "F16", "BF16")
_ROWS = 4096


def weights_path(folder: Path) -> Path:
    """The weights file of a folder, or the index of several. Raises CheckpointError where there is none."""
    for name in (ONE, SEVERAL):
        if (folder / name).exists():
            return folder / name
    try:
        pickled = sorted(path.name for path in folder.iterdir() if path.suffix in (".bin", ".pt", ".pth", ".ckpt"))
    except OSError as error:
        raise CheckpointError(folder, f"it cannot be read: {reason_of(error)}") from None
    help = f"expected {ONE}, or {SEVERAL} with its files"
    if pickled:
        help += f"; {in_quotes(pickled[0])} is pickled, which can run code: convert it first"
    raise CheckpointError(folder, "there are no weights in it", help)


def opened(path: Path, read: Any) -> Any:
    """What reading gives; a fault of the file as a CheckpointError."""
    try:
        return read()
    except WeightsError as error:
        fault = str(error).replace(f"{in_quotes(path.name)} ", "it ", 1)
        raise CheckpointError(path, fault, error.help) from None
    except OSError as error:
        raise CheckpointError(path, f"it cannot be read: {reason_of(error)}") from None


class Weights:
    """The tensors of a checkpoint, and which of them its family takes."""

    def __init__(self, path: Path, family: Family, model: CheckpointModel) -> None:
        self.path, self.family, self.model = path, family, model
        self.encoder: Weights | None = None
        if family.encoder is not None and model.encoder is not None:
            self.encoder = Weights(path, family.encoder, model.encoder)
        self.names = self._opened(lambda: dict.fromkeys(self.file.names()))
        probe = family.outside[0].names
        found = [prefix for prefix in family.prefixes if any(prefix + name in self.names for name in probe)]
        if not found:
            wanted = " or ".join(in_quotes(prefix + probe[0]) for prefix in family.prefixes)
            near = did_you_mean(family.prefixes[0] + probe[0], self.names)
            raise CheckpointError(path, f"it has no tensor {wanted}, the embeddings of a {family.name}", near)
        self.prefix = found[0]

    @cached_property
    def file(self) -> Any:
        """The file, or the index of several."""
        return self._opened(lambda: open_weights(self.path))

    def _opened(self, read: Any) -> Any:
        return opened(self.path, read)

    def tensors(self) -> Iterator[tuple[Tensor, str]]:
        """Each tensor of the layout that the settings bring along, and what its name begins with."""
        for tensor in self.switched_on(self.family.outside):
            yield tensor, self.prefix
        for number, before in enumerate(self._layers):
            for tensor in self.switched_on(self.family.in_layer, number):
                yield tensor, before
        if self.encoder is not None:
            yield from self.encoder.tensors()

    def switched_on(self, tensors: tuple[Tensor, ...], layer: int | None = None) -> Iterator[Tensor]:
        """Those that the settings bring along, outside the layers or in the layer of that number, from 0."""
        own = self.model.kinds[layer].switches if layer is not None else frozenset()
        on = {ALWAYS, self._form, *self.model.switches, *own}
        return (
            tensor
            for tensor in tensors
            if {*tensor.when} - {IF_THERE} <= on and (IF_THERE not in tensor.when or self._is_there(tensor))
        )

    def _is_there(self, tensor: Tensor) -> bool:
        """Whether the file has a tensor, in any layer."""
        starts = [self.prefix, *self._layers]
        return any(start + name in self.names for start in starts for name in tensor.names)

    @property
    def _layers(self) -> tuple[str, ...]:
        """What the names of each layer's tensors begin with."""
        return tuple(self.prefix + self.family.layer.replace("{i}", str(at)) for at in range(self.model.layers))

    @cached_property
    def _form(self) -> str:
        """Whether the file has the experts' matrices stacked, or one by one."""
        stacked = [name for tensor in self.family.in_layer if STACKED in tensor.when for name in tensor.names]
        return STACKED if any(start + name in self.names for start in self._layers for name in stacked) else SEPARATE

    def name_of(self, tensor: Tensor, before: str) -> str:
        """The name that the file has for a tensor; the usual one where it has none. Of experts, with {e}."""
        names = [before + name for name in tensor.names]
        return next((name for name in names if name.replace("{e}", "0") in self.names), names[0])

    def of_head(self, head: str) -> tuple[Tensor, ...]:
        """The tensors of an output head: none, its own ones, or those that it has where it is tied."""
        return self.family.of_head[1 if head == "tied" else 0 :] if head else ()

    def check(self, head: str) -> None:
        """Every tensor is there once, of the shape that the settings say. Raises CheckpointError with all faults."""
        if self.model.layers > len(self.names):
            fault = f"it has {pluralize(len(self.names), 'tensor')}, fewer than the {self.model.layers} layers"
            raise CheckpointError(self.path, f"{fault} of config.json")
        used: set[str] = set()
        faults = []
        for tensor, name in self._named(self.of_head(head)):
            used.add(name)
            faults += self._faults(tensor, name)
        if not faults:
            faults = self._surplus(used)
        if faults:
            raise CheckpointError(self.path, faults)

    def _named(self, head: tuple[Tensor, ...]) -> Iterator[tuple[Tensor, str]]:
        """Each tensor of the file that is wanted, under its whole name, and those of the head."""
        wanted = [*self.tensors(), *((tensor, "") for tensor in head)]
        for tensor, before in wanted:
            name = self.name_of(tensor, before)
            for expert in range(self.model.experts) if "{e}" in name else (0,):
                yield tensor, name.replace("{e}", str(expert))

    def _faults(self, tensor: Tensor, name: str) -> list[str]:
        """What is wrong with one tensor."""
        if name not in self.names:
            near = did_you_mean(name, self.names)
            return [f"the tensor {in_quotes(name)} is missing{f'; {near}' if near else ''}"]
        kind = self._opened(lambda: self.file.kind(name))
        if kind not in _FLOATS:
            return [f"the tensor {in_quotes(name)} is of type {kind}, expected one of {', '.join(_FLOATS)}"]
        shape = self._opened(lambda: self.file.shape(name))
        sizes = [_side_by_side(self.model.sizes_of(axis)) for axis in tensor.axes]
        if shape == [size.number for size in sizes]:
            return []
        found, expected = "×".join(map(str, shape)), "×".join(str(size.number) for size in sizes)
        words = "×".join(size.words for size in sizes)
        return [f"the tensor {in_quotes(name)} is {found}, expected {expected}, {words} of config.json"]

    def _surplus(self, used: set[str]) -> list[str]:
        """Tensors inside the layers that the layout has no place for: the model is not what its settings say."""
        layers = self._layers + (self.encoder._layers if self.encoder is not None else ())
        return [
            f"the tensor {in_quotes(name)} does not belong in a {self.family.name} with these settings"
            for name in self.names
            if name not in used and name.startswith(layers) and not self._is_idle(name)
        ]

    def _is_idle(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self.family.idle)

    def notes(self, has_head: bool) -> list[str]:
        """What is left out of the file, in words."""
        used = {name for _, name in self._named(self.family.of_head)}
        rest = [name for name in self.names if name not in used and not self._is_idle(name)]
        parts = {what for start, what in self.family.left_out.items() if any(n.startswith(start) for n in rest)}
        others = [name for name in rest if not name.startswith(tuple(self.family.left_out))]
        notes = [f"left out: {' and '.join(sorted(parts))}"] if parts else []
        if others:
            more = ", …" if len(others) > 3 else ""
            named = ", ".join(escape_text(in_quotes(name)) for name in others[:3])
            notes.append(f"not used: {pluralize(len(others), 'tensor')} of the file, {named}{more}")
        return notes

    def is_same(self, one: str, other: str) -> bool:
        """Whether two tensors hold the same numbers; read a part at a time."""
        shape = self._opened(lambda: self.file.shape(one))
        if self._opened(lambda: self.file.shape(other)) != shape:
            return False
        parts = ([first, min(first + _ROWS - 1, shape[0])] for first in range(1, shape[0] + 1, _ROWS))
        return all(
            self._opened(lambda part=part: bool((self.file.read(one, part) == self.file.read(other, part)).all()))
            for part in parts
        )


def _side_by_side(sizes: Sequence[Size]) -> Size:
    """The size of an axis that holds several matrices side by side."""
    number, words = sum(size.number for size in sizes), [size.words for size in sizes]
    if len(words) > 1 and len(set(words)) == 1:
        return Size(number, f"{len(words)}·{words[0]}")
    return Size(number, " + ".join(words))
