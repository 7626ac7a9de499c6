"""Read the trained scenarios back and work them out again with NumPy alone, sharing no code with the training.

    python docs/training/verify.py

Prints the winner and the runner-up of every step; fails unless each sentence comes out as it should, every winner
has at least 0.5 and twice the runner-up, and each sub-layer is needed: without it one of the sentences goes wrong.
"""

import copy
import math
from pathlib import Path

import numpy as np
import yaml

SCENARIOS = Path(__file__).parents[2] / "scenarios"
ANSWER = ["Not", "on", "your", "life", "!", "<end>"]
ACTIVATIONS = {"relu": lambda x: np.maximum(x, 0), "gelu": np.vectorize(lambda x: x * (1 + math.erf(x / 2**0.5)) / 2)}


def norm(x):
    return (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)


def softmax(x):
    exp = np.exp(x - x.max(axis=1, keepdims=True))
    return exp / exp.sum(axis=1, keepdims=True)


def embed(tokens, table, vocabulary):
    rows = table if isinstance(table, dict) else dict(zip(vocabulary, table, strict=True))
    x = np.array([rows[token] for token in tokens], dtype=float)
    for i, j in np.ndindex(x.shape):
        x[i, j] += (math.cos if j % 2 else math.sin)(i / 10000 ** ((j - j % 2) / x.shape[1]))
    return x


def attention(part, x, y, causal):
    heads = []
    for head in part["heads"]:
        scores = (x @ np.array(head["w_q"])) @ (y @ np.array(head["w_k"])).T / math.sqrt(len(head["w_k"][0]))
        if causal:
            scores[np.triu_indices(len(x), 1)] = -np.inf
        heads.append(softmax(scores) @ (y @ np.array(head["w_v"])))
    return np.hstack(heads) @ np.array(part["w_o"])


def stack(part, x, encoded=None):
    """An encoder or a decoder; `encoded` is what cross-attention looks at."""
    pre = part["norm_order"] == "pre"
    for layer in part["layers"]:
        for name, sub in layer.items():
            given = norm(x) if pre else x
            if name == "feed_forward":
                activation = ACTIVATIONS[sub.get("activation", "relu")]
                result = activation(given @ np.array(sub["w_1"])) @ np.array(sub["w_2"])
            else:
                other = encoded if name == "cross_attention" else given
                result = attention(sub, given, other, causal=name == "self_attention")
            x = x + result if pre else norm(x + result)
    return norm(x) if pre else x


def probabilities(scenario, tokens):
    """For tokens in the decoder: the probability of each word of the vocabulary as the next, at each position."""
    decoder = scenario | scenario["decoder"]
    encoded = None
    if "encoder" in scenario:
        encoded = stack(scenario["encoder"], embed(scenario["tokens"], scenario["embeddings"], None))
    x = stack(scenario["decoder"], embed(tokens, decoder["embeddings"], decoder["vocabulary"]), encoded)
    head = scenario["output_head"]
    return softmax(x @ (np.array(decoder["embeddings"]).T if head.get("tied") else np.array(head["w"])))


def generate(scenario, report=lambda vocabulary, row: None):
    decoder = scenario | scenario["decoder"]
    tokens, settings = list(decoder["tokens"]), scenario["generate"]
    for _ in range(settings["max_tokens"]):
        row = probabilities(scenario, tokens)[-1]
        report(decoder["vocabulary"], row)
        tokens.append(decoder["vocabulary"][row.argmax()])
        if tokens[-1] == settings["end_token"]:
            break
    return tokens[len(decoder["tokens"]) :]


def report(vocabulary, row):
    second, first = row.argsort()[-2:]
    print(f"  {vocabulary[first]:<8} {row[first]:.3f}   then {vocabulary[second]:<8} {row[second]:.3f}")
    assert row[first] >= max(0.5, 2 * row[second]), "too close"


def crippled(scenario):
    """The scenario with the last matrix of one sub-layer set to zeros; each sub-layer in turn."""
    for side in scenario.keys() & {"encoder", "decoder"}:
        for name in scenario[side]["layers"][0]:
            worse = copy.deepcopy(scenario)
            part = worse[side]["layers"][0][name]
            last = "w_2" if name == "feed_forward" else "w_o"
            part[last] = np.zeros_like(part[last])
            yield worse, f"{side} {name}"


def check(file, sentences):
    """`sentences`: pairs of the tokens the scenario is given at its top level and the words it has to generate."""
    scenario = yaml.safe_load((SCENARIOS / file).read_text(encoding="utf-8"))
    for tokens, expected in sentences:
        print(f"{file}, tokens {' '.join(tokens)}:")
        assert generate(scenario | {"tokens": tokens}, report) == expected
    for worse, name in crippled(scenario):
        results = [generate(worse | {"tokens": tokens}) for tokens, _ in sentences]
        assert results != [expected for _, expected in sentences], f"{name} is not needed"
    return scenario


money = [(["Show", "me", "the", "money"], ANSWER), (["Show", "me"], ["your", "life", "!", "<end>"])]
model = check("not-on-your-life.yaml", money)

forced = yaml.safe_load((SCENARIOS / "not-on-your-life-teacher-forced.yaml").read_text(encoding="utf-8"))
assert forced["decoder"]["tokens"] == ["<start>", *ANSWER[:-1]]
print("not-on-your-life-teacher-forced.yaml:")
for row, right in zip(probabilities(forced, forced["decoder"]["tokens"]), ANSWER, strict=True):
    report(forced["decoder"]["vocabulary"], row)
    assert forced["decoder"]["vocabulary"][row.argmax()] == right
assert all(forced[part] == model[part] for part in ("tokens", "embeddings", "encoder", "output_head"))
assert forced["decoder"] | {"tokens": ["<start>"]} == model["decoder"], "the two files differ in a weight"

check(
    "tea-gpt.yaml",
    [
        (["hot"], ["tea", "is", "not", "cold", "tea", "<end>"]),
        (["cold"], ["tea", "is", "not", "hot", "tea", "<end>"]),
    ],
)
