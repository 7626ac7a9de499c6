"""Find the weights of scenarios/not-on-your-life.yaml and of its teacher-forced twin, and write both files.

    python docs/training/not_on_your_life.py          (about a minute and a half on one core)

One encoder layer and one decoder layer, d_model 4, two heads, post-LN, no biases. The four source embeddings are
given; everything else is learned from two exchanges, so that the decoder has to look at the source:

    Show me the money   ->   Not on your life !
    Show me             ->   your life !
"""

from pathlib import Path

import common
import torch

SCENARIOS = Path(__file__).parents[2] / "scenarios"
SOURCE_EMBEDDINGS = torch.tensor(  # Show, me, the, money
    [[0.12, 0.63, 0.29, 0.41], [0.83, 0.34, 0.04, 0.53], [0.39, 0.77, 0.64, 0.09], [0.41, 0.08, 0.51, 0.87]]
)
WORDS = 7  # <start>, Not, on, your, life, !, <end>
D_MODEL, D_FF, HEADS, RESTARTS, STEPS, SEED = 4, 4, 2, 1024, 2000, 1
# (ids of the source, ids that go into the decoder), ids that should come out: the same, one place on
LESSONS = [
    (([0, 1, 2, 3], [0, 1, 2, 3, 4, 5]), [1, 2, 3, 4, 5, 6]),
    (([0, 1], [0, 3, 4, 5]), [3, 4, 5, 6]),
]


def new_model() -> dict:
    attention, network = (RESTARTS, D_MODEL, HEADS), (RESTARTS, D_MODEL, D_FF)
    return {
        "embeddings": common.parameter(RESTARTS, WORDS, D_MODEL, grid=0.1, low=0, high=1),
        "encoder.attention": common.attention_parameters(*attention),
        "encoder.feed_forward": common.feed_forward_parameters(*network),
        "decoder.self_attention": common.attention_parameters(*attention),
        "decoder.cross_attention": common.attention_parameters(*attention),
        "decoder.feed_forward": common.feed_forward_parameters(*network),
        "output_head": common.parameter(RESTARTS, D_MODEL, WORDS),
    }


def logits(model: dict, given: tuple[list[int], list[int]], seen: list) -> torch.Tensor:
    """[r, tokens in the decoder, words]; post-LN: norm(x + sub-layer(x)) each time."""
    source, target = given
    x = SOURCE_EMBEDDINGS[source] + common.positions(len(source), D_MODEL)
    x = common.layer_norm(x + common.attention(model["encoder.attention"], x, x, causal=False, seen=seen))
    x = common.layer_norm(x + common.feed_forward(model["encoder.feed_forward"], x, torch.relu))
    y = model["embeddings"][..., target, :] + common.positions(len(target), D_MODEL)
    y = common.layer_norm(y + common.attention(model["decoder.self_attention"], y, y, causal=True, seen=seen))
    y = common.layer_norm(y + common.attention(model["decoder.cross_attention"], y, x, causal=False, seen=seen))
    y = common.layer_norm(y + common.feed_forward(model["decoder.feed_forward"], y, torch.relu))
    return y @ model["output_head"]


GENERATION = """\
title: '"Not on your life!": an encoder–decoder writes its answer'
description: |
  A whole encoder–decoder Transformer, small enough to follow with a pencil: one layer on each side, four
  features, two heads, and apart from the embeddings no weight other than −2, −1, 0, 1 and 2. The answer
  comes out right even with one decimal throughout (`rounding: {decimals: 1}` and `--by-hand`).

  The encoder reads *Show me the money* once. The decoder begins with `<start>` alone; the most likely
  next word is appended to it, and the longer sequence goes through the decoder again, until that word is `<end>`.

  - `generate.1` to `generate.6` are the six passes. Each repeats the rows of the pass before, unchanged,
    and adds one: the causal mask lets no word see a later one.
  - In `cross_attention` the queries come from the answer so far, keys and values from `encoder.output`. The
    question matters from the first word on: to `[Show, me]` the same weights answer *your life !*.
  - No sub-layer is decoration. With the last matrix of any of them (`w_o` or `w_2`) set to zeros, at least
    one of these two answers goes wrong.

  The weights were learned, not made up: gradient descent on these two exchanges, rounding included, from
  many random starts. The model knows them by heart, and nothing else.
"""

TEACHER_FORCED = """\
title: '"Not on your life!": the same model, teacher-forced'
description: |
  The model of `not-on-your-life` as it runs in training: the right answer goes into the decoder all at
  once, shifted right by one position with `<start>` in front, and each position predicts the word that follows it.

  - Read `output_head.prediction` downwards: *Not, on, your, life, !, <end>*. One pass makes the six
    predictions for which generation needs six passes.
  - The mask keeps it honest: above the diagonal of `self_attention.masked_scores` every score is −∞, so the
    third row, `on`, is made of `<start>`, `Not` and `on` alone. Replace `life` with another word, and the rows
    above it do not change.
  - `cross_attention.scores` is a rectangle: a row for each word of the answer, a column for each of the question.

  Even if a prediction had been wrong, the next position would have been given the right word.
"""


def write(name: str, about: str, decoder_tokens: str, ending: str, model: dict) -> None:
    words = ("<start>:", "Not:", '"on":', "your:", "life:", '"!":', "<end>:")
    table = "\n".join(map("    {:<8} {}".format, words, common.flow_rows(model["embeddings"])))
    head = "\n".join(common.named("w", model["output_head"], 2))
    text = f"""\
# yaml-language-server: $schema=scenario.schema.json
# Written by docs/training/not_on_your_life.py
{about}source: >-
  The question, its embeddings and the answer: lecture notes "Transformers", sections 3.2 and 4. (They take
  the angles of the positional encoding in degrees; here they are in radians.) All other numbers:
  docs/training/not_on_your_life.py

tokens: [Show, me, the, money]
embeddings:
  Show:  [0.12, 0.63, 0.29, 0.41]
  me:    [0.83, 0.34, 0.04, 0.53]
  the:   [0.39, 0.77, 0.64, 0.09]
  money: [0.41, 0.08, 0.51, 0.87]
positional_encoding: sinusoidal
softmax: shifted # exponentials from 0 to 1, which suit a pencil; plain, one row would round to zeros only
dimensions: {{d_model: 4, d_k: 2, d_v: 2, d_ff: 4}}

encoder:
  norm_order: post
  layers:
    - attention:
{common.attention_yaml(model["encoder.attention"], 8)}
      feed_forward:
{common.feed_forward_yaml(model["encoder.feed_forward"], 8)}

decoder:
  tokens: {decoder_tokens}
  vocabulary: [<start>, Not, "on", your, life, "!", <end>]
  embeddings: # that of <end> never goes in, so it is still the random start
{table}
  norm_order: post
  layers:
    - self_attention: # causal
{common.attention_yaml(model["decoder.self_attention"], 8)}
      cross_attention: # queries from the decoder, keys and values from encoder.output
{common.attention_yaml(model["decoder.cross_attention"], 8)}
      feed_forward:
{common.feed_forward_yaml(model["decoder.feed_forward"], 8)}

output_head: # w has a column for each word
{head}
{ending}"""
    (SCENARIOS / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    torch.manual_seed(SEED)
    models = common.train(new_model(), LESSONS, logits, steps=STEPS)
    best = common.choose(models, LESSONS, logits)
    write("not-on-your-life.yaml", GENERATION, "[<start>]", "\ngenerate: {max_tokens: 8, end_token: <end>}\n", best)
    write("not-on-your-life-teacher-forced.yaml", TEACHER_FORCED, '[<start>, Not, "on", your, life, "!"]', "", best)
