"""A weight that is not used as the file gives it: quantized, with a low-rank change, or a head's part of such a one."""

from __future__ import annotations

from functools import partial

from walkthrough.operations.backward import take_columns
from walkthrough.operations.matrix import select_rows
from walkthrough.recording.axes import Axis
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value, with_index
from walkthrough.scenario.resolved import Share, whole_of
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.transformer.adapted import base_kind, record_sum
from walkthrough.transformer.calculation import BARE, Calculation, Labelled
from walkthrough.transformer.quantized import record_quantized


def record_stored(
    calculation: Calculation,
    recorder: Recorder,
    kind: Kind,
    matrix: Matrix | Share,
    axes: tuple[Axis, Axis],
    labels: Labelled,
) -> Value:
    """Records a matrix, or one head's part of a joined one; axes: of its rows and columns in the file."""
    if isinstance(matrix, Matrix):
        return _record_whole(calculation, recorder, kind, matrix, axes, labels)
    outer = recorder.prefix[: recorder.prefix.rindex("head.")]
    attention = type(recorder)(recorder.trace, outer, recorder.rounding, recorder.one_pass)
    whole = recorder.trace.get(attention.at_home(outer + kind.name))
    if whole is None:
        whole = _record_whole(calculation, attention, kind, matrix, axes, BARE)
    return _record_part(calculation, recorder, kind, matrix, whole, axes)


def _record_whole(
    calculation: Calculation,
    recorder: Recorder,
    kind: Kind,
    matrix: Matrix | Share,
    axes: tuple[Axis, Axis],
    labels: Labelled,
) -> Value:
    whole = whole_of(matrix)
    record = calculation.record_whole if whole.quantize is None else partial(record_quantized, calculation)
    if whole.adapter is None:
        return record(recorder, kind, matrix, axes, labels)
    base = record(recorder.under(kind.name), base_kind(kind), matrix, axes, labels)
    return record_sum(calculation, recorder, kind, whole.adapter, base, labels)


def _record_part(
    calculation: Calculation, recorder: Recorder, kind: Kind, share: Share, whole: Value, axes: tuple[Axis, Axis]
) -> Value:
    """Records a head's part of a joined one: some of its columns, or of its rows where weights are out×in."""
    kind = kind._replace(symbol=with_index(kind.symbol, str(share.at + 1)), trained=False, reason="joined")
    if not whole.has_size:  # found out too late
        return calculation.unknown_value(axes) or whole
    by_rows = calculation.out_in and not share.whole.is_vector
    size = whole.shape[0 if by_rows else 1] // share.count
    start, stop = share.at * size, (share.at + 1) * size
    if by_rows:
        return recorder.record_shared(kind, select_rows, (whole,), {"indices": tuple(range(start, stop))})
    return recorder.record_shared(kind, take_columns, (whole,), {"start": start, "stop": stop})
