"""The store of parameters: recorded on their first use, outside of the passes, and replaced by their updates."""

from __future__ import annotations

import numpy as np

from walkthrough.operations.training.update import gradient_step
from walkthrough.recording import Kind, Recorder, Trace, Value
from walkthrough.recording.recorder import Pass

W, MASK, UPDATE = Kind("w", "W", "Weight"), Kind("mask", "M", "Mask"), Kind("update.w", "W'", "Update")


def weight(recorder: Recorder) -> Value:
    return recorder.home.record_given(W, np.array([[1.0, 2.0]]))


def mask(recorder: Recorder, rows: int = 1) -> Value:
    return recorder.record_given(MASK, np.ones((rows, rows)))


def test_the_examples_of_a_step_use_one_weight_and_a_mask_each() -> None:
    step = Recorder(Trace()).for_pass(Pass("train.1.", step="train.1."))
    one, two = (step.for_pass(Pass(f"train.1.example.{number}.", step="train.1.")) for number in (1, 2))
    assert weight(one) is weight(two)
    assert [value.path for value in step.trace if value.kind is W] == ["train.1.w"]
    assert (mask(one).path, mask(two).path) == ("train.1.example.1.mask", "train.1.example.2.mask")
    assert [one.example, two.example, step.example] == ["1", "2", ""]


def test_an_update_takes_the_place_of_a_parameter_in_the_next_step() -> None:
    first = Recorder(Trace()).for_pass(Pass("train.1.", step="train.1."))
    old, kept = weight(first), mask(first)
    new = first.record(UPDATE, gradient_step, (old, old), {"rate": 0.5})
    first.parameters["w"] = new
    second = first.for_pass(Pass("train.2.", "train.1.", "train.2."))
    assert weight(second) is new
    assert mask(second) is kept
    assert second.trace["train.2.w"] is new
    assert second.trace["train.2.mask"] is kept
    assert second.names_within(new) == ["w"]


def test_a_generated_token_uses_what_fits_and_gives_it_no_second_name() -> None:
    prompt = Recorder(Trace())
    w = weight(prompt)
    mask(prompt)
    beams = [prompt.for_pass(Pass(f"generate.2.beam.{number}.", "")) for number in (1, 2)]
    assert all(weight(beam) is w for beam in beams)
    assert w.also == ()
    assert [mask(beam, 2).path for beam in beams] == ["generate.2.beam.1.mask", "generate.2.beam.2.mask"]
