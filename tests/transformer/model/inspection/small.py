"""A small GPT in plain numpy, with every choice that the last sum depends on; nothing is taken from the package."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray
Patch = Callable[[str, Array], Array]
WORDS = ("a", "b", "c", "d", "e")
WIDTH, HEADS, INSIDE, HIDDEN, LAYERS = 4, 2, 3, 5, 2
EPSILON = 1e-5


class Choices(NamedTuple):
    """What is drawn of a model."""

    order: str = "pre"
    norm: str = "layer"
    column: bool = False
    has_w_o: bool = True
    parallel: bool = False
    tied: bool = False
    is_plain: bool = False
    seed: int = 1


def keep(path: str, array: Array) -> Array:
    return array


class Small:
    """A model with random weights: as a scenario, and calculated."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.random = np.random.default_rng(choices.seed)
        self.value_width = INSIDE if choices.has_w_o else WIDTH // HEADS
        self.tokens = [WORDS[at] for at in self.random.integers(0, len(WORDS), 4)]
        self.embeddings, self.positions = self.draw(len(WORDS), WIDTH), self.draw(4, WIDTH)
        self.layers = [self.layer() for _ in range(LAYERS)]
        self.final = self.norm() if choices.order not in ("post", "none") else None
        self.w = self.embeddings.T if choices.tied else self.draw(WIDTH, len(WORDS))
        self.b = None if choices.is_plain else self.draw(1, len(WORDS))

    def draw(self, rows: int, columns: int) -> Array:
        return self.random.normal(scale=0.6, size=(rows, columns)).round(3)

    def norm(self) -> dict[str, Array]:
        if self.choices.is_plain:
            return {}
        both = ("gamma", "beta") if self.choices.norm == "layer" else ("gamma",)
        return {name: self.draw(1, WIDTH) for name in both}

    def layer(self) -> dict[str, Any]:
        heads = [
            {
                "w_q": self.draw(WIDTH, INSIDE),
                "w_k": self.draw(WIDTH, INSIDE),
                "w_v": self.draw(WIDTH, self.value_width),
            }
            for _ in range(HEADS)
        ]
        made: dict[str, Any] = {"heads": heads, "w_1": self.draw(WIDTH, HIDDEN), "w_2": self.draw(HIDDEN, WIDTH)}
        if self.choices.has_w_o:
            made["w_o"] = self.draw(HEADS * self.value_width, WIDTH)
        if self.choices.has_w_o and not self.choices.is_plain:
            made["b_o"] = self.draw(1, WIDTH)
        for number in (1, 2):
            for name in ("norm", "branch_norm"):
                made[f"{name}_{number}"] = self.norm()
        return made

    # as a scenario

    def spec(self) -> dict[str, Any]:
        """The scenario as plain data."""
        choices = self.choices
        before = choices.order in ("pre", "sandwich", "post")
        after = choices.order in ("branch", "sandwich")
        decoder: dict[str, Any] = {"norm_order": choices.order, "norm": choices.norm, "layers": []}
        if choices.parallel:
            decoder["parallel"] = True
        for layer in self.layers:
            attention: dict[str, Any] = {"heads": [self._weights(head) for head in layer["heads"]]}
            attention |= self._weights({key: layer[key] for key in ("w_o", "b_o") if key in layer})
            feed_forward = {"activation": "relu"} | self._weights({key: layer[key] for key in ("w_1", "w_2")})
            written = {"self_attention": attention, "feed_forward": feed_forward}
            for number in (1, 2):
                for name, is_there in (("norm", before), ("branch_norm", after)):
                    given = layer[f"{name}_{number}"]
                    if is_there and given:
                        written[f"{name}_{number}"] = {key: vector[0].tolist() for key, vector in given.items()}
            decoder["layers"].append(written)
        if self.final:
            decoder["final_norm"] = {key: vector[0].tolist() for key, vector in self.final.items()}
        head: dict[str, Any] = {"tied": True} if choices.tied else self._weights({"w": self.w})
        if self.b is not None:
            head["b"] = self.b[0].tolist()
        return {
            "title": "drawn",
            "matrix_convention": "column" if choices.column else "row",
            "tokens": self.tokens,
            "vocabulary": list(WORDS),
            "embeddings": self.embeddings.tolist(),
            "positional_encoding": self.positions.tolist(),
            "decoder": decoder,
            "output_head": head,
        }

    def yaml(self, **more: Any) -> str:
        """The scenario as YAML, which JSON is."""
        return json.dumps(self.spec() | more)

    def _weights(self, given: dict[str, Array]) -> dict[str, Any]:
        def written(name: str, matrix: Array) -> Any:
            if name.startswith("b"):
                return matrix[0].tolist()
            return (matrix.T if self.choices.column else matrix).tolist()

        return {name: written(name, matrix) for name, matrix in given.items()}

    # calculated

    def normed(self, x: Array, given: dict[str, Array]) -> Array:
        gamma, beta = given.get("gamma", 1.0), given.get("beta", 0.0)
        if self.choices.norm == "layer":
            x = x - x.mean(axis=1, keepdims=True)
        scaled = x / np.sqrt((x**2).mean(axis=1, keepdims=True) + EPSILON)
        if self.choices.norm == "rms_plus_one" and given:
            return scaled * (1 + np.asarray(gamma))
        return scaled * gamma + beta

    def attention(self, at: str, layer: dict[str, Any], x: Array, patch: Patch) -> Array:
        outputs = []
        for number, head in enumerate(layer["heads"], 1):
            scores = (x @ head["w_q"]) @ (x @ head["w_k"]).T / np.sqrt(INSIDE)
            scores = np.where(np.tri(len(x)) == 1, scores, -np.inf)
            power = np.exp(scores - scores.max(axis=1, keepdims=True))
            weights = patch(f"{at}.head.{number}.weights", power / power.sum(axis=1, keepdims=True))
            outputs.append(patch(f"{at}.head.{number}.output", weights @ (x @ head["w_v"])))
        found = np.hstack(outputs)
        return found @ layer["w_o"] + layer.get("b_o", 0) if self.choices.has_w_o else found

    def run(self, patch: Patch = keep) -> dict[str, Array]:
        """The states of the stack by path, the logits, the probabilities."""
        order, at = self.choices.order, "decoder"
        x = self.embeddings[[WORDS.index(word) for word in self.tokens]] + self.positions[: len(self.tokens)]
        states = {"input": x}
        for number, layer in enumerate(self.layers, 1):

            def part(kind: int, x: Array, layer: dict[str, Any] = layer, at: str = f"{at}.{number}") -> Array:
                read = self.normed(x, layer[f"norm_{kind}"]) if order in ("pre", "sandwich") else x
                if kind == 1:
                    y = patch(f"{at}.self_attention.output", self.attention(f"{at}.self_attention", layer, read, patch))
                else:
                    hidden = np.maximum(read @ layer["w_1"], 0) @ layer["w_2"]
                    y = patch(f"{at}.feed_forward.output", hidden)
                return self.normed(y, layer[f"branch_norm_{kind}"]) if order in ("branch", "sandwich") else y

            if self.choices.parallel:
                x = states[f"decoder.{number}.residual_2"] = x + part(1, x) + part(2, x)
                continue
            for kind in (1, 2):
                x = patch(f"decoder.{number}.residual_{kind}", x + part(kind, x))
                if order == "post":
                    x = states[f"decoder.{number}.norm_{kind}.output"] = self.normed(x, layer[f"norm_{kind}"])
                else:
                    states[f"decoder.{number}.residual_{kind}"] = x
        return states | {"logits": self.logits(x)}

    def logits(self, x: Array) -> Array:
        """What the output head makes of a state, as of the last one."""
        read = x if self.final is None else self.normed(x, self.final)
        logits: Array = read @ self.w
        return logits if self.b is None else logits + self.b
