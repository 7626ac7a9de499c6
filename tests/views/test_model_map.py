"""The map of a model."""

from __future__ import annotations

from tests.views.samples import bundled_trace
from walkthrough.views.model_map import Numbered, Part, RepeatedParts, join_repeats, map_of


def part(whole: Part, path: str) -> Part:
    return next(found for found in whole.parts() if found.path == path)


def test_parts_stand_in_the_order_in_which_they_begin() -> None:
    chai = bundled_trace("chai")
    layer = part(map_of(chai), "encoder.1")
    assert [child.title if isinstance(child, Part) else child.path for child in layer.children] == [
        "Attention", "encoder.1.residual_1", "Norm 1", "Feed-forward", "encoder.1.residual_2", "Norm 2"
    ]  # fmt: skip


def test_parts_that_repeat_are_taken_together() -> None:
    tea = bundled_trace("tea-gpt")
    heads = join_repeats(part(map_of(tea), "decoder.1.self_attention"))
    found = [(one.first.title, [other.title for other in one.others], one.same_shapes)
             for one in heads if isinstance(one, RepeatedParts)]  # fmt: skip
    assert found == [("Head 1", ["Head 2"], True)]


def test_passes_that_grow_have_the_same_steps_with_other_shapes() -> None:
    tea = bundled_trace("tea-gpt")
    found = [one for one in join_repeats(map_of(tea)) if isinstance(one, RepeatedParts) and one.others]
    assert [(one.first.title, len(one.others), one.same_shapes) for one in found] == [("Pass 2", 3, False)]


def test_parts_with_other_steps_are_not_taken_together() -> None:
    chai = bundled_trace("chai")
    layer = join_repeats(part(map_of(chai), "encoder.1"))
    norms = [one for one in layer if isinstance(one, RepeatedParts) and one.first.title.startswith("Norm")]
    assert [(one.first.title, one.others) for one in norms] == [("Norm 1", ()), ("Norm 2", ())]


def test_taking_together_loses_no_step() -> None:
    tea = bundled_trace("tea-gpt")

    def steps(whole: Part) -> list[int]:
        found = []
        for one in join_repeats(whole):
            if isinstance(one, Numbered):
                found.append(one.number)
            else:
                found += steps(one.first) + [step.number for other in one.others for step in other.steps()]
        return found

    assert sorted(steps(map_of(tea))) == list(range(1, len(tea) + 1))
