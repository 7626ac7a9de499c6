"""A scenario at random of one stack whose norms, residuals, attentions and networks are those of today's models."""

from __future__ import annotations

from typing import Any

import numpy as np

WORDS = list("abcde")
D, HEADS, D_K, D_V, D_FF, EXPERTS = 8, 2, 4, 3, 5, 4
NORMS = ("layer", "rms", "rms_plus_one", "dyt")
ACTIVATIONS = ("relu", "gelu", "gelu_tanh", "silu", "sigmoid", "none")

Keys = dict[str, Any]


class Draw:
    """One scenario, as far as its seed decides it."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.key_heads = self.one_of(1, HEADS)
        self.stack = self.one_of("encoder", "decoder")
        self.norm = self.one_of(*NORMS)
        self.order = self.one_of("pre", "post", "none", "branch", "sandwich")
        self.parallel = self.order != "post" and self.one_of(False, True)
        if self.parallel and self.order in ("pre", "sandwich"):
            self.parallel = self.one_of(True, "shared")
        self.has_bias = self.chance(0.3)
        self.has_experts = self.one_of("never", "sometimes", "always")
        self.scores = self.one_of("softmax", "sigmoid", "softmax_of_chosen")

    def one_of(self, *choices: Any) -> Any:
        return choices[int(self.random.integers(len(choices)))]

    def chance(self, of: float = 0.5) -> bool:
        return bool(self.random.random() < of)

    def matrix(self, *shape: int) -> Any:
        return (self.random.normal(size=shape) * 0.7).round(2).tolist()

    def number(self, low: float, high: float) -> float:
        return round(float(self.random.uniform(low, high)), 2)

    def biases(self, **widths: int) -> Keys:
        """Some of these vectors."""
        return {name: self.matrix(width) for name, width in widths.items() if self.chance(0.4)}

    def norm_of(self, width: int, kind: str) -> Keys:
        """The keys of a norm of this kind."""
        keys = {"gamma": self.matrix(width)} if self.chance(0.8) else {}
        if kind in ("layer", "dyt"):
            keys |= self.biases(beta=width)
        if kind == "dyt":
            return keys | ({"alpha": self.number(0.2, 1.2)} if self.chance() else {})
        return keys | ({"epsilon": self.one_of(1e-3, 0.1)} if self.chance(0.3) else {})

    def norm_of_stack(self) -> Keys:
        """One of a stack's norms; some are of another kind than the rest."""
        if self.chance(0.7):
            return self.norm_of(D, self.norm)
        kind = self.one_of(*NORMS)
        return {"norm": kind, **self.norm_of(D, kind)}

    def rotary(self) -> Keys:
        keys: Keys = {"base": self.one_of(10000, 100, 7), "layout": self.one_of("halves", "interleaved")}
        keys |= {"dimensions": 2} if self.chance(0.3) else {}
        yarn = {"factor": self.one_of(4, 8.5), "original_max_position_embeddings": self.one_of(8, 64)}
        yarn |= {"beta_fast": self.one_of(32, 3), "beta_slow": self.one_of(1, 0.5)} if self.chance() else {}
        yarn |= {"truncate": False} if self.chance() else {}
        yarn |= self.one_of({}, {"attention_factor": 1.3}, {"mscale": 0.7, "mscale_all_dim": 1.2})
        return keys | self.one_of({}, {"scaling": {"linear": 2.5}}, {"scaling": {"yarn": yarn}})

    def attention(self) -> Keys:
        wide, narrow = HEADS * D_K, self.key_heads * D_K
        keys: Keys = {"num_heads": HEADS, "num_kv_heads": self.key_heads, "w_o": self.matrix(wide, D)}
        keys |= {f"w_{name}": self.matrix(D, width) for name, width in zip("qkv", (wide, narrow, narrow), strict=True)}
        keys |= self.biases(b_q=wide, b_k=narrow, b_v=narrow, b_o=D)
        keys |= self.one_of({}, {"scale": "none"}, {"scale": self.number(0.5, 3)}, {"scale": {"sqrt": 7}})
        keys |= {"score_cap": self.number(1, 4)} if self.chance(0.4) else {}
        keys |= {"window": self.one_of(2, 3)} if self.chance(0.3) else {}
        keys |= {"sink": [self.number(-2, 2) for _ in range(HEADS)]} if self.chance(0.4) else {}
        keys |= {"rotary": self.rotary()} if self.chance() else {}
        keys |= {"w_gate": self.matrix(D, wide), **self.biases(b_gate=wide)} if self.chance(0.3) else {}
        if not self.has_bias and self.chance(0.3):
            keys["alibi"] = self.one_of(True, [self.number(0, 1) for _ in range(HEADS)])
        for name, count in (("query_norm", HEADS), ("key_norm", self.key_heads)):
            if self.chance(0.4):
                kind, over = self.one_of("rms", "rms_plus_one"), self.one_of("head", "all")
                width = D_K * (count if over == "all" else 1)
                keys[name] = {"norm": kind, "over": over, **self.norm_of(width, kind)}
        return keys

    def linear_attention(self) -> Keys:
        """The gated delta rule."""
        wide, narrow = HEADS * D_V, self.key_heads * D_K
        keys: Keys = {"num_heads": HEADS, "num_key_heads": self.key_heads, "w_o": self.matrix(wide, D)}
        taps = self.one_of(3, len(WORDS) + 1)
        for letter, width in zip("qkv", (narrow, narrow, wide), strict=True):
            keys[f"w_{letter}"] = self.matrix(D, width)
            keys |= {f"conv_{letter}": self.matrix(taps, width)} if self.chance(0.6) else {}
        keys |= {"w_beta": self.matrix(D, HEADS), "activation": self.one_of("silu", "relu", "none")}
        if self.chance(0.7):
            keys |= {"w_alpha": self.matrix(D, HEADS), **self.biases(b_alpha=HEADS, a_log=HEADS)}
        keys |= self.one_of({}, {"epsilon": 0.1}, {"qk_norm": "none"}) | self.one_of({}, {"scale": "none"})
        keys |= self.one_of({}, {"output_norm": {}}, {"output_norm": {"gamma": self.matrix(D_V)}})
        return keys | ({"w_gate": self.matrix(D, wide)} if self.chance() else {})

    def network(self, has_gate: bool) -> Keys:
        keys = {"w_1": self.matrix(D, D_FF), "w_2": self.matrix(D_FF, D), **self.biases(b_1=D_FF, b_2=D)}
        return keys | ({"w_gate": self.matrix(D, D_FF), **self.biases(b_gate=D_FF)} if has_gate else {})

    def feed_forward(self) -> Keys:
        has_gate = self.chance()
        keys: Keys = {"activation": self.one_of(*ACTIVATIONS)}
        if has_gate and self.chance(0.4):
            keys["activation"] = {"clamped_swiglu": {"alpha": self.number(0.8, 2), "limit": self.number(0.5, 2)}}
        if self.has_experts == "never" or (self.has_experts == "sometimes" and self.chance()):
            return keys | self.network(has_gate)
        keys |= {"router": self.router(), "experts": [self.network(has_gate) for _ in range(EXPERTS)]}
        keys |= {"shared": self.network(has_gate)} if self.chance(0.4) else {}
        return keys | ({"w_shared_gate": self.matrix(D, 1)} if "shared" in keys and self.chance() else {})

    def router(self) -> Keys:
        keys = {"w": self.matrix(D, EXPERTS), "top_k": self.one_of(1, 2), "scores": self.scores}
        keys |= self.biases(b=EXPERTS, choice_bias=EXPERTS)
        keys |= {"scale": self.number(0.5, 3)} if self.chance(0.4) else {}
        keys |= self.one_of({"top_k": 3}, {}, {"n_group": 2, "topk_group": self.one_of(1, 2)})
        return keys | ({"normalize": False} if self.scores != "softmax_of_chosen" and self.chance() else {})

    def layer(self, is_linear: bool = False) -> Keys:
        keys = {"self_attention" if self.stack == "decoder" else "attention": self.attention()}
        keys = {"linear_attention": self.linear_attention()} if is_linear else keys
        keys["feed_forward"] = self.feed_forward()
        for number in (1, 2):
            is_shared = number == 2 and self.parallel == "shared"
            if self.order in ("pre", "post", "sandwich") and not is_shared and self.chance(0.8):
                keys[f"norm_{number}"] = self.norm_of_stack()
            if self.order in ("branch", "sandwich") and self.chance(0.8):
                keys[f"branch_norm_{number}"] = self.norm_of_stack()
        return keys

    def layers(self) -> Any:
        """Two layers, or three after one pattern, which differ in their attention."""
        if self.chance(0.7):
            return [self.layer(is_linear=self.stack == "decoder" and self.chance(often)) for often in (0.3, 0.8)]
        near = {"window": 2, "rotary": {"base": 50, "layout": "halves"}, "scale": 1.7}
        far = {"window": "none", "rotary": "none", "score_cap": 3.0}
        part = "self_attention" if self.stack == "decoder" else "attention"
        kinds = {"near": {part: near}, "far": {part: far}}
        return {"repeat": 3, "layer": self.layer(), "pattern": ["near", "near", "far"], "kinds": kinds}

    def scenario(self) -> Keys:
        stack: Keys = {"norm": self.norm, "norm_order": self.order, "parallel": self.parallel, "layers": self.layers()}
        if self.norm != "dyt" and self.chance():
            stack["layer_norm"] = {"epsilon": 0.01}
        stack |= {"residual_scale": self.number(0.2, 2)} if self.chance(0.3) else {}
        if self.has_bias:
            stack["relative_bias"] = {"table": self.matrix(8, HEADS), "buckets": 8, "max_distance": self.one_of(5, 12)}
            stack["relative_bias"] |= {"bidirectional": self.chance()} if self.chance(0.4) else {}
        if self.chance():
            stack["final_norm"] = self.one_of("none", self.norm_of_stack())
        head = {"w": self.matrix(D, len(WORDS)), "vocabulary": WORDS}
        head |= {"logit_cap": self.number(1, 5)} if self.chance(0.4) else {}
        training: Keys = {"targets": [self.one_of(*WORDS) for _ in WORDS]}
        start: Keys = {"title": "drawn", "tokens": WORDS, "embeddings": self.matrix(len(WORDS), D)}
        start |= {"softmax": "shifted"} if self.chance(0.3) else {}
        return {**start, self.stack: stack, "output_head": head, "training": training}
