"""Moving on by k positions is one rotation M for all positions: M·PE(pos) = PE(pos + k)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import walkthrough as wt
from tests.examples import some


def trace_of(width: int, tokens: int, options: str) -> wt.Trace:
    names = ", ".join(f"t{number}" for number in range(tokens))
    return wt.trace(
        wt.parse_scenario(
            f"title: t\ntokens: [{names}]\nembeddings: {{init: zeros}}\ndimensions: {{d_model: {width}}}\n"
            f"positional_encoding: {{sinusoidal: {{{options}}}}}\n"
        )
    )


@settings(max_examples=some(8, 60), deadline=None)
@given(
    half=st.integers(1, 8),
    odd=st.booleans(),
    tokens=st.integers(1, 4),
    offset=st.integers(0, some(20, 60)),
    layout=st.sampled_from(["interleaved", "halves", "tensor2tensor"]),
    angle=st.sampled_from(["radians", "degrees"]),
    base=st.sampled_from(["10000", "100", "2.5"]),
)
def test_it_moves_every_position_on(
    half: int, odd: bool, tokens: int, offset: int, layout: str, angle: str, base: str
) -> None:
    half += layout == "tensor2tensor"  # its exponents i/(d/2 − 1) need two pairs
    width = 2 * half + (odd and layout != "interleaved")  # an odd interleaved width ends on a sine without its cosine
    options = f"base: {base}, layout: {layout}, angle: {angle}"
    trace = trace_of(width, tokens, f"{options}, rotation: {offset}")
    rotation, rotated = trace["rotation.matrix"].array, trace["rotation.rotated"].array
    further = trace_of(width, tokens + offset, options)["positional_encoding"].array[offset:]
    np.testing.assert_allclose(trace["positional_encoding"].array @ rotation.T, further, atol=1e-12)
    np.testing.assert_array_equal(trace["positional_encoding"].array @ rotation.T, rotated)
    np.testing.assert_allclose(trace["rotation.shifted"].array, further, atol=1e-14)
    np.testing.assert_allclose(trace["rotation.difference"].array, 0, atol=1e-12)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(width), atol=1e-12)
    assert np.linalg.det(rotation) == pytest.approx(1)


def test_a_sine_without_its_cosine_cannot_be_rotated() -> None:
    with pytest.raises(wt.ScenarioError, match="without its cosine"):
        trace_of(5, 2, "rotation: 1")
