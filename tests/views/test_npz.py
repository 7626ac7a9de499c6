"""The npz trace: one float64 array a path, under all its names, and the same bytes each time."""

from __future__ import annotations

import io

import numpy as np
import pytest

import walkthrough as wt
from tests.views.samples import bundled_trace, hostile_trace, small_trace
from walkthrough.views.formats import to_bytes
from walkthrough.views.options import Options


def arrays(trace: wt.Trace, *steps: str) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(to_bytes(trace, Options(steps=steps), "npz")), allow_pickle=False) as file:
        return dict(file)


@pytest.mark.parametrize("trace", [bundled_trace("chai"), bundled_trace("tea-gpt"), hostile_trace(), small_trace()])
def test_every_path_and_every_name(trace: wt.Trace) -> None:
    found = arrays(trace)
    assert set(found) == {path for value in trace for path in (value.path, *value.also)}
    for path, array in found.items():
        assert array.dtype == np.float64
        assert array.ndim == 2
        np.testing.assert_array_equal(array, trace[path].array)


def test_selected_steps() -> None:
    assert set(arrays(bundled_trace("chai"), "encoder.output")) == {"encoder.1.norm_2.output", "encoder.output"}


def test_the_same_bytes_each_time() -> None:
    assert to_bytes(bundled_trace("chai"), Options(), "npz") == to_bytes(bundled_trace("chai"), Options(), "npz")
