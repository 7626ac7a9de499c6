"""Which mistake explains a step that differs: the one that fits best, and that no other step contradicts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import IntEnum
from functools import cached_property, partial
from itertools import chain
from time import process_time
from typing import NamedTuple

import numpy as np

from walkthrough.comparing.choice import choose_reading
from walkthrough.comparing.evidence import Evidence
from walkthrough.comparing.gradients import Moved, backward_mistakes, left_out_of_training, positions_trained_too
from walkthrough.comparing.matching.tensors import ExternalTensor, Theirs
from walkthrough.comparing.norms import moved_norm, other_norms, too_large_squares
from walkthrough.comparing.patterns import dropout, observations
from walkthrough.comparing.thresholds import CERTAIN, NEARER
from walkthrough.comparing.tolerance import (
    distance,
    excess,
    is_much_nearer,
    is_nearer,
    is_visibly_off,
    roundings_of_rows,
)
from walkthrough.mistakes.constants import known_constants, other_constants
from walkthrough.mistakes.mistake import TRANSPOSED, Fact, Mistake, mistake
from walkthrough.mistakes.operations.normalization import NO_EPSILON
from walkthrough.mistakes.places import in_any_place
from walkthrough.mistakes.search import Hypothesis, hypotheses
from walkthrough.operations.definition import Array
from walkthrough.recording.parts import is_backwards
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_OTHER_NUMBERS = mistake("other.numbers")


class _Rank(IntEnum):
    """How good a hypothesis is; of those of the best rank the one is told that explains the most.

    A transposition is told only of the step itself, with another mistake that is certain, or for want of any.
    """

    TRANSPOSED_BEFORE = 1
    LIKELY = 2
    TRANSPOSED = 3
    CERTAIN = 4


class Explanation(NamedTuple):
    """The mistake that explains a step, or several that cannot be told apart; what it makes of the steps before it."""

    mistakes: tuple[Mistake, ...] = ()
    changes: Mapping[Value, Array] = {}


_Made = tuple[str, tuple[tuple[str, Fact], ...]]
"""A mistake, wherever it was made: its key and facts."""


class _Named:
    """What was named of the steps before.

    made:    the mistakes
    epsilon: the largest that no norm has told from none
    """

    def __init__(self) -> None:
        self.made, self.epsilon = set[_Made](), math.inf


class _Fit(NamedTuple):
    """A hypothesis that gives their numbers; how far it is from them, and how many other steps it explains."""

    mistake: Mistake
    rank: _Rank
    distance: float
    gain: int
    changes: Mapping[Value, Array]


SEARCHED = 20.0
"""Seconds of CPU of this process after which the search of a whole comparison ends: nobody waits longer for a cause."""


class _Clock:
    """How long was searched; it stands while nothing is."""

    def __init__(self) -> None:
        self._spent, self._since = 0.0, math.inf

    @contextmanager
    def running(self) -> Iterator[None]:
        """Goes on for a while."""
        self._since = process_time()
        try:
            yield
        finally:
            self._spent += process_time() - self._since
            self._since = math.inf

    def is_over(self) -> bool:
        """Whether the search has to end."""
        return self._spent + max(process_time() - self._since, 0.0) > SEARCHED


class CauseFinder:
    """Finds the mistakes that explain steps that differ: one, or two that cannot be told apart, or none.

    moved:     matrices that they train, and the scenario does not
    not_tried: the steps for which not every mistake was tried, for want of time
    """

    def __init__(self, trace: Trace, tensors: Sequence[Theirs], moved: Moved) -> None:
        self._moved = moved
        self._clock = _Clock()
        self.not_tried: list[str] = []
        self._trace = trace
        self._tensors = tensors
        self._unexplained: set[str] = set()
        self._constants: dict[tuple[str, float], float] = {}
        self._named = _Named()

    def find(self, tensor: ExternalTensor, replay: Recalculation, is_first: bool) -> Explanation:
        """The mistake that gives these numbers, to the precision of their type.

        is_first: nothing differs before this step
        """
        with self._clock.running():
            found = self._find(tensor, replay, is_first)
        if not found.mistakes and self._clock.is_over():
            self.not_tried.append(tensor.value.path)
        return found

    def _find(self, tensor: ExternalTensor, replay: Recalculation, is_first: bool) -> Explanation:
        value, right = tensor.value, replay.compute(tensor.value)
        fits = partial(_explains, tensor)
        if made := dropout(tensor, right):
            return Explanation((made,))
        if value.operation is None:
            is_transposed = value.shape[0] == value.shape[1] and fits(value.array.T)
            return Explanation((TRANSPOSED if is_transposed else _OTHER_NUMBERS,))
        ranking = _Ranking(tensor, right, self._evidence, fits, self._clock, self._named)
        seen = (Hypothesis(made, value, {}, array) for made, array in observations(tensor.given, right))
        role = in_any_place(value.path)
        is_new = role not in self._unexplained
        trained = left_out_of_training(value, replay, self._moved)
        positions = positions_trained_too(value, replay, self._trace)
        found = ranking.best(chain(trained, positions, backward_mistakes(value, replay, self._trace)))
        if not found.mistakes and tensor.format is not None:
            found = ranking.best(too_large_squares(value, tensor.format, replay))
        known = known_constants(value, tensor.array, self._constants, replay, self._trace)
        if not found.mistakes and is_backwards(value.path):  # a step too small to see may be anything else
            found = ranking.best(known)
        if not found.mistakes:
            found = ranking.best(self._hypotheses(value, replay, is_first, is_new))
        if not found.mistakes and is_new:
            roundings = roundings_of_rows(tensor, right)
            over = self._clock.is_over
            solved = other_constants(value, tensor.given, roundings, replay, self._trace, over)
            found = ranking.best(solved, all_of_them=True)
        if not found.mistakes:  # of few numbers nothing is solved for
            found = ranking.best(known)
        found = found if found.mistakes else ranking.best(seen)
        for constant in (one.constant for one in found.mistakes):
            if constant is not None:
                self._constants[constant.name, constant.right] = float(f"{constant.found:.10g}")  # as it is said
        if not found.mistakes:
            self._unexplained.add(role)  # in the next layer it will not be found either: the long search is made once
        return found

    def _hypotheses(self, value: Value, replay: Recalculation, is_first: bool, is_new: bool) -> Iterator[Hypothesis]:
        """What is known to happen; in all norms alike only where nothing differs before."""
        if is_new:
            yield from moved_norm(value, replay, self._trace)
        if is_new and is_first:
            yield from other_norms(value, replay, self._trace)
        yield from hypotheses(value, replay, self._trace, is_first, is_new)

    def find_of_little(self, tensor: ExternalTensor, replay: Recalculation) -> tuple[Mistake, ...]:
        """A mistake that fits numbers much better which are near the right ones: perhaps a misplaced epsilon."""
        value, right = tensor.value, replay.compute(tensor.value)
        if value.operation is None or not is_visibly_off(tensor, right):
            return ()
        ranking = _Ranking(tensor, right, self._evidence, partial(is_nearer, tensor, right), self._clock, self._named)
        known = known_constants(value, tensor.array, self._constants, replay, self._trace)
        usual = hypotheses(value, replay, self._trace, is_first=False, everywhere=False)
        with self._clock.running():
            return ranking.best(chain(known, usual)).mistakes

    @cached_property
    def _evidence(self) -> Evidence:
        """All that they gave, each read as it fits best."""
        read: dict[Value, list[ExternalTensor]] = {}
        nothing = Recalculation()
        for tensor in self._tensors:
            for one in choose_reading(tensor, nothing) if not tensor.readings[0].sent else ():
                read.setdefault(one.value, []).append(one)
        return Evidence(self._trace, read)


def _explains(tensor: ExternalTensor, array: Array) -> bool:
    """Whether an array is theirs to the precision of their type; what is no number would explain anything."""
    is_there = tensor.value.unknown or np.array_equal(np.isnan(array), np.isnan(tensor.array))
    return is_there and not excess(tensor, array).any()


class _Ranking:
    """Ranks what may have happened to a step that differs.

    right: what the step should be
    fits:  whether an array is as near to theirs as the precision of their type makes it
    named: what was named of steps before this one
    """

    def __init__(
        self,
        tensor: ExternalTensor,
        right: Array,
        evidence: Evidence,
        fits: Callable[[Array], bool],
        clock: _Clock,
        named: _Named,
    ) -> None:
        self._clock, self._named = clock, named
        self._tensor = tensor
        self._right = right
        self._evidence = evidence
        self._fits = fits
        self._off = distance(tensor, right) if np.isfinite(excess(tensor, right)).all() else np.inf

    def best(self, hypotheses: Iterable[Hypothesis], all_of_them: bool = False) -> Explanation:
        """The mistake that explains the step, or two that cannot be told apart; none where no hypothesis does.

        all_of_them: also after one before this step that is certain, as a norm hides which of two terms was scaled
        """
        found: list[_Fit] = []
        transposed: list[Mistake] = []
        for hypothesis in hypotheses:
            if self._clock.is_over():
                break
            if transposed and hypothesis.step is not self._tensor.value:
                break  # it needs no mistake before it
            fit = self._fit(hypothesis)
            if fit is None:
                continue
            found.append(fit)
            if fit.rank is _Rank.TRANSPOSED:
                transposed.append(fit.mistake)
            is_here = hypothesis.step is self._tensor.value
            if fit.rank is _Rank.CERTAIN and (is_here or not all_of_them):
                return Explanation((*transposed, fit.mistake), fit.changes)
        best = max((fit.rank for fit in found), default=None)
        likeliest = _likeliest([fit for fit in found if fit.rank == best])
        return self._one_of(likeliest) if likeliest else Explanation()

    def _one_of(self, alike: Sequence[_Fit]) -> Explanation:
        """Of mistakes that the numbers do not tell apart the one that was named before, else the first."""
        fit = next((one for one in alike if (one.mistake.key, one.mistake.facts) in self._named.made), alike[0])
        made = _small_epsilon(fit, alike, self._named)
        self._named.made.add((made.key, made.facts))
        return Explanation((made,), fit.changes)

    def _fit(self, hypothesis: Hypothesis) -> _Fit | None:
        """Nothing where it does not fit, explains a part only, or is contradicted by another step."""
        if not self._fits(hypothesis.array):
            return None
        off = distance(self._tensor, hypothesis.array)
        is_certain = self._off > CERTAIN * max(off, 1.0)
        leaves_more = off > NEARER and hypothesis.mistake.constant is None  # what explains a part only leaves more
        if not is_certain and (leaves_more or self._off < NEARER * off):
            return None
        support = self._evidence.support(self._tensor.value, hypothesis.changes)
        if support.against:
            return None
        rank = _Rank.CERTAIN if is_certain else _Rank.LIKELY
        if hypothesis.is_transposition:
            rank = _Rank.TRANSPOSED if hypothesis.step is self._tensor.value else _Rank.TRANSPOSED_BEFORE
        return _Fit(hypothesis.mistake, rank, off, support.gain, hypothesis.changes)


def _small_epsilon(fit: _Fit, alike: Sequence[_Fit], named: _Named) -> Mistake:
    """What was found; where it is that there is no epsilon, with the largest that numbers do not tell from none."""
    others = (one.mistake.constant for one in alike)
    largest = max((one.found for one in others if one is not None and one.name == "epsilon"), default=0.0)
    if fit.mistake.key != NO_EPSILON.key or not largest:
        return fit.mistake
    named.epsilon = min(named.epsilon, largest)  # another norm may have told more
    made = mistake("epsilon.missing_or_small", epsilon=f"{named.epsilon:g}")
    return made.replace(where=fit.mistake.where, more=fit.mistake.more)


def _likeliest(fits: Sequence[_Fit]) -> list[_Fit]:
    """Of several those that explain the most other steps; of these the nearest, and those not told from it."""
    most = max((fit.gain for fit in fits), default=0)
    explaining = [fit for fit in fits if fit.gain == most]
    nearest = min((fit.distance for fit in explaining), default=0.0)
    return [fit for fit in explaining if not is_much_nearer(nearest, fit.distance)]
