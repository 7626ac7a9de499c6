"""Floats of 8 and 16 bits: every number there is, beside what ml_dtypes makes of the same bits."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from safetensors.numpy import save_file

from walkthrough.number_formats import FloatFormat
from walkthrough.scenario.tensors.files import read_tensors
from walkthrough.scenario.tensors.short_floats import SHORT_FLOATS, as_bfloat16, read_short, short_float


@pytest.mark.parametrize("kind", SHORT_FLOATS.values(), ids=lambda kind: kind.name)
def test_every_number_is_the_one_that_its_bits_say(kind: FloatFormat) -> None:
    theirs = np.dtype(getattr(ml_dtypes, kind.name))
    content = np.arange(256**kind.bytes, dtype=f"<u{kind.bytes}").tobytes()
    ours = read_short(kind, content)
    expected = np.frombuffer(content, theirs).astype(np.float32)
    np.testing.assert_array_equal(ours, expected)
    assert (np.signbit(ours) == np.signbit(expected))[~np.isnan(ours)].all()
    limits = ml_dtypes.finfo(theirs)
    assert (2 * kind.roundoff, kind.smallest) == (float(limits.eps), float(limits.smallest_subnormal))


@pytest.mark.parametrize("kind", SHORT_FLOATS.values(), ids=lambda kind: kind.name)
def test_an_array_remembers_what_it_was_until_it_is_converted(kind: FloatFormat, tmp_path: Path) -> None:
    array = np.arange(6.0).reshape(2, 3).astype(getattr(ml_dtypes, kind.name))
    save_file({"a": array}, tmp_path / "a.safetensors")
    read = read_tensors(tmp_path / "a.safetensors")[0]["a"]
    np.testing.assert_array_equal(read, np.arange(6.0).reshape(2, 3))
    assert short_float(read.dtype) is kind
    assert short_float(read[1:, 0].T.dtype) is kind
    assert short_float(read.astype(np.float64).dtype) is None
    assert short_float(np.zeros(2, np.float32).dtype) is None


def test_numbers_that_are_bfloat16_are_kept_as_such() -> None:
    numbers = as_bfloat16(np.array([1.0, 1.0078125], np.float32))
    assert numbers.dtype == np.float32
    found = short_float(numbers.dtype)
    assert found is not None
    assert found.name == "bfloat16"
