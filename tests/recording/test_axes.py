"""Axes that must be equal are one, and what one of them says all know."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from walkthrough.recording.axes import Axis


def test_what_one_says_all_know() -> None:
    first, second, third = Axis("a"), Axis("b"), Axis("c")
    first.join(second)
    second.join(third)
    assert first.size is None
    third.settle(4)
    assert (first.size, second.size, third.size) == (4, 4, 4)
    assert first.is_same(third)
    assert [str(axis) for axis in (first, Axis("d_k"))] == ["4", "d_k"]


def test_the_first_size_holds() -> None:
    first, second = Axis("a", 2), Axis("b", 3)
    first.settle(5)
    first.join(second)
    assert second.size == 2


def test_a_name_of_its_own_is_still_the_same_axis() -> None:
    axis = Axis("c", 6)
    named = axis.named("(heads·d_v)")
    assert (named.symbol, named.size, axis.symbol) == ("(heads·d_v)", 6, "c")
    assert named.is_same(axis)


def test_who_has_said_it_is_known_to_all() -> None:
    first, second = Axis("a"), Axis("b")
    second.settle(3, by="the weight")
    first.join(second)
    assert first.said_by == "the weight"


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30), st.integers(0, 9))
def test_joined_axes_are_classes(pairs: list[tuple[int, int]], at: int) -> None:
    axes = [Axis(str(number)) for number in range(10)]
    groups = [{number} for number in range(10)]
    for one, other in pairs:
        axes[one].join(axes[other])
        merged = groups[one] | groups[other]
        for number in merged:
            groups[number] = merged
    axes[at].settle(7)
    assert [axis.size == 7 for axis in axes] == [number in groups[at] for number in range(10)]
    assert [axis.is_same(axes[at]) for axis in axes] == [number in groups[at] for number in range(10)]
