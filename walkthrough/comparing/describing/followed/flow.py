"""The way of the numbers through a run: what each module reads is explained by what others returned before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from walkthrough.comparing.capture import as_array
from walkthrough.comparing.describing.followed.calls import Call, Run, Seen
from walkthrough.comparing.describing.followed.joint import Projected, find_joint
from walkthrough.comparing.describing.followed.known import (
    Given,
    Known,
    Memory,
    Normed,
    Product,
    Sum,
    Unexplained,
    as_rows,
    of_heads,
    product_of,
)
from walkthrough.comparing.describing.followed.parts import Attended, Guessed, Inside
from walkthrough.comparing.describing.followed.state import State
from walkthrough.comparing.describing.followed.sums import find_embedded, find_sum
from walkthrough.comparing.describing.guesses.closeness import Target
from walkthrough.comparing.describing.guesses.linears import find_linear, find_lookup
from walkthrough.comparing.describing.guesses.norms import find_norm
from walkthrough.comparing.describing.guesses.stated import stated_in
from walkthrough.errors import ArgumentError
from walkthrough.operations.definition import Array


class Flow:
    """What is known after a run.

    given: the ids or the vectors that the module was given, of one sentence or of two
    end:   what the module itself returned, where that is one sequence
    """

    def __init__(self, module: Any, run: Run, state: State, given: Sequence[Seen]) -> None:
        self.memory = Memory()
        self.given = given
        self._state = state
        self.stated = stated_in(module)
        self._inside = Inside(self.stated)
        self._pending: list[Known] = []
        self._tokens: dict[int, Known] = {}
        self._used: list[Known] = []
        for at, one in enumerate(given):
            if one.array.dtype.kind == "f":
                self._tokens[at] = self.memory.add(as_rows(one.array), Given(one), one)
        for call in run.calls:
            self._follow(call)
        self.end = run.calls[-1].outputs[0] if run.calls[-1].outputs else None
        if self.end is not None:
            self._attended(self.end)

    def _follow(self, call: Call) -> None:
        """Takes down what a call returned."""
        parameters = self._state.parameters_of(call)
        if not call.outputs or not call.inputs:
            return
        given, returned = call.inputs[0], call.outputs[0]
        if parameters and not call.is_innermost and self._is_attention(call):
            return
        if not call.is_innermost or not parameters:
            if not (call.is_innermost and self._is_norm(call, given, returned, {})):
                self._note(returned)
            return
        if as_rows(returned.array) is None:
            self._is_norm_of_heads(call, given, returned, _arrays(parameters))
            return
        if self._is_lookup(given, returned, parameters):
            return
        arrays = _arrays(parameters)
        if self._is_norm(call, given, returned, arrays) or self._is_linear(call, given, returned, arrays):
            return
        rows = as_rows(returned.array)
        kind = type(call.module).__name__
        self.memory.add(
            rows, Unexplained(f"What {call.name or 'the module'} ({kind}) computes was not recognised"), returned
        )

    def _is_lookup(self, given: Seen, returned: Seen, parameters: Mapping[str, Any]) -> bool:
        rows = as_rows(returned.array)
        lookup = find_lookup(given.array, Target(rows), parameters)
        if lookup is None:
            return False
        same = [at for at, one in enumerate(self.given) if _is_view(given.tensor, one.tensor)]
        lookup = lookup.replace(is_asked=bool(same))
        known = self.memory.add(rows, lookup, returned)
        for at, one in enumerate(self.given):
            is_free = at not in self._tokens or (at in same and not self._tokens[at].made.is_asked)
            if is_free and lookup.ids == tuple(one.array.ravel().tolist()):
                self._tokens[at] = known
                break
        return True

    def _is_norm_of_heads(self, call: Call, given: Seen, returned: Seen, parameters: Mapping[str, Array]) -> None:
        """A norm of the queries or keys of each head takes the place of what the linear module returned."""
        count = len(self._pending[0].numbers) if self._pending else 0
        x, rows = of_heads(given.array, count), of_heads(returned.array, count)
        source = None if x is None or rows is None else self._in_pending(x)
        if source is None:
            return
        width = given.array.shape[-1]
        each, target = np.asarray(x, np.float64).reshape(-1, width), Target(rows.reshape(-1, width))
        if norm := find_norm(each, target, parameters, call.module):
            at = self._pending.index(source)
            self._pending[at] = self.memory.add(rows, Normed(call.name, norm, source, of_heads=True))

    def _is_attention(self, call: Call) -> bool:
        """A module that is a whole attention, and calls none of the modules in it."""
        joint = find_joint(call, self._state.parameters_of(call, is_whole=True))
        if joint is None:
            return False
        sources = [self._read(seen, call.name) for seen, _ in zip(call.inputs, joint.products, strict=False)]
        known = [
            self.memory.add(numbers, Product(call.name, joint.into, source))
            for numbers, source in zip(joint.products, sources, strict=True)
        ]
        rows = as_rows(call.outputs[0].array)
        made = self._inside.find_joint(Projected(rows, joint), known) or Guessed(tuple(known))
        inner = self.memory.add(np.full(joint.weight.shape[:1], np.nan)[None], made)
        self.memory.add(rows, Product(call.name, joint.out, inner), call.outputs[0])
        return True

    def _in_pending(self, x: Array) -> Known | None:
        target = Target(x)
        return next((one for one in self._pending if target.off(one.numbers) < np.inf), None)

    def _note(self, seen: Seen) -> None:
        """Keeps what is a sum of what is known, such as what a whole layer returns."""
        if as_rows(seen.array) is not None and self.memory.find(seen) is None:
            self._sum(seen)

    def _is_norm(self, call: Call, given: Seen, returned: Seen, parameters: Mapping[str, Array]) -> bool:
        x, rows = as_rows(given.array), as_rows(returned.array)
        if x is None or rows is None or (self.memory.find(returned) is not None and not parameters):
            return False
        norm = find_norm(np.asarray(x, np.float64), Target(rows), parameters, call.module)
        if norm is None:
            return False
        source = self._read(given, call.name)
        self._used.append(source)
        known = self.memory.add(rows, Normed(call.name, norm, source), returned)
        if source in self._pending:
            self._pending[self._pending.index(source)] = known
        return True

    def _is_linear(self, call: Call, given: Seen, returned: Seen, parameters: Mapping[str, Array]) -> bool:
        x, rows = as_rows(given.array), as_rows(returned.array)
        linear = None if x is None else find_linear(np.asarray(x, np.float64), Target(rows), parameters)
        if linear is None:
            return False
        source = self.memory.find(given) or self._sum(given)
        inner = self._inner(given) if source is None and self._pending else None
        source = source or (self._added(given) if inner is None else None)
        if source is None and (inner is not None or self._pending):
            self.memory.add(rows, Product(call.name, linear, inner or self._guessed(given)), returned)
        else:
            source = source or self._unexplained(given, call.name)
            self._used.append(source)
            self._pending.append(self.memory.add(rows, Product(call.name, linear, source), returned))
        return True

    def _read(self, seen: Seen, name: str) -> Known:
        """What is read: known, or a sum; else it is asked about."""
        return self.memory.find(seen) or self._sum(seen) or self._added(seen) or self._unexplained(seen, name)

    def _unexplained(self, seen: Seen, name: str) -> Known:
        return self.memory.add(
            as_rows(seen.array), Unexplained(f"What {name or 'the module'} reads was not found"), seen
        )

    def _sum(self, seen: Seen) -> Known | None:
        """What is read as a sum of what is known, the embeddings first."""
        rows = as_rows(seen.array)
        if rows is None:
            return None
        target, known = Target(rows), self.memory.all
        for tokens in self._tokens.values():
            if tokens in self._used:
                continue
            made = find_embedded(target, known, self._state.starts(len(rows), rows.shape[1]), tokens)
            if made is not None:
                self._used.append(tokens)
                return self.memory.add(rows, made, seen)
        terms = find_sum(target, known)
        return self.memory.add(rows, Sum(terms), seen) if terms else None

    def _attended(self, seen: Seen) -> None:
        """What the module returns may be what heads found, which no matrix joins, or a sum with that."""
        rows = as_rows(seen.array)
        if rows is not None and self._pending and self.memory.find(seen) is None:
            made = self._inside.find(Target(rows), self._pending)
            if isinstance(made, Attended):
                self._pending.clear()
                self.memory.add(rows, made, seen)
            else:
                self._added(seen)

    def _added(self, seen: Seen) -> Known | None:
        """What heads found, which no matrix joins, added to what they read, or to that before its norm."""
        rows = as_rows(seen.array)
        if rows is None or len(self._pending) < 3:
            return None
        source = product_of(self._pending[-1]).made.source
        for base in (*([source.made.source] if isinstance(source.made, Normed) else []), source):
            if base.numbers.shape == rows.shape:
                rest = (rows - base.numbers).astype(rows.dtype)
                made = self._inside.find(Target(rest, base.numbers), self._pending)
                if isinstance(made, Attended):
                    self._pending.clear()
                    return self.memory.add(rows, Sum((base, self.memory.add(rest, made))), seen)
        return None

    def _inner(self, seen: Seen) -> Known | None:
        """What is read as what is inside an attention or a feed-forward network."""
        rows = as_rows(seen.array)
        made = self._inside.find(Target(rows), self._pending)
        if made is not None:
            self._pending.clear()
        return None if made is None else self.memory.add(rows, made, seen)

    def _guessed(self, seen: Seen) -> Known:
        """What is read, as made of all that nothing has read yet."""
        made = Guessed(tuple(self._pending))
        self._pending.clear()
        return self.memory.add(as_rows(seen.array), made, seen)


def _is_view(one: Any, other: Any) -> bool:
    """Whether two tensors are one, of whatever shape."""
    return bool(one.data_ptr() == other.data_ptr() and one.numel() == other.numel())


def _arrays(parameters: Mapping[str, Any]) -> dict[str, Array]:
    return {name: np.asarray(as_array(one), np.float64) for name, one in parameters.items()}


def given_to(run: Run) -> list[Seen]:
    """The sentences that the module was given: ids, or else vectors; of an encoder and a decoder there are two.

    Raises ArgumentError where there are several sentences in one tensor, or none.
    """
    given = run.calls[-1].inputs
    ids = [one for one in given if one.array.dtype.kind in "iu" and one.array.ndim]
    vectors = [one for one in given if one.array.dtype.kind == "f" and one.array.ndim > 1]
    if not ids and not vectors:
        raise ArgumentError("inputs: expected the ids of one sentence, or a vector for each of its tokens")
    found = (ids or vectors)[:2]
    sizes = [size for size in found[0].array.shape[: found[0].array.ndim - (not ids)] if size != 1]
    if len(sizes) > 1:
        shape = "×".join(map(str, found[0].array.shape))
        raise ArgumentError(f"inputs: expected one sentence, found {shape}; give one row of it, as 1×n")
    return [one for one in found if ids or as_rows(one.array) is not None]
