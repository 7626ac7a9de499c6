"""Modules that multiply with a matrix, or look up its rows: tried on what they were given and returned."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from walkthrough.comparing.capture import as_array
from walkthrough.comparing.describing.guesses.closeness import Guess, Target, best
from walkthrough.operations.definition import Array
from walkthrough.records import Record

_FURTHER = 4
"""How many rows further on a table may begin."""


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


class Lookup(Record):
    """Rows of a table, times a scale: the name of the table, how many rows it has, and which were looked up, from 0.

    is_asked: they were asked for by the very tensor that the whole module was given
    """

    table: str
    rows: int
    ids: tuple[int, ...]
    scale: float = 1.0
    is_asked: bool = False


def find_lookup(given: Array, target: Target, parameters: Mapping[str, Any]) -> Lookup | None:
    """The rows that give the numbers: those that were asked for, or some further on, or one after the other.

    given:      what the module was given, as whole numbers, where it was given such
    parameters: tensors of PyTorch, of which only some rows are read
    """
    count, width = target.array.shape
    asked = [given.ravel().astype(int)] if given.dtype.kind in "iub" and given.size == count else []
    for name, table in parameters.items():
        if table.dim() != 2 or table.shape[1] != width:
            continue
        for ids in (one + first for one in (*asked, np.arange(count)) for first in range(_FURTHER)):
            if ids.min() >= 0 and ids.max() < len(table):
                rows = np.asarray(as_array(table[ids.tolist()]), np.float64)
                for scale in (1.0, math.sqrt(width)):
                    if target.off(rows * scale) < np.inf:
                        return Lookup(name, len(table), tuple(ids.tolist()), scale)
    return None
