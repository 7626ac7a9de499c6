"""The recorder: keeps a reference to a value under its path, and hands it on; over arrays and over shapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from walkthrough.operations.definition import NO_SETTINGS, Array, Composite, Operation, Shape, ShapeError
from walkthrough.operations.what_if import what_if
from walkthrough.recording.axes import Axes, unify
from walkthrough.recording.labels import Labels
from walkthrough.recording.rounding import Rounding
from walkthrough.recording.trace import StopRecording, Trace
from walkthrough.recording.values import NO_SOURCE, Kind, Source, Value
from walkthrough.records import Record


class Pass(Record):
    """One of several passes through the same model, recorded under a prefix such as `generate.2.`

    prefix:    of every path of the pass
    before:    the prefix of the pass that it goes on from; where there is none, one that no path has
    step:      the prefix of the training step that it is, or is an example of: the step's parameters have names with
               it; None outside of training
    chosen_by: the prediction that has decided what the pass reads
    first:     the position, from 0, of the first row that the pass computes; those before it are kept of earlier passes
    reuses:    what is computed from the same values as in the pass before is not recorded again
    """

    prefix: str = ""
    before: str = "."
    step: str | None = None
    chosen_by: Value | None = None
    first: int = 0
    reuses: bool = False

    @cached_property  # every given matrix asks
    def home(self) -> str:
        """The prefix of its parameters."""
        return self.prefix if self.step is None else self.step

    @property
    def number(self) -> str:
        """Which pass it is, as its prefix says."""
        return self.prefix.rstrip(".").rpartition(".")[2]

    @cached_property
    def is_example(self) -> bool:
        """Whether it is that of one of the examples of a training step."""
        return self.step not in (None, self.prefix)

    def in_pass_before(self, path: str) -> str:
        """The path that a step of this pass has in the one before."""
        return self.before + path.removeprefix(self.prefix)


ONLY_PASS = Pass()
"""Of a scenario whose model runs once, or the first of several."""


class Recorder:
    """Records values under a prefix, such as `encoder.1.attention.`, into one trace.

    parameters: the given matrices by name, outside of the passes that use them: one is recorded on its first use, and
                an update takes its place
    """

    __slots__ = ("one_pass", "parameters", "prefix", "rounding", "trace")

    def __init__(
        self,
        trace: Trace,
        prefix: str = "",
        rounding: Rounding | None = None,
        one_pass: Pass = ONLY_PASS,
        parameters: dict[str, Value] | None = None,
    ) -> None:
        self.trace = trace
        self.prefix = prefix
        self.rounding = rounding
        self.one_pass = one_pass
        self.parameters = {} if parameters is None else parameters

    def under(self, name: str) -> Recorder:
        """A recorder one level deeper."""
        return self._at(f"{self.prefix}{name}.")

    def for_pass(self, one_pass: Pass) -> Recorder:
        """A recorder for a further pass through the model."""
        return Recorder(self.trace, one_pass.prefix, self.rounding, one_pass, self.parameters)

    def _at(self, prefix: str) -> Recorder:
        return Recorder(self.trace, prefix, self.rounding, self.one_pass, self.parameters)

    @property
    def home(self) -> Recorder:
        """Where the parameters of this place are recorded: once for all sentences of a training step."""
        if not self.one_pass.is_example:
            return self
        return self._at(self.one_pass.home + self.prefix.removeprefix(self.one_pass.prefix))

    def earlier(self, name: str) -> Value:
        """The value of this name in the pass before; where that has none of its own, in the first one."""
        path = self.prefix + name
        return self.trace.get(self.one_pass.in_pass_before(path)) or self.trace[path.removeprefix(self.one_pass.prefix)]

    def number_kind(self, kind: Kind) -> Kind:
        """A kind whose symbol has the number of the pass: K_c(3)."""
        return kind._replace(symbol=f"{kind.symbol}({self.one_pass.number})")

    @property
    def example(self) -> str:
        """The number of the example whose pass this is; empty for any other pass."""
        return self.one_pass.number if self.one_pass.is_example else ""

    @property
    def place(self) -> str:
        """The prefix without that of the pass, and without its last dot."""
        return self.prefix.removeprefix(self.one_pass.prefix).rstrip(".")

    def record_given(
        self,
        kind: Kind,
        array: Array | None,
        rows: Labels | None = None,
        columns: Labels | None = None,
        source: Source = NO_SOURCE,
        corner: tuple[int, int] = (0, 0),
        axes: Axes | None = None,
        fresh: bool = False,
    ) -> Value:
        """Records a given matrix; by-hand arithmetic uses one that is written in the file as it is.

        A further pass takes the matrix that the first one recorded, unless the sequence has changed its shape, or it
        is `fresh`: another one in every pass. One that is made by a rule or read from a file is rounded by hand, and
        any in a format.
        axes: what its rows and columns are, with their labels; over shapes nothing else is known of it
        """
        if axes is not None:
            rows, columns = axes[0].labels, axes[1].labels
            axes = (axes[0].as_one(), axes[1].as_one()) if array is None else None
        of = self.trace.value_class
        made = of(self.prefix + kind.name, kind, array, rows=rows, columns=columns, axes=axes)
        made.source = source
        made.corner = corner
        name = made.path.removeprefix(self.one_pass.home)
        there = None if fresh else self.parameters.get(name)
        if there is None or (there.shape != made.shape and made.has_size and there.has_size):
            if not fresh:
                self.parameters.setdefault(name, made)
            return self._keep(self._written(made))
        return self.alias(kind.name, there) if self.one_pass.step is not None else there

    def _written(self, made: Value) -> Value:
        """A given value as this arithmetic holds it."""
        if self.rounding is None:
            return made
        if self.rounding.format is not None:
            made.mark_unknown()  # before a number too large becomes a nan too
            self._round(made)
        elif made.origin:
            exact, written = made.array, made.written
            self._round(made)
            if written is not None and written.any():
                made.array[written] = exact[written]
                made.digits = None  # not all of them have as many
        return made

    def record(
        self,
        kind: Kind,
        operation: Operation,
        inputs: tuple[Value, ...],
        settings: Mapping[str, Any] = NO_SETTINGS,
        rows: Labels | Callable[[], Labels] | None = None,
        columns: Labels | None = None,
        array: Array | None = None,
        like: Value | None = None,
        copied: Value | None = None,
    ) -> Value:
        """Runs `operation` with its settings on the inputs and records the result.

        rows, columns: labels, where the inputs do not give them, or what makes them; like: a value that has them
        array:         the result, where it was computed together with others
        copied:        a value whose numbers are copied: by hand they keep their digits, unless others are stated
        """
        path = self.prefix + kind.name
        if path == self.trace.until:
            raise StopRecording
        if self.one_pass.reuses and (
            same := self._same(self.one_pass.in_pass_before(path), operation, inputs, settings)
        ):
            return same
        axes, shape = None, None
        if self.trace.has_numbers:
            array, shape = run(operation, inputs, settings, array)
        else:
            axes = unify(operation, [given.axes for given in inputs], settings)
        value = self.trace.value_class(path, kind, array, operation, inputs, settings, rows, columns, shape, axes)
        if like is not None:
            value.like = like
        if self.trace.replace is not None:
            self.trace.replace(value)
        if self.rounding is not None:  # by-hand arithmetic: round before the next step reads it
            self._round(value, copied)
        return self._keep(value)

    def compose(
        self,
        value: Value,
        whole: Composite,
        inputs: tuple[Value, ...],
        settings: Mapping[str, Any],
        parts: Mapping[str, Value],
    ) -> None:
        """Says that a value is also one function of earlier ones; not where a step between has other numbers."""
        if self.trace.replace is None or not _is_replaced(value, inputs):
            value.composite, value.parts = (whole, inputs, settings), parts

    def record_once(
        self, kind: Kind, operation: Operation, inputs: tuple[Value, ...], settings: Mapping[str, Any] = NO_SETTINGS
    ) -> Value:
        """Records what is computed from given matrices alone: once, for all passes that share them."""
        path = self.prefix + kind.name
        for name in (path, path.removeprefix(self.one_pass.home)):
            if same := self._same(name, operation, inputs, settings):
                return same
        return self.record(kind, operation, inputs, settings)

    def _same(
        self, path: str, operation: Operation, inputs: tuple[Value, ...], settings: Mapping[str, Any]
    ) -> Value | None:
        """The value of a path, where it is the same calculation."""
        there = self.trace.get(path)
        is_same = there and (there.operation, there.inputs, there.settings) == (operation, inputs, settings)
        return there if is_same else None

    def _round(self, value: Value, copied: Value | None = None) -> None:
        assert self.rounding is not None
        if self.rounding.format is not None:
            value.use_format(self.rounding.format)
            return
        exact, kept = value.array, copied.digits if copied is not None else None
        value.digits = self.rounding.stated_digits(value.path) or kept or self.rounding.digits(value.path)
        value.array = value.digits.round(exact)
        for column in value.kind.ids:  # an id is a name, however few digits a step may have
            value.array[:, column] = exact[:, column]

    def names_within(self, value: Value) -> list[str]:
        """The names that a value has in this pass, without its prefix; a matrix of the file has them without it."""
        for prefix in (self.one_pass.prefix, self.one_pass.home):
            names = (name for name in (value.path, *value.also) if name.startswith(prefix))
            if found := [name.removeprefix(prefix) for name in names]:
                return found
        return []

    def name_within(self, value: Value) -> str:
        """The first of these names."""
        return self.names_within(value)[0]

    def alias(self, name: str, value: Value) -> Value:
        """Lets a value answer to a second path: the same matrix in another role."""
        path = self.prefix + name
        if self.one_pass.step is None and not value.path.startswith(self.one_pass.prefix):
            return value  # shared with the first pass, where it has this role already
        if path != value.path and path not in value.also:
            self.trace.alias(path, value)
        return value

    def alias_under(self, name: str, of: Value, value: Value) -> Value:
        """Lets a value answer to `name.PATH` for every name that another, `of`, has in this pass."""
        for path in self.names_within(of):
            self.alias(f"{name}.{path}", value)
        return value

    def alias_all(self, value: Value, other: Recorder) -> None:
        """Lets a value answer here to all names that it has under another recorder."""
        for path in (value.path, *value.also):
            if path.startswith(other.prefix):
                self.alias(path.removeprefix(other.prefix), value)

    def _keep(self, value: Value) -> Value:
        if value.path == self.trace.until:
            raise StopRecording
        if self.one_pass is not ONLY_PASS:
            value.chosen_by = self.one_pass.chosen_by
            if not self.one_pass.first:  # else its rows are others than those of the pass before
                value.before = self.trace.get(self.one_pass.in_pass_before(value.path))
        self.trace.values[value.path] = value
        if self.trace.releases:
            self.trace.release_after(value)
        return value


def run(
    operation: Operation, inputs: tuple[Value, ...], settings: Mapping[str, Any], array: Array | None
) -> tuple[Array, Shape]:
    """What an operation makes of values, and its shape; `array`: the result, where it was computed with others."""
    arrays: list[Array] = []
    sizes: tuple[int, ...] = ()
    for given in inputs:
        arrays.append(given.array)
        sizes += given.shape
    if array is None:
        array = operation.forward(*arrays, **settings)
    shape = operation.known.get(sizes) or operation.result_shape([given.shape for given in inputs], settings)
    if array.shape != shape:
        raise ShapeError(f"{operation.name} gave {array.shape}, its shapes {operation.shapes} say {shape}")
    return array, shape


def _is_replaced(value: Value, inputs: tuple[Value, ...]) -> bool:
    """Whether a step from the inputs to a value, itself included, has other numbers than it has calculated."""
    if value in inputs or value.operation is None:
        return False
    return value.operation is what_if or any(_is_replaced(given, inputs) for given in value.inputs)
