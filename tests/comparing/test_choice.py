"""Which reading of a tensor is meant: what is asked for to choose one is not what the comparison goes on with."""

from __future__ import annotations

import numpy as np

from tests.mistakes.classic import LAYER, model
from walkthrough.comparing.choice import choose_reading
from walkthrough.comparing.matching.match import match
from walkthrough.comparing.matching.tensors import ExternalTensor
from walkthrough.comparing.tolerance import is_nearer, is_visibly_off
from walkthrough.recording.recalculation import Recalculation


def test_what_is_given_after_a_reading_was_chosen_still_counts() -> None:
    """A tensor of several readings may name a step long before what it is computed from is given."""
    trace = model(tokens="[a, b, c, d]")
    residual, before = trace[LAYER + "residual_1"], trace[LAYER + "attention.output"]
    ((theirs,), *_) = match({"it": np.stack([residual.array, residual.array.T])[:1]}, {"it": residual.path}, trace)
    theirs = theirs._replace(readings=theirs.readings * 2)
    replay = Recalculation()
    assert [one.value for one in choose_reading(theirs, replay)] == [residual]
    replay.give(before, before.array + 1)
    np.testing.assert_allclose(replay.compute(residual), residual.array + 1)


def test_numbers_beyond_all_squares_are_no_nearer_to_a_mistake() -> None:
    value = model()[LAYER + "residual_1"]
    right = value.array
    for size in (1e200, 1e300):
        theirs = ExternalTensor(value, "it", right * size, 1e-7, 1e-45)
        assert is_visibly_off(theirs, right)
        assert not is_nearer(theirs, right, right * 2)
