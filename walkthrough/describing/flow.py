"""The way of the numbers through a run: what each module reads is explained by what others returned before it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np

from walkthrough.comparing.capture import as_array
from walkthrough.comparing.thresholds import ROUNDINGS, VISIBLE
from walkthrough.describing.experts import Stacked, find_mixture, find_stacked, sent_rows
from walkthrough.describing.judge import FLOAT32, Judge, Keys, factor_of, off
from walkthrough.describing.modules import (
    Known,
    keys_of,
    names_of,
    part_of,
    read_distances,
    read_joint,
    read_linear,
    read_lookup,
    read_norm,
    rows_of_heads,
    stated_epsilons,
    tensors_in,
)
from walkthrough.describing.parts import Attentions, Way, find_feed_forward, ways_of
from walkthrough.describing.run import Call, Run, as_rows
from walkthrough.describing.state import State
from walkthrough.operations.definition import Array
from walkthrough.operations.positions.sinusoidal import sinusoidal_positions

_LATEST = 16
"""How far back the terms of a sum are looked for."""
_MOST = 3
"""Modules that queries, keys and values of all heads come from, or one for each of a head."""


class Flow:
    """What is known after a run: all matrices, the sentences that were given, what the module itself returned."""

    def __init__(self, run: Run, state: State, judge: Judge) -> None:
        self.known: list[Known] = []
        self.given = run.sentences()
        self._state, self._judge, self._attentions = state, judge, Attentions(judge, state)
        self._pending: list[Known] = []
        self._stacks: list[Stacked] = []
        self._tokens: dict[int, Known] = {}
        self._used: list[Known] = []
        for at, one in enumerate(self.given):
            if one.array.dtype.kind == "f":
                self._tokens[at] = self._add(Known("given", as_rows(one.array)))
        for call in run.calls:
            if call.inputs and call.outputs:
                self._follow(call)
        self.end = as_rows(run.calls[-1].outputs[0].array) if run.calls[-1].outputs else None
        if self.end is not None:
            self._read(self.end) or self._unjoined(self.end)

    def _add(self, made: Known) -> Known:
        self.known.append(made)
        return made

    def _follow(self, call: Call) -> None:
        """Takes down what a call returned."""
        parameters = self._state.parameters_of(call)
        x, seen = as_rows(call.inputs[0].array), as_rows(call.outputs[0].array)
        if x is not None and not x.size:  # an expert that no token was sent to
            return
        if parameters and len(call.inputs) == 3 and self._is_stack(call, x, parameters):
            return
        if not call.is_innermost:
            if parameters and x is not None and seen is not None:
                self._joint(call, seen)
        elif parameters or stated_epsilons(call.module):
            if bias := read_distances(call, _arrays(parameters), self._state.stated("distance")):
                self._attentions.biases.append(bias)
            elif x is None or seen is None:
                self._norm_of_heads(call, _arrays(parameters))
            elif not self._is_lookup(call, seen, parameters):
                self._innermost(call, x, seen, _arrays(parameters))

    def _is_stack(self, call: Call, x: Any, parameters: Mapping[str, Any]) -> bool:
        """Experts whose matrices are stacked; what is made of them is sought where it is read."""
        source = self._read(x) if x is not None and all(one.dim() == 3 for one in parameters.values()) else None
        found = find_stacked(self._judge, call, source, parameters) if source is not None else None
        self._stacks += [found] if found else []
        return found is not None

    def _innermost(self, call: Call, x: Any, seen: Any, parameters: Mapping[str, Array]) -> None:
        """A norm, or a product with a matrix."""
        if norm := read_norm(self._judge, call, x, seen, parameters):
            source = self._source(x, call.name)
            made = self._add(Known("norm", seen, call.name, norm[0], (source,), norm[1]))
            if source in self._pending:
                self._pending[self._pending.index(source)] = made.replace(keys={"over": "all", **norm[0]})
        elif linear := read_linear(call.name, Known("inner", x), seen, parameters):
            source_or_none = self._read(x)
            is_inner = source_or_none is None or source_or_none in self._pending
            if not (is_inner and self._pending and self._part(x, linear)):
                source = source_or_none or self._source(x, call.name)
                self._pending.append(self._add(linear.replace(sources=(source,))))
        elif parameters:
            said = f"What {call.name or 'the module'} ({type(call.module).__name__}) computes was not recognised."
            self._add(Known("unknown", seen, call.name, questions=(((), said),)))

    def _is_lookup(self, call: Call, seen: Any, parameters: Mapping[str, Any]) -> bool:
        """Rows of a table; the first that are looked up for the ids of a sentence are its tokens.

        A table that is read by the very tensor that the whole module was given is that of the tokens.
        """
        made = read_lookup(call.name, call.inputs[0].array, seen, parameters)
        if made is None:
            return False
        place = call.inputs[0].tensor.data_ptr()
        same = [at for at, one in enumerate(self.given) if one.tensor.data_ptr() == place]
        made = self._add(made.replace(kind="tokens" if same else "lookup"))
        for at, one in enumerate(self.given):
            is_free = at not in self._tokens or (at in same and self._tokens[at].kind != "tokens")
            if is_free and made.ids == tuple(one.array.ravel().tolist()):
                self._tokens[at] = made
                break
        return True

    def _norm_of_heads(self, call: Call, parameters: Mapping[str, Array]) -> None:
        """A norm of the queries or keys of each head takes the place of what the linear module returned."""
        given, count = call.inputs[0].array, len(self._pending[0].array) if self._pending else 0
        x, rows = rows_of_heads(given, count), rows_of_heads(call.outputs[0].array, count)
        for at, one in enumerate(self._pending if x is not None and rows is not None else ()):
            if np.array_equal(one.array, x):
                each = (-1, given.shape[-1])
                if norm := read_norm(self._judge, call, x.reshape(each), rows.reshape(each), parameters):
                    self._pending[at] = self._add(Known("norm", rows, call.name, norm[0], (one,)))

    def _joint(self, call: Call, seen: Any) -> None:
        """A module that is a whole attention, and calls none of the modules in it."""
        inputs = [Known("inner", as_rows(one.array)) for one in call.inputs[:2]]
        arrays = _arrays(self._state.parameters_of(call, is_whole=True))
        joint = read_joint(call, inputs, arrays) if all(one.array is not None for one in inputs) else None
        if joint is not None:
            products, width, out = joint[0], seen.shape[1], Known("linear", seen, call.name, joint[1])
            sources = {id(one): self._source(one.reads.array, call.name) for one in products}
            self._pending = [one.replace(sources=(sources[id(one)],)) for one in products]
            ends = (self._pending[0], self._pending[-1], self._pending[-1])
            pieces = [part_of(one, range(at * width, (at + 1) * width)) for at, one in enumerate(ends)]
            self._part(seen, out, [Way(tuple(pieces))])

    def _read(self, rows: Any) -> Known | None:
        """What is read, where it is known: it was seen, it is embeddings, or a sum."""
        for one in reversed(self.known):
            if len(one.array) >= len(rows) and np.array_equal(one.array[-len(rows) :], rows):
                is_routed = any(router.reads is one for router in self._routers)  # perhaps: it belongs to no part yet
                if len(one.array) > len(rows) and (one.kind == "sent" or is_routed):
                    continue
                self._used.append(one)
                return one
        return self._start(rows) or self._sum(rows) or self._sent(rows) or self._mixture(rows) or self._stored(rows)

    def _stored(self, rows: Any) -> Known | None:
        """A tensor that the module holds, read as it is."""
        for name, tensor in self._state.tensors.items():
            is_alike = tensor.shape[-2:] == rows.shape and tensor.numel() == rows.size
            if is_alike and np.array_equal(as_array(tensor).reshape(rows.shape), rows):
                return self._add(
                    Known("stored", rows, name, {"tensor": name} | ({"index": 0} if tensor.dim() > 2 else {}))
                )
        return None

    @property
    def _routers(self) -> list[Known]:
        """Linear modules that may choose among experts."""
        parts = [one for one in self.known if one.kind in ("attention", "feed_forward")]
        used = {name for one in parts for name in tensors_in(one.keys)}
        return [one for one in self.known if one.kind == "linear" and used.isdisjoint(tensors_in(one.keys))]

    def _sent(self, rows: Any) -> Known | None:
        """Some of the tokens that a router has read."""
        for router in reversed(self._routers):
            source = router.reads
            is_part = source.array.shape[1:] == rows.shape[1:] and len(rows) < len(source.array)
            if is_part and (found := sent_rows(source, rows)):
                return self._add(found)
        return None

    def _mixture(self, rows: Any) -> Known | None:
        """The mixture of the experts that were seen, or what it is added to with it; these are parts no more."""
        found = find_mixture(self._judge, self._state, self.known, self._stacks, self._routers, rows)
        if found is None:
            return None
        mixture, base, networks = found
        inner = {name for one in networks for name in tensors_in(one.keys)}
        self.known = [
            one
            for one in self.known
            if one not in networks and (one.kind != "linear" or inner.isdisjoint(tensors_in(one.keys)))
        ]
        self._pending = []
        self._add(mixture)
        return mixture if base is None else self._add(Known("sum", rows, sources=(base, mixture)))

    def _source(self, rows: Any, name: str) -> Known:
        """What is read; else it is asked about."""
        said = f"What {name or 'the module'} reads was not found."
        unknown = Known("unknown", rows, name, questions=(((), said),))
        return self._read(rows) or self._unjoined(rows) or self._add(unknown)

    def _sum(self, rows: Any) -> Known | None:
        """Two or three matrices that add up to the numbers, the newest last."""
        latest = [one for one in reversed(self.known) if one.array.shape == rows.shape]
        for count, most in ((2, _LATEST), (3, _LATEST // 2)):
            for terms in combinations(latest[:most], count):
                numbers = [one.numbers for one in terms]
                if off(np.add.reduce(numbers), rows, np.abs(numbers).max(axis=(0, 2))[:, None]) <= VISIBLE:
                    return self._add(Known("sum", rows, sources=tuple(reversed(terms))))
        return self._scaled_sum(latest[:_LATEST], rows)

    def _scaled_sum(self, latest: Sequence[Known], rows: Any) -> Known | None:
        """What a part has made, times a number, and what that is added to."""
        parts = [one for one in latest if one.kind in ("attention", "feed_forward", "norm")]
        for part, base in product(parts, latest):
            factor = factor_of(rows - base.numbers, part.numbers) if base is not part else 0.0
            terms = np.stack([base.numbers, factor * part.numbers])
            if factor > 0 and off(terms.sum(axis=0), rows, np.abs(terms).max(axis=(0, 2))[:, None]) <= VISIBLE:
                return self._add(Known("sum", rows, keys={"residual_scale": factor}, sources=(base, part)))
        return None

    def _start(self, rows: Any) -> Known | None:
        """The embeddings of a sentence that nothing has read yet, and what is added to them: what fits best."""
        found: list[tuple[float, int, Known, Known]] = []
        for tokens in self._tokens.values():
            if tokens in self._used or tokens.array.shape != rows.shape:
                continue
            tables = [one for one in self.known if one.ids and one is not tokens and one.array.shape == rows.shape]
            added = [chosen for size in range(len(tables) + 1) for chosen in combinations(tables, size)]
            for chosen, (keys, numbers) in product(added, list(self._positions(*rows.shape))):
                rest = np.add.reduce([numbers, *(one.numbers for one in chosen)])
                factor = factor_of(rows - rest, tokens.numbers)
                far = off(factor * tokens.numbers + rest, rows, np.abs(rest).max(axis=1, keepdims=True))
                if far <= VISIBLE:
                    found.append((far, len(found), tokens, _start_of(tokens, factor, chosen, keys)))
        if not found:
            return None
        _, _, tokens, start = min(found)
        self._used.append(tokens)
        return self._add(start.replace(array=rows))

    def _positions(self, count: int, width: int) -> Iterator[tuple[Keys, Array]]:
        """What may say positions: nothing, rows of a stored matrix that is not looked up, or sines and cosines."""
        yield {}, np.zeros((count, width))
        known = {one.keys["embeddings"]["tensor"] for one in self.known if one.ids}
        for name, tensor in self._state.tensors.items():
            shape = tuple(tensor.shape)
            is_one = shape[-1:] == (width,) and len(shape) > 1 and math.prod(shape[:-2]) == 1
            if is_one and name not in known and shape[-2] >= count and tensor.dtype.is_floating_point:
                table = np.asarray(as_array(tensor.reshape(-1, width)[: count + 2]), np.float64)
                for first in range(len(table) - count + 1):
                    rows = {"rows": [first + 1, shape[-2]]} if first else {}
                    keys = {"tensor": name} | ({"index": 0} if len(shape) > 2 else {}) | rows
                    yield {"positional_encoding": keys}, table[first : first + count]
        for layout in ("interleaved", "halves", "tensor2tensor"):
            sines: Any = "sinusoidal" if layout == "interleaved" else {"sinusoidal": {"layout": layout}}
            settings = {"base": 10000.0, "layout": layout, "angle": "radians"}
            numbers = sinusoidal_positions.forward(positions=range(count), width=width, **settings)
            yield {"positional_encoding": sines}, numbers

    def _part(self, found: Any, out: Known, joint: Sequence[Way] = ()) -> Known | None:
        """The attention or network between the last linear modules and another, which then is over.

        found: what that other one has read; of a module that is a whole attention, known way by way, what it returned
        """
        group, made = self._pending, None
        if len(found) == 1 and all(one.reads.kind == "unknown" or len(one.reads.array) > 1 for one in group):
            return None  # what is made of a row of several, as a pooler's, is no part of a stack
        for linears in (group[-1:], group[-2:]) if not joint else ():
            if all(one.kind == "linear" and one.reads is linears[0].reads for one in linears):
                made = made or find_feed_forward(self._judge, linears, found, out)
        counts = dict.fromkeys((*range(min(_MOST, len(group)), 0, -1), len(group)))
        for ways in [joint] if joint else (ways_of(group[-count:], found.shape[1]) for count in counts):
            made = made or self._attention(ways, found, out, keys_of("o", out) if joint else {})
        return self._end_part(made or self._attentions.guess(group[-_MOST:], found, out, joint))

    def _end_part(self, made: Known | None) -> Known | None:
        if made is not None:
            self._pending = []
            self._add(made)
        return made

    def _attention(self, ways: Iterable[Way], found: Any, out: Known | None, last: Keys) -> Known | None:
        """The attention that gives the numbers; out: the matrix after it; last: its keys, if what it made is seen."""
        names = names_of([*self._pending, *([out] if out is not None else [])])
        made = self._attentions.find(ways, found, last, names, is_new=out is None)
        if made is None or out is None:
            return made
        return made.replace(array=out.array, name=out.name, keys={**made.keys, **keys_of("o", out)})

    def _unjoined(self, rows: Any) -> Known | None:
        """What heads found, which no matrix joins: as it is, or added to what they read, or to that before its norm."""
        if len(self._pending) < _MOST:
            return None
        source = self._pending[-1].reads
        for base in source.bases:
            if base is None or base.array.shape == rows.shape:
                found = rows if base is None else (rows - base.array).astype(rows.dtype)
                ways = ways_of(self._pending, found.shape[1])
                if made := self._end_part(self._attention(ways, found, None, {})):
                    return made if base is None else self._add(Known("sum", rows, sources=(base, made)))
        return None


def _start_of(tokens: Known, factor: float, tables: Sequence[Known], positions: Keys) -> Known:
    """Embeddings that are multiplied by a factor, with further tables, and positions."""
    keys, questions, root = {**tokens.keys}, [], math.sqrt(tokens.array.shape[1])
    scale = factor * (root if "embedding_scale" in keys else 1)
    if scale != 1:
        keys["embedding_scale"] = "sqrt_d_model" if abs(scale - root) <= ROUNDINGS * FLOAT32 * scale else scale
    for one in tables:
        table, first = one.keys["embeddings"], one.ids[0]
        if len(set(one.ids)) == 1 < len(one.ids):
            keys["segment_embedding"] = {**table, "rows": [first + 1] * 2}
            continue
        positions = {"positional_encoding": {**table, **({"rows": [first + 1, one.rows]} if first else {})}}
        is_row = len(one.ids) > 1 and all(two - before == 1 for before, two in pairwise(one.ids))
        if not is_row or (one.ids == tokens.ids and tokens.kind != "tokens"):
            said = f"Whether {table['tensor']} holds positions cannot be told from this run; try other ids."
            questions.append((("positional_encoding",), said))
    return Known("start", None, tokens.name, keys | positions, (tokens,), tuple(questions))


def _arrays(parameters: Mapping[str, Any]) -> dict[str, Array]:
    return {name: np.asarray(as_array(one), np.float64) for name, one in parameters.items()}
