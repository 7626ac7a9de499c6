"""Find the weights of scenarios/tea-gpt.yaml, a decoder-only model, and write the file.

    python docs/training/gpt.py          (about one minute on one core)

One pre-LN layer, d_model 4, two heads, no biases, an output head tied to the embeddings. It learns two sentences
that are alike but for two words, so that after "not" only attention to the first word can tell what comes next:

    hot tea is not cold tea <end>
    cold tea is not hot tea <end>
"""

import json
from pathlib import Path

import torch
from common import attention, attention_parameters, attention_yaml, choose
from common import feed_forward, feed_forward_parameters, feed_forward_yaml
from common import layer_norm, parameter, positions, rows, train
from torch.nn.functional import gelu

SCENARIO = Path(__file__).parents[2] / "scenarios" / "tea-gpt.yaml"
WORDS = ["hot", "cold", "tea", "is", "not", "<end>"]
D_MODEL, D_FF, HEADS, RESTARTS, STEPS, SEED = 4, 4, 2, 1024, 2000, 1
# ids that go in, ids that should come out: the same, one place on
LESSONS = [
    ([0, 2, 3, 4, 1, 2], [2, 3, 4, 1, 2, 5]),
    ([1, 2, 3, 4, 0, 2], [2, 3, 4, 0, 2, 5]),
]


def new_model() -> dict:
    return {
        "embeddings": parameter(RESTARTS, len(WORDS), D_MODEL, grid=0.5),
        "attention": attention_parameters(RESTARTS, D_MODEL, HEADS),
        "feed_forward": feed_forward_parameters(RESTARTS, D_MODEL, D_FF),
    }


def logits(model: dict, ids: list[int], seen: list) -> torch.Tensor:
    """[r, tokens, words]; pre-LN: x + sub-layer(norm(x)) each time, a final norm, and the tied output head."""
    x = model["embeddings"][..., ids, :] + positions(len(ids), D_MODEL)
    normed = layer_norm(x)
    x = x + attention(model["attention"], normed, normed, causal=True, seen=seen)
    x = x + feed_forward(model["feed_forward"], layer_norm(x), gelu)
    return layer_norm(x) @ model["embeddings"].mT


def looks_back(models: dict) -> torch.Tensor:
    """Which restarts have a head that gives the first word at least 0.7 at "not", in both sentences, [r]."""
    shares = []
    for ids, _ in LESSONS:
        seen: list[torch.Tensor] = []
        logits(models, ids, seen)
        shares.append(torch.stack(seen)[..., ids.index(WORDS.index("not")), 0])
    return (torch.stack(shares).amin(0) > 0.7).any(0)


def yaml_text(model: dict) -> str:
    return f"""\
# yaml-language-server: $schema=scenario.schema.json
# Written by docs/training/gpt.py
title: "Tea: a GPT small enough to follow"
description: |
  A decoder-only Transformer of the GPT kind: pre-LN with a final norm, causal self-attention, gelu, and an output head
  that is the embedding table once more, transposed. One layer, four features, two heads, six words.

  From the one word `hot` it writes *hot tea is not cold tea*, and then `<end>`. Start it with `cold` instead, and it
  writes *cold tea is not hot tea*.

  - `tea` comes twice. The first time `is` follows, the second time the sentence ends. The word is the same and so is
    its row of `embeddings`; the positional encoding makes the difference in `input`.
  - After `not` the model must name the opposite of the first word. That row starts from the same `input` in both
    sentences, and with one layer there is only one way to the first word: in `generate.4` look at the row `not` of
    `weights`, where one of the heads gives most of its attention to it.
  - Pre-LN: the norms stand before the sub-layers, and what `residual_1` and `residual_2` add up is never normalized
    until `final_norm`.
  - Tied head: a logit is the dot product of the final row with the embedding of a word. The likeliest word is the one
    whose embedding points the same way, and is long.

  The weights were learned from the two sentences by gradient descent with rounding in the loop, from many random
  starts: halves in the embeddings, whole numbers elsewhere (`docs/training/gpt.py`). Of the models that learned them
  one was kept in which a head looks back at the first word as described; there are others that share the work out
  differently. Take away the attention or the feed-forward part, and at least one sentence goes wrong.
source: docs/training/gpt.py

tokens: [hot]
vocabulary: {json.dumps(WORDS)}     # ids 0 to 5
embeddings:                          # a row for each id; the output head uses them too
  {rows(model["embeddings"], 2, comments=WORDS)}
positional_encoding: sinusoidal

decoder:
  norm_order: pre
  layers:
    - self_attention:                # causal; w_q, w_k, w_v: d_model×d_k = 4×2; w_o: 4×4
{attention_yaml(model["attention"], 8)}
      feed_forward:                  # d_model×d_ff and d_ff×d_model, both 4×4
        activation: gelu
{feed_forward_yaml(model["feed_forward"], 8)}

output_head: {{tied: true}}

generate: {{max_tokens: 8, end_token: <end>}}
"""


if __name__ == "__main__":
    torch.manual_seed(SEED)
    models = train(new_model(), LESSONS, logits, steps=STEPS, sparsity=0.001, focus=2)
    best = choose(models, LESSONS, logits, wanted=looks_back(models))
    SCENARIO.write_text(yaml_text(best), encoding="utf-8")
