"""What the table of a family is made of: its modules and its settings, beside our own names for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from walkthrough.checkpoints.paths import key_of, parameters_of
from walkthrough.checkpoints.settings import Only, Setting, Values
from walkthrough.records import NONE, Record

SizeName = str | tuple[str, ...]
"""The name of a size; or of several, of matrices side by side."""
ALWAYS = "always"
"""What is there whatever the settings say."""
IF_THERE = "if there"
"""What is there if the file has it, in every layer or in none."""
EXPERTS = "experts"
"""The axis of tensors that hold those of all experts."""
_HEAD = "lm_head"
STACKED, SEPARATE = "stacked", "separate"
"""Settings that the file makes: the experts' matrices are stacked in one tensor, or in one each."""


class Module(Record):
    """A module of theirs that holds parameters: the step that it computes, and what is in the file.

    computes:   our path of its result, as in `paths.py`
    axes:       those of its weight as stored; several matrices in one are one axis of several sizes, and `experts` as
                the first axis says that those of all experts are stacked
    bias:       the setting without which it has no bias; empty: it never has one
    when:       the settings without which it is not there
    names:      how the names of its weight and its bias end, the usual ending first
    also:       other names of the module
    order:      how the rows or columns of several matrices in one stand: one matrix after the other, `alternate`ly, or
                `by_head`, all that belongs to the first head of keys, then all that belongs to the second
    groups:     the size that says how many such heads there are, where it is not the narrowest matrix that does
    transposed: stored the other way round than the family's other weights
    """

    computes: str
    axes: tuple[SizeName, ...]
    bias: str = ""
    when: str | tuple[str, ...] = ALWAYS
    names: tuple[tuple[str, ...], tuple[str, ...]] = ((".weight",), (".bias",))
    also: tuple[str, ...] = ()
    order: str = ""
    groups: str = ""
    transposed: bool = False

    @property
    def stacked(self) -> bool:
        """Whether the matrices of all experts are one tensor."""
        return ".expert.*." in self.computes


Modules = Mapping[str, Module | str]
"""Their names, and each module or only our path of what it computes, where it holds no parameters."""


class Size(Record):
    """The size of an axis, and how the settings say it."""

    number: int
    words: str


class Tensor(Record):
    """One tensor of the file, or a part of it, and the key of the scenario that it is.

    key:    in the scenario, or in the layer: self_attention.w_q
    names:  in the file without the prefix, the usual one first; {e} is the number of an expert
    module: what it is a parameter of
    axes:   those of the tensor
    when:   the settings without which it is not there
    part:   which of several matrices in one it is, counted from 0; None for a whole tensor
    """

    key: str
    names: tuple[str, ...]
    module: Module
    axes: tuple[SizeName, ...]
    when: tuple[str, ...]
    part: int | None = None


class LayerKind(Record):
    """What is different in some layers: keys by section, such as self_attention: {window: 8}, and tensors."""

    name: str = ""
    keys: Mapping[str, Mapping[str, Any]] = NONE
    switches: frozenset[str] = frozenset()


class CheckpointModel(Record):
    """What the settings of a checkpoint say, in our words.

    sizes:     of the axes of its tensors, by name
    switches:  settings that bring tensors along
    input:     keys of the top level, such as embedding_scale
    stack:     keys of the encoder or decoder, such as norm
    layer:     keys of each layer, such as self_attention: {num_heads: 4}
    kinds:     of each layer, in what it differs from the others
    rows:      key of a tensor → the first and the last row that are taken, counted from 1
    head:      keys of the output head, such as logit_cap
    tied:      whether the output head takes the embedding table
    positions: how many positions have a vector; None where they are not learned
    padding:   the id that stands for no word and cannot be read; None where every id can
    first:     the id that the decoder begins with, where an encoder reads the tokens
    encoder:   the same of that encoder
    notes:     what else is said
    """

    sizes: Mapping[str, Size]
    stack: Mapping[str, Any]
    layer: Mapping[str, Any]
    kinds: Sequence[LayerKind]
    switches: frozenset[str] = frozenset()
    input: Mapping[str, Any] = NONE
    embedding_norm: Mapping[str, Any] | None = None
    rows: Mapping[str, tuple[int, int]] = NONE
    head: Mapping[str, Any] = NONE
    tied: bool = False
    positions: int | None = None
    padding: int | None = None
    first: int | None = None
    encoder: CheckpointModel | None = None
    notes: tuple[str, ...] = ()

    @property
    def layers(self) -> int:
        """How many layers there are."""
        return len(self.kinds)

    @property
    def experts(self) -> int:
        """How many experts each layer of experts has."""
        return self.sizes[EXPERTS].number if EXPERTS in self.sizes else 0

    def sizes_of(self, axis: SizeName) -> list[Size]:
        """The sizes of an axis, of each of the matrices side by side."""
        return [self.sizes[name] for name in ((axis,) if isinstance(axis, str) else axis)]


class Family(Record):
    """A family of models: one table, for reading its checkpoints and for the names of its modules.

    name:       as people write it
    prefixes:   what may precede all names of the model without its head
    settings:   what its config.json may hold; `model` says them in our words
    modules:    those outside the layers; `lm_head` is the output head
    layer:      what the names of a layer's modules begin with; {i} counts from 0
    inside:     the modules of each layer
    built:      of what parts it is built, for people
    float32:    what transformers keeps in float32, even in a model of float64
    stack:      encoder or decoder
    convention: how most of its weights are stored, in our word: a Linear's are out×in
    idle:       tensors that hold no weight of the model: patterns of their names
    left_out:   parts that are not read: how their names begin, and what they are
    aliases:    settings with two names: the other one, and that of the table
    encoder:    of a decoder that reads the output of an encoder, that encoder's own table
    """

    name: str
    prefixes: tuple[str, ...]
    settings: Mapping[str, Setting | Only]
    model: Callable[[Values, list[str]], CheckpointModel]
    modules: Modules
    layer: str
    inside: Modules
    built: str
    float32: str
    stack: str = "decoder"
    convention: str = "column"
    idle: tuple[str, ...] = ()
    left_out: Mapping[str, str] = NONE
    aliases: Mapping[str, str] = NONE
    encoder: Family | None = None

    @property
    def outside(self) -> tuple[Tensor, ...]:
        """Its tensors outside the layers, without those of the output head."""
        return tuple(self._tensors({name: one for name, one in self.modules.items() if name != _HEAD}))

    @property
    def in_layer(self) -> tuple[Tensor, ...]:
        """Its tensors in each layer."""
        return tuple(self._tensors(self.inside))

    @property
    def of_head(self) -> tuple[Tensor, ...]:
        """The tensors of the output head, the weight first; none where there is no head."""
        return tuple(self._tensors({name: one for name, one in self.modules.items() if name == _HEAD}))

    @property
    def computed(self) -> dict[str, str]:
        """The names of all its modules, and our paths of what they compute; a parameter by itself is its own."""
        if self.encoder is None:
            return self._computed()
        both = ((self.encoder, "encoder", "attention"), (self, "decoder", "self_attention"))
        return {
            name: path.replace("{layer}", f"{stack}.{{n}}")
            .replace("{self}", attention)
            .replace("{after}", f"{{after_{stack}}}")
            for family, stack, attention in both
            for name, path in family._computed().items()
        }

    def _computed(self) -> dict[str, str]:
        """The same of its own stack alone."""
        found = {self.layer.removesuffix("."): "{after}"}
        for before, modules in (("", self.modules), (self.layer, self.inside)):
            for name, module in modules.items():
                if isinstance(module, str):
                    found[f"{before}{name}"] = module
                elif "" in module.names[0]:
                    endings = [names[0] for names in module.names if names]
                    found |= {
                        f"{before}{name}{ending}": path
                        for ending, path in zip(endings, parameters_of(module.computes), strict=False)
                    }
                else:
                    found |= {f"{before}{one}": module.computes for one in (name, *module.also)}
        return found

    def _tensors(self, modules: Modules) -> Iterator[Tensor]:
        for name, module in modules.items():
            if isinstance(module, Module):
                yield from self._tensors_of((name, *module.also), module)

    def _tensors_of(self, names: tuple[str, ...], module: Module) -> Iterator[Tensor]:
        """The weight of a module and its bias; of matrices side by side those of the first, then of the next."""
        others = "decoder." if self.stack == "encoder" else "encoder."
        path = next(path for path in module.computes.split("|") if not path.startswith(others))
        weights, biases = (_side_by_side(key_of(one, self.stack)) for one in parameters_of(path))
        when = (module.when,) if isinstance(module.when, str) else module.when
        for at, weight in enumerate(weights):
            part = at if len(weights) > 1 else None
            for key, endings, axes, needed in (
                (weight, module.names[0], module.axes, when),
                (biases[at] if biases else "", module.names[1], self._of_bias(module), (*when, module.bias)),
            ):
                if key and all(needed):
                    full = tuple(f"{name}{ending}" for name in names for ending in endings)
                    yield Tensor(key, full, module, axes, needed, part)

    def _of_bias(self, module: Module) -> tuple[SizeName, ...]:
        """The axes of a module's bias: the one of its weight that goes out."""
        out = -1 if (self.convention == "column") == module.transposed else 1 if module.stacked else 0
        return (EXPERTS, module.axes[out]) if module.stacked else (module.axes[out],)


def _side_by_side(key: str) -> list[str]:
    """`a.w_q+w_k` → a.w_q, a.w_k"""
    before, point, last = key.rpartition(".")
    return [f"{before}{point}{one}" for one in last.split("+")] if key else []
