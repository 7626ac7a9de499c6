"""Which reading of a tensor is meant, by how much it may be off, and when a mistake is nearer than what is right."""

from __future__ import annotations

import numpy as np
import pytest

from tests.mistakes.classic import LAYER, model
from walkthrough.comparing.choice import choose_reading
from walkthrough.comparing.matching.match import match
from walkthrough.comparing.matching.tensors import ExternalTensor
from walkthrough.comparing.tolerance import excess, excess_over, is_nearer, is_visibly_off
from walkthrough.number_formats import number_format
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


@pytest.mark.parametrize(("times", "is_nearest"), [(2e4, True), (5e3, False)])
def test_the_plainest_reading_stands_unless_another_is_ten_thousand_times_nearer(
    times: float, is_nearest: bool
) -> None:
    trace = model(tokens="[a, b, c, d]")
    step = trace[LAYER + "residual_1"]
    off = np.abs(step.array.T - step.array).max() / times
    moved = step.array + off * np.eye(4)
    ((theirs,), *_) = match({"it": moved.T}, {"it": step.path}, trace)
    (plain, *_) = theirs.readings
    other = plain._replace(pieces=((step, moved),))
    (found,) = choose_reading(theirs._replace(readings=[plain, other]), Recalculation())
    np.testing.assert_array_equal(found.array, moved if is_nearest else moved.T)


def test_numbers_beyond_all_squares_are_no_nearer_to_a_mistake() -> None:
    value = model()[LAYER + "residual_1"]
    right = value.array
    for size in (1e200, 1e300):
        theirs = ExternalTensor(value, "it", right * size, 1e-7, 1e-45)
        assert is_visibly_off(theirs, right)
        assert not is_nearer(theirs, right, right * 2)


def test_a_mistake_is_asked_for_beyond_two_roundings_and_named_where_it_is_eight_times_nearer() -> None:
    value = model()[LAYER + "residual_1"]
    right, one = value.array, 1e-7 * np.abs(value.array).max(axis=1, keepdims=True)
    for roundings, is_seen in ((1, False), (3, True)):
        assert is_visibly_off(ExternalTensor(value, "it", right + roundings * one, 1e-7, 0.0), right) == is_seen
    theirs = ExternalTensor(value, "it", right + 16 * one, 1e-7, 0.0)
    for times, is_told in ((6, False), (10, True)):
        assert is_nearer(theirs, right, theirs.array - 16 * one / times) == is_told


def test_of_three_numbers_roundings_are_not_told_from_a_mistake() -> None:
    value = model()[LAYER + "residual_1"]
    for count, is_seen in ((3, False), (4, True)):
        array = np.full(value.shape, np.nan)
        array.flat[:count] = value.array.flat[:count] * (1 + 1e-5)
        assert is_visibly_off(ExternalTensor(value, "it", array, 1e-7, 0.0), value.array) == is_seen


def test_what_an_exponential_makes_0_hides_as_infinity_does() -> None:
    """A mask of −10000 is added to scores, which may be above 0."""
    for score, is_off in ((-9990.0, False), (-750.0, False), (-740.0, True)):
        assert excess_over(np.array([[score]]), np.array([[-np.inf]]), np.array([[0.0]])).any() == is_off


def test_how_far_a_number_may_be_off_is_sixty_four_roundings_or_a_part_of_float64_or_roundings_and_the_drift() -> None:
    value = model()[LAYER + "residual_1"]
    right, size = value.array, np.abs(value.array).max(axis=1, keepdims=True)
    few_bits, drift = {"format": number_format("bfloat16"), "drift": size}, (1 + 8 * 2.0**-8) * size
    for epsilon, most, more in ((1e-7, 64e-7 * size, {}), (2e-16, 1e-12 * size.max(), {}), (2.0**-7, drift, few_bits)):
        for times, is_off in ((0.99, False), (1.01, True)):
            theirs = ExternalTensor(value, "it", right + times * most, epsilon, 0.0, **more)
            assert excess(theirs, right).any() == is_off
