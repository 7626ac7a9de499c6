"""The table of a training run: loss, probability of the right word and largest gradient of each step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from walkthrough.operations.matrix import concatenate
from walkthrough.operations.training.report import table_of
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value

RUN = Kind("training", "T", "Training run", series=True)
COLUMNS = ("loss", "right_probability", "largest_gradient")
"""Of the table of the run, which has a row for each step."""


class Run:
    """The table of the run, of the recorded numbers of each step."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.reports: list[Value] = []

    def add(self, report: Sequence[Value]) -> None:
        """Takes loss, probability and largest gradient of a step."""
        self.reports += report

    def record(self) -> None:
        """Records the table."""
        self.recorder.record(RUN, table_of, tuple(self.reports), {"width": len(COLUMNS)}, columns=COLUMNS)


class LongRun(Run):
    """The same where the trace forgets the steps: three numbers of each are kept, as three columns."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__(recorder)
        self.numbers: list[float] = []

    def add(self, report: Sequence[Value]) -> None:
        self.reports = [value.bare() for value in report]
        self.numbers += [float(value.array[0, 0]) for value in report]

    def record(self) -> None:
        table = np.array(self.numbers).reshape(-1, len(COLUMNS))
        columns = [self._column(last, table[:, [at]]) for at, last in enumerate(self.reports)]
        self.recorder.record(RUN, concatenate, tuple(columns), columns=COLUMNS)

    def _column(self, last: Value, numbers: np.ndarray) -> Value:
        """One number of every step, under the name that it has in each."""
        kind = last.kind._replace(symbol=last.kind.symbol.partition("(")[0])
        return Value(f"loss.{kind.name}", kind, numbers)
