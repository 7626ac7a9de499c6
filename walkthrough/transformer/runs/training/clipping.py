"""Gradients clipped to a global norm before the update: Pascanu et al. 2013, as torch.nn.utils.clip_grad_norm_."""

from __future__ import annotations

from collections.abc import Mapping

from walkthrough.operations.normalization import scale_by_number
from walkthrough.operations.training.clipping import clip_factor, global_norm, sums_of_squares
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value
from walkthrough.transformer.runs.training.backward import parameter_of

SQUARES = Kind("squares", "q", "Squared gradients", words="clip.squares")
NORM = Kind("norm", "N", "Norm of all gradients", words="clip.norm")
FACTOR = Kind("factor", "c", "Clipping factor", words="clip.factor")


def clip_gradients(recorder: Recorder, gradients: Mapping[Value, Value], clip: float) -> dict[Value, Value]:
    """Records norm and factor, and the gradient of each parameter times the factor; these gradients.

    gradients: of the parameters that are updated
    """
    under = recorder.under("clip")
    names = tuple(recorder.name_within(value) for value in gradients)
    squares = under.record(SQUARES, sums_of_squares, tuple(gradients.values()), rows=names)
    factor = under.record(FACTOR, clip_factor, (under.record(NORM, global_norm, (squares,)),), {"clip": clip})
    return {value: _clip(recorder, value, gradient, factor) for value, gradient in gradients.items()}


def _clip(recorder: Recorder, value: Value, gradient: Value, factor: Value) -> Value:
    name, symbol = f"clipped.{recorder.name_within(value)}", f"g{value.kind.symbol}"
    of = parameter_of(value)
    kind = Kind(name, symbol, f"Clipped: {of.title}", words="clip.clipped", facts={"of": of})
    clipped = recorder.record(kind, scale_by_number, (gradient, factor), like=value)
    return recorder.alias_under("clipped", value, clipped)
