"""An independent second calculation of the sources' scenarios, with 50 digits and nothing of walkthrough.

`values` recomputes every step of a scenario file, `published` lists what its source printed. As a script it names
each printed number that is not the exact value correctly rounded: python -m tests.oracle.sources [SCENARIO.yaml …]
It knows what those files use and no more: an encoder or an attention alone, an output head.
"""

from __future__ import annotations

import re
import sys
from collections import namedtuple
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from mpmath import mp, mpf

mp.dps = 50

Spec = dict[str, Any]
Array = Any  # a numpy array of mpf
SCENARIOS = Path(__file__).parents[2] / "scenarios"
COOKING = ["cooking", "cooking-multihead"]
SOURCES = ["chai", *COOKING, "fuchs", "cat-sat", "show-me-the-money", "masked-scores", "help-me"]
BETWEEN_TOKENS = {"scores", "scaled_scores", "masked_scores", "exp", "weights"}

Print = namedtuple("Print", "path row column text decimals")  # decimals: how many the text claims
exp, sqrt = np.frompyfunc(mp.exp, 1, 1), np.frompyfunc(mp.sqrt, 1, 1)


def load(scenario: str | Path) -> Spec:
    """The file with each scalar as its text: 0.1 is a tenth, 2.000 keeps its zeros."""
    return dict(yaml.load(Path(scenario).read_text(encoding="utf-8"), Loader=yaml.BaseLoader))


def number(text: str) -> mpf:
    return {"null": mp.nan, "-.inf": -mp.inf}.get(text) or mpf(text)


def matrix(node: list[Any]) -> Array:
    return np.array([[number(text) for text in row] for row in (node if isinstance(node[0], list) else [node])])


def labels(tokens: list[str]) -> list[str]:
    """The tokens; one that stands more than once with its position, counted from 1."""
    return [t if tokens.count(t) == 1 else f"{t}@{i}" for i, t in enumerate(tokens, 1)]


class Forward:
    """The steps of one scenario, recorded under their paths in the order they are computed."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.steps: dict[str, Array] = {}
        self.tokens: list[str] = spec.get("tokens") or re.findall(r"\w+|[^\w\s]", spec["text"])
        self.vocabulary: list[str] = spec.get("output_head", {}).get("vocabulary", [])
        x = self.embed() if "embeddings" in spec else None
        if "encoder" in spec:
            x = self.encoder(x, spec["encoder"])
        if "attention" in spec:
            x = self.attention("attention", x, spec["attention"])
        if "output_head" in spec:
            self.output_head(x, spec["output_head"])

    def record(self, path: str, value: Array) -> Array:
        self.steps[path] = value
        return value

    def embed(self) -> Array:
        spec = self.spec
        if "vocabulary" in spec:
            self.record("token_ids", matrix([[spec["vocabulary"][token]] for token in self.tokens]))
        x = self.record("token_embedding", matrix([spec["embeddings"][token] for token in self.tokens]))
        if "positional_encoding" in spec:
            x = x + self.record("positional_encoding", sinusoidal(*x.shape))
        return self.record("input", x)

    def weights(self, node: list[Any]) -> Array:
        """A weight matrix as in×out, whichever way the file writes it."""
        return matrix(node).T if self.spec.get("matrix_convention") == "column" else matrix(node)

    def encoder(self, x: Array, node: Spec) -> Array:
        pre = node["norm_order"] == "pre"
        for index, layer in enumerate(node["layers"], 1):
            for part, name, sub_layer in ((1, "attention", self.attention), (2, "feed_forward", self.feed_forward)):
                here = f"encoder.{index}"
                inner = self.norm(f"{here}.norm_{part}", x, {}) if pre else x
                x = self.record(f"{here}.residual_{part}", x + sub_layer(f"{here}.{name}", inner, layer[name]))
                x = x if pre else self.norm(f"{here}.norm_{part}", x, {})
        x = self.norm("encoder.final_norm", x, node.get("final_norm", {})) if pre else x
        return self.record("encoder.output", x)

    def norm(self, path: str, x: Array, node: Spec) -> Array:
        epsilon = number(self.spec["encoder"].get("layer_norm", {}).get("epsilon", "1e-5"))
        centered = x - self.record(f"{path}.mean", x.sum(axis=1, keepdims=True) / x.shape[1])
        self.record(f"{path}.centered", centered)
        variance = self.record(f"{path}.variance", (centered * centered).sum(axis=1, keepdims=True) / x.shape[1])
        out = centered / self.record(f"{path}.std", sqrt(variance + epsilon))
        if node:
            out = self.record(f"{path}.normalized", out) * matrix(node["gamma"]) + matrix(node["beta"])
        return self.record(f"{path}.output", out)

    def attention(self, path: str, x: Array, node: Spec) -> Array:
        outputs = [self.head(f"{path}.head.{h}", x, {**node, **head}) for h, head in enumerate(heads(node), 1)]
        out = outputs[0] if len(outputs) == 1 else self.record(f"{path}.concat", np.hstack(outputs))
        out = out @ self.weights(node["w_o"]) if "w_o" in node else out
        return out if out is None else self.record(f"{path}.output", out)

    def head(self, path: str, x: Array, node: Spec) -> Array:
        made = {name: self.record(f"{path}.{name}", x @ self.weights(node[w]))
                for name, w in (("query", "w_q"), ("key", "w_k"), ("value", "w_v")) if w in node}  # fmt: skip
        weights = matrix(node["weights"]) if "weights" in node else self.attend(path, made, node)
        self.record(f"{path}.weights", weights)
        return self.record(f"{path}.output", weights @ made["value"]) if "value" in made else None

    def attend(self, path: str, made: dict[str, Array], node: Spec) -> Array:
        x = self.record(f"{path}.scores", matrix(node["scores"]) if "scores" in node else made["query"] @ made["key"].T)
        divisor = sqrt(number(node.get("d_k") or str(made["key"].shape[1])))
        hidden = self.hidden(node.get("mask", "none"))
        for name in ("mask", "scale") if node.get("mask_first") == "true" else ("scale", "mask"):
            if name == "scale" and node.get("scale") != "none":
                x = self.record(f"{path}.scaled_scores", x / divisor)
            if name == "mask" and hidden.any():
                x = self.record(f"{path}.masked_scores", np.where(hidden, -mp.inf, x))
        return self.softmax(f"{path}.softmax", x)

    def hidden(self, mask: str) -> Array:
        row, column = np.indices((len(self.tokens),) * 2)
        padding = np.array([token == self.spec.get("padding_token") for token in self.tokens])
        return {"none": column < 0, "causal": column > row, "padding": padding[column]}[mask]

    def softmax(self, path: str, x: Array) -> Array:
        powers = self.record(f"{path}.exp", exp(x))
        return powers / self.record(f"{path}.sum", powers.sum(axis=1, keepdims=True))

    def feed_forward(self, path: str, x: Array, node: Spec) -> Array:
        hidden = self.record(f"{path}.hidden", x @ self.weights(node["w_1"]) + matrix(node["b_1"]))
        active = self.record(f"{path}.activation", np.maximum(hidden, mpf(0)))
        return self.record(f"{path}.output", active @ self.weights(node["w_2"]) + matrix(node["b_2"]))

    def output_head(self, x: Array, node: Spec) -> None:
        logits = self.record("output_head.logits", x @ self.weights(node["w"]) + matrix(node["b"]))
        chances = self.record("output_head.probabilities", self.softmax("output_head.softmax", logits))
        self.record("output_head.prediction", np.array([[mpf(int(row.argmax())), row.max()] for row in chances]))

    def columns(self, path: str) -> list[str]:
        """The labels of a step's columns."""
        last, width = path.rsplit(".", 1)[-1], self.steps[path].shape[1]
        if last == "prediction":
            return ["token", "probability"]
        if width > 1 and path.startswith("output_head"):
            return self.vocabulary
        return labels(self.tokens) if last in BETWEEN_TOKENS else [str(j) for j in range(1, width + 1)]


def sinusoidal(n: int, d: int) -> Array:
    wave = (mp.sin, mp.cos)
    return np.array([[wave[j % 2](pos / mpf(10000) ** (mpf(j - j % 2) / d)) for j in range(d)] for pos in range(n)])


def heads(node: Spec) -> list[Spec]:
    """Each head's own weights; joined ones (in×out only) are cut into equal columns."""
    count = int(node.get("num_heads", 0))
    joined = {w: np.split(np.array(node[w]), count, axis=1) for w in ("w_q", "w_k", "w_v") if count}
    return [{w: joined[w][h].tolist() for w in joined} for h in range(count)] or list(node["heads"])


def values(scenario: str | Path) -> dict[str, list[list[mpf]]]:
    """Every computed step of a scenario; a value with two names stands under both."""
    return {path: step.tolist() for path, step in Forward(load(scenario)).steps.items()}


def resolve(selector: str, steps: dict[str, Array]) -> str:
    """The one step that a selector means; of two names for one value, that of the step that made it."""
    chosen = [selector] if selector in steps else [path for path in steps if matches(selector, path)]
    makers = {next(first for first in steps if steps[first] is steps[path]) for path in chosen}
    if len(makers) != 1:
        raise ValueError(f"{selector} matches {sorted(makers)}")
    return makers.pop()


def matches(selector: str, path: str) -> bool:
    """Whether the selector's words stand in the path in this order, a number with the word before it."""
    wanted, have = (re.findall(r"[^.]*[^.\d][^.]*(?:\.\d+)?", text) for text in (selector, path))
    rest = iter(have)
    return all(any(unit in (word, word.split(".")[0]) for word in rest) for unit in wanted)


def prints(scenario: str | Path) -> Iterator[Print]:
    """Every printed number, in the order of the file."""
    forward = Forward(load(scenario))
    entries = forward.spec.get("published", [])
    if isinstance(entries, dict):
        entries = [{"step": step, "values": rows} for step, rows in entries.items()]
    for entry in entries:
        path, rows = resolve(entry["step"], forward.steps), entry["values"]
        named = rows if isinstance(rows, dict) else dict(zip(labels(forward.tokens), rows, strict=True))
        columns, cells = forward.columns(path), []
        for label, row in named.items():
            whole = zip(columns, row, strict=True) if isinstance(row, list) else [(columns[0], row)]
            cells += [(label, column, text) for column, text in whole if text != "null"]
        longest = max(decimals(text) for *_, text in cells)
        yield from (Print(path, *cell, decimals(cell[2]) or longest) for cell in cells)


def decimals(text: str) -> int:
    return 0 if text == "-.inf" else len(text.partition(".")[2])


def published(scenario: str | Path) -> list[tuple[str, str, str, str]]:
    """(path, row label, column label, text) of every printed number."""
    return [cell[:4] for cell in prints(scenario)]


def is_rounded(cell: Print, exact: mpf) -> bool:
    """Whether the print is the exact value rounded to its decimals; a tie goes away from zero or to even."""
    if mp.isinf(exact):
        return bool(number(cell.text) == exact)
    off, half = abs(number(cell.text) - exact), mpf(10) ** -cell.decimals / 2
    if abs(off - half) > mpf(10) ** -30:
        return bool(off < half)
    return bool(abs(number(cell.text)) > abs(exact) or number(cell.text) * 10**cell.decimals % 2 == 0)


def wrong(scenario: str | Path) -> list[tuple[Print, str]]:
    """Each printed number that is not the exact value correctly rounded, and the right one."""
    forward, found = Forward(load(scenario)), []
    for cell in prints(scenario):
        row, column = labels(forward.tokens).index(cell.row), forward.columns(cell.path).index(cell.column)
        exact = forward.steps[cell.path][row, column]
        word = forward.vocabulary[int(exact)] if cell.path == "output_head.prediction" else ""
        if word != cell.text if word else not is_rounded(cell, exact):
            found.append((cell, word or mp.nstr(exact, 12)))
    return found


def main(scenarios: Iterable[str | Path]) -> None:
    for scenario in scenarios:
        found = wrong(scenario)
        print(f"{Path(scenario).stem}: {len(found)} of {len(published(scenario))} printed numbers are not right")
        for cell, right in found:
            print(f"  {cell.path}[{cell.row}, {cell.column}]: {cell.text} printed, {right} right")


if __name__ == "__main__":
    main(sys.argv[1:] or [SCENARIOS / f"{name}.yaml" for name in SOURCES])
