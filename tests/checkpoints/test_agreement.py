"""`new --from`: the scenario of a checkpoint, unedited, computes what transformers computes of it, as stored."""

from __future__ import annotations

from pathlib import Path

import pytest

import walkthrough as wt
from tests.checkpoints.stored_outputs import assert_same, outputs, shapes
from tests.checkpoints.variants import IDS, VARIANTS, Variant, write_folder
from walkthrough.checkpoints import Prompt, compose


@pytest.mark.parametrize("variant", VARIANTS, ids=[variant.name for variant in VARIANTS])
def test_a_checkpoint_of_each_kind(variant: Variant, tmp_path: Path) -> None:
    write_folder(tmp_path / "model", variant, shapes()[variant.name])
    composed = compose(tmp_path / "model", Prompt(ids=",".join(map(str, IDS))), "model")
    path = tmp_path / "scenario.yaml"
    path.write_text(composed.text, encoding="utf-8")
    assert_same(wt.trace(wt.load_scenario(path)), outputs()[variant.name])
