"""Layers in another order, left out, run twice, or one in the place of another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from walkthrough.mistakes.replay import Replay
from walkthrough.operations.definition import Array
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_OF_LAYER = re.compile(r"(encoder|decoder)\.(\d+)\..+")
_MOST_PAIRS = 6
"""Layers of which each is tried in the place of each other."""

Order = tuple[int, ...]


def orders(value: Value, replay: Replay, trace: Trace) -> Iterator[tuple[str, Value, Array]]:
    """Layers that run in another order before a step: in words, the state between layers, and its numbers then."""
    place = _OF_LAYER.fullmatch(value.path)
    for name in ("encoder", "decoder"):
        stack = _Stack(name, replay, trace)
        last = len(stack.states) - 1
        at = last
        if place is not None and place[1] == name:
            at = int(place[2]) - (value not in stack.states)
        elif place is not None and name == "decoder":
            continue  # no encoder reads one
        seen = {tuple(range(1, at + 1))}
        for words, order in _orders(name, last, at) if last > 1 else ():
            if order not in seen and all(0 < number <= last for number in order):
                seen.add(order)
                yield words, stack.states[at], stack.run(order)


def _orders(name: str, last: int, at: int) -> Iterator[tuple[str, Order]]:
    """The orders in which layers may run by mistake before a state, in words; `at`: so many do by right."""
    everything = tuple(range(1, last + 1))
    right, before = everything[:at], " before it" if at < last else ""
    yield "the layers run in reverse order", everything[::-1] if at == last else everything[:at:-1]
    for one in right:
        yield f"{name}.{one} is left out{before}", right[: one - 1] + right[one:]
        yield f"{name}.{one} runs twice{before}", right[:one] + right[one - 1 :]
    for one in everything if last <= _MOST_PAIRS else ():
        for other in right:
            yield f"{name}.{one} runs instead of {name}.{other}", (*right[: other - 1], one, *right[other:])
    for one in everything:
        if one > at:
            yield f"{name}.{one} runs before it", (*right, one)
        both = (one + 1, one)
        yield f"{name}.{one} and {name}.{one + 1} are swapped", (*right[: one - 1], *both, *right[one + 1 :])
        yield f"{name}.{one} runs instead of every layer", (one,) * at


class _Stack:
    """The layers of an encoder or a decoder, which run on any numbers.

    states: what goes into the first layer, then what comes out of each
    """

    def __init__(self, name: str, replay: Replay, trace: Trace) -> None:
        first = trace.get(f"{name}.input") or trace.get("input") or trace.get("token_embedding")
        self.states: Sequence[Value] = [first, *_outputs(name, trace)] if first is not None else []
        inside = [value for value in replay.given if value.operation is not None and _is_in(value, name)]
        self._replay = replay.without({*inside, *self.states[1:]})
        self._ran: dict[Order, Array] = {}

    def run(self, order: Order) -> Array:
        """What comes out of layers that run one after the other."""
        if not order:
            return self._replay.array(self.states[0])
        if order not in self._ran:
            begins, ends = self.states[order[-1] - 1 : order[-1] + 1]
            self._ran[order] = self._replay.instead({begins: self.run(order[:-1])}).computed(ends)
        return self._ran[order]


def _outputs(name: str, trace: Trace) -> list[Value]:
    """The last step of each layer."""
    last: dict[int, Value] = {}
    for path, value in trace.values.items():
        place = _OF_LAYER.fullmatch(path)
        if place is not None and place[1] == name and value.operation is not None:
            last[int(place[2])] = value
    return [last[number] for number in sorted(last)]


def _is_in(value: Value, name: str) -> bool:
    place = _OF_LAYER.fullmatch(value.path)
    return place is not None and place[1] == name
