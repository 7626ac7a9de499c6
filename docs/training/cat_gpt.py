"""Find the weights of scenarios/cat-gpt.yaml, a decoder-only model that knows a little grammar, and write the file.

    python docs/training/cat_gpt.py          (about two minutes on one core)

One pre-LN layer, d_model 16, two heads, relu, no biases, an output head tied to the embeddings. A fifth of the longer
beginnings of cat_grammar.py are kept from it with all that could follow; tests/docs/test_cat_gpt.py asks for them.
"""

import math
from pathlib import Path

import common
import torch
from cat_grammar import END, LEARNED, SENTENCES, WORDS
from torch.nn.functional import cross_entropy, relu

SCENARIO = Path(__file__).parents[2] / "scenarios" / "cat-gpt.yaml"
D_MODEL, D_FF, HEADS, STEPS, BATCH, SEED = 16, 32, 2, 5000, 192, 7
SHARPER = 0.05
"""The price of a nat of entropy of a row of attention: without it the heads learn as much, but share their jobs."""
GRID = 0.01
ID = {word: at for at, word in enumerate(WORDS)}
LONGEST = max(map(len, SENTENCES)) - 1


def new_model() -> dict[str, torch.Tensor]:
    shapes = dict.fromkeys(("w_q", "w_k", "w_v", "w_o"), (D_MODEL, D_MODEL))
    shapes |= {"w_1": (D_MODEL, D_FF), "w_2": (D_FF, D_MODEL)}
    model = {name: torch.randn(shape) * shape[0] ** -0.5 for name, shape in shapes.items()}
    return {"embeddings": torch.randn(len(WORDS), D_MODEL) * 0.5} | model


def logits(model: dict[str, torch.Tensor], ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Of ids [batch, n] the logits [batch, n, words], and the weights of the heads [batch, heads, n, n]."""
    n = ids.shape[-1]
    x = model["embeddings"][ids] + common.positions(n, D_MODEL)
    normed = common.layer_norm(x)
    q, k, v = ((normed @ model[name]).unflatten(-1, (HEADS, -1)).transpose(1, 2) for name in ("w_q", "w_k", "w_v"))
    scores = (q @ k.mT / math.sqrt(D_MODEL // HEADS)).masked_fill(torch.ones(n, n).triu(1).bool(), -math.inf)
    weights = scores.softmax(-1)
    x = x + (weights @ v).transpose(1, 2).flatten(2) @ model["w_o"]
    x = x + common.feed_forward(model, common.layer_norm(x), relu)
    return common.layer_norm(x) @ model["embeddings"].T, weights


def lessons() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Ids in, ids out (−100 behind the end of a sentence), and the probability of each sentence."""
    ids = torch.full((len(LEARNED), LONGEST), ID[END])
    targets = torch.full((len(LEARNED), LONGEST), -100)
    for at, words in enumerate(LEARNED):
        numbers = torch.tensor([ID[word] for word in words])
        ids[at, : len(words) - 1], targets[at, : len(words) - 1] = numbers[:-1], numbers[1:]
    return ids, targets, torch.tensor(list(LEARNED.values()))


def train() -> dict[str, torch.Tensor]:
    torch.manual_seed(SEED)
    model = {name: weight.requires_grad_() for name, weight in new_model().items()}
    for weight in model.values():
        weight.grid = GRID
    optimizer = torch.optim.AdamW(model.values(), lr=0.01, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, STEPS)
    ids, targets, shares = lessons()
    for step in range(STEPS):
        chosen = torch.multinomial(shares, BATCH, replacement=True)
        used = common.each(model, common.rounded) if step > 0.8 * STEPS else model
        found, weights = logits(used, ids[chosen])
        loss = cross_entropy(found.flatten(0, 1), targets[chosen].flatten(), ignore_index=-100)
        optimizer.zero_grad()
        (loss + SHARPER * torch.special.entr(weights.clamp(min=1e-9)).sum(-1).mean()).backward()
        optimizer.step()
        schedule.step()
        if step % 1000 == 999:
            print(f"step {step + 1}: loss {loss.item():.3f}", flush=True)
    return common.each(model, common.nearest)


def named(model: dict[str, torch.Tensor], names: str, indent: int) -> str:
    return "\n".join(line for name in names.split() for line in common.named(name, model[name], indent))


def yaml_text(model: dict[str, torch.Tensor]) -> str:
    table = "\n".join(map("  - {} # {}".format, common.flow_rows(model["embeddings"]), WORDS))
    return f"""\
# yaml-language-server: $schema=scenario.schema.json
# Written by docs/training/cat_gpt.py
title: "A GPT that knows a little grammar: type a sentence of your own"
description: |
  A small model has read sentences about cats, tea and rain. After *the cats near the window* it goes on with *drink*,
  *like* or *sleep*, as many do, although the word before is one *window*. Give it other words, of the 51 that it
  knows: choose them on the page, or `--set 'tokens=the cat near the windows'`.

  - It is a decoder with one layer, sixteen features and two heads.
  - Before a verb, head 1 gives a subject of one nearly all of its weight, and a subject of many next to none:
    from this the verb has its *s*. In `like the` it has turned back to the subject whatever it is, and
    the thing that this one likes follows.
  - Was this learned, or learned by heart? Of 408 beginnings with a place or a reason, 81 were kept from the
    model with all that could follow. In all 75 with a place the verb that it finds likeliest has the number of the
    subject, also in the 37 where the place has the other; in all 81 it knows what the subject drinks and
    likes, in all 6 with a reason what stands for it. Every word and every pattern it had read elsewhere: it puts them
    together anew, no more.
  - Outside of its grammar it is as sure as within: after *the tea is* it gives 0.97 to the full stop.

  The weights were found by gradient descent, rounding to two decimals included. A small price on
  spreading attention made the heads choose their words; without it the model learns as much, but mixes them.
source: docs/training/cat_gpt.py

tokens: [the, cats, near, the, window]
vocabulary: [{", ".join(word if word.isalpha() else f'"{word}"' for word in WORDS)}]
embeddings: # a row for each id, counted from 0; the output head uses them too
{table}
positional_encoding: sinusoidal
dimensions: {{d_model: {D_MODEL}, d_ff: {D_FF}}}

decoder:
  norm_order: pre
  layers:
    - self_attention: # causal
        num_heads: {HEADS}
{named(model, "w_q w_k w_v w_o", 8)}
      feed_forward: # relu
{named(model, "w_1 w_2", 8)}

output_head: {{tied: true}}
"""


if __name__ == "__main__":
    SCENARIO.write_text(yaml_text(train()), encoding="utf-8")
