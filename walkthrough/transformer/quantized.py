"""A weight in few bits: the numbers of the file, what is kept of them, and what that stands for. Jacob et al. 2018."""

from __future__ import annotations

from walkthrough.operations.stored.quantization import (
    absmax_scale,
    dequantize,
    dequantize_from_zero_point,
    quantize,
    quantize_from_zero_point,
    range_scale,
    zero_point,
)
from walkthrough.recording.axes import Axis
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value, with_index
from walkthrough.scenario.resolved import Share, whole_of
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.transformer.calculation import Calculation, Labelled

_SOURCES = {"absmax": "Dettmers et al. (2022), §2.1", "zero_point": "Jacob et al. (2018), §2.1"}
_WHY_SCALE = (
    "A whole number of few bits reaches from one limit to the other. The scale is the step between two of them, as "
    "small as can be without leaving anything out."
)
_WHY_ZERO = (
    "Numbers seldom reach as far below 0 as above it. Moved by the zero point, the whole numbers cover just the range "
    "that there is, and 0 itself is one of them."
)
_WHY_QUANTIZED = (
    "These are all that is kept, beside the scale: a byte or half a byte for each number, in place of two or four. "
    "What is lost of a number is at most half a step."
)
_WHY_USED = (
    "The model runs on with what is left of its numbers. Each is right to the nearest step, and how much the output "
    "changes says whether that is near enough."
)


def record_quantized(
    calculation: Calculation,
    recorder: Recorder,
    kind: Kind,
    matrix: Matrix | Share,
    axes: tuple[Axis, Axis],
    labels: Labelled,
) -> Value:
    """Records a matrix, its scales and zero points, its whole numbers, and what these stand for."""
    inside, how = recorder.under(kind.name), whole_of(matrix).quantize
    assert how is not None
    purpose = "The numbers of the file, which are not used themselves."
    given = Kind("original", with_index(kind.symbol, "orig"), f"Original: {kind.title}", purpose)
    original = calculation.record_whole(inside, given, matrix, axes, labels)
    shared = {"share": how.share, "size": how.size}
    bits = {**shared, "bits": how.bits}
    is_absmax, source = how.method == "absmax", _SOURCES[how.method]
    purpose = "What one step of the whole numbers stands for."
    scale_kind = _named(kind, "scale", "s", "Scale", purpose)._replace(why=_WHY_SCALE, source=source)
    scale = inside.record_shared(scale_kind, absmax_scale if is_absmax else range_scale, (original,), bits)
    common: tuple[Value, ...] = (scale,)
    if not is_absmax:
        zero_kind = _named(kind, "zero_point", "z", "Zero point", "The whole number that stands for 0.")
        zero_kind = zero_kind._replace(why=_WHY_ZERO, source=source)
        common = scale, inside.record_shared(zero_kind, zero_point, (original, scale), bits)
    purpose = "The nearest whole numbers, counted in steps of the scale."
    kept_kind = _named(kind, "quantized", "q", "Quantized", purpose)._replace(why=_WHY_QUANTIZED, source=source)
    rounding, settings = (quantize, shared) if is_absmax else (quantize_from_zero_point, bits)
    kept = inside.record_shared(kept_kind, rounding, (original, *common), settings)
    used_kind = kind._replace(trained=False, why=_WHY_USED, source=source)
    used = dequantize if is_absmax else dequantize_from_zero_point
    return recorder.record_shared(used_kind, used, (kept, *common), shared)


def _named(kind: Kind, name: str, letter: str, title: str, purpose: str) -> Kind:
    return Kind(name, with_index(letter, kind.symbol.replace("_", "")), f"{title}: {kind.title}", purpose)
