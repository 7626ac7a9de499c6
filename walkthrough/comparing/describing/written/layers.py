"""A stack of layers as keys: parts in their places, norms where they stand, what all have in common said once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from walkthrough.comparing.describing.followed.known import Known, Normed
from walkthrough.comparing.describing.written.sections import Keys, Section, norm_keys, section_of
from walkthrough.comparing.describing.written.wiring import Placed
from walkthrough.records import Record

_ORDERS = {
    (False, False, False): "none",
    (True, False, False): "pre",
    (False, False, True): "post",
    (False, True, False): "branch",
    (True, True, False): "sandwich",
}
"""Whether there is a norm before a part, after it, and after the residual."""
_EPSILON = "The epsilon of {} cannot be told from this run; {} is a guess."
_OF_NORMS = ("epsilon", "variance", "epsilon_in")


class Stack(Record, eq=False):
    """A stack: its own keys, its layers, what goes into the first of them and what comes out of the last.

    memories: what the keys of cross-attentions are made of
    """

    name: str
    keys: Keys
    layers: tuple[Section, ...]
    questions: tuple[str, ...]
    start: Known
    end: Known
    memories: tuple[Known, ...]


def stack_of(placed: Sequence[Placed], known: Sequence[Known], name: str = "") -> Stack:
    """The stack of some parts that follow one another; without a name, a decoder is one where something is hidden."""
    name = name or ("decoder" if any(_is_causal(one) for one in placed) else "encoder")
    placed, final = _with_last_norms(placed, known)
    orders = [_ORDERS.get((bool(one.before), bool(one.branch), bool(one.after)), "") for one in placed]
    order = orders[0] or "none"
    questions = []
    if set(orders) != {order}:
        questions.append("The norms do not stand at the same place in all parts of all layers.")
    keys: Keys = {"norm_order": order}
    if all(one.base is None for one in placed):
        keys["residual"] = False
    elif any(one.base is None for one in placed):
        questions.append("Some parts are added to what they read, and of others this was not found.")
    if is_parallel := _parallel(placed):
        keys["parallel"] = is_parallel
    layers = [_layer(one, name) for one in _grouped(placed)]
    if is_parallel == "shared":
        for layer in layers:
            layer.keys.pop("norm_2", None)
    if final is not None:
        keys["final_norm"] = norm_keys(final.made.norm)
    elif order not in ("post", "none"):
        keys["final_norm"] = "none"
    first, last = placed[0], placed[-1]
    start = first.base or (first.before.made.source if first.before else first.part.reads)
    end = final or last.after or last.total
    memories = tuple(one.part.keys for one in placed if one.part.keys is not None)
    return Stack(name, keys, tuple(layers), tuple(questions), start, end, memories)


def _is_causal(one: Placed) -> bool:
    found = getattr(one.part.inside, "found", None)
    return found is not None and found.what.is_causal


def _with_last_norms(placed: Sequence[Placed], known: Sequence[Known]) -> tuple[list[Placed], Known | None]:
    """The parts, of which the last has the norm after its residual where others have one; and the final norm."""
    last = placed[-1]
    norms = list(_chain(last.total, known))
    has_after = any(one.after for one in placed) or (len(placed) == 1 and not last.before and not last.branch)
    if has_after and norms:
        last = last.replace(after=norms.pop(0))
    return [*placed[:-1], last], norms[0] if norms else None


def _chain(source: Known, known: Sequence[Known]) -> Iterator[Known]:
    """The norm of a matrix, the norm of that, …"""
    for one in known:
        if isinstance(one.made, Normed) and one.made.source is source:
            yield one
            source = one


def _parallel(placed: Sequence[Placed]) -> bool | str:
    """Whether both parts of a layer are added at once; shared: both read through one norm."""
    pairs = [(one, two) for one, two in pairwise(placed) if one.total is two.total]
    if not pairs:
        return False
    return "shared" if all(one.before is two.before and one.before for one, two in pairs) else True


def _grouped(placed: Sequence[Placed]) -> Iterator[list[Placed]]:
    """The parts of each layer: an attention, one with the keys of an encoder, a feed-forward network."""
    layer: list[Placed] = []
    places: list[int] = []
    for one in placed:
        at = (1 if one.part.keys else 0) if one.part.is_attention else 2
        if layer and at <= places[-1]:
            yield layer
            layer, places = [], []
        layer.append(one)
        places.append(at)
    yield layer


def _layer(parts: Sequence[Placed], stack: str) -> Section:
    """The keys of a layer, in the order of the calculation, and what is asked about them."""
    keys: Keys = {}
    asked: list[tuple[tuple[str, ...], str]] = []
    has_cross = any(one.part.keys for one in parts)
    for one in parts:
        name, number = _name(one, stack, has_cross)
        found = section_of(one.part, name == "self_attention")
        norms = {f"norm_{number}": one.before or one.after, f"branch_norm_{number}": one.branch}
        written = {key: norm_keys(known.made.norm) for key, known in norms.items() if known is not None}
        keys |= {**written, name: found.keys} if one.before else {name: found.keys, **written}
        asked += [((name, *path), sentence) for path, sentence in found.asked]
        for key, known in norms.items():
            if known is not None and known.made.norm.is_open:
                asked.append(((key, "epsilon"), _EPSILON.format(known.made.name, written[key]["epsilon"])))
    return Section(keys, tuple(asked))


def _name(one: Placed, stack: str, has_cross: bool) -> tuple[str, int]:
    """The key of a part, and the number of its norms."""
    if not one.part.is_attention:
        return "feed_forward", 3 if has_cross else 2
    if one.part.keys:
        return "cross_attention", 2
    return ("attention" if stack == "encoder" else "self_attention"), 1


def hoist(stack: Keys, layers: Sequence[Keys]) -> None:
    """Says once for the stack what all of its norms are: their name, and their options."""
    norms = [one for layer in layers for name, one in layer.items() if "norm_" in name]
    norms += [stack["final_norm"]] if isinstance(stack.get("final_norm"), dict) else []
    kinds = {one.get("norm", "layer") for one in norms}
    if len(kinds) == 1:
        (kind,) = kinds
        for one in norms:
            one.pop("norm", None)
        if kind != "layer":
            stack["norm"] = kind
    options = {tuple((name, one.get(name)) for name in _OF_NORMS) for one in norms}
    if len(options) == 1:
        (common,) = options
        found = {name: value for name, value in common if value is not None}
        for one in norms:
            for name in found:
                del one[name]
        if found:
            stack["layer_norm"] = found
