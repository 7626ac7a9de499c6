"""The parts that a path names."""

from __future__ import annotations

import pytest

from walkthrough.languages.catalogue import ENGLISH
from walkthrough.recording.parts import PartName, parts_of


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
