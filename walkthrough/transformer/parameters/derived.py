"""A parameter that is not used as the file gives it: in few bits, with a low-rank change, or a head's slice of one."""

from __future__ import annotations

from walkthrough.operations.backward import take_columns
from walkthrough.operations.matrix import select_rows
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value, with_index
from walkthrough.scenario.resolved import HeadSlice
from walkthrough.transformer.calculation import Calculation, Given
from walkthrough.transformer.parameters.adapted import base_kind, record_sum
from walkthrough.transformer.parameters.quantized import record_quantized


def record_derived(calculation: Calculation, recorder: Recorder, kind: Kind, given: Given) -> Value:
    """Records a matrix, and what is used in its place."""
    matrix = given.matrix
    assert matrix is not None
    if matrix.adapter is None:
        return record_quantized(calculation, recorder, kind, given)
    record = Calculation.record_given if matrix.quantize is None else record_quantized
    base = record(calculation, recorder.under(kind.name), base_kind(kind), given)
    return record_sum(calculation, recorder, kind, matrix.adapter, base, given.labels)


def record_slice(recorder: Recorder, kind: Kind, whole: Value, head_slice: HeadSlice, by_rows: bool) -> Value:
    """Records what a head takes of a joined parameter: some of its columns, or of its rows."""
    kind = kind._replace(symbol=with_index(kind.symbol, str(head_slice.at + 1)), trained=False, reason="joined")
    places = head_slice.places(whole.shape[0 if by_rows else 1])
    if by_rows:
        return recorder.record_once(kind, select_rows, (whole,), {"indices": tuple(range(places.start, places.stop))})
    return recorder.record_once(kind, take_columns, (whole,), {"start": places.start, "stop": places.stop})
