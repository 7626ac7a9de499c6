"""Find the weights of scenarios/tea-gpt.yaml, a decoder-only model, and write the file.

    python docs/training/gpt.py          (about one minute on one core)

One pre-LN layer, d_model 4, two heads, no biases, an output head tied to the embeddings. It learns two sentences
that are alike but for two words, so that after "not" only attention to the first word can tell what comes next:

    hot tea is not cold tea <end>
    cold tea is not hot tea <end>
"""

from pathlib import Path

import common
import torch
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
        "embeddings": common.parameter(RESTARTS, len(WORDS), D_MODEL, grid=0.5),
        "attention": common.attention_parameters(RESTARTS, D_MODEL, HEADS),
        "feed_forward": common.feed_forward_parameters(RESTARTS, D_MODEL, D_FF),
    }


def logits(model: dict, ids: list[int], seen: list) -> torch.Tensor:
    """[r, tokens, words]; pre-LN: x + sub-layer(norm(x)) each time, a final norm, and the tied output head."""
    x = model["embeddings"][..., ids, :] + common.positions(len(ids), D_MODEL)
    normed = common.layer_norm(x)
    x = x + common.attention(model["attention"], normed, normed, causal=True, seen=seen)
    x = x + common.feed_forward(model["feed_forward"], common.layer_norm(x), gelu)
    return common.layer_norm(x) @ model["embeddings"].mT


def looks_back(models: dict) -> torch.Tensor:
    """Which restarts have a head that gives the first word at least 0.7 at "not", in both sentences, [r]."""
    shares = []
    for ids, _ in LESSONS:
        seen: list[torch.Tensor] = []
        logits(models, ids, seen)
        shares.append(torch.stack(seen)[..., ids.index(WORDS.index("not")), 0])
    return (torch.stack(shares).amin(0) > 0.7).any(0)


def yaml_text(model: dict) -> str:
    table = "\n".join(map("  - {} # {}".format, common.flow_rows(model["embeddings"]), WORDS))
    return f"""\
# yaml-language-server: $schema=scenario.schema.json
# Written by docs/training/gpt.py
title: 'A GPT that fits on a page: "hot tea is not cold tea"'
description: |
  A GPT-style decoder-only Transformer: pre-LN with a final norm, causal self-attention, gelu, and an
  output head that is the embedding table once more, transposed. One layer, four features, two heads, six
  words. From `hot tea` it writes *hot tea is not cold tea*, then `<end>`. Started with `cold tea`, it
  writes *cold tea is not hot tea*.

  - `tea` occurs twice. The first time `is` follows, the second time the sentence ends. Both have the same row
    of `embeddings`; the positional encoding makes the difference.
  - After `not` the model has to name the opposite of the first word. The row `not` of `input` is the same in
    both sentences, and with one layer there is only one way to reach the first word: in
    `generate.3.decoder.1.self_attention` one of the heads gives it at least 0.7 of the weight.
  - The norms come before the sub-layers: what `residual_1` and `residual_2` add up is not normalized before
    `final_norm`.
  - With the tied head a logit is the dot product of the last row with a word's embedding: large where the
    two point the same way, and where the embedding is long.

  The weights were learned from the two sentences by gradient descent, rounding included, from many random
  starts: halves in the embeddings, whole numbers elsewhere. Of the models that learned both, the one kept
  looks back as described; others divide the work between the heads differently. Without the attention,
  or without the feed-forward part, at least one of the sentences goes wrong.
source: docs/training/gpt.py

tokens: [hot, tea]
vocabulary: [{", ".join(WORDS)}]
embeddings: # a row for each id, counted from 0; the output head uses them too
{table}
positional_encoding: sinusoidal
dimensions: {{d_model: 4, d_k: 2, d_v: 2, d_ff: 4}}

decoder:
  norm_order: pre
  layers:
    - self_attention: # causal
{common.attention_yaml(model["attention"], 8)}
      feed_forward:
        activation: gelu
{common.feed_forward_yaml(model["feed_forward"], 8)}

output_head: {{tied: true}}

generate: {{max_tokens: 8, end_token: <end>}}
"""


if __name__ == "__main__":
    torch.manual_seed(SEED)
    models = common.train(new_model(), LESSONS, logits, steps=STEPS)
    best = common.choose(models, LESSONS, logits, wanted=looks_back(models))
    SCENARIO.write_text(yaml_text(best), encoding="utf-8")
