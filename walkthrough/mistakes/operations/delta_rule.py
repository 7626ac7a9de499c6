"""Mistakes in what linear attention forgets and writes: a decay, its rate or a strength that is left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from walkthrough.mistakes.mistake import Instead, Maker, Variant, mistake
from walkthrough.operations.activation import sigmoid
from walkthrough.operations.backward import negative
from walkthrough.operations.definition import Operation
from walkthrough.operations.matrix import multiply
from walkthrough.operations.softmax import exponential
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value


def _decay(value: Value, trace: Trace) -> Iterator[Variant]:
    """e^(−forgetting)."""
    (exponent,) = value.inputs
    if exponent.operation is not negative:
        return
    (forgetting,) = exponent.inputs
    yield mistake("left_out.decay"), Instead(exponential, (np.zeros(value.shape),))
    if forgetting.operation is multiply:
        yield mistake("left_out.rate"), Instead(exponential, (Instead(negative, (forgetting.inputs[0],)),))


def _strength(value: Value, trace: Trace) -> Iterator[Variant]:
    yield mistake("left_out.strength"), Instead(exponential, (np.zeros(value.shape),))


MISTAKES: Mapping[Operation, Maker] = {exponential: _decay, sigmoid: _strength}
