"""The operations a transformer is made of, each defined once; importing this package fills `OPERATIONS`."""

from walkthrough.operations import (
    activation,
    backward,
    distance,
    dropout,
    loss,
    matrix,
    normalization,
    norms,
    positions,
    prediction,
    report,
    rotation,
    sampling,
    scaling,
    softmax,
    update,
)
from walkthrough.operations.definition import OPERATIONS, Array, Operation

__all__ = [
    "OPERATIONS",
    "Array",
    "Operation",
    "activation",
    "backward",
    "distance",
    "dropout",
    "loss",
    "matrix",
    "normalization",
    "norms",
    "positions",
    "prediction",
    "report",
    "rotation",
    "sampling",
    "scaling",
    "softmax",
    "update",
]
