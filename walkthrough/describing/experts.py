"""Mixtures of experts: networks of one name but for a number, each with the tokens that a router has sent it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, permutations, product
from typing import Any

import numpy as np

from walkthrough.describing.folding import renamed, with_number
from walkthrough.describing.judge import Judge, Keys, best, off
from walkthrough.describing.modules import Known, keys_of, tensors_in
from walkthrough.describing.parts import opened
from walkthrough.describing.run import Call, as_rows
from walkthrough.describing.state import State
from walkthrough.operations.definition import Array
from walkthrough.records import Record
from walkthrough.scenario.schema.feed_forward import ACTIVATIONS

_NUMBER = re.compile(r"\d+")
_WEIGHTS: tuple[Keys, ...] = (
    {},
    {"normalize": False},
    {"scores": "sigmoid"},
    {"scores": "sigmoid", "normalize": False},
)
"""What the weights of the chosen experts may be; a softmax of the chosen is the first."""


def sent_rows(source: Known, rows: Any) -> Known | None:
    """Some rows of a matrix, in any order: what an expert reads of the tokens; None where they are none."""
    places = [np.flatnonzero((source.array == row).all(axis=1)) for row in rows]
    if not places or not all(one.size for one in places):
        return None
    return Known("sent", rows, source.name, sources=(source,))


class Stacked(Record, eq=False):
    """Experts whose matrices are stacked in tensors of three dimensions, as in transformers.

    source: what they read; top_k: how many of them each token is sent to
    keys:   of one of them, {e} for its number
    """

    source: Known
    top_k: int
    activation: str
    keys: Keys


def find_stacked(judge: Judge, call: Call, source: Known, parameters: Mapping[str, Any]) -> Stacked | None:
    """The experts of a module that is given the rows, which of its experts each is sent to, and with what weights."""
    if len(call.inputs) != 3 or any(len(one.shape) != 3 for one in parameters.values()):
        return None
    (chosen, weights), seen = (one.array for one in call.inputs[1:]), as_rows(call.outputs[0].array)
    if chosen.dtype.kind not in "iu" or not chosen.shape == weights.shape == (len(source.array), *chosen.shape[1:]):
        return None
    shares = {int(one): np.where(chosen == one, weights, 0).sum(axis=1, keepdims=True) for one in np.unique(chosen)}
    tried: list[tuple[Keys, float]] = []
    for keys, name in product(_stacks(parameters, source.array.shape[1]), ACTIVATIONS):
        numbered = ({at: {**one, "index": number} for at, one in keys.items()} for number in shares)
        values = [judge.part("feed_forward", {"activation": name} | one, source.array) for one in numbered]
        sent = [one.array * share for one, share in zip(values, shares.values(), strict=True) if one is not None]
        tried.append(({"activation": name, "keys": keys}, off(np.add.reduce(sent), seen) if sent else np.inf))
    fitting = best(tried)
    return Stacked(source, chosen.shape[1], **fitting[0]) if fitting else None


def _stacks(parameters: Mapping[str, Any], width: int) -> Iterator[Keys]:
    """The keys that an expert may have: two or three stacks, the last of them that of the second matrix."""
    for names, turned in product(permutations(parameters), (False, True)):
        shapes = [tuple(parameters[name].shape[1:])[:: -1 if turned else 1] for name in names]
        if len(names) > 1 and shapes[-1][0] == width and all(one[1] == width for one in shapes[:-1]):
            way = {"index": "{e}"} | ({"transpose": True} if turned else {})
            *into, out = (
                Known("linear", np.zeros((1, size)), name, {"w": {"tensor": name} | way})
                for name, (size, _) in zip(names, shapes, strict=True)
            )
            for keys in opened(into, shapes[-1][1]):
                yield keys | keys_of("2", out)


def find_mixture(
    judge: Judge,
    state: State,
    known: Sequence[Known],
    stacks: Sequence[Stacked],
    routers: Sequence[Known],
    rows: Any,
) -> tuple[Known, Known | None, list[Known]] | None:
    """The mixture that gives the rows, what it is added to, if to anything, and the networks that it is made of."""
    parts = [one for one in known if one.kind == "feed_forward" and "router" not in one.keys]
    for router in (one for one in reversed(routers) if one.array.shape[1] > 1):
        source = router.reads
        networks = [one for one in parts if _whole(one.sources[0]) is source]
        stacked = [one for one in stacks if one.source is source]
        if (networks or stacked) and source.array.shape == rows.shape and len(router.array) == len(rows):
            gates = [one for one in routers if one.array.shape[1] == 1 and one.reads is source]
            count = router.array.shape[1]
            of_stacks = ((one.activation, one.keys, networks, one.top_k) for one in stacked if len(networks) < 2)
            for activation, expert, beside, top_k in chain(of_stacks, _networks(networks, count, len(rows), state)):
                for keys in _mixtures(activation, expert, count, beside, gates):
                    if found := _judged(judge, state, keys, router, rows, top_k):
                        return (*found, networks)
    return None


def _whole(source: Known) -> Known:
    return source.sources[0] if source.kind == "sent" else source


def _count_sent(experts: Sequence[Known], tokens: int) -> int | None:
    """To how many experts each token is sent; None where each expert sees all."""
    rows = sum(len(one.array) for one in experts)
    is_sent = any(one.sources[0].kind == "sent" for one in experts)
    return rows // tokens if is_sent and rows % tokens == 0 else None


def _networks(
    found: Sequence[Known], count: int, tokens: int, state: State
) -> Iterator[tuple[str, Keys, list[Known], int | None]]:
    """Experts by the numbers in the names of their tensors: their activation, the keys of each, the network beside
    them, if there is one, and to how many each token is sent."""
    groups: dict[tuple[int, str], dict[int, Known]] = {}
    for one in found:
        name = one.keys["w_2"]["tensor"]
        for at, number in enumerate(_NUMBER.findall(name)):
            groups.setdefault((at, with_number(name, at, number, "{e}")), {})[int(number)] = one
    for (at, _), experts in sorted(groups.items(), key=lambda group: -len(group[1])):
        expert = _expert(at, experts)
        if expert is not None and len(found) - len(experts) < 2 and _has_all(expert, count, state):
            (activation, _), *_ = Counter(one.keys["activation"] for one in experts.values()).most_common()
            beside = [one for one in found if one not in experts.values()]
            yield activation, expert, beside, _count_sent([*experts.values()], tokens)


def _mixtures(
    activation: str, expert: Keys, count: int, beside: Sequence[Known], gates: Sequence[Known]
) -> Iterator[Keys]:
    """The keys of a mixture but for its router, with the network beside the experts for all tokens, if there is one.

    gates: what may say of each token how much of that network it takes
    """
    shared = {"shared": {**beside[0].keys}} if beside else {}
    if beside and shared["shared"]["activation"] == activation:
        del shared["shared"]["activation"]
    keys = {"activation": activation, "experts": {"repeat": count, "expert": expert}, **shared}
    for gate in (*gates, None) if beside else (None,):
        yield keys | ({} if gate is None else {"w_shared_gate": gate.keys["w"]})


def _expert(at: int, experts: Mapping[int, Known]) -> Keys | None:
    """The keys of all experts, {e} in the place of a number; None where they differ in more than that."""
    made: list[Keys] = []
    for number, known in experts.items():
        keys = {key: one for key, one in known.keys.items() if key != "activation"}
        made.append(renamed(keys, partial(with_number, at=at, number=str(number), other="{e}")))
    return made[0] if all(one == made[0] for one in made) else None


def _has_all(expert: Keys, count: int, state: State) -> bool:
    """Whether there are so many, also such as no token was sent to, and no more."""
    has = [all(name.format(e=number) in state.tensors for name in tensors_in(expert)) for number in range(count + 1)]
    return has == [True] * count + [False]


def _judged(
    judge: Judge, state: State, keys: Keys, router: Known, rows: Any, sent: int | None
) -> tuple[Known, Known | None] | None:
    """The mixture whose router gives the rows, by itself or with what it is added to; None where none does."""
    source, experts = router.reads, keys["experts"]["repeat"]
    counts = [sent] if sent else range(1, experts + 1)
    options = [{"top_k": count} | one for count, one in product(counts, _weighings(state, router, experts))]
    for base in source.bases:
        tried, arrays = [], []
        for one in options:
            routed = keys | {"router": {**router.keys, **one}}
            value = judge.part("feed_forward", routed, source.array)
            arrays.append(None if value is None else value.array)
            tried.append((routed, _off(arrays[-1], base, rows)))
        fitting = best(tried)
        if fitting:
            made = next(array for (routed, _), array in zip(tried, arrays, strict=True) if routed is fitting[0])
            return _mixture(router, fitting, np.asarray(made).astype(rows.dtype)), base
    return None


def _weighings(state: State, router: Known, experts: int) -> Iterator[Keys]:
    """What the weights of the chosen experts may be: of what scores, with a factor, chosen with a bias."""
    scales = [one for one in state.stated("scal") if one != 1]
    before = router.name.rpartition(".")[0]
    biases = [
        name
        for name, one in state.tensors.items()
        if name.startswith(before) and tuple(one.shape) == (experts,) and name not in tensors_in(router.keys)
    ]
    for weights, scale, bias in product(_WEIGHTS, (None, *scales), (None, *biases)):
        factor = {} if scale is None else {"scale": scale}
        yield weights | factor | ({} if bias is None else {"choice_bias": {"tensor": bias}})


def _off(made: Array | None, base: Known | None, rows: Any) -> float:
    """How far a mixture is off, with what it is added to."""
    if made is None:
        return np.inf
    if base is None:
        return off(made, rows)
    size = np.maximum(np.abs(made), np.abs(base.numbers)).max(axis=1, keepdims=True)
    return off(made + base.numbers, rows, size)


def _mixture(router: Known, fitting: Sequence[Keys], array: Any) -> Known:
    name = router.name
    said = f"How {name} weighs the experts that it chooses cannot be told from this run; try more tokens."
    questions = ((("router",), said),) if len(fitting) > 1 else ()
    return Known("feed_forward", array, name, fitting[0], (router.reads,), questions)
