"""The parts that a path names."""

from __future__ import annotations

import pytest

from walkthrough.languages.catalogue import ENGLISH
from walkthrough.recording.parts import (
    PartName,
    gradient_of,
    heads_of,
    is_after_training,
    is_backwards,
    parts_of,
    training_step_of,
)
from walkthrough.recording.selectors import batch_of, is_look_inside


@pytest.mark.parametrize(
    ("path", "titles"),
    [
        ("input", []),
        ("encoder.output", ["Encoder"]),
        ("encoder.1.residual_1", ["Encoder", "Layer 1"]),
        ("encoder.12.attention.head.2.softmax.exp", ["Encoder", "Layer 12", "Attention", "Head 2", "Softmax"]),
        ("decoder.1.cross_attention.w_o", ["Decoder", "Layer 1", "Cross-attention"]),
        ("encoder.final_norm.mean", ["Encoder", "Final norm"]),
        ("decoder.1.norm_3.std", ["Decoder", "Layer 1", "Norm 3"]),
        ("generate.2.decoder.1.self_attention.mask", ["Pass 2", "Decoder", "Layer 1", "Self-attention"]),
        ("train.3.loss.mean", ["Training step 3", "Loss"]),
        ("generate.2.token_ids", ["Pass 2"]),
        ("encoder.1.feed_forward.expert.4.hidden", ["Encoder", "Layer 1", "Feed-forward", "Expert 4"]),
    ],
)
def test_parts_nest_as_the_path_does(path: str, titles: list[str]) -> None:
    assert [ENGLISH.heading(name) for name in parts_of(path)] == titles


def test_a_part_has_its_path() -> None:
    assert parts_of("encoder.1.attention.head.2.scores") == (
        PartName("encoder", "encoder"),
        PartName("encoder.1", "layer", "1"),
        PartName("encoder.1.attention", "attention"),
        PartName("encoder.1.attention.head.2", "head", "2"),
    )


@pytest.mark.parametrize(
    ("path", "titles"),
    [
        ("gradient.encoder.1.attention.head.2.w_q", ["Gradients", "Encoder", "Layer 1"]),
        ("train.2.gradient.output_head.w", ["Training step 2", "Gradients"]),
        ("gradient.encoder.1.norm_1.output.through.encoder.1.residual_2", ["Gradients", "Encoder", "Layer 1"]),
        ("gradient.token_embedding.through.encoder.1.attention.head.1.query", ["Gradients"]),
        ("update.encoder.1.feed_forward.b_1", ["Updates", "Encoder", "Layer 1"]),
    ],
)
def test_of_gradients_and_updates_only_layers_are_parts(path: str, titles: list[str]) -> None:
    assert [ENGLISH.heading(name) for name in parts_of(path)] == titles


def test_a_gradient_says_of_what_it_is_one() -> None:
    assert gradient_of("train.2.example.1.gradient.head.1.w_q") == "train.2.example.1.head.1.w_q"
    assert gradient_of("train.2.update.head.1.w_q") == gradient_of("encoder.gradient.x") == ""
    assert [is_backwards(path) for path in ("gradient.x", "train.1.update.x", "trained.loss.mean")] == [
        True,
        True,
        False,
    ]


def test_a_step_is_in_a_training_step_or_after_all_of_them() -> None:
    assert [training_step_of(path) for path in ("train.12.loss.mean", "loss.mean", "trained.loss.mean")] == [12, 0, 0]
    assert is_after_training("trained.example.1.loss.total")
    assert not is_after_training("training")


def test_examples_share_their_batch() -> None:
    assert batch_of("train.3.example.2.loss.total") == batch_of("train.3.loss.mean") == "train.3."
    assert batch_of("generate.2.scores") == "generate.2."


def test_heads_are_named_alike() -> None:
    assert {heads_of(f"encoder.1.attention.head.{number}.scores") for number in (1, 12)} == {
        "encoder.1.attention.scores"
    }
    assert heads_of("encoder.1.attention.output") == "encoder.1.attention.output"


def test_what_is_recorded_to_look_inside_is_known_by_its_word() -> None:
    assert is_look_inside("lens.input.prediction")
    assert not is_look_inside("trained.output_head.prediction")
