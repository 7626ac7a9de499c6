"""RMS norm, step by step: each vector divided by the root of its mean square. Zhang and Sennrich 2019."""

from __future__ import annotations

from collections.abc import Callable

from walkthrough.operations.normalization import scale_and_shift
from walkthrough.operations.root_mean_square import mean_square, rms_norm, root_of_mean_square
from walkthrough.operations.softmax import divide_rows
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value

MEAN_SQUARE = Kind("mean_square", "m", "Mean square", "The average of the squares of each vector's numbers.")
RMS = Kind("rms", "r", "Root mean square", "How large the numbers of a vector typically are.")
NORMALIZED = Kind("normalized", "N", "Normalized", "Each vector with a mean square of 1; its mean may be any number.")
OUTPUT = Kind("output", "Y", "RMS norm", "Each vector brought to the same size, ready for the next part.")


def record_rms_norm(
    recorder: Recorder, x: Value, gamma: Value | None, epsilon: float, kind: Callable[[Kind], Kind]
) -> dict[str, Value]:
    """Records the RMS norm of each row of x, n×d → n×d; its steps by name, the last of them `output`.

    kind: gives the kinds the index of this norm
    """
    squares = recorder.record(kind(MEAN_SQUARE), mean_square, (x,))
    rms = recorder.record(kind(RMS), root_of_mean_square, (squares,), {"epsilon": epsilon})
    output = recorder.record(kind(OUTPUT if gamma is None else NORMALIZED), divide_rows, (x, rms))
    steps, parts = {"mean_square": squares, "rms": rms}, {"rms": rms}
    if gamma is not None:
        steps["normalized"] = parts["normalized"] = output
        output = recorder.record(kind(OUTPUT), scale_and_shift, (output, gamma), {"parts": "gamma"})
    output.composite = (rms_norm, (x, *([gamma] if gamma is not None else [])), {"epsilon": epsilon})
    output.parts = parts
    return {**steps, "output": output}
