"""Rotary positions: queries and keys are rotated by an angle that grows with the position. Su et al. 2021."""

from __future__ import annotations

from typing import Any, NamedTuple

from walkthrough.operations.positions.rotation import Llama3, rotary_angles, rotate
from walkthrough.operations.positions.yarn import Limits, angles_of_frequencies, ramp_of, yarn_frequencies
from walkthrough.recording.axes import Axis
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.resolved import RotaryPlan
from walkthrough.scenario.schema.positions import Yarn
from walkthrough.transformer.scope import Scope
from walkthrough.transformer.stream import Stream

ANGLE = Kind("angle", "Θ", "Rotation angles")


FREQUENCY = Kind("frequency", "f", "Rotation frequencies")


class Rotation(NamedTuple):
    """Rotary positions of a layer: their settings, and the recorded angles, n×r/2."""

    plan: RotaryPlan
    angle: Value

    def record(self, s: Scope, kind: Kind, x: Value) -> Value:
        """The rows of x, n×d_k, each rotated according to its position."""
        settings: dict[str, Any] = {"layout": self.plan.layout, "back": False}
        if self.plan.attention_factor != 1:
            settings["factor"] = self.plan.attention_factor
        return s.record(kind, rotate, x, self.angle, settings=settings)


def record_angles(s: Scope, plan: RotaryPlan, stream: Stream, d_k: int | None) -> Rotation:
    """position · base^(−2i/r), n×r/2."""
    return Rotation(plan, _record_angle(s.under("rotary"), plan, stream, d_k))


def _record_angle(under: Scope, plan: RotaryPlan, stream: Stream, d_k: int | None) -> Value:
    width = plan.width or d_k or 0
    rotated = width - width % 2
    positions = {"positions": stream.positions}
    if plan.yarn is not None:
        frequency = under.record(FREQUENCY, yarn_frequencies, settings=_yarn_settings(plan, plan.yarn, rotated))
        return under.record(ANGLE, angles_of_frequencies, frequency, settings=positions, rows=stream.labels)
    settings: dict[str, Any] = {
        **positions,
        "width": rotated,
        "base": plan.base,
        "divisor": plan.divisor,
        "llama3": Llama3(*plan.llama3) if plan.llama3 is not None else None,
    }
    return under.record(ANGLE, rotary_angles, settings=settings, rows=stream.labels)


def _yarn_settings(plan: RotaryPlan, yarn: Yarn, width: int) -> dict[str, Any]:
    """The frequencies of YaRN: their number, their base, and the ramp between fast and slow ones."""
    limits = Limits(yarn.original_max_position_embeddings, yarn.beta_fast, yarn.beta_slow, yarn.truncate)
    ramp = ramp_of(yarn.factor, width, plan.base, limits)
    return {"width": width, "base": plan.base, "yarn": ramp}


def check_rotation(s: Scope, plan: RotaryPlan, d_k: Axis, angle: Value) -> None:
    """Features are rotated in pairs, no more of them than a head has, and as many in every head."""
    rotary, width = plan.section, plan.width or d_k.size
    message = ""
    if width is None or d_k.size is None or (width % 2 and plan.width is not None):
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
