from __future__ import annotations

from typing import Any

import pytest

from walkthrough.records import Record


class Point(Record):
    x: int
    y: int = 2


class Named(Point):
    name: str = ""


class Place(Record, frozen=False, eq=False):
    x: int


def test_parts_are_given_in_order_or_by_name_and_have_defaults() -> None:
    assert (Point(1).x, Point(1).y) == (1, 2)
    assert Point(1, 5) == Point(y=5, x=1) == Point(1, y=5)
    assert repr(Named(1, name="a")) == "Named(1, 2, 'a')"


@pytest.mark.parametrize(("parts", "named"), [((), {}), ((1, 2, 3), {}), ((1,), {"x": 1}), ((1,), {"z": 1})])
def test_a_part_that_is_missing_unknown_or_there_twice_is_an_error(parts: tuple[int, ...], named: Any) -> None:
    with pytest.raises(TypeError, match=r"expected Point\(x, y\)"):
        Point(*parts, **named)


def test_a_record_equals_one_of_its_class_with_the_same_parts() -> None:
    assert Point(1) != Point(2)
    assert Point(1) != Named(1)
    assert len({Point(1), Point(1, 2), Point(2)}) == 2
    assert Place(1) != Place(1)
    assert len({Place(1), Place(1)}) == 2


def test_a_record_stays_as_it_is_unless_it_says_otherwise() -> None:
    with pytest.raises(AttributeError, match="a Point stays as it is made"):
        Point(1).x = 3  # type: ignore[misc]
    assert Point(1).replace(y=7) == Point(1, 7)
    place = Place(1)
    place.x = 4
    assert place.x == 4
