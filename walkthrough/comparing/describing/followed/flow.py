"""The way of the numbers through a run: what each module reads is explained by what others returned before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from walkthrough.comparing.capture import as_array
from walkthrough.comparing.describing.followed.calls import Call, Run, Seen
from walkthrough.comparing.describing.followed.joint import Projected, find_joint
from walkthrough.comparing.describing.followed.known import Known, Normed, Product, Unexplained, as_rows, of_heads
from walkthrough.comparing.describing.followed.parts import Guessed, Inside
from walkthrough.comparing.describing.followed.sources import Sources
from walkthrough.comparing.describing.followed.state import State
from walkthrough.comparing.describing.guesses.closeness import Target
from walkthrough.comparing.describing.guesses.linears import find_linear, find_lookup
from walkthrough.comparing.describing.guesses.norms import find_norm
from walkthrough.comparing.describing.guesses.stated import stated_in
from walkthrough.operations.definition import Array


class Flow:
    """What is known after a run.

    given: the ids or the vectors that the module was given, of one sentence or of two
    end:   what the module itself returned, where that is one sequence
    """

    def __init__(self, module: Any, run: Run, state: State, given: Sequence[Seen]) -> None:
        self.given = given
        self.stated = stated_in(module)
        self._state = state
        self._inside = Inside(self.stated)
        self._sources = Sources(state, self._inside, given)
        self.memory = self._sources.memory
        for call in run.calls:
            self._follow(call)
        self.end = run.calls[-1].outputs[0] if run.calls[-1].outputs else None
        if self.end is not None:
            self._sources.returned(self.end)

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
        if lookup is not None:
            self._sources.look_up(lookup, given, returned)
        return lookup is not None

    def _is_norm_of_heads(self, call: Call, given: Seen, returned: Seen, parameters: Mapping[str, Array]) -> None:
        """A norm of the queries or keys of each head takes the place of what the linear module returned."""
        count = len(self._sources.pending[0].numbers) if self._sources.pending else 0
        x, rows = of_heads(given.array, count), of_heads(returned.array, count)
        source = None if x is None or rows is None else self._in_pending(x)
        if source is None:
            return
        width = given.array.shape[-1]
        each, target = np.asarray(x, np.float64).reshape(-1, width), Target(rows.reshape(-1, width))
        if norm := find_norm(each, target, parameters, call.module):
            at = self._sources.pending.index(source)
            self._sources.pending[at] = self.memory.add(rows, Normed(call.name, norm, source, of_heads=True))

    def _is_attention(self, call: Call) -> bool:
        """A module that is a whole attention, and calls none of the modules in it."""
        joint = find_joint(call, self._state.parameters_of(call, is_whole=True))
        if joint is None:
            return False
        sources = [self._sources.read(seen, call.name) for seen, _ in zip(call.inputs, joint.products, strict=False)]
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
        return next((one for one in self._sources.pending if target.off(one.numbers) < np.inf), None)

    def _note(self, seen: Seen) -> None:
        """Keeps what is a sum of what is known, such as what a whole layer returns."""
        if as_rows(seen.array) is not None and self.memory.find(seen) is None:
            self._sources.sum(seen)

    def _is_norm(self, call: Call, given: Seen, returned: Seen, parameters: Mapping[str, Array]) -> bool:
        x, rows = as_rows(given.array), as_rows(returned.array)
        if x is None or rows is None or (self.memory.find(returned) is not None and not parameters):
            return False
        norm = find_norm(np.asarray(x, np.float64), Target(rows), parameters, call.module)
        if norm is None:
            return False
        source = self._sources.read(given, call.name)
        known = self.memory.add(rows, Normed(call.name, norm, source), returned)
        if source in self._sources.pending:
            self._sources.pending[self._sources.pending.index(source)] = known
        return True

    def _is_linear(self, call: Call, given: Seen, returned: Seen, parameters: Mapping[str, Array]) -> bool:
        x, rows = as_rows(given.array), as_rows(returned.array)
        linear = None if x is None else find_linear(np.asarray(x, np.float64), Target(rows), parameters)
        if linear is None:
            return False
        sources = self._sources
        source = sources.plain(given)
        inner = sources.inner(given) if source is None and sources.pending else None
        source = source or (sources.added(given) if inner is None else None)
        if source is None and (inner is not None or sources.pending):
            self.memory.add(rows, Product(call.name, linear, inner or sources.guessed(given)), returned)
        else:
            source = source or sources.unexplained(given, call.name)
            sources.pending.append(self.memory.add(rows, Product(call.name, linear, source), returned))
        return True


def _arrays(parameters: Mapping[str, Any]) -> dict[str, Array]:
    return {name: np.asarray(as_array(one), np.float64) for name, one in parameters.items()}
