"""The operations a transformer is made of, each defined once; importing this package fills `OPERATIONS`."""

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

__all__ = [
    "OPERATIONS",
    "Array",
    "Operation",
    "activation",
    "attribution",
    "backward",
    "beams",
    "clamped",
    "clipping",
    "convolution",
    "distance",
    "dropout",
    "encoding",
    "groups",
    "learning",
    "loss",
    "low_rank",
    "matrix",
    "mixture",
    "normalization",
    "norms",
    "online",
    "prediction",
    "quantization",
    "relative",
    "report",
    "rotation",
    "sampling",
    "scaling",
    "schedule",
    "sinusoidal",
    "softmax",
    "update",
    "what_if",
    "yarn",
]
