"""The model as boxes: every step once, parts as frames, of many layers and heads the output alone."""

from __future__ import annotations

from itertools import chain

from tests.views.samples import bundled_trace
from walkthrough.views.model_map import Numbered, Part, map_of
from walkthrough.views.passes import last_pass
from walkthrough.views.pictures.model.boxes import Box, Frame, boxes_in, boxes_of
from walkthrough.views.pictures.model.fitting import SCREEN, Fitting
from walkthrough.views.pictures.model.flow import Form, model_items
from walkthrough.views.pictures.model.layout import fit
from walkthrough.views.text.cells import cell_texts


def test_every_step_is_in_one_box_in_the_order_of_the_calculation() -> None:
    trace = bundled_trace("chai")
    held = [value.path for box in boxes_in(boxes_of(map_of(trace))) for value in box.values]
    assert held == [value.path for value in trace]


def test_a_part_whose_parts_have_boxes_is_a_frame_and_a_lone_one_joins_it() -> None:
    _, layer = boxes_of(map_of(bundled_trace("chai")))
    assert isinstance(layer, Frame)
    assert layer.title == "Encoder · Layer 1"
    assert [item.title for item in layer.items] == [
        "Attention", "Residual", "Norm 1", "Feed-forward", "Residual", "Norm 2",
    ]  # fmt: skip
    attention = layer.items[0]
    assert isinstance(attention, Frame)
    assert [item.title for item in attention.items] == ["Head 1", ""]


def test_of_the_heads_beyond_the_fourth_the_output_alone_is_shown() -> None:
    steps = list(bundled_trace("chai"))
    attention = Part("attention", "Attention")
    for number in range(1, 7):
        head = Part(f"attention.head.{number}", f"Head {number}")
        head.children = [Numbered(0, value, "A step") for value in steps[:3]]
        attention.children.append(head)
    counts = [len(box.values) for box in boxes_in(boxes_of(attention))]
    assert counts == [3, 3, 3, 3, 1, 1]
    assert all(box.values[-1] is steps[2] for box in boxes_in(boxes_of(attention)))


def test_of_the_layers_beyond_the_second_the_output_alone_is_shown() -> None:
    steps = list(bundled_trace("chai"))
    stack = Part("encoder", "Encoder")
    for number in range(1, 4):
        layer = Part(f"encoder.{number}", f"Layer {number}")
        attention = Part(f"{layer.path}.attention", "Attention")
        head = Part(f"{attention.path}.head.1", "Head 1")
        head.children = [Numbered(0, steps[0], "A step")]
        attention.children = [head, Numbered(0, steps[1], "A step")]
        layer.children = [attention, Numbered(0, steps[2], "A step")]
        stack.children.append(layer)
    items = boxes_of(stack)
    assert [type(item) for item in items] == [Frame, Frame, Box]
    assert isinstance(items[2], Box)
    assert items[2].values == (steps[2],)


def fitting(name: str, form: Form = "forked") -> Fitting | None:
    """How the last pass of a scenario fits a window of 1440×900."""
    trace = bundled_trace(name)
    shown = last_pass(list(trace))
    longest = {value: max(map(len, chain(*cell_texts(trace, value, None)))) for value in shown.values}
    items = model_items(trace, shown, form=form)
    return fit(trace, items, SCREEN, longest.__getitem__, (1380, 670), [])


def test_a_smaller_model_is_drawn_larger() -> None:
    places = [SCREEN.index(found.scale) for name in ("help-me", "experts", "chai") if (found := fitting(name))]
    assert len(places) == 3
    assert places == sorted(places)


def test_every_matrix_up_to_4_by_4_has_digits() -> None:
    for name in ("chai", "tea-gpt", "tiny-llama"):
        found = fitting(name)
        assert found is not None, name
        assert all(found.has_digits(value) for value in bundled_trace(name) if max(value.shape) <= 4), name


def test_heads_fork_where_all_of_the_model_fits_so() -> None:
    for name in ("cat-sat", "cooking-multihead", "tea-gpt"):
        assert fitting(name) is not None, name
    assert fitting("fuchs") is None
    assert fitting("fuchs", form="flat") is not None
