"""The operations a transformer is made of, each defined once; importing this package fills `OPERATIONS`."""
# ruff: noqa: F401

from walkthrough.operations import (
    activation,
    backward,
    convolution,
    matrix,
    normalization,
    norms,
    online,
    scaling,
    softmax,
)
from walkthrough.operations.definition import OPERATIONS, Array, Operation
from walkthrough.operations.experts import clamped, groups, mixture
from walkthrough.operations.generation import beams, prediction, sampling
from walkthrough.operations.inspection import attribution, what_if
from walkthrough.operations.positions import distance, relative, rotation, sinusoidal, yarn
from walkthrough.operations.stored import low_rank, quantization
from walkthrough.operations.tokenizer import encoding, learning
from walkthrough.operations.training import clipping, dropout, loss, report, schedule, update

__all__ = ["OPERATIONS", "Array", "Operation"]
