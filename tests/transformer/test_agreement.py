"""The program against the independent oracle of tests/oracle: every path of stored and of freshly drawn scenarios.

Forward passes, and trainings with PyTorch's autograd and SGD: loss, every gradient, every update.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.cli.program import run
from tests.examples import some
from tests.oracle.compare import MOST_SENSITIVE, difference, gradient_difference, sensitivity, unexpected

ORACLE = Path(__file__).parents[1] / "oracle"
STORED = sorted((ORACLE / "stored").glob("*.yaml"))
STORED_TRAINING = sorted((ORACLE / "stored_training").glob("*.yaml"))
KINDS = ["encoder", "decoder_only", "encoder_decoder", "attention"]
WITH_EVERY_OPTION = {
    *("attention_01", "attention_05", "attention_09", "attention_11", "attention_12", "decoder_only_02"),
    *("decoder_only_05", "encoder_02", "encoder_04", "encoder_08", "encoder_10"),
    *("encoder_decoder_01", "encoder_decoder_04", "encoder_decoder_06", "encoder_decoder_08"),
}
"""Stored scenarios that have, together, each feature of tests/oracle/features.py; the others are slow."""
STORED_CASES = [
    pytest.param(
        path, id=f"{path.parent.name}-{path.stem}", marks=() if path.stem in WITH_EVERY_OPTION else pytest.mark.slow
    )
    for path in (*STORED, *STORED_TRAINING)
]
OWN = {"scaled", "through"}
"""Words in the paths of shares, which PyTorch does not show one by one."""
Arrays = Mapping[str, np.ndarray]


def differences(path: Path, wanted: Arrays, sensitive: Mapping[str, float]) -> list[str]:
    """What is wrong, path by path: numbers, paths that are missing, gradients and updates of what has none."""
    trace = wt.trace(wt.load_scenario(path))
    largest = max((np.abs(array).max() for path, array in wanted.items() if is_kind(path, "gradient")), default=0.0)
    found: list[str | None] = [f"{name} is missing" for name in wanted if name not in trace]
    found += [f"{name} should not be" for name in surplus(trace, wanted)]
    for name in wanted.keys() & dict(trace.items()).keys():
        given = trace[name].array, wanted[name], name, sensitive.get(name, 100)
        is_gradient = is_kind(name, "gradient")
        found.append(gradient_difference(*given, float(largest)) if is_gradient else difference(*given))
    return [text for text in found if text]


def is_kind(path: str, kind: str) -> bool:
    return f".{kind}." in f".{path}"


def surplus(trace: wt.Trace, wanted: Arrays) -> list[str]:
    """Gradients and updates that PyTorch does not have, under none of their names."""
    return [
        value.path
        for value in trace
        if (is_kind(value.path, "gradient") or is_kind(value.path, "update"))
        and not OWN & set(value.path.split("."))
        and not any(name in wanted for name in (value.path, *value.also))
        and not value.path.endswith("embedding_sum")
    ]


def stored_arrays(path: Path) -> dict[str, np.ndarray]:
    with np.load(path.with_suffix(".npz")) as arrays:
        return dict(arrays)


@pytest.mark.parametrize("path", STORED_CASES)
def test_stored(path: Path) -> None:
    """Well conditioned all of them: 1e-12, and no PyTorch needed."""
    found = differences(path, stored_arrays(path), {})
    assert not found, "\n".join(found)


@pytest.mark.parametrize("path", STORED[::13], ids=lambda path: path.stem)
def test_exported_steps(path: Path, tmp_path: Path) -> None:
    """npz holds every path under all its names, and none of a part that the scenario does not have."""
    target = tmp_path / "out.npz"
    run("export", str(path), "-o", str(target)).check_returncode()
    wanted = stored_arrays(path)
    with np.load(target) as arrays:
        assert wanted.keys() <= set(arrays), sorted(wanted.keys() - set(arrays))
        assert not unexpected(arrays, wanted)


def agrees(path: Path, strategy: Any, expected: Callable[[Any], Arrays], count: int) -> None:
    """So many drawn scenarios that prove something have the numbers that are expected of them."""
    hypothesis = pytest.importorskip("hypothesis")
    from tests.oracle.yaml_text import as_yaml

    checks = hypothesis.HealthCheck

    @hypothesis.settings(
        max_examples=count,
        deadline=None,
        database=None,
        suppress_health_check=[checks.too_slow, checks.filter_too_much, checks.data_too_large],
    )
    @hypothesis.given(strategy)
    def each(scenario: dict[str, Any] | None) -> None:
        hypothesis.assume(scenario is not None)
        wanted = expected(scenario)
        sensitive = sensitivity(expected, scenario, wanted)
        hypothesis.assume(max(sensitive.values()) < MOST_SENSITIVE)
        path.write_text(as_yaml(scenario or {}), encoding="utf-8")
        found = differences(path, wanted, sensitive)
        assert not found, "\n".join([*found, path.read_text(encoding="utf-8")])

    each()


@pytest.mark.torch
@pytest.mark.parametrize("kind", KINDS)
def test_drawn(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from tests.oracle.reference import expected
    from tests.oracle.scenarios import scenario_strategy

    agrees(tmp_path / "drawn.yaml", scenario_strategy(kind), expected, some(20, 60))


@pytest.mark.torch
@pytest.mark.parametrize("kind", KINDS)
def test_drawn_trainings(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from tests.oracle import training_scenarios as scenarios
    from tests.oracle.training import trained

    strategy = scenarios.training_strategy(kind).filter(
        lambda scenario: scenario is not None and scenarios.settle(scenario, trained(scenario))
    )
    agrees(tmp_path / "drawn.yaml", strategy, trained, some(15, 60))
