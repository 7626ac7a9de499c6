"""Modules that multiply with a matrix, or look up its rows: tried on what they were given and returned."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from walkthrough.comparing.describing.guesses.closeness import Guess, Target, best
from walkthrough.operations.definition import Array
from walkthrough.records import Record


class Linear(Record):
    """y = x·W + b: the names of the tensors, and whether the weight is stored in×out."""

    weight: str
    bias: str = ""
    is_in_out: bool = False


def find_linear(x: Array, target: Target, parameters: Mapping[str, Array]) -> Linear | None:
    """The product with a weight that gives the numbers, and its bias, where there is one."""
    weights = [name for name, one in parameters.items() if one.ndim == 2]
    biases = [name for name, one in parameters.items() if one.ndim == 1]
    if len(weights) != 1 or len(biases) > 1 or len(parameters) > 2:
        return None
    width, guesses = target.array.shape[1], []
    for is_in_out in (False, True):
        matrix = parameters[weights[0]] if is_in_out else parameters[weights[0]].T
        bias = parameters[biases[0]] if biases else np.zeros(width)
        if matrix.shape == (x.shape[1], width) and bias.shape == (width,):
            scale = (np.abs(x) @ np.abs(matrix)).max(axis=1, keepdims=True)
            linear = Linear(weights[0], biases[0] if biases else "", is_in_out)
            guesses.append(Guess(linear, target.off(x @ matrix + bias, scale)))
    found, _ = best(guesses)
    return found.what if found else None


def find_table(ids: Array, target: Target, parameters: Mapping[str, Array]) -> str:
    """The table whose rows were looked up; empty where it is none."""
    for name, table in parameters.items():
        if table.ndim == 2 and ids.min() >= 0 and ids.max() < len(table) and target.off(table[ids.ravel()]) < np.inf:
            return name
    return ""
