"""A DeepSeek-V3 of transformers with a mistake planted in it: latent attention and groups are compared and named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import walkthrough as wt
from tests.comparing.test_libraries import IDS, LATER, drawn
from walkthrough.checkpoints import Prompt, compose

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

Change = Callable[[Any, pytest.MonkeyPatch], None]


@pytest.fixture(scope="module")
def theirs() -> Any:
    pytest.importorskip("transformers")
    from transformers.models.deepseek_v3 import modeling_deepseek_v3

    return modeling_deepseek_v3


class _Torch:
    """Keys and values are cut in the other order."""

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)

    def split(self, x: Any, sizes: Any, dim: int) -> Any:
        parts = torch.split(x, sizes, dim=dim)
        return parts[::-1] if list(sizes) == [3, 3] else parts


def cut_in_the_other_order(module: Any, patch: pytest.MonkeyPatch) -> None:
    patch.setattr("transformers.models.deepseek_v3.modeling_deepseek_v3.torch", _Torch())


def paired_otherwise(module: Any, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(module.self_attn.config, "rope_interleave", False)


def divided_by_the_content_alone(module: Any, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(module.self_attn, "scaling", 3**-0.5)


def without_a_norm(module: Any, patch: pytest.MonkeyPatch) -> None:
    module.self_attn.kv_a_layernorm = torch.nn.Identity()


def from_any_group(module: Any, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(module.mlp.gate, "topk_group", 2)


def without_the_factor(module: Any, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(module.mlp.gate, "routed_scaling_factor", 1.0)


@pytest.mark.parametrize(
    ("change", "path", "cause"),
    [
        (divided_by_the_content_alone, "2.self_attention.head.1.weights", "divided by √3"),
        (cut_in_the_other_order, "1.self_attention.head.1.weights", "keys and values are swapped"),
        (paired_otherwise, "1.self_attention.head.1.weights", "the rotary layout is halves"),
        (without_a_norm, "2.self_attention.latent.kv_norm.output", "the norm is missing"),
        (from_any_group, "2.feed_forward.output", "router.grouped_scores"),
        (without_the_factor, "2.feed_forward.output", "the factor 2.5 of the weights is missing"),
    ],
)
def test_a_planted_mistake_is_named(
    change: Change, path: str, cause: str, theirs: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, sizes = LATER["deepseek_v3"]
    sizes = {**sizes, "qk_rope_head_dim": 4, "v_head_dim": 3}  # keys and values alike, and pairs that can be mixed up
    config = theirs.DeepseekV3Config(**sizes, experts_implementation="eager")
    model = drawn(theirs.DeepseekV3ForCausalLM(config)).double()
    model.save_pretrained(tmp_path)
    mine = tmp_path / "mine.yaml"
    mine.write_text(compose(tmp_path, Prompt(ids=",".join(map(str, IDS))), ".").text, encoding="utf-8")
    change(model.model.layers[1], monkeypatch)
    with torch.no_grad(), wt.capture(model) as tensors:
        model(torch.tensor([IDS]), use_cache=False)
    found = wt.compare(mine, tensors)
    assert found.first is not None
    assert found.first.theirs.value.path == f"decoder.{path}"
    assert cause in str(found)
