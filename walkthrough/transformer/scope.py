"""The place of a part while the model runs: what calculates it, where it is recorded, its section.

A part is a function of one scope and of what it reads. It records a calculated step with `record` and a matrix of the
file with `given`, over arrays and over shapes (`shapes.py`) alike. What it requires of a file is a rule that it hands
to `check`, which looks at it over shapes alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Concatenate, ParamSpec

from walkthrough.operations.definition import NO_SETTINGS, Array, Operation
from walkthrough.recording.axes import Axis
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Source, Value
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.scenario.schema.parameters import Parameter
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.transformer.calculation import Calculation
from walkthrough.transformer.claims import Claims
from walkthrough.transformer.parameters import record_matrix
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
        """What the part requires: looked at over shapes, where faults are reported; over arrays all is checked."""
        if self.calculation.is_checking:
            rule(self, *args, **named)

    @property
    def problems(self) -> Problems:
        """Where faults are reported; over shapes alone."""
        return self.calculation.problems

    @property
    def claims(self) -> Claims:
        """What the matrices of the file say of their sizes; over shapes alone."""
        return self.calculation.claims

    def reserve(self, numbers: int) -> None:
        """Counts numbers that the part will make, which must be held; over shapes alone."""
        if self.calculation.is_checking:
            self.claims.reserve(numbers, self.section, self.section.path)

    def axis(self, symbol: str) -> Axis:
        """The width of this part that has the symbol; `dimensions` may say it."""
        if symbol not in self.axes:
            self.axes[symbol] = self.calculation.stated_axis(symbol)
        return self.axes[symbol]

    def record(
        self,
        kind: Kind,
        operation: Operation,
        *inputs: Value | None,
        settings: Mapping[str, Any] = NO_SETTINGS,
        **more: Any,
    ) -> Value:
        """Runs an operation on recorded values, those that there are of them, and records the result."""
        return self.recorder.record(kind, operation, tuple(filter(None, inputs)), settings, **more)

    def alias(self, kind: Kind, value: Value) -> Value:
        """Lets a value answer to the path of another step too: it is both."""
        return self.recorder.alias(kind.name, value)

    def given(self, kind: Kind, matrix: Matrix | None, rows: Axis, columns: Axis) -> Value:
        """Records a matrix of the file, rows×columns, or what is derived from it; of a joined one a head's slice."""
        return record_matrix(self.calculation, self.recorder.home, kind, matrix, (rows, columns))

    def given_output(self, kind: Kind, stream: Stream) -> Value:
        """Records the output of a part that the file gives as numbers, n×d_model; nothing before it is calculated."""
        return self.given(kind, self.section.output, stream.n, Axis("d_model"))

    def weight(self, key: str, inward: Axis, outward: Axis, instead: str = "") -> Value:
        """Records a weight of the section: in×out or out×in, as the scenario has it.

        instead: what else may be given; it is said where the key is missing
        """
        matrix: Matrix | None = getattr(self.section, key)
        axes = (outward, inward) if self.calculation.out_in else (inward, outward)
        if matrix is None:
            self.check(note_missing, key, axes, instead)
        return self.given(kind_of(self.section, key), matrix, *axes)

    def vector(self, key: str, axis: Axis) -> Value | None:
        """Records a bias or another vector of the section, 1×d; None where the file gives none."""
        matrix: Matrix | None = getattr(self.section, key)
        if matrix is None:
            return None
        return self.given(kind_of(self.section, key), matrix, Axis("1", 1), axis)

    def made(
        self,
        kind: Kind,
        make: Callable[[], Array],
        rows: Axis,
        columns: Axis,
        matrix: Matrix | None = None,
        fresh: bool = False,
    ) -> Value:
        """Records numbers that no operation computes, such as ids and masks; `matrix`: given ones they are made of."""
        axes = rows, columns
        self.calculation.claim(kind, matrix, axes)
        array: Any = None if self.calculation.is_checking else make()
        return self.recorder.record_given(kind, array, source=Source(None, matrix), axes=axes, fresh=fresh)

    def linear(
        self, kind: Kind, x: Value, weight: str, bias: str = "", inward: str = "", default: Axis | None = None
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
        return self.project(kind, x, w, self.vector(bias, outward) if bias else None)

    def project(self, kind: Kind, x: Value, weight: Value, bias: Value | None = None, **more: Any) -> Value:
        """x·W + b with recorded parameters."""
        return self.record(kind, self.calculation.linear, x, weight, bias, **more)

    def drop(self, name: str, x: Value) -> Value:
        """Dropout under this name, in training; x itself otherwise."""
        return self.calculation.drop(self.recorder, name, x)


def note_missing(s: Scope, key: str, axes: tuple[Axis, Axis], instead: str) -> None:
    """Notes that a matrix must be given, unless it is and its fault is noted already."""
    if not s.has(key):
        message = f"{key} is missing: {axes[0].symbol}×{axes[1].symbol}{instead}"
        s.problems.add(s.section, message, key=s.section.key_of(key))


def settle_default(s: Scope, matrix: Matrix | None, axis: Axis, default: Axis) -> None:
    """An axis of a matrix made by `init` is like another one where nothing else says its size."""
    if matrix is not None and matrix.init is not None and axis.size is None:
        axis.join(default)


def parameter_of(section: Any, key: str) -> Parameter:
    """What the schema declares of a parameter."""
    parameter: Parameter = section.KEYS[key].parameter
    return parameter


def kind_of(section: Any, key: str) -> Kind:
    """The kind of a parameter, as the schema declares it."""
    of: type = type(section)
    return _kind(of, key)


@cache
def _kind(section: type, key: str) -> Kind:
    declared = parameter_of(section, key)
    words = declared.words or f"{declared.family}.{key}"
    symbol = declared.symbol
    facts = {"symbol": symbol}
    return Kind(key, symbol, declared.title, trained=True, words=words, facts=facts, axes=declared.axes)
