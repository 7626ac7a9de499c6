"""The ways to read somebody's tensor: what its name may stand for, and how its shape lets it be read as that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from walkthrough.checkpoints.paths import RETURNED
from walkthrough.comparing.matching.files import OwnStepError, TensorsError, UnlikeShapeError
from walkthrough.comparing.matching.layouts import keeps_float32
from walkthrough.comparing.matching.layouts.places import Place, find_place, find_places, recognise_layout
from walkthrough.comparing.matching.own.find import OwnNames
from walkthrough.comparing.matching.passes import GRADIENT, OF_A_STEP, ROOT, Passes, is_returned, split_call
from walkthrough.comparing.matching.readings import Reading, find_readings, largest_difference, shapes_that_fit
from walkthrough.comparing.matching.shares import Shares
from walkthrough.operations.definition import Array
from walkthrough.recording.selectors import SelectorError, resolve, within_pass
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_MOST_SHAPES = 4
"""That are named where none fits: a reader looks for his own among no more."""


class Ways:
    """What the names of some tensors stand for: as a names file says, as paths, in a layout, by the scenario's tensors.

    meant:  our path or selector by their name
    layout: whose names they are otherwise; empty: those that most of them belong to
    """

    def __init__(self, tensors: Mapping[str, Any], meant: Mapping[str, str], trace: Trace, layout: str) -> None:
        self._tensors = tensors
        self._meant = meant
        self._trace = trace
        self._passes = Passes(tensors, trace)
        self._shares = Shares()
        self._own = OwnNames(self._passes.first, tensors)
        names = (split_call(name)[0].removesuffix(GRADIENT) for name in tensors if name not in meant)
        self.has_float32_tables = keeps_float32(tensors, self._own.tensors)
        self._layout = layout or recognise_layout(dict.fromkeys(names), self._passes.first)

    def find(self, name: str, array: Array, beside: str = "") -> list[Reading]:
        """The ways to read a tensor; a SelectorError or TensorsError that says why there is none.

        beside: what else a module returned, before this
        """
        numbers = np.asarray(array).astype(np.float64)
        if not beside:
            return self._find_first(name, numbers)
        ways: list[Reading] = []
        for one in (beside, name):
            try:
                ways += self._find_first(one, numbers)
            except (SelectorError, TensorsError):
                if one == name and not ways:
                    raise
        return _distinct(ways)

    @cached_property
    def batch(self) -> tuple[int, ...]:
        """How many sequences there are, and tokens in each, as the output of the model says; nothing where one is."""
        shape: tuple[int, ...] = next((np.shape(self._tensors[name]) for name in ROOT if name in self._tensors), ())
        return shape[:2] if len(shape) > 2 and shape[0] > 1 else ()

    def _find_first(self, name: str, numbers: Array) -> list[Reading]:
        """The ways to read a tensor; of a batch of several sequences the first."""
        if self.batch[1:] > (1,) and numbers.ndim == 2 and len(numbers) == np.prod(self.batch):
            by_sequence = numbers.reshape(*self.batch, -1)
            ways = self._of_batch(name, by_sequence)
            if any(value.weight is not None for way in ways for value in _values(way)):  # or in the order of choice
                return _distinct([*self._find(name, numbers), *ways])
            numbers = by_sequence
        is_batch = numbers.ndim > 2 and len(numbers) > 1 and GRADIENT not in name
        if is_batch and self.batch[:1] == (len(numbers),) and (ways := self._of_batch(name, numbers)):
            return ways
        try:
            return self._find(name, numbers)
        except TensorsError:
            if not is_batch:
                raise
            if not (ways := self._of_batch(name, numbers)):
                raise
            return ways

    def _of_batch(self, name: str, numbers: Array) -> list[Reading]:
        """The ways to read the first sequence of several."""
        try:
            ways = self._find(name, numbers[0])
        except (SelectorError, TensorsError):
            return []
        partly = f"of a batch of {len(numbers)} only the first sequence is compared"
        return [one._replace(partly=partly) for one in ways if one.weight is None]

    def _find(self, name: str, numbers: Array) -> list[Reading]:
        path = self._meant.get(name, name)
        if path != name or path in self._trace:
            return self._read(name, path, numbers, self._trace if path in self._trace else self._passes.first)
        bare, one_pass, turn = self._passes.find(name, self._own.uses)
        if self._passes.is_of_a_step(bare):
            return self._read_step(bare, numbers, one_pass)
        if bare.endswith(GRADIENT):
            return self._read_gradient(name, bare.removesuffix(GRADIENT), numbers, one_pass)
        ways = self._read(bare, self._meant.get(bare, bare), numbers, one_pass, turn=turn)
        if is_returned(bare):  # the model itself returns the last of its logits
            earlier = [value for path in RETURNED if (value := one_pass.get(path)) is not None][1:]
            ways = [one for one in ways if one.pieces[0][0] not in earlier]
        if bare in self._own.tensors:  # perhaps as training has left it
            after = (_beside(way, self._passes.first, "update", self._passes.last_step) for way in ways)
            ways = [*(one for one in after if one is not None), *ways]
        return [self._shares.read(way, one_pass) for way in ways]

    def _read(
        self, name: str, path: str, numbers: Array, trace: Trace, seen: Array | None = None, turn: int = 0
    ) -> list[Reading]:
        """The ways to read what a name, or the path that it means, stands for in a pass."""
        unfit: list[Place] = []
        for group in _groups_of_places(path, "" if path != name else self._layout, trace):
            ways: list[Reading] = []
            for place in group if path != name or path in trace else self._own.not_denied(name, group, trace):
                found = find_readings(numbers, place) or _match_fused(numbers, place, trace)
                ways += found
                unfit += [] if found else [place]
            if ways:
                if path == name and path not in trace and self._own.is_part(name):
                    ways += self._own.find(name, numbers, trace, seen, turn)
                return _distinct(ways)
        if path == name and (ways := self._own.find(name, numbers, trace, seen, turn)):
            return _distinct(ways)
        unfit += self._own.meant(name, numbers, trace) if path == name else []
        if unfit:
            raise _unlike(unfit)
        return self._read_selected(path, numbers, trace)

    def _read_selected(self, path: str, numbers: Array, trace: Trace) -> list[Reading]:
        values = _select(path, trace)
        if not values and "." in path and (why := self._own.why_not(path)):
            raise TensorsError(why)
        place = Place((tuple(values or [trace.only(path)]),))  # a SelectorError that says why it is none
        if not (ways := find_readings(numbers, place) or _match_fused(numbers, place, trace)):
            raise _unlike([place])
        return ways

    def _read_gradient(self, name: str, of: str, numbers: Array, one_pass: Trace) -> list[Reading]:
        """The ways to read a gradient: as those of what it is the gradient of, which is read as it fits best."""
        if not any(path.startswith("gradient.") for path in self._passes.first.values):
            raise TensorsError("it is a gradient, and the scenario has no training")
        path = self._meant.get(of, of)
        forward = self._tensors.get(name.replace(GRADIENT, ""))
        if isinstance(forward, np.ndarray) and forward.shape == numbers.shape:
            forward = forward.astype(np.float64)
            off = [largest_difference(way) for way in self._read(of, path, forward, one_pass)]
            ways = self._read(of, path, numbers, one_pass, forward)
            nearest = ways[off.index(min(off))]
            ways = [one for one in ways if one is nearest or one.weight is not None]
        else:
            ways = self._read(of, path, numbers, one_pass)
        is_given = all(value.operation is None for way in ways for value in _values(way))
        trained = self._passes.last_trained() if is_given else one_pass
        known = self._passes.first if is_given else one_pass
        found = [gradient for way in ways if (gradient := _beside(way, known, "gradient", trained)) is not None]
        if not found:
            raise TensorsError(_not_trained("gradient", ways[0]))
        return found

    def _read_step(self, bare: str, numbers: Array, one_pass: Trace) -> list[Reading]:
        """The ways to read what a step of an optimizer did to a parameter."""
        of, _, kind = bare.rpartition(".")
        ways = self._read(of, self._meant.get(of, of), numbers, self._passes.first)
        for word in OF_A_STEP[f".{kind}"]:
            if found := [to for way in ways if (to := _beside(way, self._passes.first, word, one_pass)) is not None]:
                return found
        why = _not_trained(word, ways[0])
        if word == "gradient" and kind == "grad" and (norm := one_pass.get("clip.norm")) is not None:
            why += ": it is part of the norm to which gradients are clipped"
            raise OwnStepError(why, [(norm, np.square(numbers).sum())])
        raise OwnStepError(why, ways[0].pieces if word == "update" else ())


def _not_trained(word: str, way: Reading) -> str:
    """Why there is no gradient or update of a parameter: `update: all` leaves out what is looked up by position."""
    path = way.pieces[0][0].path
    is_table = within_pass(path) in ("position_table", "positional_encoding")
    more = "; learned positions are trained only where training.update names them" if is_table else ""
    return f"the scenario has no {word} of {path}{more}"


def _beside(way: Reading, known: Trace, word: str, one_pass: Trace) -> Reading | None:
    """The reading as the gradients or the like of its steps, in another pass; None where one has none."""
    wanted = set(_values(way))
    paths = {value: path for path, value in reversed(list(known.items())) if value in wanted}
    others = [one_pass.get(f"{word}.{paths[value]}") for value in _values(way)]
    pieces = tuple((to, array) for to, (_, array) in zip(others, way.pieces, strict=True) if to is not None)
    return way._replace(pieces=pieces) if len(pieces) == len(others) else None


def _values(way: Reading) -> list[Value]:
    return [value for value, _ in way.pieces]


def _distinct(ways: Sequence[Reading]) -> list[Reading]:
    """The ways without those that are found twice."""
    seen: dict[Any, Reading] = {}
    for way in ways:
        seen.setdefault((way.words, *(id(value) for value, _ in way.pieces)), way)
    return list(seen.values())


def _groups_of_places(path: str, layout: str, trace: Trace) -> Iterator[list[Place]]:
    """What a name may stand for: an exact path, then what it is in a layout."""
    if path in trace:
        yield [Place(((trace[path],),))]
    if ("+" in path or "*" in path) and (place := find_place(path, trace)) is not None:
        yield [place]
    if layout:
        yield list(find_places(path, layout, trace))


def _match_fused(numbers: Array, place: Place, trace: Trace) -> list[Reading]:
    """A tensor that is called after queries, keys or values, and is wide enough for all three."""
    (group, *more) = place.groups
    before, _, last = group[0].path.rpartition(".")
    for three in (("query", "key", "value"), ("w_q", "w_k", "w_v"), ("b_q", "b_k", "b_v")):
        if last in three and not more:
            beginning = before[: before.rfind(".head.")]
            whole = find_place(f"{beginning}.head.*.{'+'.join(three)}", trace)
            return find_readings(numbers, whole) if whole is not None else []
    return []


def _unlike(unfit: Sequence[Place]) -> UnlikeShapeError:
    """The shapes that would fit, and of which steps."""
    shapes = list(dict.fromkeys(shape for place in unfit for shape in shapes_that_fit(place)))[:_MOST_SHAPES]
    wanted = " or ".join("×".join(map(str, one)) for one in shapes)
    paths = list(dict.fromkeys(place.groups[0][0].path for place in unfit))
    said = f"expected {wanted} for {paths[0]}"
    return UnlikeShapeError(said, tuple(unfit[0].groups[0]))


def _select(path: str, trace: Trace) -> list[Value]:
    """The step that a selector names, or the same step of all heads of one attention; nothing where it names others."""
    found = resolve(path, ((value, (value.path, *value.also)) for value in trace))
    if len(found) < 2:
        return found
    values = [value for value in found if value.path.endswith(f".{path.rpartition('.')[2]}")] or found
    heads = {_without_head(value.path) for value in values}
    if len(values) > 1 and len(heads) == 1:
        first = values[0].path
        beginning, after = first[: first.rfind(".head.")], first.rpartition(".head.")[2].partition(".")[2]
        place = find_place(f"{beginning}.head.*.{after}", trace)
        return list(place.groups[0]) if place is not None else values
    return []


def _without_head(path: str) -> str:
    words = path.split(".")
    return ".".join(word for at, word in enumerate(words) if at == 0 or words[at - 1] != "head")
