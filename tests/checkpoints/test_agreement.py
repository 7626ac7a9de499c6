"""`new --from`: the scenario of a checkpoint, unedited, computes what transformers computes of it, as stored."""

from __future__ import annotations

from pathlib import Path

import pytest
from safetensors.numpy import load_file

import walkthrough as wt
from tests.checkpoints.stored_outputs import assert_same, outputs, shapes
from tests.checkpoints.variants import BY_NAME, IDS, VARIANTS, Variant, write_folder
from tests.examples import slow
from walkthrough.checkpoints import Prompt, compose


@pytest.mark.parametrize("variant", VARIANTS, ids=[variant.name for variant in VARIANTS])
def test_a_checkpoint_of_each_kind(variant: Variant, tmp_path: Path) -> None:
    write_folder(tmp_path / "model", variant, shapes()[variant.name])
    composed = compose(tmp_path / "model", Prompt(ids=",".join(map(str, IDS))), "model")
    path = tmp_path / "scenario.yaml"
    path.write_text(composed.text, encoding="utf-8")
    assert_same(wt.trace(wt.load_scenario(path)), outputs()[variant.name])


PACKED = ["gpt2-plain", "phi3-plain", "gpt_neox-plain", "gpt_neox-early", "mixtral-stacked", "mixtral-apart"]


@pytest.mark.parametrize(
    "name",
    [
        *PACKED,
        "gpt_oss-plain",
        "deepseek_v3-plain",
        *map(slow, ("qwen3_moe-plain", "deepseek_v3-wide", "gemma2-plain", "olmo2-plain")),
    ],
)
def test_its_own_weights_beside_it_are_the_same(name: str, tmp_path: Path) -> None:
    """Several matrices in one tensor are taken apart as the scenario takes them, and no name is left over."""
    write_folder(tmp_path, BY_NAME[name], shapes()[name])
    path = tmp_path / "scenario.yaml"
    path.write_text(compose(tmp_path, Prompt(ids="5,2,7"), ".").text, encoding="utf-8")
    found = wt.compare(path, load_file(tmp_path / "model.safetensors"))
    assert found.first is None, found
    assert not found.not_compared
    assert found.summary["same"] == len(found.steps) > 25
