"""The widths of joined weights: all heads side by side, which share them evenly as PyTorch has it."""

from __future__ import annotations

from walkthrough.recording.axes import Axis
from walkthrough.scenario.resolved import count_of, kv_count_of
from walkthrough.scenario.schema.keys import Attention
from walkthrough.transformer.calculation import Calculation, Stream
from walkthrough.transformer.shapes.claims import Claims


def shares_of(
    calculation: Calculation, claims: Claims, attention: Attention, queries: Stream, keys: Stream
) -> dict[str, Axis]:
    """The widths of one head's queries, keys and values in joined weights; what these say of the width of all."""
    if attention.has("heads"):
        return {letter: Axis(letter) for letter in "qkv"}
    counts = {"q": count_of(attention), "k": kv_count_of(attention), "v": kv_count_of(attention)}
    all_heads = _all_heads(calculation, counts)
    _claim(calculation, claims, attention, "q", queries.width, all_heads["q"])
    _tell(all_heads["q"], all_heads["k"], counts["q"], counts["k"])
    for letter in "kv":
        _claim(calculation, claims, attention, letter, keys.width, all_heads[letter])
    _tell(all_heads["k"], all_heads["q"], counts["k"], counts["q"])
    for letter in "qk":
        calculation.settle(getattr(attention, f"w_{letter}"), all_heads["q"], queries.width)
    _tell(all_heads["q"], all_heads["k"], counts["q"], counts["k"])
    calculation.settle(attention.w_v, all_heads["v"], all_heads["k"])
    _note_uneven(claims, attention, all_heads, counts)
    d_k = _share("d_k", all_heads["q"], counts["q"])
    return {"q": d_k, "k": d_k, "v": _share("d_v", all_heads["v"], counts["v"])}


def _all_heads(calculation: Calculation, counts: dict[str, int]) -> dict[str, Axis]:
    """The axes of all heads side by side; queries and keys have one, unless heads share keys."""
    dimensions, of_keys = calculation.spec.dimensions, "heads" if counts["k"] == counts["q"] else "kv_heads"
    d_k, d_v = (dimensions.d_k, dimensions.d_v) if dimensions else (None, None)
    queries, values = _side_by_side("heads", "d_k", counts["q"], d_k), _side_by_side(of_keys, "d_v", counts["v"], d_v)
    keys = queries if of_keys == "heads" else _side_by_side(of_keys, "d_k", counts["k"], d_k)
    return {"q": queries, "k": keys, "v": values}


def _side_by_side(heads: str, symbol: str, count: int, width: int | None) -> Axis:
    return Axis(f"({heads}·{symbol})" if count > 1 else symbol, width * count if width else None)


def _tell(known: Axis, other: Axis, count: int, other_count: int) -> None:
    """The width of one head says that of other ones of the same width."""
    if known.size is not None and known.size % count == 0:
        other.settle(known.size // count * other_count)


def _note_uneven(claims: Claims, attention: Attention, all_heads: dict[str, Axis], counts: dict[str, int]) -> None:
    for letter in "qv":
        axis, name, count = all_heads[letter], f"w_{letter}", counts[letter]
        if (axis.size or 0) % count:
            message = f"{name} is {axis} wide, which {count} heads cannot share evenly"
            claims.problems.add(attention.at(name), message, key=attention.key_of(name))
            return


def _claim(
    calculation: Calculation, claims: Claims, attention: Attention, letter: str, width: Axis, axis: Axis
) -> None:
    from walkthrough.transformer.model.projections import B_Q, W_Q

    weight, bias = getattr(attention, f"w_{letter}"), getattr(attention, f"b_{letter}")
    if weight is not None:
        claims.claim(weight, W_Q, *((axis, width) if calculation.out_in else (width, axis)))
    if bias is not None:
        claims.claim(bias, B_Q, Axis("1", 1), axis, is_vector=True)


def _share(symbol: str, total: Axis, count: int) -> Axis:
    """The even share of one head, where there is one."""
    return Axis(symbol, total.size // count if total.size is not None and total.size % count == 0 else None)
