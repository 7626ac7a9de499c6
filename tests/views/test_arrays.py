"""A trace as .npz and .safetensors: one float64 array a path, under all its names, as other libraries read it."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load

import walkthrough as wt
from tests.cli.program import run
from tests.views.samples import SAMPLES, bundled_trace
from walkthrough.views.formats import to_bytes
from walkthrough.views.options import Options

READERS = {"npz": lambda content: dict(np.load(io.BytesIO(content), allow_pickle=False)), "safetensors": load}


def arrays(format: str, trace: wt.Trace, *steps: str) -> dict[str, np.ndarray]:
    return READERS[format](to_bytes(trace, Options(steps=steps), format))


@pytest.mark.parametrize("format", READERS)
@pytest.mark.parametrize("sample", [*SAMPLES, "tea-gpt"])
def test_every_path_and_every_name(sample: str, format: str) -> None:
    """Unknown numbers, hidden ones and any word among them."""
    trace = SAMPLES[sample]() if sample in SAMPLES else bundled_trace(sample)
    found = arrays(format, trace)
    assert set(found) == {path for value in trace for path in (value.path, *value.also)}
    for path, array in found.items():
        assert array.dtype == np.float64
        assert array.ndim == 2
        np.testing.assert_array_equal(array, trace[path].array)


@pytest.mark.parametrize("format", READERS)
def test_selected_steps(format: str) -> None:
    names = {"encoder.1.norm_2.output", "encoder.output"}
    assert set(arrays(format, bundled_trace("chai"), "encoder.output")) == names


def test_the_head_of_tensors_says_what_they_are_and_they_leave_no_gap() -> None:
    trace = bundled_trace("cooking", by_hand=True)
    content = to_bytes(trace, Options(), "safetensors")
    length = int.from_bytes(content[:8], "little")
    assert length % 8 == 0
    head = json.loads(content[8 : 8 + length])
    about = {"format": "walkthrough-trace", "version": "2", "title": trace.title, "arithmetic": "by hand"}
    assert head.pop("__metadata__") == about
    ends = [0]
    for tensor in head.values():
        begin, end = tensor["data_offsets"]
        assert begin == ends[-1]
        assert begin % 8 == 0
        ends.append(end)
    assert len(content) == 8 + length + ends[-1]


def test_tensors_on_the_command_line_by_their_suffix_and_back_again(tmp_path: Path) -> None:
    file = tmp_path / "chai.safetensors"
    assert run("export", "chai", "-o", str(file), "--step", "head.1").returncode == 0
    with safe_open(file, "numpy") as opened:
        assert opened.metadata()["title"].startswith("One encoder layer")
    assert run("compare", "chai", str(file), "--require", "1").returncode == 0
