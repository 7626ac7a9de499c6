"""nanoGPT: GPT-2 with weights out×in, recognised by the names of its tensors; what it is built of is read off them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from walkthrough.checkpoints.families.gpt2 import INSIDE as GPT2_INSIDE
from walkthrough.checkpoints.families.gpt2 import MODULES as GPT2_MODULES
from walkthrough.checkpoints.families.gpt2 import NAMES
from walkthrough.checkpoints.families.plain import plain_model
from walkthrough.checkpoints.layout import IF_THERE, CheckpointModel, Family, Module, Modules
from walkthrough.checkpoints.settings import HARMLESS, Only, Setting, Values, defaults

_EPSILON = 1e-5
SETTINGS: dict[str, Setting | Only] = {
    **defaults(vocab_size=None, block_size=None, n_embd=None, n_inner=None, n_layer=None, n_head=None),
    **dict.fromkeys(("bias", "dropout"), HARMLESS),  # biases are where the file has them
}
_AXES = {"attn.c_attn": (("d", "d", "d"), "d"), "mlp.c_fc": ("f", "d"), "mlp.c_proj": ("d", "f")}
_ROOTS = ("transformer.", "", "_orig_mod.transformer.", "_orig_mod.")
"""What may precede the names; _orig_mod is that of a compiled model."""


def _transposed(modules: Modules) -> Modules:
    """GPT-2's modules with weights stored the other way round, and biases where the file has them."""
    return {
        name: one.replace(axes=_AXES.get(name, one.axes), bias=IF_THERE if one.bias else "", transposed=False)
        if isinstance(one, Module)
        else one
        for name, one in modules.items()
    }


MODULES: Modules = {
    name: one.replace(also=("_orig_mod.lm_head",)) if name == "lm_head" and isinstance(one, Module) else one
    for name, one in _transposed(GPT2_MODULES).items()
}
INSIDE = _transposed(GPT2_INSIDE)


def _model(values: Values, faults: list[str]) -> CheckpointModel:
    """GELU without approximation; the head is the embedding table, unless the file has another one."""
    names = NAMES.replace(positions="block_size")
    exact = {**values, names.activation: "gelu"}
    return plain_model(names, exact, faults, _EPSILON, {"norm_order": "pre"})


NANOGPT = Family(
    name="nanoGPT",
    prefixes=_ROOTS,
    settings=SETTINGS,
    model=_model,
    modules=MODULES,
    layer="h.{i}.",
    inside=INSIDE,
    built="decoder, layer norm before each part, learned positions, logits; biases where they are",
    float32="nothing",
    idle=("*.attn.bias", "*.attn.masked_bias"),  # the causal mask, and what is added where it hides
)


def root_of(names: Iterable[str]) -> str | None:
    """What precedes the names of a nanoGPT; None where they are not its names."""
    known = set(names)
    for root in _ROOTS:
        if {f"{root}wte.weight", f"{root}wpe.weight", f"{root}h.0.attn.c_attn.weight"} <= known:
            return root
    return None


def read_off(names: Mapping[str, Any], root: str, shape_of: Callable[[str], Sequence[int]]) -> dict[str, int]:
    """The settings that the names and the shapes of the tensors say; a shape that is none of its own is taken as 0."""

    def size(name: str, axis: int) -> int:
        shape = shape_of(root + name) if root + name in names else ()
        return shape[axis] if len(shape) == 2 else 0

    before = f"{root}h."
    numbers = {name.removeprefix(before).partition(".")[0] for name in names if name.startswith(before)}
    return {
        "vocab_size": size("wte.weight", 0),
        "n_embd": size("wte.weight", 1),
        "block_size": size("wpe.weight", 0),
        "n_inner": size("h.0.mlp.c_fc.weight", 0),
        "n_layer": 1 + max(int(number) for number in numbers if number.isdecimal() and len(number) < 6),
    }
