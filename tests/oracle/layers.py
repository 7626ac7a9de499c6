"""Random attentions, layers, encoders and decoders."""

from __future__ import annotations

from typing import Any

from .draws import Draw
from .sequences import gain

Spec = dict[str, Any]
ACTIVATION_NAMES = ["relu", "gelu", "gelu_tanh", "silu", "sigmoid", "none"]
MASK_VALUES = [float("-inf"), -1e9, -10000.0, -5.0]


class Place:
    """Where an attention stands: its streams' sizes, the width it must come out with (None: any), what it may hide."""

    def __init__(self, rows: int, columns: int, widths: tuple[int, int], out: int | None, padding: bool) -> None:
        self.rows, self.columns, self.widths, self.out, self.padding = rows, columns, widths, out, padding
        self.square = rows == columns


STYLES = ["usual", "joined", "separate", "separate", "given", "usual", "joined", "output"]


def attention(draw: Draw, place: Place, crossing: bool = False, usual: bool = False) -> tuple[Spec, int]:
    """An attention and the width of its output; `usual` as nn.MultiheadAttention has it."""
    style = "usual" if usual else draw.pick(STYLES)
    count = draw.pick([heads for heads in (1, 2, 3) if not usual or place.widths[0] % heads == 0])
    if style == "usual" and place.widths[0] % count == 0:
        spec, width = joined(draw, place, count, place.widths[0] // count, place.widths[0] // count)
    elif style == "output":
        width = place.out or draw.integer(1, 6)
        return {"output": draw.matrix(place.rows, width)}, width
    elif style in ("usual", "joined"):
        d_v = place.widths[0] // count if place.widths[0] % count == 0 else draw.integer(1, 4)
        spec, width = joined(draw, place, count, draw.integer(1, 4), d_v)
    else:
        spec, width = separate(draw, place, count, style == "given")
    regular = style == "usual" and "num_heads" in spec
    if regular or place.out not in (None, width) or draw.chance(50):
        out = place.widths[0] if regular and place.out is None else place.out or draw.integer(1, 6)
        spec["w_o"], width = draw.weight(width, out), out
        draw.sometimes(spec, "b_o", 60, lambda: draw.vector(out))
    if not usual and (not regular or draw.chance(20)):
        draw.setting(spec, "scale", ["sqrt_d_k", "none", 2.0, 8], 40)
    mask(draw, place, spec, crossing)
    return spec, width


def joined(draw: Draw, place: Place, count: int, d_k: int, d_v: int) -> tuple[Spec, int]:
    return {"num_heads": count} | projections(draw, place, count * d_k, count * d_v, "qkv"), count * d_v


def projections(draw: Draw, place: Place, d_k: int, d_v: int, letters: str) -> Spec:
    spec: Spec = {}
    inputs, outputs = {"q": place.widths[0], "k": place.widths[1], "v": place.widths[1]}, {"q": d_k, "k": d_k, "v": d_v}
    biases = draw.pick(["none", "all", "some"])
    for letter in letters:
        spec[f"w_{letter}"] = draw.weight(inputs[letter], outputs[letter])
        if biases == "all" or (biases == "some" and draw.chance(50)):
            spec[f"b_{letter}"] = draw.vector(outputs[letter])
    return spec


def separate(draw: Draw, place: Place, count: int, given: bool) -> tuple[Spec, int]:
    heads, total = [], 0
    whole = place.out is not None and place.out >= count and draw.chance(50)  # so that no w_o is needed
    for number in range(count):
        left = (place.out or 0) - total
        most = min(4, left - (count - 1 - number)) if whole else 4
        d_v = left if whole and number == count - 1 else draw.integer(1, most)
        heads.append(given_head(draw, place, d_v) if given else head(draw, place, d_v))
        total += d_v
    return {"heads": heads}, total


def head(draw: Draw, place: Place, d_v: int) -> Spec:
    spec = projections(draw, place, draw.integer(1, 4), d_v, "qkv")
    draw.setting(spec, "scale", ["sqrt_d_k", "none", 3.0], 20)
    return spec


def given_head(draw: Draw, place: Place, d_v: int) -> Spec:
    """Some of query, key, value, scores and weights as numbers; the rest, where it is needed, by its weights."""
    kind, d_k = draw.pick(["q", "k", "v", "qk", "qkv", "scores", "weights"]), draw.integer(1, 4)
    rows = {"q": place.rows, "k": place.columns, "v": place.columns}
    if kind not in ("scores", "weights"):
        spec = {letter: draw.matrix(rows[letter], d_v if letter == "v" else d_k) for letter in kind}
        return spec | projections(draw, place, d_k, d_v, "".join(letter for letter in "qkv" if letter not in kind))
    if kind == "scores":
        spec = {"scores": draw.matrix(place.rows, place.columns), "d_k": d_k}
        draw.setting(spec, "scale", ["sqrt_d_k", "none", 3.0], 20)
    else:
        spec = {"weights": [[abs(number) for number in row] for row in draw.matrix(place.rows, place.columns)]}
    if draw.chance(50):
        return spec | projections(draw, place, d_k, d_v, "v")
    return spec | {"v": draw.matrix(place.columns, d_v)}


def mask(draw: Draw, place: Place, spec: Spec, crossing: bool) -> None:
    kinds: list[Any] = ["none", "matrix"] + ([] if crossing else ["causal"])
    if place.padding:
        kinds += ["padding"] * 2 + ([] if crossing else [["causal", "padding"]] * 2)
    if draw.chance(60):
        kind = draw.pick(kinds)
        spec["mask"] = visible(draw, place) if kind == "matrix" else kind
    draw.setting(spec, "mask_value", MASK_VALUES, 40)
    draw.setting(spec, "mask_first", [True, False], 30)


def visible(draw: Draw, place: Place) -> list[list[int]]:
    """Zeros and ones, at least a one in each row."""
    rows = [[int(number > 0) for number in row] for row in draw.matrix(place.rows, place.columns)]
    return [row if any(row) else [1, *row[1:]] for row in rows]


def feed_forward(draw: Draw, rows: int, width: int, out: int | None, usual: bool) -> tuple[Spec, int]:
    d_ff, out = draw.integer(1, 8), out or draw.integer(1, 6)
    if not usual and draw.chance(10):
        return {"output": draw.matrix(rows, out)}, out
    spec = {"w_1": draw.weight(width, d_ff), "w_2": draw.weight(d_ff, out)}
    draw.sometimes(spec, "b_1", 50, lambda: draw.vector(d_ff))
    draw.sometimes(spec, "b_2", 50, lambda: draw.vector(out))
    draw.setting(spec, "activation", ACTIVATION_NAMES, 80)
    return spec, out


def stack(draw: Draw, rows: int, width: int, padding: bool, memory: tuple[int, int, bool] | None, decoder: bool) -> Any:
    """An encoder, or a decoder (`memory`: rows, width, padding of the encoder's output); with the output's width.

    The `usual` ones are those that PyTorch's own layers can repeat.
    """
    spec: Spec = {}
    usual = draw.chance(30)
    draw.setting(spec, "norm_order", ["pre", "post", *["none"] * (not usual)], 70)
    draw.setting(spec, "residual", [True, *[False, False] * (not usual)], 40)
    order, narrowest, layers = spec.get("norm_order", "post"), width, []
    residual = spec.get("residual", True)
    repeat = residual and draw.chance(10)
    for _ in range(1 if repeat else draw.pick([1, 2, 1, 3])):
        layer: Spec = {}
        for name, role in parts(draw, memory is not None, decoder, usual):
            before, out = width, width if residual else None
            if name == "feed_forward":
                layer[name], width = feed_forward(draw, rows, width, out, usual)
            elif name == "cross_attention":
                place = Place(rows, memory[0], (width, memory[1]), out, memory[2])
                layer[name], width = attention(draw, place, crossing=True, usual=usual)
            else:
                layer[name], width = attention(draw, Place(rows, rows, (width, width), out, padding), usual=usual)
            normed = before if order == "pre" else width
            narrowest = min(narrowest, normed)
            if order != "none":
                draw.sometimes(layer, f"norm_{role}", 60, lambda wide=normed: gain(draw, wide))
        layers.append({key: value for key, value in layer.items() if value != {}})
    spec["layers"] = {"repeat": draw.integer(1, 3), "layer": layers[0]} if repeat else layers
    if order != "none" and draw.chance(40):
        spec["final_norm"] = gain(draw, width) or {"beta": draw.vector(width)}
    if order != "none":
        draw.sometimes(spec, "layer_norm", 60, lambda: layer_norm(draw, min(narrowest, width), usual))
    return {key: value for key, value in spec.items() if value != {}}, width


def parts(draw: Draw, crossing: bool, decoder: bool, usual: bool) -> list[tuple[str, int]]:
    """The parts a layer has, one of them at least, with the numbers of their roles."""
    own = "self_attention" if decoder else draw.pick(["attention", "attention", "self_attention"])
    cross = crossing and not draw.chance(20)
    found = [(own, 1)] + [("cross_attention", 2)] * cross + [("feed_forward", 3 if cross else 2)]
    if usual or not draw.chance(30):
        return found
    left_out = draw.pick(found)
    if left_out[0] == "cross_attention":
        return [(own, 1), ("feed_forward", 2)]
    return [part for part in found if part != left_out]


def layer_norm(draw: Draw, narrowest: int, usual: bool) -> Spec:
    spec: Spec = {}
    draw.setting(spec, "epsilon", [1e-5, 1e-12, 0.1, 0] if narrowest > 1 else [0.1, 1e-5], 70)
    if usual:
        return spec
    draw.setting(spec, "variance", ["population", "sample", "sample"] if narrowest > 1 else ["population"])
    draw.setting(spec, "epsilon_in", ["variance", "std", "std"])
    return spec
