"""The numbers of a matrix of the file, as a float64 array with two dimensions: written, read from a file, or made."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from walkthrough.scenario.schema.matrices import Init, Matrix, Table
from walkthrough.scenario.schema.sections import Section
from walkthrough.scenario.schema.values import Mask

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]


def array_of(matrix: Matrix, folder: Path, weights_file: str | None, sparingly: bool = False) -> Any:
    """The numbers of a checked matrix; unknown ones are nan. WeightsError where its file cannot be read.

    sparingly: of a large matrix of a file, what stands for it and reads it piece by piece
    """
    if matrix.numbers is not None:
        return np.array(matrix.numbers, dtype=np.float64)
    if matrix.init is not None and matrix.rows is not None and matrix.columns is not None:
        return initialise(matrix.init, matrix.rows, matrix.columns, matrix.repeat + matrix.expert)
    if sparingly:
        from walkthrough.scenario.tensors.file_matrix import file_matrix  # wanted only where there are large files

        return file_matrix(matrix, folder, weights_file)
    from walkthrough.scenario.tensors.weights import tensor_array  # wanted only where there are files

    return tensor_array(matrix, folder, weights_file)


def origin_of(matrix: Matrix, weights_file: str | None) -> tuple[str, dict[str, object]] | None:
    """Where the numbers come from, a rule or a file, and what there is to say of it; None: they are in the scenario."""
    if matrix.tensor is not None:
        name = f": {matrix.tensor_name}" if matrix.tensor_name else ""
        name += f"[{matrix.index}]" if matrix.index is not None else ""
        return "file", {"name": f"{matrix.tensor.file or weights_file}{name}"}
    if matrix.init is None:
        return None
    init = matrix.init
    return init.init, {"std": init.std, "seed": init.seed + matrix.repeat + matrix.expert}


def initialise(init: Init, rows: int, columns: int, repeat: int = 0) -> Array:
    """A matrix made by a rule, in the orientation of the file; random ones from a generator of their own."""
    if init.init == "normal":
        return np.random.default_rng(init.seed + repeat).normal(0.0, init.std, (rows, columns))
    if init.init == "xavier_uniform":  # Glorot and Bengio 2010, eq. 16
        bound = math.sqrt(6 / (rows + columns))
        return np.random.default_rng(init.seed + repeat).uniform(-bound, bound, (rows, columns))
    if init.init == "identity":
        return np.eye(rows, columns)
    return np.full((rows, columns), 1.0 if init.init == "ones" else 0.0)


def matrices_in(part: Any) -> Iterator[Matrix]:
    """Every matrix in a section of a scenario, in the order of the keys."""
    if isinstance(part, Matrix):
        yield part
        if part.adapter is not None:
            yield from (part.adapter.a, part.adapter.b)
    elif isinstance(part, Table | Mask):
        if part.matrix is not None:
            yield part.matrix
    elif isinstance(part, list | dict):
        for item in part.values() if isinstance(part, dict) else part:
            if not isinstance(item, int | str):  # words of a vocabulary, and there may be many
                yield from matrices_in(item)
    elif isinstance(part, Section):
        for name in type(part).KEYS:
            yield from matrices_in(getattr(part, name))
