"""What families have in common: names of activations, three projections, a model whose settings go by other names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from walkthrough.checkpoints.layout import CheckpointModel, LayerKind, Module, Modules, Size, SizeName
from walkthrough.checkpoints.paths import FEED_FORWARD, HEAD
from walkthrough.checkpoints.settings import Values
from walkthrough.records import NONE, Record
from walkthrough.text import in_quotes

ACTIVATIONS = {
    "gelu": "gelu",
    "gelu_python": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu_accurate": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_python_tanh": "gelu_tanh",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
    "sigmoid": "sigmoid",
    "linear": "none",
}
"""Others change the numbers and are refused. gelu_fast has √(2/π) with ten digits; that shows in the twelfth."""


def activation_of(key: str, name: str, faults: list[str]) -> str:
    """Our name of an activation; one that is not known is a fault."""
    if name not in ACTIVATIONS:
        known = ", ".join(ACTIVATIONS)
        faults.append(f"{key} is {in_quotes(name)}, which is not supported; known are {known}")
    return ACTIVATIONS.get(name, "none")


TASK_HEADS = {"score.": "the classification head", "qa_outputs.": "the question-answering head"}
"""Parts of models for other tasks, which are not read."""


def projections(names: Sequence[str], bias: str, axes: tuple[SizeName, ...] = ("d", "d"), head: str = HEAD) -> Modules:
    """The modules of queries, keys and values, of as many weights each; head: the heads that they are of."""
    steps = ("query", "key", "value")
    return {name: Module(f"{head}.{step}", axes, bias=bias) for name, step in zip(names, steps, strict=True)}


def gated_network(name: str, ours: str = FEED_FORWARD, inner: str = "f", **others: Any) -> Modules:
    """The modules of a feed-forward network with a gate, as Llama calls them.

    inner:  the size of its hidden layer
    others: what holds of each module with parameters
    """
    return {
        f"{name}.gate_proj": Module(f"{ours}.gate", (inner, "d"), **others),
        f"{name}.up_proj": Module(f"{ours}.hidden", (inner, "d"), **others),
        f"{name}.act_fn": f"{ours}.activation",
        f"{name}.down_proj": Module(f"{ours}.output", ("d", inner), **others),
        name: f"{ours}.output",
    }


class Names(Record):
    """What a family calls the settings that all of them have."""

    width: str = "hidden_size"
    heads: str = "num_attention_heads"
    layers: str = "num_hidden_layers"
    inner: str = "intermediate_size"
    positions: str = "max_position_embeddings"
    activation: str = "hidden_act"

    def head(self, values: Values) -> int:
        """The width of a head."""
        return max(1, int(values[self.width]) // int(values[self.heads]))


def plain_model(
    names: Names,
    values: Values,
    faults: list[str],
    epsilon: float,
    stack: Mapping[str, Any] = NONE,
    attention: str = "self_attention",
    of_heads: Mapping[str, Any] = NONE,
    switches: Iterable[str] = (),
) -> CheckpointModel:
    """A model of layer norms, heads that share its width, and a feed-forward part four times as wide or as is said.

    stack:     further keys of the stack, norm_order among them
    attention: the key of the attention
    of_heads:  its further keys
    """
    width, heads, inner = values[names.width], values[names.heads], values[names.inner]
    if width % heads:
        faults.append(f"{names.width} {width} is not a multiple of {names.heads} {heads}")
    activation = activation_of(names.activation, values[names.activation], faults)
    return CheckpointModel(
        sizes={
            "d": Size(width, names.width),
            "f": Size(4 * width, f"4·{names.width}") if inner is None else Size(inner, names.inner),
            "v": Size(values["vocab_size"], "vocab_size"),
            "p": Size(values[names.positions], names.positions),
            "head": Size(names.head(values), f"{names.width} / {names.heads}"),
        },
        stack={**stack, "layer_norm": {"epsilon": epsilon}},
        layer={attention: {"num_heads": heads, **of_heads}, "feed_forward": {"activation": activation}},
        kinds=[LayerKind()] * values[names.layers],
        switches=frozenset(switches),
        tied=values.get("tie_word_embeddings", True),
        positions=values[names.positions],
    )
