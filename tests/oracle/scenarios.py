"""Random scenarios as plain data, of four kinds, drawn by hypothesis or from a seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .draws import Draw, drawn, seeded
from .layers import Place, Spec, attention, stack
from .sequences import output_head, positional, sequence, token_list
from .yaml_text import as_yaml

__all__ = ["KINDS", "as_yaml", "scenario_strategy", "seeded_scenario"]


def _top(draw: Draw, kind: str) -> Spec:
    spec: Spec = {"title": f"drawn: {kind}"}
    if draw.column or draw.chance(20):
        spec["matrix_convention"] = "column" if draw.column else "row"
    draw.setting(spec, "softmax", ["shifted", "plain"], 40)
    return spec


def _width(draw: Draw) -> int:
    return int(draw.pick([4, 6, 2, 3, 8, 1, 5, 7]))


def encoder(draw: Draw) -> Spec:
    width, padding = _width(draw), draw.chance(40)
    spec = _top(draw, "encoder") | sequence(draw, width, padding)
    draw.sometimes(spec, "dimensions", 20, lambda: {"d_model": width})
    spec["encoder"], width = stack(draw, len(token_list(spec)), width, padding, None, decoder=False)
    draw.sometimes(spec, "output_head", 40, lambda: output_head(draw, width, spec))
    return spec


def decoder_only(draw: Draw) -> Spec:
    width, padding = _width(draw), draw.chance(40)
    spec = _top(draw, "decoder only") | sequence(draw, width, padding)
    spec["decoder"], width = stack(draw, len(token_list(spec)), width, padding, None, decoder=True)
    draw.sometimes(spec, "output_head", 70, lambda: output_head(draw, width, spec))
    return spec


def encoder_decoder(draw: Draw) -> Spec:
    """The decoder has a sequence of its own, and tables of its own or those of the top level."""
    width, padding = _width(draw), draw.chance(40)
    spec = _top(draw, "encoder and decoder")
    own = sequence(draw, width, padding)
    if draw.chance(20):
        rows, source_padding = draw.integer(1, 5), False
        memory_width = draw.pick([width, draw.integer(1, 6)])
        if draw.chance(50):
            spec["tokens"] = [f"word {number}" for number in range(rows)]
        spec["encoder"] = {"output": draw.matrix(rows, memory_width)}
    else:
        spec |= sequence(draw, width, padding, tables=False)
        rows, source_padding = len(token_list(spec)), padding
        spec["encoder"], memory_width = stack(draw, rows, width, padding, None, decoder=False)
        _inherit(draw, spec, own, width)
    if padding:
        spec["padding_token"] = own.pop("padding_token")
    target = len(token_list(own))
    memory = (rows, memory_width, source_padding)
    made, out = stack(draw, target, width, padding, memory, decoder=True)
    spec["decoder"] = own | made
    inherited = {key: spec[key] for key in ("vocabulary", "embeddings") if key in spec}
    draw.sometimes(spec, "output_head", 70, lambda: output_head(draw, out, inherited | own))
    return spec


def _inherit(draw: Draw, spec: Spec, own: Spec, width: int) -> None:
    """Leave settings of the decoder's sequence to the top level: the table with its words, the scale, the positions."""
    rows = len(token_list(own))
    if draw.chance(50):
        own.pop("vocabulary", None)
        del own["embeddings"]
        unknown = [word for word in token_list(own) if word not in _words(spec)]
        if unknown:
            own.pop("text", None)
            own["tokens"] = [draw.pick(_words(spec)) for _ in range(rows)]
    elif "vocabulary" not in own and "vocabulary" in spec:
        own["vocabulary"] = list(own["embeddings"]) if isinstance(own["embeddings"], dict) else _named(own)
    if draw.chance(50):
        own.pop("positional_encoding", None)
        longest = max(rows, len(token_list(spec)))
        if isinstance(spec.get("positional_encoding"), list):
            spec["positional_encoding"] = draw.matrix(longest, width)
    elif "positional_encoding" not in own:
        own["positional_encoding"] = positional(draw, width, rows)
    if draw.chance(50):
        own.pop("embedding_scale", None)
    elif "embedding_scale" not in own:
        own["embedding_scale"] = "none"


def _words(spec: Spec) -> list[str]:
    words = spec["vocabulary"] if "vocabulary" in spec else spec["embeddings"]
    return [word for word in words if word != spec.get("padding_token")]


def _named(own: Spec) -> dict[str, int]:
    """Ids so high that rows by position stay rows by position."""
    return {word: 1000 + number for number, word in enumerate(dict.fromkeys(token_list(own)))}


def attention_alone(draw: Draw) -> Spec:
    """The top-level key `attention`, or an output head straight after the embeddings."""
    width, padding = _width(draw), draw.chance(40)
    spec = _top(draw, "attention") | sequence(draw, width, padding)
    rows = len(token_list(spec))
    if draw.chance(10):
        spec["output_head"] = output_head(draw, width, spec)
        return spec
    if draw.chance(20):
        return {key: spec[key] for key in spec if key in KEPT} | {"attention": _given(draw, rows, padding)}
    spec["attention"], out = attention(draw, Place(rows, rows, (width, width), None, padding))
    draw.sometimes(spec, "output_head", 40, lambda: output_head(draw, out, spec))
    return spec


KEPT = ("title", "softmax", "matrix_convention", "tokens", "text", "padding_token")


def _given(draw: Draw, rows: int, padding: bool) -> Spec:
    """Heads wholly in numbers, without embeddings: large scores that e^x overflows on, unknown ones, no value."""
    spec, _ = attention(draw, Place(rows, rows, (1, 1), None, padding))
    spec = {key: spec[key] for key in ("mask", "mask_value", "mask_first") if key in spec}
    large, unknown, valued = draw.chance(40), draw.chance(30), draw.chance(50)
    heads = []
    for _ in range(draw.integer(1, 2)):
        scores = [[number * 1000 if large else number for number in row] for row in draw.matrix(rows, rows)]
        if unknown:
            scores[draw.integer(0, rows - 1)][draw.integer(0, rows - 1)] = None  # type: ignore[call-overload]
        values = {"v": draw.matrix(rows, 2)} if valued else {}
        both = {letter: draw.matrix(rows, 2) for letter in "qk"}
        kinds: list[Spec] = [{"scores": scores, "scale": "none"}, both]
        heads.append(draw.pick(kinds) | values)
    return {"heads": heads} | spec


KINDS: dict[str, Callable[[Draw], Spec]] = {
    "encoder": encoder,
    "decoder_only": decoder_only,
    "encoder_decoder": encoder_decoder,
    "attention": attention_alone,
}


def seeded_scenario(kind: str, seed: int) -> Spec:
    return KINDS[kind](seeded(seed))


def scenario_strategy(kind: str) -> Any:
    from hypothesis import strategies

    @strategies.composite
    def scenario(draw: Callable[[Any], Any]) -> Spec:
        return KINDS[kind](drawn(draw))

    return scenario()
