"""`expected(scenario)`: every value of SPEC §2 by path, by PyTorch in float64, from a scenario as plain data."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from .parts import FLOAT, Spec, Tape, attention, feed_forward, linear, norm, numbers, softmax
from .words import column_ids, ids_of, is_by_id, owner_of

torch.set_num_threads(1)  # the matrices are tiny: more threads only wait for each other


def expected(scenario: Spec) -> dict[str, np.ndarray]:
    """Arrays of two dimensions by path: the steps, and the inputs as they are written in the scenario."""
    tape = Tape(**conventions(scenario))
    with torch.no_grad():
        run(tape, scenario)
    return {path: two_dimensional(value) for path, value in tape.values.items()}


def conventions(scenario: Spec) -> dict[str, Any]:
    """What a tape knows of the whole scenario."""
    return {
        "column": scenario.get("matrix_convention") == "column",
        "shifted": scenario.get("softmax") == "shifted",
        "padding_token": scenario.get("padding_token"),
        "d_k": scenario.get("dimensions", {}).get("d_k"),
    }


def two_dimensional(value: Tensor) -> np.ndarray:
    """A copy as numpy has it; a vector as a matrix of one row."""
    return (value[None] if value.dim() == 1 else value).detach().numpy().copy()


def run(tape: Tape, scenario: Spec) -> None:
    """Puts every value of one pass on the tape."""
    tokens, x = tokens_of(scenario), _sequence(tape, "", scenario, scenario)
    output, owner = x, scenario
    if "attention" in scenario:
        output = attention(tape, "attention", scenario["attention"], x, x, _hides(tape, tokens, tokens, "none"))
    if "encoder" in scenario:
        output = _stack(tape, "encoder", scenario["encoder"], x, tokens, None, None)
    if "decoder" in scenario:
        memory, source = (output, tokens) if "encoder" in scenario else (None, None)
        if memory is not None:
            owner = owner_of(scenario)
            x, tokens = _sequence(tape, "decoder.", scenario["decoder"], owner), tokens_of(owner)
        output = _stack(tape, "decoder", scenario["decoder"], x, tokens, memory, source)
    if "output_head" in scenario and output is not None:
        _output_head(tape, scenario["output_head"], owner, output)


def tokens_of(spec: Spec) -> list[str] | None:
    if "text" in spec:
        return re.findall(r"\w+|[^\w\s]", spec["text"])
    return [str(token) for token in spec["tokens"]] if "tokens" in spec else None


def _sequence(tape: Tape, prefix: str, own: Spec, spec: Spec) -> Tensor | None:
    """From tokens to the input of the first layer; `own` is what the sequence itself says, `spec` with the defaults."""
    tokens = tokens_of(spec)
    if "vocabulary" in spec and tokens is not None:
        ids = torch.tensor([ids_of(spec["vocabulary"])[token] for token in tokens])
        tape(f"{prefix}token_ids", ids.to(FLOAT)[:, None])
    if "embeddings" not in spec or tokens is None:
        return None
    written = spec["embeddings"]
    table = tape.table(written)
    if isinstance(written, dict):
        x = table[[list(written).index(token) for token in tokens]]
    else:
        x = functional.embedding(ids, table) if is_by_id(spec) else table
    if "embeddings" in own and (isinstance(written, dict) or is_by_id(spec)):
        tape(f"{prefix}embeddings", table)
    assert x.shape[0] == len(tokens)
    tape(f"{prefix}token_embedding", x)
    scale = spec.get("embedding_scale", "none")
    if scale != "none":
        x = tape(f"{prefix}scaled_embedding", x * (math.sqrt(x.shape[1]) if scale == "sqrt_d_model" else float(scale)))
    positions = positional(spec.get("positional_encoding", "none"), *x.shape)
    if positions is not None:
        x = x + tape(f"{prefix}positional_encoding", positions)
    if "segment_embedding" in own:
        x = x + tape(f"{prefix}segment_embedding", numbers(own["segment_embedding"]).expand(x.shape))
    if "embedding_norm" in own:
        given = own["embedding_norm"]
        x = norm(tape, f"{prefix}embedding_norm", given, {"epsilon": given.get("epsilon", 1e-12)}, x)
    return tape(f"{prefix}input", x)


def positional(given: Any, rows: int, width: int) -> Tensor | None:
    if given == "none":
        return None
    if isinstance(given, list):
        return numbers(given)[:rows]
    options = given.get("sinusoidal", {}) if isinstance(given, dict) else {}
    layout, degrees = options.get("layout", "interleaved"), options.get("angle") == "degrees"
    half, base = width // 2, float(options.get("base", 10000))
    result = torch.zeros(rows, width, dtype=FLOAT)
    for position in range(rows):
        for pair in range((width + 1) // 2):
            exponent = pair / max(half - 1, 1) if layout == "tensor2tensor" else 2 * pair / width
            angle = position / base**exponent
            angle = math.radians(angle) if degrees else angle
            sine, cosine = (2 * pair, 2 * pair + 1) if layout == "interleaved" else (pair, half + pair)
            if layout == "interleaved" or pair < half:
                result[position, sine] = math.sin(angle)
            if cosine < width and (layout == "interleaved" or pair < half):
                result[position, cosine] = math.cos(angle)
    return result


def _hides(tape: Tape, rows: list[str] | None, columns: list[str] | None, default: str, shape: Any = None) -> Any:
    """From the setting `mask` to the hidden places, n×m, or None without a mask."""

    def hidden(mask: Any) -> Tensor | None:
        mask = default if mask is None else mask
        n, m = shape or (len(rows or []), len(columns or []))
        if mask == "none":
            return None
        if isinstance(mask, list) and isinstance(mask[0], list):
            return torch.tensor(mask) == 0
        kinds, result = [mask] if isinstance(mask, str) else mask, torch.zeros(n, m, dtype=torch.bool)
        if "causal" in kinds:
            result |= torch.ones(n, m, dtype=torch.bool).triu(diagonal=1)
        if "padding" in kinds:
            result |= torch.tensor([token == tape.padding_token for token in columns or []])
        return result

    return hidden


def _stack(tape: Tape, path: str, spec: Spec, x: Any, tokens: Any, memory: Tensor | None, memory_tokens: Any) -> Tensor:
    if "output" in spec:
        return tape(f"{path}.output", numbers(spec["output"]))
    layers = spec["layers"]
    layers = layers if isinstance(layers, list) else [layers["layer"]] * layers["repeat"]
    own_hides = _hides(tape, tokens, tokens, "causal" if path == "decoder" else "none")
    cross_hides = None
    if memory is not None:
        cross_hides = _hides(tape, tokens, memory_tokens, "none", (len(tokens), memory.shape[0]))
    for number, layer in enumerate(layers, 1):
        at = f"{path}.{number}"
        for name, role, part in _parts(path, layer):
            inner = norm_if(tape, spec, layer, f"{at}.norm_{role}", x) if spec.get("norm_order") == "pre" else x
            if name == "feed_forward":
                output = feed_forward(tape, f"{at}.{name}", part, inner)
            else:
                source, hides = (memory, cross_hides) if name == "cross_attention" else (inner, own_hides)
                output = attention(tape, f"{at}.{name}", part, inner, source, hides)
            x = tape(f"{at}.residual_{role}", x + output) if spec.get("residual", True) else output
            if spec.get("norm_order", "post") == "post":
                x = norm_if(tape, spec, layer, f"{at}.norm_{role}", x)
    if "final_norm" in spec or spec.get("norm_order") == "pre":
        x = norm(tape, f"{path}.final_norm", spec.get("final_norm") or {}, spec.get("layer_norm", {}), x)
    return tape(f"{path}.output", x)


def norm_if(tape: Tape, stack: Spec, layer: Spec, path: str, x: Tensor) -> Tensor:
    return norm(tape, path, layer.get(path.rpartition(".")[2]) or {}, stack.get("layer_norm", {}), x)


def _parts(path: str, layer: Spec) -> list[tuple[str, int, Spec]]:
    """The parts that a layer has, with the numbers of their roles."""
    own = layer.get("attention", layer.get("self_attention"))
    parts = [("attention" if path == "encoder" else "self_attention", 1, own)]
    parts.append(("cross_attention", 2, layer.get("cross_attention")))
    parts.append(("feed_forward", 3 if "cross_attention" in layer else 2, layer.get("feed_forward")))
    return [(name, role, part) for name, role, part in parts if part is not None]


def _output_head(tape: Tape, spec: Spec, owner: Spec, x: Tensor) -> None:
    weight = tape.table(owner["embeddings"]).T if spec.get("tied", False) else tape.weight("output_head", spec, "w")
    logits = tape("output_head.logits", linear(x, weight, tape.given("output_head", spec, "b")))
    if float(spec.get("temperature", 1)) != 1:
        logits = tape("output_head.scaled_logits", logits / float(spec["temperature"]))
    probabilities = tape("output_head.probabilities", softmax(tape, "output_head", logits))
    best, column = probabilities.max(dim=1)
    ids = torch.tensor(column_ids(spec, owner, logits.shape[1]), dtype=FLOAT)
    tape("output_head.prediction", torch.stack([ids[column], best], dim=1))
