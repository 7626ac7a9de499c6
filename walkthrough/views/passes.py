"""The passes of a model, of which one is shown at a time: the words of a generation, the steps of a training."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import takewhile

from walkthrough.languages.catalogue import Catalogue
from walkthrough.recording.parts import PartName, is_backwards, parts_of, training_step_of, updated_by
from walkthrough.recording.selectors import batch_of, first_tick, pass_of, tick_of, within_pass
from walkthrough.recording.values import Value
from walkthrough.records import Record


class Pass(Record, eq=False):
    """One run over a sequence: of several examples or hypotheses the first, or the one that has been chosen.

    called: `generate.3`, `train.300` or `trained`; empty where the model runs once
    tick:   what all paths of a generated word, or of a training step, begin with
    prefix: what those of this run begin with
    values: its steps up to the gradients, and what they take from elsewhere, parameters and what was found before;
            in the order of the first pass of the same structure
    """

    called: str
    tick: str
    prefix: str
    values: tuple[Value, ...]

    @property
    def name(self) -> str:
        """Which one it is: `3`, `300`, `trained`."""
        return self.called.rpartition(".")[2]

    @cached_property
    def names(self) -> dict[Value, str]:
        """What each step would be called in this pass, `generate.5.decoder.1.w_q`."""
        return {value: self.prefix + inner_of(value, self.prefix) for value in self.values}

    @property
    def around(self) -> tuple[PartName, ...]:
        """The parts that are the pass itself; of several examples or hypotheses the one that is shown is in it."""
        return parts_of(f"{self.tick}_")

    @cached_property
    def structure(self) -> object:
        """What is the same in two passes whose maps have the same boxes, as large, and the same lines."""
        inner = {value: inner_of(value, self.prefix) for value in self.values}
        read = {value: () if is_parameter(value) else value.inputs for value in inner}
        return frozenset(
            (name, value.shape, *(inner.get(given) for given in read[value])) for value, name in inner.items()
        )

    def counterparts(self, other: Pass) -> list[Value]:
        """Of another pass of the same structure: the steps that correspond to those of this one."""
        theirs = {inner_of(value, other.prefix): value for value in other.values}
        return [theirs[inner_of(value, self.prefix)] for value in self.values]


def passes_of(values: Sequence[Value]) -> list[Pass]:
    """All passes of some values, in order."""
    read = [given for value in values if value.kind.outcome == "answer" for given in value.inputs]
    chosen = {tick_of(given.path): pass_of(given.path) for given in read if given.kind.is_distribution}
    by_tick: dict[str, dict[str, list[Value]]] = {}
    for value in values:
        if not is_of_all(value):
            by_tick.setdefault(tick_of(value.path), {}).setdefault(pass_of(value.path), []).append(value)
    once = _given_once(values)
    runs = {tick: _run(several, chosen.get(tick)) for tick, several in by_tick.items() if _calculates(several)}
    called = {tick: (tick or first_tick(runs)).rstrip(".") if len(runs) > 1 else "" for tick in runs}
    found: list[Pass] = []
    for tick, (prefix, own) in runs.items():
        one = Pass(called[tick], tick, prefix, tuple(_steps_of(prefix, (*once[prefix], *own), set(values))))
        before = next((other for other in found if other.structure == one.structure), None)
        found.append(one.replace(values=tuple(before.counterparts(one))) if before else one)
    return found or [Pass("", "", pass_of(values[0].path) if values else "", tuple(values))]


def _given_once(values: Sequence[Value]) -> Mapping[str, list[Value]]:
    """By the prefix of a pass: what is given to earlier ones as well, and read by nothing, as ids are."""
    read = {given for value in values for given in value.inputs}
    found: dict[str, list[Value]] = defaultdict(list)
    for value in values:
        if value.operation is None and value not in read:
            for prefix in {pass_of(name) for name in value.also} - {pass_of(value.path)}:
                found[prefix].append(value)
    return found


def _calculates(several: Mapping[str, Sequence[Value]]) -> bool:
    """Whether a model runs there; else there is only what another pass reads of it."""
    here = {value for own in several.values() for value in own}
    forward = (value for value in here if value.operation and not is_backwards(value.path))
    return any(not value.inputs or not here.isdisjoint(value.inputs) for value in forward)


def _run(several: Mapping[str, Sequence[Value]], chosen: str | None) -> tuple[str, Sequence[Value]]:
    """The run that is shown of several examples or hypotheses: the chosen one, or the first."""
    first = next((one for one in several if one != batch_of(one)), next(iter(several)))
    prefix = chosen if chosen in several and chosen is not None else first
    return prefix, list(takewhile(lambda value: not is_backwards(value.path), several[prefix])) or several[prefix]


def last_pass(values: Sequence[Value]) -> Pass:
    """The pass that is shown where nobody has chosen one."""
    return passes_of(values)[-1]


def shown_with(value: Value, passes: Sequence[Pass]) -> int | None:
    """The place of the pass that a step is shown with; none for what is recorded once for all.

    What a training step reads of one that is not kept is shown with the one that reads it.
    """
    tick = tick_of(value.path)
    found = next((at for at, one in enumerate(passes) if one.tick == tick), None)
    if tick:
        step = training_step_of(value.path)
        later = (at for at, one in enumerate(passes) if step <= training_step_of(f"{one.called}._"))
        return next(later, len(passes) - 1) if found is None else found
    return None if value.operation is None or is_of_all(value) else found


def title_of(shown: Pass, words: Catalogue) -> str:
    """Which pass it is, in words."""
    path = f"{shown.called}.{shown.prefix.removeprefix(shown.tick)}_" if shown.called else ""
    return " · ".join(map(words.heading, parts_of(path)))


def is_of_all(value: Value) -> bool:
    """Whether it sums up several passes: all that was generated, the table of a training."""
    return value.kind.series or value.kind.outcome == "answer"


def inner_of(value: Value, prefix: str) -> str:
    """What a step is called within the pass of this prefix; what a training has made of a parameter is that there."""
    inner = within_pass(value.path)
    return inner if pass_of(value.path) == prefix else updated_by(inner)


def is_parameter(value: Value) -> bool:
    """Whether a pass takes it as it is: given, or made by a training step before."""
    return value.operation is None or is_backwards(value.path)


def _steps_of(prefix: str, own: Sequence[Value], here: set[Value]) -> Iterator[Value]:
    """The steps of a pass with what they take from elsewhere: calculated once, or parameters, before their readers."""
    inside = {inner_of(value, prefix) for value in own}
    listed, found = set[Value](), set[Value]()

    def read_by(value: Value) -> Iterator[Value]:
        for given in value.inputs:
            if given in here and given not in listed and inner_of(given, prefix) not in inside:
                yield given

    def elsewhere(value: Value) -> Iterator[Value]:
        for given in read_by(value):
            if not is_parameter(given) and given not in found:
                found.add(given)
                yield from elsewhere(given)
                yield given

    for value in (*(given for one in own for given in elsewhere(one)), *own):
        for given in (*filter(is_parameter, read_by(value)), value):
            if given not in listed:
                listed.add(given)
                yield given
