"""What an innermost module does, as keys of a scenario: it looks rows up, multiplies with a matrix, or is a norm."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import permutations, product
from typing import Any

import numpy as np

from walkthrough.comparing.capture import as_array
from walkthrough.describing.judge import Judge, Keys, best, off
from walkthrough.describing.run import Call
from walkthrough.mistakes.operations.normalization import EPSILONS
from walkthrough.operations.definition import Array
from walkthrough.operations.positions.relative import Buckets, relative_buckets
from walkthrough.records import NONE, Record

_FURTHER = 4
"""How many rows further on a table may begin."""
_DISTANCE = 128
"""From where on distances share a bucket, where the module does not say it: as in T5."""
_LARGEST = 0.1
"""A number that is an attribute of a norm and no larger may be its epsilon."""

Questions = tuple[tuple[tuple[Any, ...], str], ...]
"""Questions: of each the path of its line below the keys, and a sentence."""
_NORMED = {"q": "query_norm", "k": "key_norm", "v": "value_norm"}


class Known(Record, eq=False):
    """A matrix that was seen, n×m in its own type, and what it was made of.

    kind:    given, lookup, tokens (a lookup by the ids that the module was given), start (embeddings with all that is
             added), linear, norm, attention, feed_forward, stream
    name:    of the module that returned it
    keys:    those of a scenario that make it of its sources
    sources: what the module read; of an attention queries' input, and that of the keys where it is another
    questions: what these numbers do not tell
    ids:     of a lookup: which rows, counted from 0, of how many
    """

    kind: str
    array: Any
    name: str = ""
    keys: Mapping[str, Any] = NONE
    sources: tuple[Known, ...] = ()
    questions: Questions = ()
    ids: tuple[int, ...] = ()
    rows: int = 0

    @property
    def numbers(self) -> Array:
        """As float64."""
        return np.asarray(self.array, np.float64)

    @property
    def linear(self) -> Known:
        """What a linear module returned; of queries or keys that a norm has changed, before that."""
        return self.sources[0].linear if self.kind == "norm" else self

    @property
    def reads(self) -> Known:
        """What the linear module read."""
        return self.linear.sources[0]

    @property
    def bases(self) -> tuple[Known | None, ...]:
        """What something made of it may be added to: nothing, what its norm reads, the matrix itself."""
        return None, *(self.sources if self.kind == "norm" else ()), self


def part_of(linear: Known, *columns: range) -> Known:
    """Some columns of what a linear module returned, counted from 0, with the rows of the weight that make them."""
    ranges = [[one.start + 1, one[-1] + 1, *([one.step] if one.step > 1 else [])] for one in columns]
    part = ranges[0] if len(ranges) == 1 else ranges
    sides = {name: "columns" if name == "b" or "transpose" in one else "rows" for name, one in linear.keys.items()}
    keys = {name: {"tensor": one["tensor"], sides[name]: part} | one for name, one in linear.keys.items()}
    return linear.replace(array=linear.array[:, [at for one in columns for at in one]], keys=keys)


def keys_of(letter: str, known: Known) -> Keys:
    """The keys of a weight and its bias; of queries or keys also those of a norm, of which an RMS norm is the usual."""
    norm: Keys = {}
    if known.kind == "norm":
        kind = {"norm": known.keys.get("norm", "layer")} | {**known.keys}
        norm = {_NORMED[letter]: {name: one for name, one in kind.items() if one != "rms"}}
    return norm | {f"{name}_{letter}": one for name, one in known.linear.keys.items()}


def names_of(known: Iterable[Known]) -> str:
    """The names of linear modules: "h.0.fc and h.0.proj"."""
    *names, last = dict.fromkeys(one.linear.name for one in known)
    return f"{', '.join(names)} and {last}" if names else str(last)


def tensors_in(held: Any) -> list[str]:
    """The names of tensors in some keys, in order."""
    if isinstance(held, list):
        return [name for one in held for name in tensors_in(one)]
    pairs = held.items() if isinstance(held, Mapping) else ()
    return [name for key, one in pairs for name in ([one] if key == "tensor" else tensors_in(one))]


def read_lookup(name: str, given: Any, seen: Any, parameters: Mapping[str, Any]) -> Known | None:
    """Rows of a table: those of the ids, or some further on, or one after the other; perhaps times √d.

    parameters: tensors of PyTorch, of which only some rows are read
    """
    count, width = seen.shape
    scales: tuple[tuple[float, Keys], ...] = ((1.0, {}), (math.sqrt(width), {"embedding_scale": "sqrt_d_model"}))
    given_ids = [given.ravel().astype(int)] if given.dtype.kind in "iub" and given.size == count else []
    for tensor, table in parameters.items():
        if table.dim() != 2 or table.shape[1] != width:
            continue
        for ids in (one + first for one in (*given_ids, np.arange(count)) for first in range(_FURTHER)):
            if ids.min() >= 0 and ids.max() < len(table):
                rows = np.asarray(as_array(table[ids.tolist()]), np.float64)
                for scale, keys in scales:
                    if off(rows * scale, seen) < np.inf:
                        keys = {"embeddings": {"tensor": tensor}} | keys
                        return Known("lookup", seen, name, keys, ids=tuple(ids.tolist()), rows=len(table))
    return None


def read_distances(
    call: Call, parameters: Mapping[str, Array], stated: Iterable[float]
) -> tuple[Keys, Questions] | None:
    """The keys of T5's relative positions, where a table is looked up by the distance of every two tokens.

    stated: from what distance on all may share the last bucket
    """
    ids, seen = call.inputs[0].array, call.outputs[0].array
    tables = [(name, one) for name, one in parameters.items() if one.ndim == 2]
    is_square = ids.dtype.kind in "iu" and ids.ndim == 2 and 1 < len(ids) == ids.shape[1]
    if not is_square or len(tables) != 1 or seen.shape != (*ids.shape, tables[0][1].shape[1]):
        return None
    ((name, table),), places, known = tables, range(len(ids)), list(map(int, stated))
    for both, distance in product((True, False), known or [_DISTANCE]):
        buckets = Buckets(len(table), distance, both)
        if 0 < buckets.exact < distance and np.array_equal(relative_buckets.forward(buckets, places, places), ids):
            keys = {"buckets": len(table), "max_distance": distance, "bidirectional": both, "table": {"tensor": name}}
            said = f"From what distance on all share the last row of {name} is not known; {distance} is a guess."
            return keys, () if known else ((("relative_bias", "max_distance"), said),)
    return None


def read_linear(name: str, source: Known, seen: Any, parameters: Mapping[str, Array]) -> Known | None:
    """The product with a weight, stored out×in or in×out, and a bias, where there is one."""
    weights = [one for one in parameters if parameters[one].ndim == 2]
    biases = [one for one in parameters if parameters[one].ndim == 1]
    if len(weights) != 1 or len(biases) > 1 or len(parameters) > 2:
        return None
    x, tried = source.numbers, []
    for way, matrix in (({}, parameters[weights[0]].T), ({"transpose": True}, parameters[weights[0]])):
        bias = parameters[biases[0]] if biases else np.zeros(seen.shape[1])
        if matrix.shape == (x.shape[1], seen.shape[1]) and bias.shape == seen.shape[1:]:
            size = (np.abs(x) @ np.abs(matrix)).max(axis=1, keepdims=True)
            keys = {"w": {"tensor": weights[0]} | way} | ({"b": {"tensor": biases[0]}} if biases else {})
            tried.append((keys, off(x @ matrix + bias, seen, size)))
    return next((Known("linear", seen, name, keys, (source,)) for keys in best(tried)), None)


def read_joint(call: Call, sources: list[Known], parameters: Mapping[str, Array]) -> tuple[list[Known], Keys] | None:
    """An attention that is one call, as nn.MultiheadAttention: what it made of its inputs, and its output matrix.

    parameters: its own and those of the modules in it, of which none was called; their shapes say what they are
    """
    width = sources[0].array.shape[1]
    by_shape = {one.shape: name for name, one in parameters.items()}
    shapes = {(3 * width, width), (width, width)}
    if not shapes <= by_shape.keys() <= shapes | {(3 * width,), (width,)} or len(by_shape) < len(parameters):
        return None
    into, out = (
        {letter: {"tensor": by_shape[shape]} for letter, shape in shapes if shape in by_shape}
        for shapes in ((("w", (size, width)), ("b", (size,))) for size in (3 * width, width))
    )
    weight, bias = parameters[into["w"]["tensor"]], parameters[into["b"]["tensor"]] if "b" in into else 0.0
    made = [(one.numbers @ weight.T + bias).astype(one.array.dtype) for one in sources]
    return [Known("linear", rows, call.name, into, (one,)) for rows, one in zip(made, sources, strict=True)], out


def read_norm(
    judge: Judge, call: Call, x: Any, seen: Any, parameters: Mapping[str, Array]
) -> tuple[Keys, Questions] | None:
    """The keys of the norm of each row that gives the numbers, and what they do not tell; None where none does."""
    stated = stated_epsilons(call.module)
    is_possible = x.shape == seen.shape and all(one.size in (1, x.shape[1]) for one in parameters.values())
    tried = _norms(parameters, x.shape[1], stated or EPSILONS) if is_possible and (stated or parameters) else ()
    fitting = best((keys, judge.norm(keys, x, seen)) for keys in tried)
    if not fitting:
        return None
    epsilon = fitting[0].get("epsilon")
    is_open = not stated and any(one.get("epsilon") != epsilon for one in fitting)
    sentence = f"The epsilon of {call.name} cannot be told from this run; {epsilon} is a guess."
    return fitting[0], ((("epsilon",), sentence),) if is_open else ()


def stated_epsilons(module: Any) -> tuple[float, ...]:
    """Small numbers that are attributes of the module: its epsilon is among them."""
    values = (one for name, one in vars(module).items() if isinstance(one, float) and not name.startswith("_"))
    return tuple(one for one in values if 0 <= one <= _LARGEST)


def _norms(parameters: Mapping[str, Array], width: int, epsilons: tuple[float, ...]) -> Iterator[Keys]:
    """The norms that can be made of the parameters, the likeliest first."""
    wide = [name for name, one in parameters.items() if one.size == width and one.ndim > 0]
    single = [name for name in parameters if name not in wide]
    for names in permutations(("gamma", "beta"), len(wide)) if len(wide) < 3 and len(single) < 2 else ():
        given = {key: {"tensor": name} for key, name in sorted(zip(names, wide, strict=True), reverse=True)}
        if single:
            yield {"norm": "dyt", **given, "alpha": {"tensor": single[0]}}
            continue
        for epsilon, on_std, sample in product(epsilons, (False, True), (False, True)):
            options = ({"variance": "sample"} if sample else {}) | ({"epsilon_in": "std"} if on_std else {})
            yield {"epsilon": epsilon} | options | given
        for epsilon, norm in product(epsilons if "beta" not in given else (), ("rms", "rms_plus_one")):
            yield {"norm": norm, "epsilon": epsilon} | given


def rows_of_heads(array: Any, count: int) -> Any:
    """The numbers of all heads side by side, n×(heads·d); None where they are not those of heads of n tokens."""
    if array.ndim != 4 or array.shape[0] != 1 or count not in array.shape[1:3]:
        return None
    return (array[0] if array.shape[1] == count else array[0].transpose(1, 0, 2)).reshape(count, -1)
