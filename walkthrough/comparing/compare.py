"""Compares an engineer's own intermediates with a trace: the first step and cell that differ, and what follows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from walkthrough.comparing import noise
from walkthrough.comparing.cause import CauseFinder, Explanation
from walkthrough.comparing.choice import choose_reading, shows_order_of_tokens
from walkthrough.comparing.formats import Formats
from walkthrough.comparing.gradients import trained_too
from walkthrough.comparing.harmless import is_beyond_float64, why_harmless
from walkthrough.comparing.matching.files import TensorsError
from walkthrough.comparing.matching.passes import ROOT, is_returned
from walkthrough.comparing.matching.readings import Expert
from walkthrough.comparing.matching.tensors import ExternalTensor, NotCompared, Theirs
from walkthrough.comparing.noise import Noise, largest_term
from walkthrough.comparing.outcomes import Compared, Comparison
from walkthrough.comparing.required import (
    NO_DEMANDS,
    Demands,
    default_requirement,
    has_output_head,
    missing_steps,
    model_outputs,
)
from walkthrough.comparing.tolerance import excess, largest_of_rows, strict_excess
from walkthrough.comparing.unmoved import WHY, Unmoved, before_step, left_where_there_is_none
from walkthrough.mistakes.mistake import Mistake
from walkthrough.number_formats import FLOAT_NAMES, OF_FLOAT64, FloatFormat
from walkthrough.operations.definition import Array
from walkthrough.recording.graph import FAR_BACK, steps_not_given
from walkthrough.recording.parts import is_backwards
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.selectors import pass_of
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.recording.verdict import Verdict


def compare(
    trace: Trace,
    tensors: Sequence[Theirs],
    others: Iterable[NotCompared] = (),
    never_called: Iterable[str] = (),
    name: str = "",
    demands: Demands = NO_DEMANDS,
    tell: Callable[[str], None] = lambda path: None,
) -> Comparison:
    """Compares their matrices with the trace, step by step in the order of the calculation.

    Where several of theirs are one step, each is compared; they may have gone on with any of them. Beside a trace in a
    number format, or kept in one coarser than float32, they were calculated in it: each step is worked out from theirs,
    and drift accuses nobody.

    tell: is told the first step that differs, before its cause is searched
    """
    tensors = [one.calculated_in(_float_format(trace)).within(demands.tolerance) for one in tensors]
    others = tuple(others)
    unmoved = Unmoved.as_captured(tensors, (*(one.name for one in tensors), *(one.theirs for one in others)), trace)
    comparer = _Comparer(trace, tensors, Formats(tensors, trace), others, tell, unmoved)
    steps = tuple(found for value in comparer.steps() for found in comparer.compare(value))
    compared = {step.value for step in steps}
    others = (*others, *comparer.others)
    unread = {value for one in others for value in one.meant}
    required = demands.required or (default_requirement(compared, trace),)
    lacking = (value for one in required for value in missing_steps(one, compared, trace, unread))
    missing = dict.fromkeys(value.path for value in lacking)
    if not demands.required and required[0] in (1, "all"):
        in_vain = _returned_in_vain(steps, others)
        if required[0] == 1 and not has_output_head(trace):
            others = (*(one._replace(why=_FURTHER) for one in in_vain), *(one for one in others if one not in in_vain))
        else:
            missing |= dict.fromkeys(one.theirs for one in in_vain)
    least = max((one for one in required if isinstance(one, int)), default=0)
    return Comparison(name, trace, steps, others, tuple(never_called), tuple(missing), least, tuple(comparer.not_tried))


def _returned_in_vain(steps: Iterable[Compared], others: Iterable[NotCompared]) -> list[NotCompared]:
    """What their model itself returns, where that is no step; a single number, as a loss, need not be."""
    returned = [one for one in others if one.theirs in ROOT and one.shape and one.why != _ANOTHER]
    taken = {step.theirs.name for step in steps} if returned else set()
    return [one for one in returned if one.theirs not in taken]


def _float_format(trace: Trace) -> FloatFormat | None:
    """The number format of a trace. Raises TensorsError for whole numbers: a scale says nothing of what is in a row."""
    format = trace.by_hand.format if trace.by_hand is not None else None
    if format is not None and not isinstance(format, FloatFormat):
        known = ", ".join(FLOAT_NAMES)
        raise TensorsError(f"tensors cannot be compared in {format.name}, whose numbers share a scale; choose {known}")
    return format


_NO_STEP = "it came beside what a module returns first, and agrees with no step"
_OTHER_TOKENS = "the router sends this expert another number of tokens"
_OF_ALL_SEQUENCES = "it cannot be told which of its rows are of the first sequence"
_FURTHER = "the model returns it, but it is no step of the scenario, which has no output head: it is not judged"
_SHAPED_ALIKE = "it has the shape of what the model puts out, which another one is: it is not judged"
_ANOTHER = "of the tuple that the module returns another part is this step"


class _Inputs:
    """What the next steps are computed from: one of their matrices for each step that they gave.

    formats: what is computed for them, and what they were given, is rounded to these
    """

    def __init__(self, formats: Formats) -> None:
        self.tensors: dict[Value, ExternalTensor] = {}
        self._round = formats.round
        self.replay = Recalculation(formats.given, rounding=formats.round if formats.coarsest is not None else None)
        self._otherwise = [Recalculation(formats.given, rounding) for rounding in formats.other_roundings()]

    def take(self, tensor: ExternalTensor) -> None:
        """Takes a matrix for its step."""
        value = tensor.value
        self.tensors[value] = tensor
        self.give(value, tensor.array if value.operation is not None else self._round(value, tensor.array))

    def give(self, value: Value, array: Array) -> None:
        """Goes on with these numbers of a step."""
        for replay in (self.replay, *self._otherwise):
            replay.give(value, array)

    def drifted(self, tensor: ExternalTensor) -> ExternalTensor:
        """A matrix, and how far other roundings of steps that they did not give carry what comes of their matrices."""
        if tensor.is_by_type or not self._otherwise:
            return tensor
        value = tensor.value
        ours = self._round(value, self.replay.compute(value))
        with np.errstate(invalid="ignore"):  # an infinity has no drift
            off = [largest_of_rows(other.compute(value) - ours) for other in self._otherwise]
        return tensor.replace(drift=np.maximum.reduce(off))

    def assume(self, changes: Mapping[Value, Array]) -> None:
        """Takes other numbers of steps that they did not give; what was computed without these is forgotten."""
        fresh = {value: array for value, array in changes.items() if value not in self.tensors}
        self.replay = Recalculation({**self.replay.given, **fresh}, self.replay.rounding)
        self._otherwise = [Recalculation(self.replay.given, other.rounding) for other in self._otherwise]

    def is_like(self, other: _Inputs) -> bool:
        """Whether the other takes the same matrices."""
        return all(tensor.array is other.tensors[value].array for value, tensor in self.tensors.items())

    def excess(self, tensor: ExternalTensor, rough: Array) -> Array:
        """By how much a matrix is off what comes of them: more strictly where all that it is computed from is known.

        rough: by how much it is off as far as its float type says
        """
        value = tensor.value
        if not tensor.is_by_type or not value.inputs:
            return rough
        if any(one not in self.tensors and one.operation is not None for one in value.inputs):
            return rough
        epsilons = [self.tensors[one].epsilon for one in value.inputs if one in self.tensors]
        arrays = [self.replay.array(one) for one in value.inputs]
        coarsest = max(tensor.epsilon, *epsilons, 0.0)
        if tensor.excuse and coarsest == tensor.epsilon:  # what it may be off more has not been lost in this operation
            return rough
        return strict_excess(tensor, arrays, coarsest, rough)


class _Comparer:
    """Compares one step after the other with what comes of those before it.

    chosen:      what they went on with, as far as that can be told
    alternative: what else they may have gone on with
    explained:   what they went on with, and what the mistakes that were found make of the steps that they did not give
    """

    def __init__(
        self,
        trace: Trace,
        tensors: Sequence[Theirs],
        formats: Formats,
        others: Sequence[NotCompared],
        tell: Callable[[str], None],
        unmoved: Unmoved,
    ) -> None:
        self._trace, self._tell, self._unmoved = trace, tell, unmoved
        self._noise = Noise(trace)
        self._of_norms = [own for one in others for own in one.own if own[0].operation is not None]
        self._formats = formats
        self._finder = CauseFinder(trace, tensors, trained_too(others, trace))
        self._chosen, self._alternative, self._explained = _Inputs(formats), _Inputs(formats), _Inputs(formats)
        self._explanations: list[Explanation] = []
        self._read: dict[int, list[ExternalTensor]] = {}
        self._is_first = True
        self._beside = {one.name: one.beside for one in tensors}
        returned = {one.name for one in tensors if is_returned(one.name)}
        guessed = {one.name for one in tensors if returned and all(reading.is_guess for reading in one.readings)}
        self._unsure = guessed - returned if has_output_head(trace) else guessed | returned
        self.others: list[NotCompared] = []
        self._by_step: dict[Value, list[Theirs]] = {}
        self._by_expert: dict[Expert, list[Theirs]] = {}
        for tensor in tensors:
            for value in dict.fromkeys(value for reading in tensor.readings for value, _ in reading.pieces):
                self._by_step.setdefault(value, []).append(tensor)
            for reading in tensor.readings if tensor.is_of_batch else ():
                if reading.weight is not None:
                    self._by_expert.setdefault(reading.weight, []).append(tensor)

    @property
    def not_tried(self) -> list[str]:
        """The steps for which the search of a cause ended too soon."""
        return self._finder.not_tried

    def steps(self) -> Iterator[Value]:
        """The steps of the trace in order, behind each what they may have gone on with that is none: its logarithm."""
        recorded = set(self._trace)
        beside = [value for value in self._by_step if value not in recorded]
        for value in self._trace:
            yield value
            yield from (one for one in beside if value in one.inputs)

    def compare(self, value: Value) -> list[Compared]:
        """What became of each of theirs that is a step; the next steps are computed from one of these."""
        for inputs in (self._chosen, self._alternative, self._explained):
            if (array := self._beyond_the_scenario(value, inputs.replay)) is not None:
                inputs.give(value, array)
        compared = self._without_replaced([self._compare(tensor) for tensor in self._tensors_of(value)])
        explained = [one if one.mistakes or not one.differs else self._explain(one.theirs) for one in compared]
        found = _with_the_last_cause(self._without_further_heads(explained, value))
        if found:
            self._go_on(found)
        return found

    def _beyond_the_scenario(self, value: Value, replay: Recalculation) -> Array | None:
        """A step in which is what the scenario knows nothing of: gradients that it lacks, or that are None."""
        if more := sum(squares for norm, squares in self._of_norms if norm is value):
            return np.asarray(np.sqrt(replay.compute(value) ** 2 + more))
        return self._unmoved.carried(value, replay)

    def _tensors_of(self, value: Value) -> list[ExternalTensor]:
        """Their matrices of a step; a tensor is read when its first step is reached."""
        tensors = self._by_step.get(value, ())
        for tensor in tensors:
            if id(tensor) not in self._read:
                self._read[id(tensor)] = choose_reading(tensor, self._chosen.replay, self._knows_rows_of)
                if not self._read[id(tensor)]:
                    of_expert = _OF_ALL_SEQUENCES if tensor.is_of_batch else _OTHER_TOKENS
                    why = _NO_STEP if tensor.beside else of_expert
                    self.others.append(NotCompared(tensor.name, tensor.shape, why))
        read = [one for tensor in tensors for one in self._read[id(tensor)] if one.value is value]
        return [self._formats.of(one) for one in read]

    @cached_property
    def _is_by_token(self) -> bool:
        """Whether experts are sent the tokens of a batch in their order, as the rows of one of them show."""
        return any(
            shows_order_of_tokens(one, self._chosen.replay) for tensors in self._by_expert.values() for one in tensors
        )

    def _knows_rows_of(self, expert: Expert) -> bool:
        """Whether an expert is sent the tokens of a batch in their order: as other tensors of its own show, or any."""
        own = self._by_expert[expert]
        return self._is_by_token or any(shows_order_of_tokens(one, self._chosen.replay, expert) for one in own)

    def _without_replaced(self, compared: list[Compared]) -> list[Compared]:
        """Without the first of a tuple where another part of it is this step, and right.

        In few bits almost anything agrees with a step at first sight: what came beside an output, and is none, too.
        """
        replaced = {self._beside[one.theirs.name] for one in compared if not one.differs}
        kept: list[Compared] = []
        for one in compared:
            if one.differs and one.theirs.name in replaced:
                self._leave_out(one, _ANOTHER)
            elif one.differs and self._is_none_after_all(one.theirs):
                self._leave_out(one, _NO_STEP)
            else:
                kept.append(one)
        return kept

    def _without_further_heads(self, compared: list[Compared], value: Value) -> list[Compared]:
        """Without what has only the shape of what the model puts out, where another of theirs is that, and right.

        As long as not every mistake was tried, it may be what the model puts out.
        """
        further = [one for one in compared if one.differs and not one.mistakes and one.theirs.name in self._unsure]
        if (
            not further
            or all(one.differs for one in compared)
            or value.path in self.not_tried
            or value not in model_outputs(pass_of(value.path), self._trace)
        ):
            return compared
        for one in further:
            self._leave_out(one, _SHAPED_ALIKE)
        return [one for one in compared if one not in further]

    def _leave_out(self, one: Compared, why: str) -> None:
        self.others.append(NotCompared(one.theirs.name, one.theirs.array.shape, why))

    def _is_none_after_all(self, tensor: ExternalTensor) -> bool:
        return bool(self._beside[tensor.name]) and tensor.format is not None and not tensor.value.kind.is_distribution

    def _go_on(self, found: Sequence[Compared]) -> None:
        right = [one for one in found if not one.differs]
        wrong = [one for one in found if one.differs]
        first, last = (*right, *wrong)[0].theirs, (*right, *wrong)[-1].theirs
        self._alternative.take(last if right else _transposed_where_right(first, self._chosen))
        self._chosen.take(first)
        self._explained.take(first)
        self._is_first = self._is_first and not wrong

    def _compare(self, tensor: ExternalTensor) -> Compared:
        """One step beside what comes of either inputs."""
        if self._unmoved.is_left(tensor.value, self._chosen.replay) and (left := self._left(tensor)):
            return left
        tried: list[Compared] = []
        for inputs in self._ways_to_go_on():
            tried.append(self._compare_with(tensor, inputs))
            if not tried[-1].differs:
                return tried[-1]
        return next((one for one in tried if one.mistakes), tried[0])

    def _left(self, tensor: ExternalTensor) -> Compared | None:
        """A parameter that is what it was before a step; None where it is not."""
        old = self._chosen.replay.array(before_step(tensor.value))
        if excess(tensor, old).any():
            return None
        self._unmoved.count(tensor.value)
        off = excess(tensor, tensor.value.array)
        verdict = Verdict.FOLLOWS if off.any() and not self._is_first else Verdict.ROUNDING
        is_moved = excess(tensor, self._chosen.replay.compute(tensor.value)).any()
        return _compared(tensor, verdict, off, old, note=WHY if is_moved else "")

    def _ways_to_go_on(self) -> Iterator[_Inputs]:
        yield self._chosen
        if not self._chosen.is_like(self._alternative):
            yield self._alternative

    def _compare_with(self, tensor: ExternalTensor, inputs: _Inputs) -> Compared:
        """One step beside what comes of the steps before it; why it is wrong only where it is by a little."""
        tensor, right = inputs.drifted(tensor), inputs.replay.compute(tensor.value)
        value = tensor.value
        from_ours, from_theirs = excess(tensor, value.array), excess(tensor, right)
        if not from_ours.any() and from_theirs.any():  # right, whatever was given before it
            return _compared(tensor, Verdict.ROUNDING, from_theirs, right)
        from_theirs = inputs.excess(tensor, from_theirs)
        if tensor.is_by_type and from_theirs.any():
            terms = largest_term(value, inputs.replay) if is_backwards(value.path) else 0.0
            tensor = self._noise.beside_scores(tensor.replace(terms=terms), inputs.replay)
            from_theirs = inputs.excess(tensor, excess(tensor, right))
        is_wrong = bool(from_theirs.any())
        off = from_theirs if is_wrong else from_ours
        verdict = Verdict.FOLLOWS if from_ours.any() and not self._is_first else Verdict.ROUNDING
        if is_wrong and tensor.is_by_type:
            left = left_where_there_is_none(value, inputs.replay, self._trace)
            if left is not None and not excess(tensor, left).any():
                return _compared(tensor, verdict, off, left, note=WHY)
            loose = tensor.replace(drift=self._noise.carried(tensor, inputs.replay))
            if not excess(loose, right).any():
                return _compared(tensor, verdict, off, right, note=noise.WHY)
        if is_wrong and (note := why_harmless(tensor, (right, value.array), self._trace)):
            return _compared(tensor, verdict, off, right, note=note)
        if is_wrong:
            return _compared(tensor, Verdict.WRONG, off, right)
        causes: tuple[Mistake, ...] = ()
        if tensor.is_by_type and tensor.epsilon > OF_FLOAT64:
            causes = self._finder.find_of_little(tensor, self._noise.as_moved(value, inputs.replay))
        is_told = tensor.excuse and tensor.is_by_type and not causes and is_beyond_float64(tensor, right, inputs.replay)
        note = tensor.excuse if is_told else ""
        return _compared(tensor, Verdict.WRONG if causes else verdict, off, right, causes, note)

    def _explain(self, tensor: ExternalTensor) -> Compared:
        """A step that is wrong, and why: by a mistake before it that has been named already, or by one of its own."""
        right = self._chosen.replay.compute(tensor.value)
        found = self._known(tensor)
        if found is None:
            if self._is_first:
                self._tell(tensor.value.path)
            inputs = self._explained if self._explanations else self._chosen
            found = self._finder.find(tensor, self._noise.as_moved(tensor.value, inputs.replay), self._is_first)
            if changes := {value: array for value, array in found.changes.items() if value is not tensor.value}:
                self._explained.assume(changes)
                self._explanations.append(found)
        return _compared(
            tensor, Verdict.WRONG, self._chosen.excess(tensor, excess(tensor, right)), right, found.mistakes
        )

    def _known(self, tensor: ExternalTensor) -> Explanation | None:
        """The mistake that was named for a step before this one, and that gives this one too."""
        if not self._explanations:
            return None
        if self._compare_with(tensor, self._explained).differs:
            return None
        before = set(steps_not_given(tensor.value, self._chosen.replay.given, FAR_BACK))
        return next((one for one in reversed(self._explanations) if not before.isdisjoint(one.changes)), None)


def _compared(
    tensor: ExternalTensor, verdict: Verdict, off: Array, right: Array, causes: tuple[Mistake, ...] = (), note: str = ""
) -> Compared:
    """What became of a matrix, and the place where it is most off."""
    row, column = divmod(int(off.argmax()), off.shape[1])
    return Compared(tensor, verdict, row, column, float(right[row, column]), causes, note)


def _with_the_last_cause(found: list[Compared]) -> list[Compared]:
    """Where several names of theirs are one step and all differ, the last is what they went on with: it tells why."""
    causes = list(dict.fromkeys(one.mistakes for one in found if one.mistakes))
    if not causes or any(not one.differs for one in found):
        return found
    return [found[0].replace(mistakes=causes[-1]), *found[1:]]


def _transposed_where_right(tensor: ExternalTensor, inputs: _Inputs) -> ExternalTensor:
    """A square matrix transposed, where it is right that way: perhaps only the print is."""
    if tensor.value.shape[0] != tensor.value.shape[1]:
        return tensor
    other = tensor.replace(array=tensor.array.T)
    return tensor if excess(other, inputs.replay.compute(tensor.value)).any() else other
