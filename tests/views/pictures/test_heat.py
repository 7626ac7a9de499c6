"""Heat maps: which cell is how dark, and the paths of the shades."""

from __future__ import annotations

import numpy as np
import pytest

from walkthrough.recording.values import Kind, Value
from walkthrough.views.pictures.heat import block_means, shade_areas, shades


def value(numbers: list[list[float]], **kind: bool) -> Value:
    return Value("x", Kind("x", "X", "X", **kind), np.array(numbers))


def test_numbers_are_shaded_by_the_largest_in_size_and_shares_by_one() -> None:
    assert shades(value([[4, -2], [0, -np.inf]])).tolist() == [[9, -4], [0, 0]]
    assert shades(value([[0.5, 0.25]], is_distribution=True)).tolist() == [[5, 2]]


def test_ids_and_single_numbers_have_no_shade() -> None:
    assert not shades(value([[4, 2]], ids=(0,))).any()
    assert not shades(value([[4]])).any()
    assert shades(value([[1]], is_distribution=True)).tolist() == [[9]]  # a share of 1


def test_a_large_matrix_is_the_means_of_blocks_of_what_is_finite() -> None:
    array = np.arange(50.0 * 3).reshape(50, 3)
    array[1, 0] = np.nan
    means = block_means(array)
    assert means.shape == (17, 3)
    assert means[0].tolist() == [3.0, 4.0, 5.0]
    assert means[-1].tolist() == pytest.approx(array[48:].mean(axis=0))


def test_neighbours_of_one_shade_in_a_row_are_one_piece() -> None:
    areas = shade_areas(np.array([[9, 9, 0], [-9, 9, 0]]), 10, 5)
    assert areas == {-9: ((0, 5, 10, 5),), 9: ((0, 0, 20, 5), (10, 5, 10, 5))}
