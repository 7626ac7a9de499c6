"""Layers in another order, left out, run twice, or one in the place of another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from walkthrough.mistakes.mistake import Mistake, mistake
from walkthrough.mistakes.places import place_in_layer
from walkthrough.operations.definition import Array
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.selectors import pass_of, within_pass
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_MOST_PAIRS = 6
"""Layers of which each is tried in the place of each other."""

Order = tuple[int, ...]


def reorder_layers(value: Value, replay: Recalculation, trace: Trace) -> Iterator[tuple[Mistake, Value, Array]]:
    """Layers that run in another order before a step: the mistake, the state between layers, its numbers then."""
    place = place_in_layer(value.path)
    for name in _stacks_before(value, trace):
        stack = _Stack(name, replay, trace)
        last = len(stack.states) - 1
        at = last
        if place is not None and place.stack == name:
            at = place.number - (value not in stack.states)
        seen = {tuple(range(1, at + 1))}
        for made, order in _orders(name, last, at) if last > 1 else ():
            if order not in seen and all(0 < number <= last for number in order):
                seen.add(order)
                yield made, stack.states[at], stack.run(order)


def _stacks_before(value: Value, trace: Trace) -> Iterator[str]:
    """The encoder and the decoder that a step may come after, in its own pass where that has one."""
    place, own = place_in_layer(value.path), pass_of(value.path)
    for name in ("encoder", "decoder"):
        stack = f"{own}{name}"
        if not any(path.startswith(f"{stack}.1.") for path in trace.values):
            stack = name
        is_in_encoder = place is not None and within_pass(place.stack) == "encoder"
        if name == "encoder" or not is_in_encoder:  # no encoder reads a decoder
            yield stack


def _orders(name: str, last: int, at: int) -> Iterator[tuple[Mistake, Order]]:
    """The orders in which layers may run by mistake before a state; `at`: how many rightly run before it."""
    everything = tuple(range(1, last + 1))
    right = everything[:at]
    reverse = everything[::-1] if at == last else everything[:at:-1]
    yield mistake("other.reverse_layers"), reverse
    for one in right:
        layer = f"{name}.{one}"
        is_last = at == last
        missing = mistake("other.layer_missing" if is_last else "other.layer_missing_before", layer=layer)
        twice = mistake("other.layer_twice" if is_last else "other.layer_twice_before", layer=layer)
        yield missing, right[: one - 1] + right[one:]
        yield twice, right[:one] + right[one - 1 :]
    for one in everything if last <= _MOST_PAIRS else ():
        for other in right:
            made = mistake("other.layer_instead", one=f"{name}.{one}", other=f"{name}.{other}")
            yield made, (*right[: other - 1], one, *right[other:])
    for one in everything:
        layer, following = f"{name}.{one}", f"{name}.{one + 1}"
        if one > at:
            yield mistake("other.layer_before", layer=layer), (*right, one)
        swapped = (*right[: one - 1], one + 1, one, *right[one + 1 :])
        yield mistake("other.layers_swapped", one=layer, other=following), swapped
        yield mistake("other.layer_always", layer=layer), (one,) * at


class _Stack:
    """The layers of an encoder or a decoder, which run on any numbers.

    states: what goes into the first layer, then what comes out of each
    """

    def __init__(self, name: str, replay: Recalculation, trace: Trace) -> None:
        first = _first_state(name, trace)
        self.states: Sequence[Value] = [first, *_last_steps(name, trace)] if first is not None else []
        inside = [value for value in replay.given if value.operation is not None and _is_in(value, name)]
        dropped = {*inside, *self.states[1:]}
        kept = {value: array for value, array in replay.given.items() if value not in dropped}
        self._replay = Recalculation(kept, replay.rounding)
        self._ran: dict[Order, Array] = {}

    def run(self, order: Order) -> Array:
        """What comes out of layers that run one after the other."""
        if not order:
            return self._replay.array(self.states[0])
        if order not in self._ran:
            begins, ends = self.states[order[-1] - 1 : order[-1] + 1]
            self._ran[order] = self._replay.with_changes({begins: self.run(order[:-1])}).compute(ends)
        return self._ran[order]


def _first_state(name: str, trace: Trace) -> Value | None:
    """What goes into the first layer of a stack."""
    own = pass_of(f"{name}.1")
    names = (f"{name}.input", f"{own}input", f"{own}token_embedding")
    return next((trace[path] for path in names if path in trace), None)


def _last_steps(name: str, trace: Trace) -> list[Value]:
    """The last step of each layer."""
    last: dict[int, Value] = {}
    for path, value in trace.values.items():
        place = place_in_layer(path)
        if place is not None and place.stack == name and value.operation is not None:
            last[place.number] = value
    return [last[number] for number in sorted(last)]


def _is_in(value: Value, name: str) -> bool:
    place = place_in_layer(value.path)
    return place is not None and place.stack == name
