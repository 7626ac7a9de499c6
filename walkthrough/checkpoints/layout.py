"""What the table of a family is made of: its modules and its settings, beside our own names for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from walkthrough.checkpoints.paths import key_of, parameters_of
from walkthrough.checkpoints.settings import Only, Setting, Values
from walkthrough.records import NONE, Record

Axis = str | tuple[str, ...]
"""The name of a size; or of several, of matrices side by side."""
ALWAYS = "always"
"""What is there whatever the settings say."""


class Module(Record):
    """A module of theirs that holds parameters: the step that it computes, and what is in the file.

    computes:   our path of its result, as in `paths.py`
    axes:       those of its weight as stored; queries, keys and values side by side are one axis of several sizes
    bias:       the setting without which it has no bias; empty: it never has one
    when:       the setting without which it is not there
    names:      what its weight and its bias are called, the usual name first
    rows:       of its rows only these are taken, the first and the last, counted from 1
    transposed: stored the other way round than the family's other weights
    """

    computes: str
    axes: tuple[Axis, ...]
    bias: str = ""
    when: str = ALWAYS
    names: tuple[tuple[str, ...], tuple[str, ...]] = (("weight",), ("bias",))
    rows: tuple[int, int] | None = None
    transposed: bool = False


Modules = Mapping[str, Module | str]
"""Their names, and each module or only our path of what it computes, where it holds no parameters."""


class Size(Record):
    """The size of an axis, and how the settings say it."""

    number: int
    words: str


class Tensor(Record):
    """One tensor of the file, or a part of it, and the key of the scenario that it is.

    key:   in the scenario, or in the layer: self_attention.w_q
    names: in the file without the prefix, the usual one first
    when:  the settings without which it is not there
    part:  which of the matrices side by side it is, counted from 0; None for a whole tensor
    """

    key: str
    names: tuple[str, ...]
    axes: tuple[Axis, ...]
    when: tuple[str, ...]
    part: int | None = None
    rows: tuple[int, int] | None = None
    transposed: bool = False


class CheckpointModel(Record):
    """What the settings of a checkpoint say, in our words.

    sizes:     of the axes of its tensors, by name
    switches:  settings that bring tensors along
    stack:     keys of the encoder or decoder, such as norm
    layer:     keys of each layer, such as self_attention: {num_heads: 4}
    own:       keys of the self-attention in which layers differ, for each layer
    tied:      whether the output head takes the embedding table
    positions: how many positions have a vector; None where they are not learned
    notes:     what else is said
    """

    sizes: Mapping[str, Size]
    layers: int
    stack: Mapping[str, Any]
    layer: Mapping[str, Any]
    own: Sequence[Mapping[str, Any]]
    switches: frozenset[str] = frozenset()
    embedding_norm: Mapping[str, Any] | None = None
    tied: bool = False
    positions: int | None = None
    notes: tuple[str, ...] = ()

    def sizes_of(self, axis: Axis) -> list[Size]:
        """The sizes of an axis, of each of the matrices side by side."""
        return [self.sizes[name] for name in ((axis,) if isinstance(axis, str) else axis)]


class Family(Record):
    """A family of models: one table, for reading its checkpoints and for the names of its modules.

    name:       as people write it
    prefixes:   what may precede all names of the model without its head
    settings:   what its config.json may hold; `model` says them in our words
    convention: how most of its weights are stored, in our word
    stack:      encoder or decoder
    modules:    those outside the layers
    layer:      what the names of a layer's modules begin with; {i} counts from 0
    inside:     the modules of each layer
    head:       the name of the module that is the output head, where one may be
    idle:       tensors that hold no weight of the model: patterns of their names
    left_out:   parts that are not read: how their names begin, and what they are
    aliases:    settings with two names: the other one, and that of the table
    """

    name: str
    prefixes: tuple[str, ...]
    settings: Mapping[str, Setting | Only]
    model: Callable[[Values, list[str]], CheckpointModel]
    convention: str
    stack: str
    modules: Modules
    layer: str
    inside: Modules
    head: str = ""
    idle: tuple[str, ...] = ()
    left_out: Mapping[str, str] = NONE
    aliases: Mapping[str, str] = NONE

    @property
    def outside(self) -> tuple[Tensor, ...]:
        """Its tensors outside the layers, without those of the output head."""
        return tuple(self._tensors({name: one for name, one in self.modules.items() if name != self.head}))

    @property
    def in_layer(self) -> tuple[Tensor, ...]:
        """Its tensors in each layer."""
        return tuple(self._tensors(self.inside))

    @property
    def head_tensor(self) -> Tensor | None:
        """The weight of the output head; None where there is no head."""
        return next(self._tensors({self.head: self.modules[self.head]})) if self.head else None

    @property
    def computed(self) -> dict[str, str]:
        """The names of all its modules, and our paths of what they compute."""
        named = {**self.modules, **{f"{self.layer}{name}": one for name, one in self.inside.items()}}
        named[self.layer.removesuffix(".")] = "{after}"
        return {name: one if isinstance(one, str) else one.computes for name, one in named.items()}

    def _tensors(self, modules: Modules) -> Iterator[Tensor]:
        for name, module in modules.items():
            if isinstance(module, Module):
                yield from self._tensors_of(name, module)

    def _tensors_of(self, name: str, module: Module) -> Iterator[Tensor]:
        """The weight of a module and its bias; of matrices side by side those of the first, then of the next."""
        others = "decoder." if self.stack == "encoder" else "encoder."
        path = next(path for path in module.computes.split("|") if not path.startswith(others))
        weights, biases = (_side_by_side(key_of(one, self.stack)) for one in parameters_of(path))
        out = 0 if self.convention == "column" else -1
        for at, weight in enumerate(weights):
            part = at if len(weights) > 1 else None
            for key, names, axes, when in (
                (weight, module.names[0], module.axes, (module.when,)),
                (biases[at] if biases else "", module.names[1], (module.axes[out],), (module.when, module.bias)),
            ):
                if key and all(when):
                    full = tuple(f"{name}.{one}" for one in names)
                    yield Tensor(key, full, axes, when, part, module.rows, module.transposed)


def _side_by_side(key: str) -> list[str]:
    """`a.w_q+w_k` → a.w_q, a.w_k"""
    before, point, last = key.rpartition(".")
    return [f"{before}{point}{one}" for one in last.split("+")] if key else []
