"""What the parts since 2017 must fulfil: shared keys, rotary positions, windows, distances, RMS norms, gates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from walkthrough.recording.axes import Axis
from walkthrough.recording.values import Value
from walkthrough.scenario.resolved import RotaryPlan, count_of
from walkthrough.scenario.schema.keys import Attention, FeedForward, Head, LayerNorm, Norm
from walkthrough.scenario.schema.values import Rotary, RotaryScaling
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.text import counted

_OF_POSITIONS = {
    "rotary": "rotary positions are only",
    "alibi": "ALiBi slopes are only",
    "window": "a window is only",
}
_OF_KEYS = ("w_k", "b_k", "k", "w_v", "b_v", "v")


def check_modern(attention: Attention, is_cross: bool, problems: Problems) -> None:
    """What holds for self-attention alone, needs something else, or excludes it."""
    for name, words in _OF_POSITIONS.items():
        if is_cross and attention.node.get(name) is not None:
            message = f"{words} for self-attention: in cross-attention queries and keys come from two sequences"
            problems.add(attention.at(name), message, key=attention.key_of(name), help="remove it")
    if attention.alibi and attention.mask_first:
        message = (
            "mask_first cannot be combined with alibi: the distance is subtracted after the scaling and before the mask"
        )
        problems.add(attention.at("mask_first"), message, key=attention.key_of("mask_first"))
    if isinstance(attention.alibi, list) and len(attention.alibi) != count_of(attention):
        message = (
            f"alibi has {counted(len(attention.alibi), 'slope')}, expected one for each of {count_of(attention)} heads"
        )
        problems.add(attention.at("alibi"), message, key=attention.key_of("alibi"))
    if attention.rotary is not None:
        _check_rotary(attention.rotary, problems)
    _warn_of_idle(attention, problems)


def _warn_of_idle(attention: Attention, problems: Problems) -> None:
    """What turns or norms queries and keys, where every head gives its scores or weights as numbers."""
    heads = attention.heads
    if heads and all(head.has("weights") or head.has("scores") for head in heads):
        for name in ("rotary", "query_norm", "key_norm"):
            if attention.node.get(name) is not None:
                message = f"{name} has no effect: all heads give scores or weights as numbers"
                problems.warn(attention.at(name), message, key=attention.key_of(name), help="remove it")


def _check_rotary(rotary: Rotary, problems: Problems) -> None:
    if isinstance(rotary.dimensions, int) and rotary.dimensions % 2:
        message = f"dimensions is {rotary.dimensions}, expected an even number: features are rotated in pairs"
        problems.add(rotary.at("dimensions"), message, key=rotary.key_of("dimensions"))
    scaling = rotary.scaling
    if not isinstance(scaling, RotaryScaling):
        return
    if scaling.has("linear") == scaling.has("llama3"):
        message = "expected either linear or llama3" + (", found both" if scaling.has("linear") else "")
        problems.add(scaling, message, key=scaling.path)
    llama3 = scaling.llama3
    if llama3 is not None and llama3.low_freq_factor >= llama3.high_freq_factor:
        message = "low_freq_factor must be below high_freq_factor"
        problems.add(llama3.at("low_freq_factor"), message, key=llama3.key_of("low_freq_factor"))


def check_rotation(plan: RotaryPlan, d_k: Axis, angle: Value, problems: Problems) -> None:
    """Features turn in pairs, no more of them than a head has, and as many in every head."""
    rotary, width = plan.section, plan.width or d_k.size
    message = ""
    if width is None or d_k.size is None or (width % 2 and plan.width is not None):
        return
    if width > d_k.size:
        message = f"rotary rotates the first {width} features of each head, but d_k is {d_k.size}"
    elif width % 2:
        message = f"rotary works on pairs of features, but d_k is {d_k.size}: set how many with dimensions: {width - 1}"
    pairs = angle.axes[1]
    pairs.settle(width // 2)
    if not message and pairs.size != width // 2:
        message = f"rotary rotates {(pairs.size or 0) * 2} features in one head and {width} in another: set how many"
    if message and rotary not in problems:
        problems.add(rotary, message, key=rotary.key_of("dimensions"))


def check_sharing(heads: Sequence[Head], problems: Problems) -> None:
    """A head that shares keys and values names another one, which has its own."""
    for number, head in enumerate(heads, 1):
        if head.kv is None:
            continue
        message = ""
        if head.kv > len(heads):
            message = f"kv is {head.kv}, but there are {len(heads)} heads"
        elif head.kv == number:
            message = f"kv is {head.kv}, this head itself: expected another head, whose keys and values are shared"
        elif (further := heads[head.kv - 1].kv) is not None:
            message = f"kv is {head.kv}, but head {head.kv} has no keys of its own: it shares those of head {further}"
        if message:
            problems.add(head.at("kv"), message, key=head.key_of("kv"))
        for name in _OF_KEYS:
            if head.has(name):
                message = f"both kv and {name} are given: kv takes the keys and values of head {head.kv}"
                problems.add(head.at(name), message, key=head.key_of(name), help="keep one of them")


def check_groups(attention: Attention, problems: Problems) -> None:
    """Every head of keys is shared by as many heads of queries."""
    kv_count, count = attention.num_kv_heads, count_of(attention)
    if kv_count is not None and count % kv_count:
        message = f"num_kv_heads is {kv_count}, which {count} heads (num_heads) cannot share evenly"
        problems.add(attention.at("num_kv_heads"), message, key=attention.key_of("num_kv_heads"))


def check_rms(norms: Iterable[Norm | LayerNorm | None], problems: Problems) -> None:
    """RMS norms have a gamma and an epsilon, and nothing else of a layer norm."""
    for norm in norms:
        for name in ("beta", "variance", "epsilon_in"):
            if norm is not None and getattr(norm, name, None) is not None:
                message = f"an RMS norm has no {name}: γ·x / √(mean of squares + epsilon)"
                problems.add(norm.at(name), message, key=norm.key_of(name), help="remove it, or set norm: layer")


def check_gate(part: FeedForward | None, problems: Problems) -> None:
    """The bias of a gate needs the gate."""
    if part is not None and part.b_gate is not None and not part.has("w_gate"):
        problems.add(part.b_gate, "b_gate is given without a w_gate", key=part.key_of("b_gate"))
