"""A drawn scenario as a model of PyTorch: what is seen on the way, and the loss."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch

from tests.oracle.today.delta import linear_attention
from tests.oracle.today.draw import WORDS
from tests.oracle.today.parts import ACTIVATIONS, Keys, Tensor, bucket, chosen_of, merged, normed, turned


class Model:
    """One calculation.

    of:   a given matrix, by its path
    seen: what is compared, by path
    """

    def __init__(self, scenario: Keys, of: Callable[[str], Tensor]) -> None:
        self.scenario = scenario
        self.of = of
        self.name = "decoder" if "decoder" in scenario else "encoder"
        self.stack = scenario[self.name]
        self.seen: dict[str, Tensor] = {}

    def loss(self) -> Tensor:
        x = self.of("token_embedding")
        for number, layer in enumerate(self._layers(), 1):
            x = self._layer(x, layer, f"{self.name}.{number}")
        last = self.stack.get("final_norm")
        if last != "none" and (last is not None or self.stack["norm_order"] not in ("post", "none")):
            x = self._norm(x, last or {}, f"{self.name}.final_norm")
        self.seen[f"{self.name}.output"] = x
        logits = self.seen["output_head.logits"] = x @ self.of("output_head.w")
        if (cap := self.scenario["output_head"].get("logit_cap")) is not None:
            logits = self.seen["output_head.capped_logits"] = cap * torch.tanh(logits / cap)
        training = self.scenario["training"]
        targets = torch.tensor([WORDS.index(word) for word in training["targets"]])
        return torch.nn.functional.cross_entropy(logits, targets)

    def _layers(self) -> list[Keys]:
        layers = self.stack["layers"]
        if isinstance(layers, list):
            return layers
        names = [layers["pattern"][at % len(layers["pattern"])] for at in range(layers["repeat"])]
        return [merged(layers["layer"], layers["kinds"][name]) for name in names]

    def _layer(self, x: Tensor, layer: Keys, at: str) -> Tensor:
        order, parallel, scale = (self.stack.get(key, 1) for key in ("norm_order", "parallel", "residual_scale"))

        def norm(x: Tensor, name: str, *orders: str) -> Tensor:
            return self._norm(x, layer.get(name, {}), f"{at}.{name}") if order in orders else x

        read = norm(x, "norm_1", "pre", "sandwich")
        found = norm(self._attended(read, layer, at), "branch_norm_1", "branch", "sandwich")
        between = norm(x + scale * found, "norm_1", "post")
        if parallel != "shared":
            read = norm(x if parallel else between, "norm_2", "pre", "sandwich")
        made = self._feed_forward(read, layer["feed_forward"], f"{at}.feed_forward")
        made = norm(made, "branch_norm_2", "branch", "sandwich")
        x = self.seen[f"{at}.residual_2"] = between + scale * made
        return norm(x, "norm_2", "post")

    def _attended(self, x: Tensor, layer: Keys, at: str) -> Tensor:
        if (linear := layer.get("linear_attention")) is not None:
            names = [name for name in linear if name.startswith(("w_", "b_", "conv_", "a_"))]
            names += [f"output_norm.{name}" for name in linear.get("output_norm", {})]
            return linear_attention({name: self.of(f"{at}.linear_attention.{name}") for name in names}, x, linear)
        part = "self_attention" if self.name == "decoder" else "attention"
        return self._attention(x, layer[part], f"{at}.{part}")

    def _norm(self, x: Tensor, keys: Keys, path: str, kind: str = "") -> Tensor:
        """A norm of the stack, or of queries or keys, which is of this kind."""
        default = 1e-6 if kind else self.stack.get("layer_norm", {}).get("epsilon", 1e-5)
        given = {name: self.of(f"{path}.{name}") for name in ("gamma", "beta", "alpha") if name in keys}
        return normed(x, keys.get("norm", kind or self.stack["norm"]), keys.get("epsilon", default), given)

    def _linear(self, x: Tensor, keys: Keys, path: str, name: str) -> Tensor:
        y = x @ self.of(f"{path}.w_{name}")
        return y + self.of(f"{path}.b_{name}") if f"b_{name}" in keys else y

    def _of_heads(self, x: Tensor, keys: Keys, path: str, names: tuple[str, str], count: int) -> list[Tensor]:
        """The queries, keys or values of each head, normed and turned."""
        letter, name = names
        y = self._linear(x, keys, path, letter)
        norm = keys.get(f"{name}_norm")
        if norm is not None and norm["over"] == "all":
            y = self._norm(y, norm, f"{path}.{name}_norm", "rms")
        heads = list(y.chunk(count, dim=1))
        if norm is not None and norm["over"] == "head":
            heads = [self._norm(head, norm, f"{path}.{name}_norm", "rms") for head in heads]
        return [turned(head, keys["rotary"]) for head in heads] if name != "value" and "rotary" in keys else heads

    def _attention(self, x: Tensor, keys: Keys, path: str) -> Tensor:
        count, shared = keys["num_heads"], keys["num_heads"] // keys["num_kv_heads"]
        queries = self._of_heads(x, keys, path, ("q", "query"), count)
        names, values = (
            self._of_heads(x, keys, path, one, keys["num_kv_heads"]) for one in (("k", "key"), ("v", "value"))
        )
        found = []
        for head in range(count):
            scores = self._scores(queries[head] @ names[head // shared].T, keys, head, queries[head].shape[1])
            if "sink" in keys:
                sink = self.of(f"{path}.head.{head + 1}.sink").reshape(1, 1).expand(len(x), 1)
                scores = torch.cat([scores, sink], dim=1)
            weights = self.seen[f"{path}.head.{head + 1}.weights"] = scores.softmax(-1)[:, : len(x)]
            found.append(weights @ values[head // shared])
        heads = torch.cat(found, dim=1)
        heads = heads * self._linear(x, keys, path, "gate").sigmoid() if "w_gate" in keys else heads
        return self._linear(heads, keys, path, "o")

    def _scores(self, scores: Tensor, keys: Keys, head: int, d_k: int) -> Tensor:
        """Scaled, capped, with what distances add, and masked."""
        scale = keys.get("scale", {"sqrt": d_k})
        if scale != "none":
            scores = scores / (math.sqrt(scale["sqrt"]) if isinstance(scale, dict) else scale)
        if (cap := keys.get("score_cap")) is not None:
            scores = cap * torch.tanh(scores / cap)
        far = torch.arange(len(scores)) - torch.arange(len(scores))[:, None]
        if (slopes := keys.get("alibi")) is not None:
            slope = 2.0 ** (-8 * (head + 1) / keys["num_heads"]) if slopes is True else slopes[head]
            scores = scores - slope * far.abs()
        if (bias := self.stack.get("relative_bias")) is not None:
            both = bias.get("bidirectional", self.name == "encoder")
            rows = far.clone().apply_(lambda one: bucket(int(one), both, bias["buckets"], bias["max_distance"]))
            scores = scores + self.of(f"{self.name}.relative_bias.table")[rows][..., head]
        hidden = far.abs() >= keys.get("window", len(scores))
        return scores.masked_fill(hidden | (far > 0) if self.name == "decoder" else hidden, -math.inf)

    def _feed_forward(self, x: Tensor, keys: Keys, path: str) -> Tensor:
        activation = keys["activation"]
        if "experts" not in keys:
            return self._network(x, keys, path, activation)
        weights = self.seen[f"{path}.router.weights"] = self._router(x, keys["router"], f"{path}.router")
        made = [self._network(x, one, f"{path}.expert.{at}", activation) for at, one in enumerate(keys["experts"], 1)]
        y = torch.einsum("ne,end->nd", weights, torch.stack(made))
        if "shared" not in keys:
            return y
        share = (x @ self.of(f"{path}.w_shared_gate")).sigmoid() if "w_shared_gate" in keys else 1
        return y + share * self._network(x, keys["shared"], f"{path}.shared", activation)

    def _router(self, x: Tensor, router: Keys, path: str) -> Tensor:
        logits = x @ self.of(f"{path}.w") + (self.of(f"{path}.b") if "b" in router else 0)
        scale = router.get("scale", 1)
        if router["scores"] == "softmax_of_chosen":
            return logits.masked_fill(chosen_of(logits, router) == 0, -math.inf).softmax(-1) * scale
        scores = logits.softmax(-1) if router["scores"] == "softmax" else logits.sigmoid()
        kept = scores * chosen_of(scores, router)
        return (kept / kept.sum(-1, keepdim=True) if router.get("normalize", True) else kept) * scale

    def _network(self, x: Tensor, keys: Keys, path: str, activation: str | Keys) -> Tensor:
        hidden = self._linear(x, keys, path, "1")
        if isinstance(activation, dict):
            alpha, limit = activation["clamped_swiglu"].values()
            gate = self._linear(x, keys, path, "gate").clamp(max=limit)
            hidden = gate * torch.sigmoid(alpha * gate) * (hidden.clamp(-limit, limit) + 1)
        elif "w_gate" in keys:
            hidden = ACTIVATIONS[activation](self._linear(x, keys, path, "gate")) * hidden
        else:
            hidden = ACTIVATIONS[activation](hidden)
        return self._linear(hidden, keys, path, "2")
