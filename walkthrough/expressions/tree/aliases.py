"""Names for numpy's arrays of numbers, of places and of answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]
    Places = npt.NDArray[np.intp]
    Flags = npt.NDArray[np.bool_]
else:
    Array = Places = Flags = np.ndarray  # numpy.typing is for type checkers, and takes its time to load
