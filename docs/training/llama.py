"""Find the weights of scenarios/tiny-llama.yaml, a model of the Llama kind, and write the file.

    python docs/training/llama.py          (about two minutes on one core)

One layer with RMS norms, two heads that share one key and one value, norms of queries and keys, rotary positions, a
window of four tokens and a gated feed-forward part; the output head is tied to the embeddings. It learns the two
sentences of gpt.py.
"""

import math
from pathlib import Path

import common
import torch
from gpt import LESSONS, WORDS
from torch import Tensor
from torch.nn.functional import silu

SCENARIO = Path(__file__).parents[2] / "scenarios" / "tiny-llama.yaml"
D_MODEL, D_FF, D_K, HEADS, WINDOW, RESTARTS, STEPS, SEED = 4, 4, 2, 2, 4, 1024, 2000, 1


def new_model() -> dict:
    heads = [{"w_q": common.parameter(RESTARTS, D_MODEL, D_K)} for _ in range(HEADS)]
    heads[0] |= {name: common.parameter(RESTARTS, D_MODEL, D_K) for name in ("w_k", "w_v")}
    gated = common.feed_forward_parameters(RESTARTS, D_MODEL, D_FF)
    return {
        "embeddings": common.parameter(RESTARTS, len(WORDS), D_MODEL, grid=0.5),
        "gammas": {name: common.parameter(RESTARTS, 1, D_K, grid=0.5, low=1, high=3) for name in ("query", "key")},
        "attention": {"heads": heads, "w_o": common.parameter(RESTARTS, HEADS * D_K, D_MODEL)},
        "feed_forward": {"w_gate": common.parameter(RESTARTS, D_MODEL, D_FF), **gated},
    }


def rms_norm(x: Tensor, epsilon: float = 1e-5) -> Tensor:
    """[r, n, d] -> [r, n, d], without gamma."""
    return x / (x.square().mean(-1, keepdim=True) + epsilon).sqrt()


def turned(x: Tensor) -> Tensor:
    """Each pair of features rotated by its position, [r, n, 2]: one radian a token."""
    angle = torch.arange(x.shape[-2], dtype=x.dtype)
    first, second = x.unbind(-1)
    return torch.stack([first * angle.cos() - second * angle.sin(), second * angle.cos() + first * angle.sin()], -1)


def attention(part: dict, gammas: dict, x: Tensor, seen: list) -> Tensor:
    """Two heads with queries of their own; one key and one value for both."""
    first, outputs = part["heads"][0], []
    key = turned(rms_norm(x @ first["w_k"], 1e-6) * gammas["key"])
    value, far = x @ first["w_v"], torch.arange(x.shape[-2])[:, None] - torch.arange(x.shape[-2])
    for head in part["heads"]:
        query = turned(rms_norm(x @ head["w_q"], 1e-6) * gammas["query"])
        scores = query @ key.mT / math.sqrt(D_K)
        seen.append(scores.masked_fill((far < 0) | (far >= WINDOW), -math.inf).softmax(-1))
        outputs.append(seen[-1] @ value)
    return torch.cat(outputs, dim=-1) @ part["w_o"]


def gated(part: dict, x: Tensor) -> Tensor:
    return (silu(x @ part["w_gate"]) * (x @ part["w_1"])) @ part["w_2"]


def logits(model: dict, ids: list[int], seen: list) -> Tensor:
    """[r, tokens, words]"""
    x = model["embeddings"][..., ids, :]
    x = x + attention(model["attention"], model["gammas"], rms_norm(x), seen)
    x = x + gated(model["feed_forward"], rms_norm(x))
    return rms_norm(x) @ model["embeddings"].mT


def spared(models: dict, lessons: list) -> Tensor:
    """Without attention, and without the gated part, at least one sentence goes wrong, [r]."""
    without = []
    for name, last in (("attention", "w_o"), ("feed_forward", "w_2")):
        crippled = models | {name: models[name] | {last: models[name][last] * 0}}
        without.append(common.lead(crippled, lessons, logits))
    return torch.stack(without).amax(0)


def chosen(models: dict) -> dict:
    """Of those that lead everywhere by 2 and can spare no part, the one that leads by most."""
    lead, without = common.lead(models, LESSONS, logits), spared(models, LESSONS)
    fits = (lead > 2) & (without < 0)
    print(f"{int((lead > 2).sum())} of {len(lead)} restarts learned it; {int(fits.sum())} of them will do")
    if not fits.any():
        raise SystemExit("try another seed, or more restarts")
    best = int(lead.where(fits, -math.inf).argmax())
    print(f"kept number {best}: it leads by {lead[best]:.2f}, without its least needed part by {without[best]:.2f}")
    return common.each(models, lambda weight: weight[best])


def heads_yaml(part: dict) -> str:
    first, second = part["heads"]
    lines = ["        heads:"]
    for head in (first, second):
        keys = [line for name, matrix in head.items() for line in common.named(name, matrix, 12)]
        keys[0] = "          - " + keys[0].lstrip()
        lines += keys
    lines.append("            kv: 1 # shares the keys and values of head 1")
    return "\n".join([*lines, *common.named("w_o", part["w_o"], 8)])


def yaml_text(model: dict) -> str:
    table = "\n".join(map("  - {} # {}".format, common.flow_rows(model["embeddings"]), WORDS))
    gammas = {name: common.flow_rows(gamma)[0] for name, gamma in model["gammas"].items()}
    feed_forward = "\n".join(
        line for name in ("w_gate", "w_1", "w_2") for line in common.named(name, model["feed_forward"][name], 8)
    )
    return f"""\
# yaml-language-server: $schema=scenario.schema.json
# Written by docs/training/llama.py
title: 'A Llama that fits on a page: "hot tea is not cold tea"'
description: |
  The sentence of `tea-gpt` once more, written by a model built like those of today.

  What is different:

  - `norm: rms`: the norms divide by the root of the mean square; no mean is subtracted. Epsilon stands under the root.
  - **Nothing is added for the position.** Queries and keys are rotated by it, `query_rotated` and `key_rotated`: one
    radian per token, as there is one pair of features. Their product then depends on the distance alone.
  - Two heads ask, with queries of their own, and share one key and one value: the paths under `head.2` are other
    names for those under `head.1`. A cache would hold half as many numbers.
  - Queries and keys are brought to one size before they are rotated (`query_norm`, `key_norm`), as in Qwen3.
  - `window: 4`: a token sees itself and the three before it, as in Mistral. After `not` that just reaches the first
    word; one token later it is out of sight. The token itself counts.
  - The feed-forward part has a gate (SwiGLU): `activation` is what the gate lets through of `hidden`. Checkpoints call
    the two matrices `gate_proj` and `up_proj`; here they are `w_gate` and `w_1`.

  ALiBi, which takes the place of rotary positions where it is used, has a scenario of its own, `alibi`.

  The weights were learned from the two sentences by gradient descent, rounding included, from many random
  starts. Started with `cold tea`, it writes *cold tea is not hot tea*. Without the attention, or without the
  feed-forward part, at least one of the sentences goes wrong.
source: docs/training/llama.py

tokens: [hot, tea]
vocabulary: [{", ".join(WORDS)}]
embeddings: # a row for each id, counted from 0; the output head uses them too
{table}
dimensions: {{d_model: 4, d_k: 2, d_v: 2, d_ff: 4}}

decoder:
  norm: rms
  norm_order: pre
  layers:
    - self_attention: # causal
        rotary: {{base: 10000}}
        window: {WINDOW}
        query_norm: {{gamma: {gammas["query"]}}}
        key_norm: {{gamma: {gammas["key"]}}}
{heads_yaml(model["attention"])}
      feed_forward:
        activation: silu
{feed_forward}

output_head: {{tied: true}}

generate: {{max_tokens: 8, end_token: <end>}}
"""


if __name__ == "__main__":
    torch.manual_seed(SEED)
    SCENARIO.write_text(yaml_text(chosen(common.train(new_model(), LESSONS, logits, steps=STEPS))), encoding="utf-8")
