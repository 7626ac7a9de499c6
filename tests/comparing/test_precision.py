"""The precision of a comparison is that of the tensors themselves: as coarse as they are, and no coarser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from walkthrough.comparing import noise

torch = pytest.importorskip("torch")

from tests.comparing.matching.own_modules import SMALL, Small, captured, drawn, saved  # noqa: E402
from tests.comparing.planted.modules import planted  # noqa: E402
from tests.comparing.planted.scenarios import made  # noqa: E402

pytestmark = pytest.mark.torch


def with_epsilon(model: Any, epsilon: float) -> Any:
    """Every norm but the last one has another epsilon."""
    for stage in model.stages:
        stage.first.eps = stage.then.eps = epsilon
    return model


@pytest.mark.usefixtures("no_causes")
@pytest.mark.parametrize("epsilon", [1e-6, 1.1e-5, 1e-12])
def test_in_float64_another_epsilon_shows_in_the_logits_alone(epsilon: float, tmp_path: Path) -> None:
    model = drawn(Small(output="logits"))
    path = saved(model, SMALL, tmp_path)
    right = captured(model)["output"]
    assert wt.compare(path, {"logits": right}).ok
    wrong = captured(with_epsilon(model, epsilon))["output"]
    assert 1e-9 < np.abs(wrong - right).max() < 1e-3
    found = wt.compare(path, {"logits": wrong})
    assert found.first is not None
    rounded = wt.compare(path, {"logits": right.astype(np.float32).astype(np.float64)})
    assert rounded.first is None
    assert "off by no more than rounding to float32 explains" in str(rounded)


@pytest.mark.usefixtures("no_causes")
def test_a_layout_with_tables_in_float32_may_be_a_little_off_and_that_is_said(tmp_path: Path) -> None:
    """Llama's modules by transformers' names: its angles and norms are float32 there, whatever the type."""
    model, path, ids = made("llama", tmp_path)
    logits = captured(model, *ids)["output"]
    largest = np.abs(logits).max(axis=-1, keepdims=True)
    little = wt.compare(path, {"logits": logits + 1e-6 * largest})
    assert little.first is None
    assert "transformers keeps tables in float32" in " ".join(str(little).split())
    assert wt.compare(path, {"logits": logits + 4e-6 * largest}).first is not None


@pytest.mark.parametrize("kind", ["bfloat16", "float16"])
@pytest.mark.parametrize("family", ["llama", "gpt2", "bert"])
def test_a_model_of_few_bits_is_compared_step_by_step_in_its_format(family: str, kind: str, tmp_path: Path) -> None:
    model, path, ids = made(family, tmp_path)
    model = model.to(getattr(torch, kind))
    for given in (path, wt.trace(wt.load_scenario(path))):
        found = wt.compare(given, captured(model, *ids))
        assert found.first is None, found


@pytest.mark.usefixtures("no_causes")
@pytest.mark.parametrize("family", ["llama", "qwen3", "gpt2"])
def test_in_few_bits_the_output_alone_may_be_as_far_off_as_its_own_roundings_carry_it(
    family: str, tmp_path: Path
) -> None:
    model, path, ids = made(family, tmp_path, torch.float16)

    def of_output() -> wt.Comparison:
        return wt.compare(path, {"output": captured(model, *ids)["output"]})

    assert of_output().ok, of_output()
    assert "Rounding to float16 may change output_head.logits by" in str(of_output())
    assert "Rounding to" not in str(wt.compare(path, {"output": captured(model.float(), *ids)["output"]}))
    planted(model.half(), "first residual twice")
    assert not of_output().ok
    assert "Rounding to" not in str(of_output())


def in_few_bits(kind: str, folder: Path, seed: int = 0, times: float = 1) -> tuple[Any, Path]:
    """A model with large scores, and its scenario."""
    model = drawn(Small(output="logits"), seed)
    with torch.no_grad():
        for stage in model.stages:
            stage.mix.into.weight *= times
    path = saved(model.to(getattr(torch, kind)).double(), SMALL, folder)
    return model.to(getattr(torch, kind)), path


def of_output(model: Any, path: Path) -> wt.Comparison:
    return wt.compare(path, {"logits": captured(model)["output"]})


@pytest.mark.usefixtures("no_causes")
@pytest.mark.parametrize(("kind", "times"), [("bfloat16", 6), ("float16", 3)])
def test_scores_whose_exponentials_a_format_does_not_hold_hide_nothing(kind: str, times: float, tmp_path: Path) -> None:
    model, path = in_few_bits(kind, tmp_path, times=times)
    assert np.abs(captured(model)["stages.0.mix.raw"]).max() > np.log(torch.finfo(getattr(torch, kind)).max)
    assert of_output(model, path).ok, of_output(model, path)
    for stage in model.stages:
        stage.bug = "no residual"
    assert not of_output(model, path).ok


@pytest.mark.usefixtures("no_causes")
@pytest.mark.parametrize(("seed", "times"), [(3, 3), (1, 4)])
def test_how_far_roundings_carry_the_output_is_told_by_several(seed: int, times: float, tmp_path: Path) -> None:
    """Of large scores a softmax makes much of the last bit; one rounding alone may fall well."""
    model, path = in_few_bits("bfloat16", tmp_path, seed, times)
    assert of_output(model, path).ok, of_output(model, path)
    for stage in model.stages:
        stage.bug = "no residual"
    assert not of_output(model, path).ok


@pytest.mark.usefixtures("no_causes")
@pytest.mark.parametrize("kind", ["bfloat16", "float16"])
def test_another_base_is_found_in_few_bits(kind: str, tmp_path: Path) -> None:
    model, path, ids = made("llama", tmp_path)
    model = planted(model.to(getattr(torch, kind)), "rotary base 1000")
    first = wt.compare(path, captured(model, *ids)).first
    assert first is not None
    assert first.value.path.startswith("decoder.1.self_attention.head.")


@pytest.mark.parametrize(
    ("epsilon", "said"),
    [
        (0.0, "epsilon is missing, or at most 1e-08"),
        (1e-12, "epsilon is missing, or at most 1e-08"),
        (1e-6, "epsilon is 1e-06"),
        (1e-4, "epsilon ≈ 0.0001 instead of 1e-05"),
    ],
)
def test_in_float32_of_an_epsilon_is_said_what_the_numbers_tell(epsilon: float, said: str, tmp_path: Path) -> None:
    model = drawn(Small(output="logits")).float()
    path = saved(model, SMALL, tmp_path)
    (fault,) = wt.compare(path, captured(with_epsilon(model, epsilon))).faults
    assert (fault.cause or "").startswith(said)


def test_in_float32_what_is_lost_of_large_scores_is_no_difference(tmp_path: Path) -> None:
    """A softmax turns the last digits of scores near -3000 into a share of each weight."""
    model = drawn(Small(output="logits")).float()
    for stage in model.stages:
        stage.mix.into.bias.data[:6], stage.mix.into.bias.data[6:12] = -40, 40
    path = saved(model, SMALL, tmp_path)
    right = captured(model)
    given = [name for name in right if not name.endswith(("raw", "softly"))]
    assert wt.assert_same(path, {name: right[name] for name in given}).ok
    for stage in model.stages:
        stage.mix.bug = "divided by √d_model"
    wrong = captured(model)
    assert str(wt.compare(path, {name: wrong[name] for name in given}).cause).startswith("divided by √6")


@pytest.mark.usefixtures("no_causes")
def test_other_roundings_of_scores_are_drawn_once_for_a_step_that_differs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    drawn_for: list[str] = []

    def draw(value: Any, *rest: Any) -> Any:
        drawn_for.append(value.path)
        return 0.0

    monkeypatch.setattr(noise, "_drawn", draw)
    model, path, ids = made("llama", tmp_path)
    name = "model.layers.0.self_attn"
    given = {name: 1.5 * captured(model, *ids)[name]}
    assert wt.compare(path, given).first is not None
    assert drawn_for == ["decoder.1.self_attention.output"]
