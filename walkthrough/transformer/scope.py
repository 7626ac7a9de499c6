"""The place of a part while the model runs: what calculates it, where it is recorded, its section.

A part is a function of one scope and of what it reads. The same description is calculated over arrays and walked
through over shapes (`shapes/`); a part does not know which.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Concatenate, ParamSpec

from walkthrough.operations.definition import NO_SETTINGS, Array, Operation
from walkthrough.recording.axes import Axis
from walkthrough.recording.labels import Labels
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Source, Value
from walkthrough.scenario.resolved import HeadSlice
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.scenario.schema.parameters import Parameter
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.transformer.calculation import UNLABELLED, Axes, Calculation, Given, Labelled
from walkthrough.transformer.claims import Claims
from walkthrough.transformer.parameters import record_derived
from walkthrough.transformer.stream import Stream

P = ParamSpec("P")


class Scope:
    """One place of the model.

    calculation: over arrays or over shapes
    recorder:    records under the path of this place
    section:     the part of the file that describes it
    axes:        the widths of the part by symbol, such as d_ff
    """

    __slots__ = ("axes", "calculation", "recorder", "section")

    def __init__(
        self, calculation: Calculation, recorder: Recorder, section: Any, axes: dict[str, Axis] | None = None
    ) -> None:
        self.calculation = calculation
        self.recorder = recorder
        self.section = section
        self.axes: dict[str, Axis] = {} if axes is None else axes
        if calculation.is_checking:
            calculation.sections[recorder.prefix] = section

    def under(self, name: str, section: Any = None) -> Scope:
        """The place one level deeper; with another section it is another part, with widths of its own."""
        axes = self.axes if section is None else {}
        return Scope(self.calculation, self.recorder.under(name), section or self.section, axes)

    def has(self, key: str) -> bool:
        """Whether the file gives a key of the section, be it faulty or not."""
        return bool(self.section.has(key))

    def check(self, rule: Callable[Concatenate[Scope, P], None], *args: P.args, **named: P.kwargs) -> None:
        """What the part requires: looked at over shapes, where faults can be told; over arrays all is checked."""
        if self.calculation.is_checking:
            rule(self, *args, **named)

    @property
    def problems(self) -> Problems:
        """Where faults are told; over shapes alone."""
        return self.calculation.problems

    @property
    def claims(self) -> Claims:
        """What the matrices of the file say of their sizes; over shapes alone."""
        return self.calculation.claims

    def axis(self, symbol: str) -> Axis:
        """The width of this part that has the symbol; `dimensions` may say it."""
        if symbol not in self.axes:
            self.axes[symbol] = self.calculation.stated_axis(symbol)
        return self.axes[symbol]

    def record(
        self, kind: Kind, operation: Operation, *inputs: Value, settings: Mapping[str, Any] = NO_SETTINGS, **more: Any
    ) -> Value:
        """Runs an operation on recorded values, and records the result."""
        return self.recorder.record(kind, operation, inputs, settings, **more)

    def alias(self, kind: Kind, value: Value) -> Value:
        """Lets a value answer to the path of another step too: it is both."""
        return self.recorder.alias(kind.name, value)

    def record_given(
        self, kind: Kind, key: str, rows: Axis, columns: Axis, labels: Labelled = UNLABELLED, instead: str = ""
    ) -> Value:
        """Records numbers of the file, rows×columns.

        instead: what else may be given; it is said where the key is missing
        """
        needed = self.section, key, instead
        return self._record(kind, Given(getattr(self.section, key), (rows, columns), labels, needed))

    def given_output(self, kind: Kind, stream: Stream) -> Value:
        """Records the output of a part that the file gives as numbers, n×d_model; nothing before it is calculated."""
        return self.record_given(kind, "output", stream.n, Axis("d_model"), (stream.labels, None))

    def matrix(
        self,
        kind: Kind,
        matrix: Matrix,
        rows: Axis,
        columns: Axis,
        labels: Labelled = UNLABELLED,
        is_vector: bool = False,
    ) -> Value:
        """Records a matrix of the file, rows×columns, whichever section has it."""
        return self._record(kind, Given(matrix, (rows, columns), labels, None, is_vector))

    def record_made(
        self,
        kind: Kind,
        make: Callable[[], Array],
        axes: tuple[Axis, Axis],
        labels: Labelled = UNLABELLED,
        matrix: Matrix | None = None,
        fresh: bool = False,
    ) -> Value:
        """Records numbers that no operation computes, such as ids and masks; `matrix`: given ones they are made of."""
        if matrix is not None:
            self.calculation.claim(kind, Given(matrix, axes))
        array: Any = None if self.calculation.is_checking else make()
        return self.recorder.record_given(kind, array, *labels, Source(None, matrix), axes=axes, fresh=fresh)

    def weight(
        self,
        key: str,
        inward: Axis,
        outward: Axis,
        labels: Labelled = UNLABELLED,
        instead: str = "",
        head_slice: HeadSlice | None = None,
    ) -> Value:
        """Records a weight of the section, or what a head takes of it: in×out or out×in, as the scenario has it."""
        axes: Axes = (inward, outward)
        if self.calculation.out_in:
            axes, labels = axes[::-1], labels[::-1]
        given = Given(getattr(self.section, key), axes, labels, (self.section, key, instead), False, head_slice)
        return self._record(kind_of(self.section, key), given)

    def vector(
        self,
        key: str,
        axis: Axis,
        labels: Labels | None = None,
        kind: Kind | None = None,
        matrix: Matrix | None = None,
        head_slice: HeadSlice | None = None,
    ) -> Value | None:
        """Records a bias, gamma or beta, 1×d, or what a head takes of it; None where the file gives none.

        matrix: what it is, where that is not the section's own matrix of this key
        """
        matrix = getattr(self.section, key) if matrix is None else matrix
        if matrix is None:
            return None
        given = Given(matrix, (Axis("1", 1), axis), (None, labels), None, True, head_slice)
        return self._record(kind or kind_of(self.section, key), given)

    def _record(self, kind: Kind, given: Given) -> Value:
        """Records a matrix of the file as it is, or what is derived from it."""
        is_derived = given.matrix is not None and given.matrix.is_derived
        record = record_derived if is_derived else Calculation.record_given
        return record(self.calculation, self.recorder, kind, given)

    def linear(
        self, kind: Kind, x: Value, weight: str, bias: str, inward: str = "", default: Axis | None = None
    ) -> Value:
        """x·W + b with parameters of the section: n×in → n×out.

        inward:  how the width that goes in is called here, if not as declared
        default: the width that comes out where W is made by `init` and nothing else says it
        """
        declared = parameter_of(self.section, weight).axes
        # without residuals d_model may change from part to part: what comes out is no width of the whole
        outward = Axis("d_model") if declared[1] == "d_model" else self.axis(declared[1])
        if default is not None:
            self.check(settle_default, getattr(self.section, weight), outward, default)
        w = self.weight(weight, x.axes[1].with_symbol(inward or declared[0]), outward)
        return self.project(kind, x, w, self.vector(bias, outward))

    def project(self, kind: Kind, x: Value, weight: Value, bias: Value | None = None, **more: Any) -> Value:
        """x·W + b with recorded parameters."""
        inputs = (x, weight) if bias is None else (x, weight, bias)
        return self.recorder.record(kind, self.calculation.linear, inputs, **more)

    def drop(self, name: str, x: Value) -> Value:
        """Dropout under this name, in training; x itself otherwise."""
        return self.calculation.drop(self.recorder, name, x)


def settle_default(s: Scope, matrix: Matrix | None, axis: Axis, default: Axis) -> None:
    """An axis of a matrix made by `init` is like another one where nothing else says its size."""
    if matrix is not None and matrix.init is not None and axis.size is None:
        axis.join(default)


def parameter_of(section: Any, key: str) -> Parameter:
    """What the schema declares of a parameter."""
    parameter: Parameter = section.KEYS[key].parameter
    return parameter


def kind_of(section: Any, key: str) -> Kind:
    """What a reader is told about a parameter, as the schema declares it."""
    of: type = type(section)
    return _kind(of, key)


@cache
def _kind(section: type, key: str) -> Kind:
    declared = parameter_of(section, key)
    words = declared.words or f"{declared.family}.{key}"
    symbol = declared.symbol
    facts = {"symbol": symbol}
    return Kind(key, symbol, declared.title, trained=True, words=words, facts=facts, axes=declared.axes)
