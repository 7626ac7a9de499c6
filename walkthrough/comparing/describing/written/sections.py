"""The keys of one attention, feed-forward network or norm, and what is to be asked about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from walkthrough.comparing.describing.followed.known import Known, Normed, Product, product_of
from walkthrough.comparing.describing.followed.parts import Attended, Guessed, Opened
from walkthrough.comparing.describing.guesses.attention import Found
from walkthrough.comparing.describing.guesses.norms import Norm
from walkthrough.comparing.describing.guesses.pieces import Columns, Piece
from walkthrough.comparing.describing.written.wiring import Part
from walkthrough.records import Record

Keys = dict[str, Any]

_NOT_TOLD = {
    "num_heads": "How many heads there are between {of} cannot be told from this run; {heads} is a guess.",
    "mask": "Whether each token sees only those before it between {of} cannot be told from this run; try more tokens.",
    "rotary": "Whether there are rotary positions or ALiBi between {of} cannot be told from this run; try more tokens.",
    "base": "How queries and keys are rotated between {of} cannot be told from this run; {rotary} is a guess.",
    "scale": "What the scores are divided by between {of} cannot be told from this run; try more tokens.",
}


_NORMED = {"q": "query", "k": "key", "v": "value"}


class Section(Record, eq=False):
    """Some keys, and the questions about them: of each the path of its line, and a sentence."""

    keys: Keys
    asked: tuple[tuple[tuple[str, ...], str], ...] = ()


def section_of(part: Part, is_decoder: bool) -> Section:
    """The keys of a part; is_decoder: its mask is causal where nothing is said."""
    inside = part.inside
    if isinstance(inside, Attended):
        return _attention(inside, part.output, is_decoder)
    if isinstance(inside, Opened):
        return _feed_forward(inside, part.output)
    return _guessed(inside, part)


def _attention(inside: Attended, output: Known, is_decoder: bool) -> Section:
    found: Found = inside.found
    what = found.what
    keys: Keys = {} if len(inside.pieces) > 3 else {"num_heads": what.heads}
    if what.kv_heads != what.heads:
        keys["num_kv_heads"] = what.kv_heads
    if what.is_causal != is_decoder or "mask" in found.open:
        keys["mask"] = "causal" if what.is_causal else "none"
    if what.divisor or "scale" in found.open:
        keys["scale"] = _scale(what.divisor)
    if what.alibi:
        keys["alibi"] = True
    if what.cap:
        keys["score_cap"] = what.cap
    if what.window:
        keys["window"] = what.window
    if what.rotary is not None:
        base = int(what.rotary.base) if what.rotary.base.is_integer() else what.rotary.base
        keys["rotary"] = {"base": base, "layout": what.rotary.layout}
        width = inside.pieces[0].numbers.shape[1] // what.heads
        keys["rotary"] |= {"dimensions": what.rotary.width} if what.rotary.width != width else {}
    if len(inside.pieces) > 3:
        heads = range(0, len(inside.pieces), 3)
        keys["heads"] = [_queries_keys_values(inside, inside.pieces[at : at + 3]) for at in heads]
    else:
        keys |= _queries_keys_values(inside, inside.pieces)
    is_joined = isinstance(output.made, Product)
    keys |= linear_keys("w_o", output) if is_joined else {}
    of = names_of([*inside.products, *([output] if is_joined else [])])
    return Section(keys, tuple(_not_told(found, of)))


def _not_told(found: Found, of: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """What is asked about an attention."""
    rotary = found.what.rotary
    for part in found.open:
        line, about = (part,), part
        if part == "rotary":
            line, about = (("rotary",), "base") if rotary else (("num_heads",), "rotary")
        words = {"rotary": f"base {rotary.base:g}, layout {rotary.layout}"} if rotary else {}
        yield line, _NOT_TOLD[about].format(of=of, heads=found.what.heads, **words)


def _queries_keys_values(inside: Attended, pieces: Sequence[Piece]) -> Keys:
    """Their weights and biases, and their norms."""
    keys: Keys = {}
    for letter, piece in zip("qkv", pieces, strict=True):
        keys |= _normed_keys(letter, inside.products[piece.at], piece.columns)
    return keys


def _normed_keys(letter: str, product: Known, columns: Columns | None = None) -> Keys:
    """The keys of a weight of queries, keys or values, and of a norm behind it."""
    norm = {f"{_NORMED[letter]}_norm": _head_norm_keys(product.made)} if isinstance(product.made, Normed) else {}
    return {**norm, **linear_keys(f"w_{letter}", product_of(product), columns)}


def _head_norm_keys(normed: Normed) -> Keys:
    """The keys of a norm of queries or keys, of which an RMS norm is the usual one."""
    norm = normed.norm
    kind = norm.settings.get("norm", "layer")
    settings = {key: one for key, one in norm.settings.items() if key != "norm"}
    named = {**({"norm": kind} if kind != "rms" else {}), **({"over": "all"} if not normed.of_heads else {})}
    return {**named, **settings, **{key: {"tensor": name} for key, name in norm.parameters.items()}}


def _scale(divisor: float) -> Any:
    if not divisor:
        return "sqrt_d_k"
    if divisor == 1:
        return "none"
    square = divisor * divisor
    return {"sqrt": round(square)} if abs(square - round(square)) < 1e-9 * square else divisor


def _feed_forward(inside: Opened, output: Known) -> Section:
    made = inside.activated
    keys: Keys = {"activation": made.activation}
    if made.gate is not None:
        keys |= linear_keys("w_gate", inside.products[made.gate.at], made.gate.columns)
    keys |= linear_keys("w_1", inside.products[made.hidden.at], made.hidden.columns)
    keys |= linear_keys("w_2", output)
    names = names_of([*inside.products, output])
    sentence = f"Which activation is between {names} cannot be told from this run; {made.activation} is a guess."
    return Section(keys, ((("activation",), sentence),) if made.is_open else ())


def _guessed(inside: Guessed, part: Part) -> Section:
    """What is likely of modules between which no guess gives the numbers."""
    names = names_of([*inside.products, part.output])
    if not part.is_attention:
        letters = ("w_1",) if len(inside.products) == 1 else ("w_gate", "w_1")
        keys: Keys = {"activation": "relu"}
        for letter, one in zip(letters, inside.products[-2:], strict=True):
            keys |= linear_keys(letter, one)
        keys |= linear_keys("w_2", part.output)
        sentence = f"What is between {names} is no activation or gate that is known here; relu is a guess."
        return Section(keys, ((("activation",), sentence),))
    keys = {"num_heads": 1}
    products, width = inside.products, part.output.made.source.numbers.shape[1]
    if len(products) == 1:
        for at, letter in enumerate("qkv"):
            keys |= linear_keys(f"w_{letter}", products[0], (range(at * width, (at + 1) * width),))
    else:
        for letter, one in zip("qkv", products[-3:], strict=True):
            keys |= _normed_keys(letter, one)
    keys |= linear_keys("w_o", part.output)
    sentence = f"What is between {names} was not found: no heads, mask, scale or rotary positions give these numbers."
    return Section(keys, ((("num_heads",), sentence),))


def linear_keys(key: str, product: Known, columns: Columns | None = None) -> Keys:
    """The keys of a weight and its bias, of all columns of what the module returns or of some."""
    linear = product_of(product).made.linear
    weight: Keys = {"tensor": linear.weight}
    ranges = [_range(one) for one in columns or ()]
    part = ranges[0] if len(ranges) == 1 else ranges
    if ranges:
        weight["columns" if linear.is_in_out else "rows"] = part
    keys = {key: weight | ({"transpose": True} if linear.is_in_out else {})}
    if linear.bias:
        keys[f"b{key[1:]}"] = {"tensor": linear.bias} | ({"columns": part} if ranges else {})
    return keys


def _range(columns: range) -> list[int]:
    """Columns counted from 1, the last one included; a step where there is one."""
    ends = [columns.start + 1, columns[-1] + 1]
    return [*ends, columns.step] if columns.step > 1 else ends


def norm_keys(norm: Norm) -> Keys:
    """The keys of a norm."""
    return {**norm.settings, **{key: {"tensor": name} for key, name in norm.parameters.items()}}


def names_of(products: Sequence[Known]) -> str:
    """The names of linear modules: "h.0.fc and h.0.proj"."""
    *names, last = dict.fromkeys(one.made.name for one in products)
    return f"{', '.join(names)} and {last}" if names else str(last)
