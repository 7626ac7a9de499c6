"""The recorder: runs an operation, keeps the result under its path, and hands it on. It keeps references, never copies."""

from __future__ import annotations

from typing import Any

from walkthrough.operations.definition import Array, Operation
from walkthrough.recording.labels import Labels
from walkthrough.recording.rounding import Rounding
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Step, Value


class Recorder:
    """Records values under a prefix, such as `encoder.1.attention.`, into one trace."""

    __slots__ = ("prefix", "rounding", "trace")

    def __init__(self, trace: Trace, prefix: str = "", rounding: Rounding | None = None) -> None:
        self.trace = trace
        self.prefix = prefix
        self.rounding = rounding

    def under(self, name: str) -> Recorder:
        """A recorder one level deeper."""
        return Recorder(self.trace, f"{self.prefix}{name}.", self.rounding)

    def given(self, step: Step, array: Array, rows: Labels | None = None, columns: Labels | None = None) -> Value:
        """Records a matrix of the scenario, as written; by-hand arithmetic leaves it alone."""
        return self._keep(Value(self.prefix + step.name, step, array, rows=rows, columns=columns))

    def record(
        self,
        step: Step,
        operation: Operation,
        *inputs: Value,
        array: Array | None = None,
        rows: Labels | None = None,
        columns: Labels | None = None,
        **settings: Any,
    ) -> Value:
        """Runs `operation` on the inputs and records the result.

        array:         the result, where it was computed together with others
        rows, columns: labels, where the inputs do not give them
        """
        path = self.prefix + step.name
        if array is None:
            array = operation.forward(*[value.array for value in inputs], **settings)
        value = Value(path, step, array, operation, inputs, settings, rows, columns)
        if self.rounding is not None:  # by-hand arithmetic: round, then hand on
            value.digits = self.rounding.digits(path)
            value.array = value.digits.round(array)
        return self._keep(value)

    def alias(self, name: str, value: Value) -> Value:
        """Lets a value answer to a second path: the same matrix in another role."""
        path = self.prefix + name
        if path != value.path and path not in value.also:
            self.trace.alias(path, value)
        return value

    def _keep(self, value: Value) -> Value:
        self.trace.values[value.path] = value
        return value
