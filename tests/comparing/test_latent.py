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
        (divided_by_the_content_alone, "self_attention.head.1.weights", "divided by √3"),
        (without_a_norm, "self_attention.latent.kv_norm.output", "the norm is missing"),
        (from_any_group, "feed_forward.output", "router.grouped_scores"),
        (without_the_factor, "feed_forward.output", "the factor 2.5 of the weights is missing"),
    ],
)
def test_a_planted_mistake_is_named(
    change: Change, path: str, cause: str, theirs: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, sizes = LATER["deepseek_v3"]
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
    assert found.first.theirs.value.path == f"decoder.2.{path}"
    assert cause in str(found)
