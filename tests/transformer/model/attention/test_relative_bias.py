"""T5's relative positions: buckets as transformers has them, a table for all layers, its gradient, what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.transformer.model.test_modern import D, X, drawn, refused, same, traced
from walkthrough.operations.positions.relative import Buckets

torch: Any = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

ATTENTION = {"num_heads": 2, **{f"w_{letter}": drawn(D, 4) for letter in "qkv"}, "w_o": drawn(4, D)}
BIAS = {"table": drawn(6, 2), "buckets": 6, "max_distance": 4}


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(("count", "most"), [(32, 128), (8, 20), (6, 7), (5, 9), (4, 3), (16, 16)])
def test_buckets_are_those_of_transformers(count: int, most: int, bidirectional: bool, monkeypatch: Any) -> None:
    t5 = pytest.importorskip("transformers.models.t5.modeling_t5")
    offsets = torch.arange(-200, 201)
    monkeypatch.setattr(torch.Tensor, "float", lambda x: x.double() * (1 + 1e-13))  # its floor without float's error
    wanted = t5.T5Attention._relative_position_bucket(offsets, bidirectional, count, most)
    buckets = Buckets(count, most, bidirectional)
    assert [buckets.of(int(offset)) for offset in offsets] == wanted.tolist()


def test_an_attention_by_itself_and_an_encoder_look_both_ways() -> None:
    alone = traced(embeddings=X.tolist(), attention={**ATTENTION, "relative_bias": BIAS})
    stack = {"norm_order": "none", "relative_bias": BIAS, "layers": [{"attention": ATTENTION}]}
    encoder = traced(embeddings=X.tolist(), encoder=stack)
    wanted = [[Buckets(6, 4, True).of(j - i) for j in range(4)] for i in range(4)]
    same(alone["attention.relative_bias.bucket"].array, wanted)
    same(encoder["encoder.relative_bias.bucket"].array, wanted)
    same(alone["attention.output"].array, encoder["encoder.1.attention.output"].array)


def test_later_passes_go_on_counting() -> None:
    words = ["a", "b", "c", "d"]
    keys = {
        "vocabulary": words,
        "embeddings": X.tolist(),
        "decoder": {"norm_order": "none", "relative_bias": BIAS, "layers": [{"attention": ATTENTION}]},
        "output_head": {"tied": True},
    }
    with_cache, without = (traced(**keys, generate={"max_tokens": 3, "cache": cache}) for cache in (True, False))
    for number in (2, 3):
        path = f"generate.{number}.decoder.1.self_attention.head.2.weights"
        same(with_cache[path].array, without[path].array[-1:])


@pytest.mark.parametrize(
    ("spec", "attention", "said"),
    [
        ({**BIAS, "table": drawn(6, 3)}, {}, "table is 6×3, expected buckets×heads = 6×2"),
        ({**BIAS, "table": drawn(5, 2)}, {}, "table is 5×2, expected buckets×heads = 6×2"),
        ({**BIAS, "buckets": 3, "table": drawn(3, 2)}, {}, "buckets is 3, too few"),
        ({**BIAS, "buckets": 16, "table": drawn(16, 2)}, {}, "max_distance is 4, expected more than 4"),
        ({"buckets": 6}, {}, "table is missing"),
        (BIAS, {"mask": "causal", "mask_first": True}, "relative_bias cannot be combined with mask_first"),
        (BIAS, {"relative_bias": BIAS}, "relative_bias belongs to the stack"),
    ],
)
def test_what_is_refused(spec: dict[str, Any], attention: dict[str, Any], said: str) -> None:
    layer = {"attention": {**ATTENTION, **attention}}
    assert said in refused(embeddings=X.tolist(), encoder={"relative_bias": spec, "layers": [layer]})


def test_not_in_cross_attention() -> None:
    layer = {"cross_attention": {**ATTENTION, "relative_bias": BIAS}}
    decoder = {"tokens": ["x"], "embeddings": drawn(1, D), "layers": [layer]}
    said = refused(embeddings=X.tolist(), encoder={"layers": [{"attention": ATTENTION}]}, decoder=decoder)
    assert "relative positions are only for self-attention" in said


def test_the_table_is_looked_up_not_multiplied_so_its_way_round_never_changes() -> None:
    heads, spec = [{"q": drawn(4, 2), "k": drawn(4, 2)}], {**BIAS, "table": drawn(6, 1)}
    row, column = (
        traced(embeddings=X.tolist(), matrix_convention=way, attention={"heads": heads, "relative_bias": spec})
        for way in ("row", "column")
    )
    same(row["attention.head.1.weights"].array, column["attention.head.1.weights"].array)
