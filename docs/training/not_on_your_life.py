"""Find the weights of scenarios/not-on-your-life.yaml and of its teacher-forced twin, and write both files.

    python docs/training/not_on_your_life.py          (about two minutes on one core)

One encoder layer and one decoder layer, d_model 4, two heads, post-LN, no biases. The four source embeddings are
given; everything else is learned from two exchanges, so that the decoder has to look at the source:

    Show me the money   ->   Not on your life !
    Show me             ->   your life !
"""

from pathlib import Path

import torch
from common import attention, attention_parameters, choose, feed_forward, feed_forward_parameters
from common import layer_norm, parameter, positions, rows, train

SCENARIOS = Path(__file__).parents[2] / "scenarios"
SOURCE = ["Show", "me", "the", "money"]
SOURCE_EMBEDDINGS = torch.tensor(
    [[0.12, 0.63, 0.29, 0.41], [0.83, 0.34, 0.04, 0.53], [0.39, 0.77, 0.64, 0.09], [0.41, 0.08, 0.51, 0.87]]
)
TARGET = ["<start>", "Not", "on", "your", "life", "!", "<end>"]
D_MODEL, D_FF, HEADS, RESTARTS, STEPS, SEED = 4, 4, 2, 1024, 2000, 1
# (ids of the source, ids that go into the decoder), ids that should come out: the same, one place on
LESSONS = [
    (([0, 1, 2, 3], [0, 1, 2, 3, 4, 5]), [1, 2, 3, 4, 5, 6]),
    (([0, 1], [0, 3, 4, 5]), [3, 4, 5, 6]),
]


def new_model() -> dict:
    def block() -> dict:
        return attention_parameters(RESTARTS, D_MODEL, HEADS)

    def network() -> dict:
        return feed_forward_parameters(RESTARTS, D_MODEL, D_FF)

    return {
        "embeddings": parameter(RESTARTS, len(TARGET), D_MODEL, grid=0.1, low=0, high=1),
        "encoder.attention": block(),
        "encoder.feed_forward": network(),
        "decoder.self_attention": block(),
        "decoder.cross_attention": block(),
        "decoder.feed_forward": network(),
        "output_head": parameter(RESTARTS, D_MODEL, len(TARGET)),
    }


def logits(model: dict, given: tuple[list[int], list[int]], seen: list) -> torch.Tensor:
    """[r, tokens in the decoder, words]; post-LN: norm(x + sub-layer(x)) each time."""
    source, target = given
    x = SOURCE_EMBEDDINGS[source] + positions(len(source), D_MODEL)
    x = layer_norm(x + attention(model["encoder.attention"], x, x, causal=False, seen=seen))
    x = layer_norm(x + feed_forward(model["encoder.feed_forward"], x, torch.relu))
    y = model["embeddings"][..., target, :] + positions(len(target), D_MODEL)
    y = layer_norm(y + attention(model["decoder.self_attention"], y, y, causal=True, seen=seen))
    y = layer_norm(y + attention(model["decoder.cross_attention"], y, x, causal=False, seen=seen))
    y = layer_norm(y + feed_forward(model["decoder.feed_forward"], y, torch.relu))
    return y @ model["output_head"]
