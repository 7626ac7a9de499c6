"""The operations a transformer is made of, each defined once; importing this package fills `OPERATIONS`."""
# ruff: noqa: F401

from walkthrough.operations import (
    activation,
    attribution,
    backward,
    byte_pairs,
    convolution,
    low_rank,
    matrix,
    normalization,
    norms,
    online,
    quantization,
    scaling,
    softmax,
    what_if,
)
from walkthrough.operations.definition import OPERATIONS, Array, Operation
from walkthrough.operations.experts import clamped, groups, mixture
from walkthrough.operations.generation import beams, prediction, sampling
from walkthrough.operations.positions import distance, relative, rotation, sinusoidal, yarn
from walkthrough.operations.training import clipping, dropout, loss, report, schedule, update

__all__ = ["OPERATIONS", "Array", "Operation"]
