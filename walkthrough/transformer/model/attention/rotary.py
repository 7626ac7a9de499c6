"""Rotary positions: queries and keys are rotated by an angle that grows with the position. Su et al. 2021."""

from __future__ import annotations

from typing import Any, NamedTuple

from walkthrough.operations.positions.rotation import Llama3, rotary_angles, rotate
from walkthrough.operations.positions.yarn import Limits, angles_of_frequencies, ramp_of, yarn_frequencies
from walkthrough.recording.axes import Axis
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.schema.positions import Llama3 as Llama3Keys
from walkthrough.scenario.schema.positions import Rotary, Yarn
from walkthrough.transformer.scope import Scope
from walkthrough.transformer.stream import Stream

ANGLE = Kind("angle", "Θ", "Rotation angles")


FREQUENCY = Kind("frequency", "f", "Rotation frequencies")


class Rotation(NamedTuple):
    """Rotary positions of a layer: their settings, and the recorded angles, n×r/2."""

    rotary: Rotary
    angle: Value

    def record(self, s: Scope, kind: Kind, x: Value) -> Value:
        """The rows of x, n×d_k, each rotated according to its position."""
        settings: dict[str, Any] = {"layout": self.rotary.layout, "back": False}
        scaling = self.rotary.scaled_by
        if scaling is not None and scaling.yarn is not None and scaling.yarn.attention_scaling != 1:
            settings["factor"] = scaling.yarn.attention_scaling
        return s.record(kind, rotate, x, self.angle, settings=settings)


def record_angles(s: Scope, rotary: Rotary, stream: Stream, d_k: int | None) -> Rotation:
    """position · base^(−2i/r), n×r/2."""
    under, scaling, width = s.under("rotary"), rotary.scaled_by, rotary.width or d_k or 0
    rotated = width - width % 2
    positions = {"positions": stream.positions}
    if scaling is not None and scaling.yarn is not None:
        settings = _yarn_settings(rotary.base, scaling.yarn, rotated)
        frequency = under.record(FREQUENCY, yarn_frequencies, settings=settings)
        angle = under.record(ANGLE, angles_of_frequencies, frequency, settings=positions, rows=stream.labels)
        return Rotation(rotary, angle)
    settings = {
        **positions,
        "width": rotated,
        "base": rotary.base,
        "divisor": (scaling.linear if scaling is not None else None) or 1.0,
        "llama3": _llama3(scaling.llama3 if scaling is not None else None),
    }
    return Rotation(rotary, under.record(ANGLE, rotary_angles, settings=settings, rows=stream.labels))


def _llama3(keys: Llama3Keys | None) -> Llama3 | None:
    if keys is None:
        return None
    return Llama3(keys.factor, keys.low_freq_factor, keys.high_freq_factor, keys.original_max_position_embeddings)


def _yarn_settings(base: float, yarn: Yarn, width: int) -> dict[str, Any]:
    """The frequencies of YaRN: their number, their base, and the ramp between fast and slow ones."""
    limits = Limits(yarn.original_max_position_embeddings, yarn.beta_fast, yarn.beta_slow, yarn.truncate)
    return {"width": width, "base": base, "yarn": ramp_of(yarn.factor, width, base, limits)}


def check_rotary(s: Scope, rotary: Rotary) -> None:
    """The keys of rotary positions fit together."""
    if isinstance(rotary.dimensions, int) and rotary.dimensions % 2:
        fault = f"dimensions is {rotary.dimensions}, expected an even number: features are rotated in pairs"
        s.problems.fault(rotary, "dimensions", fault)
    scaling = rotary.scaled_by
    yarn, llama3 = (scaling.yarn, scaling.llama3) if scaling is not None else (None, None)
    if yarn is not None and yarn.beta_fast < yarn.beta_slow:
        s.problems.fault(yarn, "beta_fast", "beta_fast must not be below beta_slow")
    if llama3 is not None and llama3.low_freq_factor >= llama3.high_freq_factor:
        s.problems.fault(llama3, "low_freq_factor", "low_freq_factor must be below high_freq_factor")


def check_rotation(s: Scope, rotary: Rotary, d_k: Axis, angle: Value) -> None:
    """Features are rotated in pairs, no more of them than a head has, and as many in every head."""
    width = rotary.width or d_k.size
    message = ""
    if width is None or d_k.size is None or (width % 2 and rotary.width is not None):
        return
    if width > d_k.size:
        message = f"rotary rotates the first {width} features of each head, but d_k is {d_k.size}"
    elif width % 2:
        message = f"rotary works on pairs of features, but d_k is {d_k.size}: set how many with dimensions: {width - 1}"
    pairs = angle.axes[1]
    pairs.settle(width // 2)
    if not message and pairs.size != width // 2:
        message = f"rotary rotates {(pairs.size or 0) * 2} features in one head and {width} in another: set how many"
    if message and rotary not in s.problems:
        s.problems.add(rotary, message, key=rotary.key_of("dimensions"))
