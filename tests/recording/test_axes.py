"""Axes that must be equal are one, and what one of them says all know."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from walkthrough.recording.axes import Axis, Multiple


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
    named = axis.with_symbol("(heads·d_v)")
    assert (named.symbol, named.size, axis.symbol) == ("(heads·d_v)", 6, "c")
    assert named.is_same(axis)


def test_who_has_said_it_is_known_to_all() -> None:
    first, second = Axis("a"), Axis("b")
    second.settle(3, by="the weight")
    first.join(second)
    assert first.sides == [(3, "the weight")]


def test_in_the_end_most_are_believed() -> None:
    first, second = Axis("d_ff"), Axis("d_ff")
    first.settle(3, by="w_gate")
    second.settle(2, by="w_1")
    first.join(second)
    first.settle(2, by="w_2")
    assert first.size == 3
    first.decide()
    assert second.size == 2


def test_a_fact_is_not_voted_on() -> None:
    tokens, mask = Axis("n", 2), Axis("rows")
    mask.settle(3, by="mask")
    mask.join(tokens)
    assert mask.size == 2
    mask.decide()
    assert mask.size == 2


def test_many_side_by_side_and_one_of_them_say_each_other_s_size() -> None:
    d_k = Axis("d_k")
    joined, keys = Multiple(d_k, 4, "heads"), Multiple(d_k, 2, "kv_heads")
    joined.settle(8, by="w_q")
    assert (d_k.size, joined.size, keys.size, str(keys)) == (2, 8, 4, "4")
    keys.settle(5, by="w_k")
    assert (keys.uneven, keys.size, keys.sides) == (5, 4, [(4, "w_q")])
    third = Multiple(d_k, 4, "heads", at=2)
    assert (third.size, third.as_one(), third.places(8)) == (8, d_k, slice(4, 6))
    assert (joined.as_one().symbol, joined.as_one().size) == ("(heads·d_k)", 8)


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
