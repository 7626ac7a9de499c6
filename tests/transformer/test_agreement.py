"""The program against the independent oracle of tests/oracle: every path of stored and of freshly drawn scenarios."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import walkthrough as wt
from tests.cli.program import run
from tests.examples import some
from tests.oracle.compare import MOST_SENSITIVE, difference, sensitivity, unexpected

STORED = sorted((Path(__file__).parents[1] / "oracle" / "stored").glob("*.yaml"))
DRAWN = some(20, 60)


def differences(path: Path, wanted: dict[str, np.ndarray], sensitive: dict[str, float]) -> list[str]:
    trace = wt.trace(wt.load_scenario(path))
    found = [difference(trace[name].array, array, name, sensitive.get(name, 100)) for name, array in wanted.items()]
    return [text for text in found if text]


def stored_arrays(path: Path) -> dict[str, np.ndarray]:
    with np.load(path.with_suffix(".npz")) as arrays:
        return dict(arrays)


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_stored(path: Path) -> None:
    """Well conditioned all of them: 1e-12, and no PyTorch needed."""
    found = differences(path, stored_arrays(path), {})
    assert not found, "\n".join(found)


@pytest.mark.parametrize("path", STORED[::6], ids=lambda path: path.stem)
def test_exported_steps(path: Path, tmp_path: Path) -> None:
    """npz holds every path under all its names, and none of a part that the scenario does not have."""
    target = tmp_path / "out.npz"
    run("export", str(path), "-o", str(target)).check_returncode()
    wanted = stored_arrays(path)
    with np.load(target) as arrays:
        assert wanted.keys() <= set(arrays), sorted(wanted.keys() - set(arrays))
        assert not unexpected(arrays, wanted)


@pytest.mark.torch
@pytest.mark.parametrize("kind", ["encoder", "decoder_only", "encoder_decoder", "attention"])
def test_drawn(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    hypothesis = pytest.importorskip("hypothesis")
    from tests.oracle import scenarios
    from tests.oracle.reference import expected

    checks = hypothesis.HealthCheck
    settings = hypothesis.settings(
        max_examples=DRAWN,
        deadline=None,
        database=None,
        suppress_health_check=[checks.too_slow, checks.filter_too_much, checks.data_too_large],
    )
    path = tmp_path / "drawn.yaml"

    @settings
    @hypothesis.given(getattr(scenarios, f"{kind}_scenarios")())
    def agrees(scenario: dict) -> None:
        wanted = expected(scenario)
        sensitive = sensitivity(expected, scenario, wanted)
        hypothesis.assume(max(sensitive.values()) < MOST_SENSITIVE)
        path.write_text(scenarios.as_yaml(scenario), encoding="utf-8")
        found = differences(path, wanted, sensitive)
        assert not found, "\n".join([*found, path.read_text(encoding="utf-8")])

    agrees()
