"""Training against PyTorch's autograd and SGD (tests/oracle/training.py): loss, every gradient, every update."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import walkthrough as wt
from tests.examples import some
from tests.oracle.compare import MOST_SENSITIVE, difference, gradient_difference, sensitivity

STORED = sorted((Path(__file__).parents[1] / "oracle" / "stored_training").glob("*.yaml"))
DRAWN = some(15, 60)
OWN = {"scaled", "through"}
"""Words in the paths of shares, which PyTorch does not show one by one."""


def differences(trace: wt.Trace, wanted: Mapping[str, np.ndarray], sensitive: Mapping[str, float]) -> list[str]:
    """What is wrong, path by path: numbers, paths that are missing, gradients and updates of what has none."""
    largest = max(float(np.abs(array).max()) for path, array in wanted.items() if is_kind(path, "gradient"))
    found = [f"{path} is missing" for path in wanted if path not in trace]
    found += [f"{path} should not be" for path in surplus(trace, wanted)]
    for path, array in wanted.items():
        if path not in trace:
            continue
        own, moved = trace[path].array, sensitive.get(path, 100)
        text = (
            gradient_difference(own, array, path, moved, largest)
            if is_kind(path, "gradient")
            else difference(own, array, path, moved)
        )
        found += [text] if text else []
    return found


def is_kind(path: str, kind: str) -> bool:
    return f".{kind}." in f".{path}"


def surplus(trace: wt.Trace, wanted: Mapping[str, np.ndarray]) -> list[str]:
    """Gradients and updates that PyTorch does not have, under none of their names."""
    return [
        value.path
        for value in trace
        if (is_kind(value.path, "gradient") or is_kind(value.path, "update"))
        and not OWN & set(value.path.split("."))
        and not any(name in wanted for name in (value.path, *value.also))
        and not value.path.endswith("embedding_sum")
    ]


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_stored(path: Path) -> None:
    """Well conditioned all of them, and no PyTorch needed."""
    with np.load(path.with_suffix(".npz")) as arrays:
        found = differences(wt.trace(wt.load_scenario(path)), dict(arrays), {})
    assert not found, "\n".join(found)


@pytest.mark.torch
@pytest.mark.parametrize("kind", ["encoder", "decoder_only", "encoder_decoder", "attention"])
def test_drawn(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    hypothesis = pytest.importorskip("hypothesis")
    from tests.oracle import training_scenarios as scenarios
    from tests.oracle.scenarios import as_yaml
    from tests.oracle.training import trained

    path = tmp_path / "drawn.yaml"
    checks = hypothesis.HealthCheck

    @hypothesis.settings(
        max_examples=DRAWN,
        deadline=None,
        database=None,
        suppress_health_check=[checks.too_slow, checks.filter_too_much, checks.data_too_large],
    )
    @hypothesis.given(scenarios.training_strategy(kind))
    def agrees(scenario: dict | None) -> None:
        hypothesis.assume(scenario is not None)
        hypothesis.assume(scenarios.settle(scenario, trained(scenario)))
        wanted = trained(scenario)
        sensitive = sensitivity(trained, scenario, wanted)
        hypothesis.assume(max(sensitive.values()) < MOST_SENSITIVE)
        path.write_text(as_yaml(scenario), encoding="utf-8")
        found = differences(wt.trace(wt.load_scenario(path)), wanted, sensitive)
        assert not found, "\n".join([*found, path.read_text(encoding="utf-8")])

    agrees()


@pytest.mark.torch
@pytest.mark.parametrize("kind", ["encoder", "decoder_only", "encoder_decoder"])
def test_a_model_trained_here_has_the_same_loss_in_pytorch(kind: str) -> None:
    """Three steps here; PyTorch, given the weights that they end with, calculates the loss of the fourth."""
    pytest.importorskip("torch")
    from tests.oracle import training_scenarios as scenarios
    from tests.oracle.scenarios import as_yaml
    from tests.oracle.training import evaluated, trained

    compared = 0
    for seed in range(1000, 1100):
        scenario = scenarios.seeded_training(kind, seed)
        if scenario is None or not scenarios.settle(scenario, trained(scenario)):
            continue
        scenario["training"] |= {"steps": 4, "update": "all", "learning_rate": 0.05}
        trace = wt.trace(wt.parse_scenario(as_yaml(scenario)))
        parameters = {path: trace[f"train.4.{path}"].array for path in trained_paths(trace)}
        loss = float(trace["training"].array[3, 0])
        assert loss == pytest.approx(evaluated(scenario, parameters), rel=1e-9)
        compared += 1
        if compared == 5:
            return
    pytest.fail("too few scenarios to compare")


def trained_paths(trace: wt.Trace) -> list[str]:
    names = [name for value in trace for name in (value.path, *value.also)]
    return [name.removeprefix("train.3.update.") for name in names if name.startswith("train.3.update.")]
