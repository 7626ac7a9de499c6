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
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value, with_index
from walkthrough.transformer.calculation import Calculation, Given


def record_quantized(calculation: Calculation, recorder: Recorder, kind: Kind, given: Given) -> Value:
    """Records a matrix, its scales and zero points, its whole numbers, and what these stand for."""
    assert given.matrix is not None
    inside, how = recorder.under(kind.name), given.matrix.quantize
    assert how is not None
    original_kind = _named(kind, "original", "Original")._replace(symbol=with_index(kind.symbol, "orig"))
    original = calculation.record_given(inside, original_kind, given)
    granularity = {"share": how.share, "size": how.size}
    bits = {**granularity, "bits": how.bits}
    is_absmax = how.method == "absmax"
    scale_kind = _named(kind, "scale", "Scale", how.method)
    scale = inside.record_once(scale_kind, absmax_scale if is_absmax else range_scale, (original,), bits)
    common: tuple[Value, ...] = (scale,)
    if not is_absmax:
        zero_kind = _named(kind, "zero_point", "Zero point", how.method)
        common = scale, inside.record_once(zero_kind, zero_point, (original, scale), bits)
    kept_kind = _named(kind, "quantized", "Quantized", how.method)
    rounding, settings = (quantize, granularity) if is_absmax else (quantize_from_zero_point, bits)
    kept = inside.record_once(kept_kind, rounding, (original, *common), settings)
    used_kind = kind._replace(trained=False, reason=f"quantized.used.{how.method}")
    used = dequantize if is_absmax else dequantize_from_zero_point
    return recorder.record_once(used_kind, used, (kept, *common), granularity)


def _named(kind: Kind, name: str, title: str, method: str = "") -> Kind:
    symbol, words = with_index(name[0], kind.symbol.replace("_", "")), f"quantized.{name}"
    reason = f"{words}.{method}" if method else ""
    return Kind(name, symbol, f"{title}: {kind.title}", words=words, reason=reason, facts={"of": kind})
