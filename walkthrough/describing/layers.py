"""How parts hang together: the layers of a stack, which residual each is added to, and where there are norms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from walkthrough.comparing.thresholds import ROUNDINGS
from walkthrough.describing.judge import FLOAT32, Keys
from walkthrough.describing.modules import Known, Questions
from walkthrough.records import Record

_ORDERS = {
    (False, False, False): "none",
    (True, False, False): "pre",
    (False, False, True): "post",
    (False, True, False): "branch",
    (True, True, False): "sandwich",
}
"""Whether there is a norm before a part, after it, and after the residual."""
_BIAS = "relative_bias"
"""A key of the stack: all of its attentions have the same."""
_OPTIONS = ("epsilon", "variance", "epsilon_in")


class Placed(Record, eq=False):
    """A part in its place: x → base + branch(part(before(x))), and then the norm after that, where there are such.

    base: what it is added to; None: there is no residual; total: the sum, or the output itself
    scale: what it is multiplied by before
    """

    part: Known
    base: Known | None
    before: Known | None
    branch: Known | None
    total: Known
    after: Known | None = None
    scale: float = 1.0

    @property
    def root(self) -> Known:
        """What its layer reads."""
        return self.base or (self.before.sources[0] if self.before else self.part.sources[0])

    @property
    def order(self) -> str:
        """Where its norms are; empty where no scenario has them."""
        return _ORDERS.get((bool(self.before), bool(self.branch), bool(self.after)), "")


class Layer(Record):
    """The keys of a layer, and what is asked about them."""

    keys: Keys
    questions: Questions = ()


class Stack(Record, eq=False):
    """A stack: its name, its own keys, its layers; what goes into the first of them and what comes out of the last."""

    name: str
    keys: Keys
    layers: list[Layer]
    questions: list[str]
    start: Known
    end: Known


def stacks_of(known: Sequence[Known]) -> list[Stack]:
    """The stacks one after the other; an encoder is over where a part begins with other embeddings."""
    found: list[list[Placed]] = []
    for one in _placed(known):
        if not found or (one.root is not found[-1][0].root and _is_start(one.root)):
            found.append([])
        found[-1].append(one)
    is_decoder = [any(map(_is_of_decoder, placed)) for placed in found]
    names = ["encoder", "decoder"] if len(found) == 2 else ["decoder" if one else "encoder" for one in is_decoder]
    return [_stack(name, placed, known) for name, placed in zip(names, found, strict=True)]


def _is_of_decoder(one: Placed) -> bool:
    """Whether it hides what comes later, or reads something else beside."""
    return one.part.kind == "attention" and (one.part.keys.get("mask") == "causal" or len(one.part.sources) > 1)


def _is_start(one: Known) -> bool:
    """Whether it is what a stack begins with."""
    return bool(one.ids) or one.kind in ("start", "given") or (one.kind == "norm" and _is_start(one.sources[0]))


def _norm_of(source: Known, known: Sequence[Known]) -> list[Known]:
    return [one for one in known if one.kind == "norm" and one.sources[0] is source]


def _sum_with(one: Known, known: Sequence[Known]) -> Known | None:
    """The sum that it is a term of."""
    return next((total for total in known if total.kind == "sum" and one in total.sources), None)


def _placed(known: Sequence[Known]) -> list[Placed]:
    """Each part with its residual and norms."""
    placed = []
    for part in (one for one in known if one.kind in ("attention", "feed_forward")):
        branch = next((one for one in _norm_of(part, known) if _sum_with(one, known)), None)
        out, reads = branch or part, part.sources[0]
        total = _sum_with(out, known)
        base = min((one for one in total.sources if one is not out), key=known.index) if total else None
        before = reads if reads.kind == "norm" and reads is not base else None
        scale = total.keys.get("residual_scale", 1.0) if total else 1.0
        placed.append(Placed(part, base, before, branch, total or out, scale=scale))
    for at, (one, following) in enumerate(pairwise(placed)):
        after = following.base or following.part.sources[0]
        placed[at] = one.replace(after=after if after in _norm_of(one.total, known) else None)
    return placed


def _stack(name: str, placed: list[Placed], known: Sequence[Known]) -> Stack:
    """The stack of some parts that follow one another."""
    last, norms = placed[-1], _norm_of(placed[-1].total, known)
    if norms and (any(one.after for one in placed) or (len(placed) == 1 and last.order == "none")):
        last = placed[-1] = last.replace(after=norms[0])
        norms = _norm_of(norms[0], known)
    order, questions = placed[0].order or "none", []
    keys: Keys = {"norm_order": order}
    if any(one.order != order for one in placed):
        questions.append("The norms do not stand at the same place in all parts of all layers.")
    if all(one.base is None for one in placed):
        keys["residual"] = False
    elif any(one.base is None for one in placed):
        questions.append("Some parts are added to what they read, and of others this was not found.")
    if placed[0].scale != 1:
        keys["residual_scale"] = placed[0].scale
    if any(abs(one.scale - placed[0].scale) > ROUNDINGS * FLOAT32 * placed[0].scale for one in placed):
        questions.append("What parts make is multiplied by different numbers before it is added.")
    if beside := [(one, two) for one, two in pairwise(placed) if one.total is two.total]:
        is_shared = all(one.before and one.before is two.before for one, two in beside)
        keys["parallel"] = "shared" if is_shared else True
    biases = [one.part.keys.get(_BIAS) for one in placed if one.part.kind == "attention" and len(one.part.sources) == 1]
    if found := [one for one in biases if one]:
        usual = ("bidirectional", name == "encoder")
        keys[_BIAS] = {at: value for at, value in found[0].items() if (at, value) != usual}
    if found and any(one != found[0] for one in biases):
        questions.append("The attentions do not all have the same relative positions.")
    layers = [_layer(one, name, keys.get("parallel") == "shared") for one in _layers(placed)]
    if norms:
        keys["final_norm"] = {**norms[0].keys}
    elif order not in ("post", "none"):
        keys["final_norm"] = "none"
    _say_once(keys, layers)
    return Stack(name, keys, layers, questions, placed[0].root, norms[0] if norms else last.after or last.total)


def _layers(placed: Sequence[Placed]) -> Iterator[list[Placed]]:
    """The parts of each layer: an attention, one with the keys of an encoder, a feed-forward network."""
    layer: list[Placed] = []
    before = 3
    for one in placed:
        at = len(one.part.sources) - 1 if one.part.kind == "attention" else 2
        if layer and at <= before:
            yield layer
            layer = []
        layer.append(one)
        before = at
    yield layer


def _layer(parts: Sequence[Placed], stack: str, is_shared: bool) -> Layer:
    """The keys of a layer, in the order of the calculation, and what is asked about them."""
    keys: Keys = {}
    questions: list[tuple[tuple[Any, ...], str]] = []
    has_cross = any(len(one.part.sources) > 1 for one in parts)
    for one in parts:
        name, number = ("attention" if stack == "encoder" else "self_attention"), 1
        if one.part.kind == "feed_forward":
            name, number = "feed_forward", 3 if has_cross else 2
        elif len(one.part.sources) > 1:
            name, number = "cross_attention", 2
        usual = "causal" if name == "self_attention" else "none"
        is_told = not any(path == ("mask",) for path, _ in one.part.questions)
        left_out = {_BIAS, *(["mask"] if is_told and one.part.keys.get("mask") == usual else [])}
        part = {at: value for at, value in one.part.keys.items() if at not in left_out}
        norms = {f"norm_{number}": one.before or one.after, f"branch_norm_{number}": one.branch}
        found = {at: norm for at, norm in norms.items() if norm and not (is_shared and at == "norm_2")}
        written = {at: {**norm.keys} for at, norm in found.items()}
        keys |= {**written, name: part} if one.before else {name: part, **written}
        for at, known in ((name, one.part), *found.items()):
            questions += [((at, *path), sentence) for path, sentence in known.questions]
    return Layer(keys, tuple(questions))


def _say_once(stack: Keys, layers: Sequence[Layer]) -> None:
    """Says once for the stack what all of its norms have alike: which they are, and their options."""
    norms = [one for layer in layers for name, one in layer.keys.items() if "norm_" in name]
    norms += [stack["final_norm"]] if isinstance(stack.get("final_norm"), dict) else []
    for names in (("norm",), _OPTIONS):
        found = [{name: one[name] for name in names if name in one} for one in norms]
        if found and found[0] and all(one == found[0] for one in found):
            stack |= found[0] if names == ("norm",) else {"layer_norm": found[0]}
            for one, name in ((one, name) for one in norms for name in found[0]):
                del one[name]
