"""What a layout table of a family is made of: its tensors and its settings, beside our own names for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from walkthrough.checkpoints.settings import Only, Setting, Values
from walkthrough.records import NONE, Record


class Tensor(Record):
    """One tensor of the file, and the key of the scenario that it is.

    ours:   where it stands: embeddings, or a key of the layer such as self_attention.w_q
    theirs: its name without the prefix; of several names the first that the file has
    shape:  its axes as stored, as names of sizes
    when:   the setting without which it is not there
    third:  which third of its columns it is, counted from 0
    rows:   of its rows only these, the first and the last, counted from 1
    turned: stored the other way round than the family's other weights
    """

    ours: str
    theirs: str | tuple[str, ...]
    shape: tuple[str, ...]
    when: str = ""
    third: int | None = None
    rows: tuple[int, int] | None = None
    turned: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Its names, the usual one first."""
        return (self.theirs,) if isinstance(self.theirs, str) else self.theirs


class Size(Record):
    """The size of an axis, and how the settings say it."""

    number: int
    words: str


class Model(Record):
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


class Family(Record):
    """The layout of a family of models.

    name:       as people write it
    prefixes:   what may stand before all names of the model, without a head on it
    settings:   what its config.json may hold; `model` says them in our words
    convention: how most of its weights are stored, in our word
    stack:      encoder or decoder
    outside:    its tensors outside the layers, and their keys in the scenario
    layer:      what stands before the names of a layer's tensors; {i} counts from 0
    inside:     its tensors in each layer, and their keys in the layer
    head:       the weight of the output head, where one may be
    idle:       tensors that hold no weight of the model: patterns of their names
    left_out:   parts that are not read: how their names begin, and what they are
    aliases:    settings with two names: the other one, and that of the table
    """

    name: str
    prefixes: tuple[str, ...]
    settings: Mapping[str, Setting | Only]
    model: Callable[[Values, list[str]], Model]
    convention: str
    stack: str
    outside: tuple[Tensor, ...]
    layer: str
    inside: tuple[Tensor, ...]
    head: Tensor | None = None
    idle: tuple[str, ...] = ()
    left_out: Mapping[str, str] = NONE
    aliases: Mapping[str, str] = NONE
