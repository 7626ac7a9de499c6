"""A matrix of the file as it is recorded: as it is written, a head's slice, in few bits, or with a low-rank change.

In few bits: Jacob et al. 2018. Low-rank, base + alpha/r · a·b: Hu et al. 2021.
"""

from __future__ import annotations

from typing import Any

from walkthrough.operations.backward import take_columns
from walkthrough.operations.low_rank import low_rank_change
from walkthrough.operations.matrix import add, select_rows
from walkthrough.operations.quantization import absmax_scale, dequantize, quantize, range_scale, zero_point
from walkthrough.recording.axes import Axes, Axis, Multiple
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value, with_index
from walkthrough.scenario.schema.matrices import Adapter, Matrix, Quantize
from walkthrough.transformer.calculation import Calculation


def record_matrix(calculation: Calculation, recorder: Recorder, kind: Kind, matrix: Matrix | None, axes: Axes) -> Value:
    """Records a matrix of the file as it is, or what is used in its place."""
    place, used = recorder, kind
    if matrix is not None and matrix.adapter is not None:
        place, used = recorder.under(kind.name), _part(kind, "low_rank.base", with_index(kind.symbol, "0"), "Base")
    if matrix is None or matrix.quantize is None:
        base = record_written(calculation, place, used, matrix, axes)
    else:
        kept = _part(used, "quantized.original", with_index(used.symbol, "orig"), "Original")
        original = record_written(calculation, place.under(used.name), kept, matrix, axes)
        base = record_quantized(place, used, matrix.quantize, original)
    if matrix is None or matrix.adapter is None:
        return base
    return record_sum(calculation, recorder, kind, matrix.adapter, base, axes)


def record_written(
    calculation: Calculation, recorder: Recorder, kind: Kind, matrix: Matrix | None, axes: Axes
) -> Value:
    """Records a matrix as it is in the file, or a slice of it: what a head takes of a joined one."""
    calculation.claim(kind, matrix, axes)
    (array, source), corner = calculation.numbers(matrix), (0, 0)
    for side, axis in enumerate(axes):
        if isinstance(axis, Multiple) and axis.at is not None and array is not None:
            places = axis.places(array.shape[side])
            array, corner = (array[places], (places.start, 0)) if side == 0 else (array[:, places], (0, places.start))
    return recorder.record_given(kind, array, source=source, corner=corner, axes=axes)


def record_quantized(recorder: Recorder, kind: Kind, how: Quantize, original: Value) -> Value:
    """Records the scales and zero points of a matrix, its whole numbers, and what these stand for."""
    inside = recorder.under(kind.name)
    bare_symbol = kind.symbol.replace("_", "")

    def part(name: str, title: str) -> Kind:
        words = f"quantized.{name}"
        return _part(kind, words, with_index(name[0], bare_symbol), title)._replace(reason=f"{words}.{how.method}")

    granularity = {"share": how.granularity, "size": how.size}
    bits = {**granularity, "bits": how.bits}
    if how.method == "absmax":
        common: tuple[Value, ...] = (inside.record_once(part("scale", "Scale"), absmax_scale, (original,), bits),)
    else:
        scale = inside.record_once(part("scale", "Scale"), range_scale, (original,), bits)
        common = scale, inside.record_once(part("zero_point", "Zero point"), zero_point, (original, scale), bits)
    kept = inside.record_once(part("quantized", "Quantized"), quantize, (original, *common), bits)
    used_kind = kind._replace(trained=False, reason=f"quantized.used.{how.method}")
    return recorder.record_once(used_kind, dequantize, (kept, *common), granularity)


def record_sum(
    calculation: Calculation, recorder: Recorder, kind: Kind, adapter: Adapter, base: Value, axes: Axes
) -> Value:
    """Records the factors, their product and the sum of base and product."""
    inside = recorder.under(kind.name)
    factors = _factors(calculation, inside, kind, adapter, base, axes)
    change_kind = _part(kind, "low_rank.delta", f"Δ{kind.symbol}", "Low-rank change")
    settings = {"alpha": adapter.alpha, "rank": factors[0].shape[1]}
    change = inside.record_once(change_kind, low_rank_change, factors, settings)
    return recorder.record_once(kind._replace(trained=False, reason="low_rank.sum"), add, (base, change))


def _factors(
    calculation: Calculation, inside: Recorder, kind: Kind, adapter: Adapter, base: Value, axes: Axes
) -> tuple[Value, Value]:
    """The factors in the order of their product: a·b, or b·a where weights are out×in."""
    rank = Axis("r")
    if adapter.r is not None and calculation.is_checking:
        calculation.claims.state(rank, adapter, "r")
    rows, columns = (of.with_symbol(of.symbol, own.labels) for of, own in zip(base.axes, axes, strict=True))

    def part(name: str) -> Kind:
        symbol = with_index(name.upper(), kind.symbol.replace("_", ""))
        return _part(kind, f"low_rank.{name}", symbol, f"Factor {name}")._replace(trained=True)

    (left, first), (right, second) = (("b", adapter.b), ("a", adapter.a))[:: 1 if calculation.out_in else -1]
    return (
        record_written(calculation, inside, part(left), first, (rows, rank)),
        record_written(calculation, inside, part(right), second, (rank, columns)),
    )


def _part(kind: Kind, words: str, symbol: str, title: str) -> Kind:
    """What a parameter is made of: its name is the last of its words."""
    name = words.rpartition(".")[2]
    return Kind(name, symbol, f"{title}: {kind.title}", words=words, facts={"of": kind})


def record_slice(recorder: Recorder, kind: Kind, whole: Value, side: int, axis: Multiple) -> Value:
    """Records what a head takes of a joined parameter: some of its rows (side 0), or of its columns (side 1)."""
    kind = kind._replace(symbol=with_index(kind.symbol, str((axis.at or 0) + 1)), trained=False, reason="joined")
    places = axis.places(whole.shape[side])
    if side == 0:
        settings: dict[str, Any] = {"indices": tuple(range(places.start, places.stop))}
        made = recorder.record_once(kind, select_rows, (whole,), settings)
    else:
        made = recorder.record_once(kind, take_columns, (whole,), {"start": places.start, "stop": places.stop})
    if not made.has_size:  # over shapes, while nothing has said the width yet
        made.axes[side].join(axis.axis)
    return made
