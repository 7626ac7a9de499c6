"""What a name of one's own stands for: a tensor of the scenario, a module with parameters, a part, what is in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from walkthrough.checkpoints.paths import RETURNED
from walkthrough.comparing.matching.layouts.places import Place, find_place
from walkthrough.comparing.matching.own.modules import Cut, modules_around, modules_with_parameters
from walkthrough.comparing.matching.own.parameters import (
    Parameter,
    parameters_of,
    read_parameter,
    shared_parameters,
    unwrap,
)
from walkthrough.comparing.matching.own.parts import STACKS, outputs_inside, outputs_of, parts_by_module, steps_inside
from walkthrough.comparing.matching.readings import Reading, find_readings, is_same_shape, unlikeness
from walkthrough.comparing.matching.shares import are_shares
from walkthrough.operations.definition import Array
from walkthrough.recording.selectors import within_pass
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value


class OwnNames:
    """The names of a scenario's tensors, and what they say of the modules around them.

    first: the first pass, whose given matrices are those of the scenario
    theirs: the names of all tensors that are compared
    """

    def __init__(self, first: Trace, theirs: Iterable[str]) -> None:
        self._first, self._theirs = first, {unwrap(name) for name in theirs}

    @cached_property
    def _parameters(self) -> dict[str, list[Parameter]]:
        found: dict[str, list[Parameter]] = {}
        for one in parameters_of(self._first):
            found.setdefault(one.tensor, []).append(one)
        return found

    @property
    def tensors(self) -> Iterable[str]:
        """The names of the scenario's tensors."""
        return self._parameters

    @cached_property
    def _modules(self) -> dict[str, list[Cut]]:
        return modules_with_parameters([*parameters_of(self._first), *shared_parameters(self._first)])

    @cached_property
    def _returned_by(self) -> dict[str, str]:
        """By the path of a step: the module with its parameters, of those whose output is compared."""
        known = [(one.computed, one.tensor.rpartition(".")[0]) for of in self._parameters.values() for one in of]
        return {path: module for path, module in known if module in self._theirs}

    @cached_property
    def _parts(self) -> dict[str, list[str]]:
        return parts_by_module(one for of in self._parameters.values() for one in of)

    def find(self, name: str, numbers: Array, trace: Trace, seen: Array | None = None, turn: int = 0) -> list[Reading]:
        """The ways to read what is called so in a pass, the nearest first; none where nothing is known of the name.

        seen: by which numbers that is decided, where these are their gradient
        turn: which call within the pass it is of a module that is called several times there, and may take its steps
              in this order; 0 of any other
        Raises TensorsError for a tensor of the scenario that is not as large as there.
        """
        name = unwrap(name)
        if name in self._parameters:
            return [read_parameter(numbers, self._parameters[name])]
        seen = numbers if seen is None else seen
        found = [
            (unlikeness(before), reading)
            for place in self._places(name, seen, trace)
            for before, reading in zip(find_readings(seen, place), find_readings(numbers, place), strict=True)
            if not reading.is_transposed
        ]
        if 0 < turn <= len(found):
            found = [*found[turn - 1 :], *found[: turn - 1]]
        else:
            found.sort(key=lambda one: (self._is_of_another_module(one[1], name), one[0]))
        is_known = name in self._modules or name in self._parts or self._around(name) or self._last_state(name, trace)
        return [reading._replace(is_guess=not is_known) for _, reading in found]

    def _is_of_another_module(self, reading: Reading, name: str) -> bool:
        """Whether what a module might return beside its part is the norm after it, which another one returns."""
        module = self._returned_by.get(within_pass(reading.pieces[0][0].path), name)
        return not f"{module}.".startswith(f"{name}.")

    def is_part(self, name: str) -> bool:
        """Whether a module holds all tensors of a part and no more: it may return the residual after it too."""
        return unwrap(name) in self._parts

    def uses(self, name: str) -> int:
        """How many steps of a pass are computed with the parameters of a module, and may be what its calls return."""
        return len(self._modules.get(unwrap(name), ()))

    def meant(self, name: str, numbers: Array, trace: Trace) -> list[Place]:
        """The steps that a module returns which has parameters, or is a part, whatever the shape of these numbers."""
        name = unwrap(name)
        if self._modules.get(name):
            return list(self._places(name, numbers, trace))
        return _each(outputs_of(self._parts[name][0], trace)[:1], trace) if name in self._parts else []

    def not_denied(self, name: str, places: Sequence[Place], trace: Trace) -> list[Place]:
        """Those of some places of a layout that the scenario's tensors do not say the module cannot be."""
        name = unwrap(name)
        if cuts := self._modules.get(name):
            if _looks_up(cuts):
                return list(places)  # it may return the vectors scaled
            known = {value for place in self._places(name, np.zeros((0, 0)), trace) for value in _values(place)}
            return [place for place in places if not known or known & set(_values(place))]
        if part := self._around(name):
            outputs = outputs_of(part, trace)
            return [
                place
                for place in places
                if any(value.path.startswith(f"{part}.") or value.path in outputs for value in _values(place))
            ]
        return list(places)

    def why_not(self, name: str) -> str:
        """Why nothing is found under a name; empty where the scenario names no tensors."""
        if not self._parameters:
            return ""
        name = unwrap(name)
        if name in self._parts or self._modules.get(name):
            return "it has not the shape of what such a module returns"
        if name in self._modules or any(tensor.startswith(f"{name}.") for tensor in self._parameters):
            return "its tensors are of several parts of the scenario"
        where = f", and its place in {part} does not say which step it is" if (part := self._around(name)) else ""
        return f"the scenario names no tensor of it{where}"

    def _places(self, name: str, numbers: Array, trace: Trace) -> Iterable[Place]:
        """The steps that a module may return, by what is in it or by what it is in."""
        if cuts := self._modules.get(name):
            found = [place for cut in cuts if (place := _place(cut, trace)) is not None]
            found += _each(_gated(cuts), trace)
            return found + (_each(RETURNED, trace) if _looks_up(cuts) else [])  # a tied table may go by the head's name
        if parts := self._parts.get(name):
            return _each(dict.fromkeys(path for part in reversed(parts) for path in outputs_of(part, trace)), trace)
        if part := self._around(name):
            return _inside(part, numbers, trace)
        return [] if name in self._modules else _each([*RETURNED, *self._last_state(name, trace)], trace)

    def _last_state(self, name: str, trace: Trace) -> list[str]:
        """What a module returns that holds a whole stack and more, such as the embeddings; of two stacks the last."""
        inside = {part for module, parts in self._parts.items() if module.startswith(f"{name}.") for part in parts}
        return [path for stack in reversed(STACKS) if stack in inside for path in outputs_of(stack, trace)][:1]

    def _around(self, name: str) -> str:
        """The innermost part that a module is in; a whole stack says nothing of what is in it."""
        known = next((self._parts[module] for module in modules_around(name) if module in self._parts), [])
        return next((part for part in known if part not in STACKS), "")


def _values(place: Place) -> list[Value]:
    return [value for group in place.groups for value in group]


def _looks_up(cuts: Iterable[Cut]) -> bool:
    """Whether a module looks up the vectors of tokens."""
    return any(path.endswith("token_embedding") for cut in cuts for group in cut for path in group)


def _gated(cuts: Iterable[Cut]) -> Iterable[str]:
    """What a module returns that norms heads and multiplies them with their gate, as Qwen3-Next's does."""
    paths = (path for cut in cuts for group in cut for path in group if _NORM_OF_HEADS.search(path))
    return dict.fromkeys(_NORM_OF_HEADS.sub(".gated", path) for path in paths)


_NORM_OF_HEADS = re.compile(r"\.output_norm\.output$")


def _each(paths: Iterable[str], trace: Trace) -> list[Place]:
    """The steps of those paths that there are."""
    return [place for path in paths if (place := find_place(path, trace)) is not None]


def _place(cut: Cut, trace: Trace) -> Place | None:
    """The steps that one module returns side by side; None where one of them is not there."""
    groups = [tuple(value for place in _each(group, trace) for value in place.groups[0]) for group in cut]
    return Place(tuple(groups)) if all(groups) else None


def _inside(part: str, numbers: Array, trace: Trace) -> list[Place]:
    """The steps of a part that a module without parameters may return: weights where its numbers are shares.

    A matrix as wide as the model may also be what comes out of the part, or of one inside it.
    """
    steps = steps_inside(part, trace)
    places = {path: place for path in steps for place in _each([path], trace)}
    fitting = {
        path: place for path, place in places.items() if _is_stacked(numbers, place) and find_readings(numbers, place)
    }
    weights = [place for path, place in fitting.items() if steps[path] == "weights"]
    if weights and ((numbers >= 0) & (numbers <= 1)).all():
        return weights
    if (numbers >= 0).all() and are_shares(numbers):
        return []  # weights of other keys than there are here
    found = [place for path, place in fitting.items() if steps[path] != "weights"]
    return found + _each(outputs_inside(part, trace), trace) if found else []


def _is_stacked(numbers: Array, place: Place) -> bool:
    """Whether they are a matrix for each head, where the place has several."""
    (group,) = place.groups
    heads = len(dict.fromkeys(group))
    return heads == 1 or is_same_shape(numbers.shape, (heads, *group[0].shape))
