"""Training against PyTorch's autograd and SGD (tests/oracle/training.py): loss, every gradient, every update."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import walkthrough as wt
from tests.oracle.compare import MOST_SENSITIVE, difference, gradient_difference, sensitivity

STORED = sorted((Path(__file__).parent / "oracle" / "stored_training").glob("*.yaml"))
DRAWN = 60
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
