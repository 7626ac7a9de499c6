"""The code of 300 drawn scenarios, run and compared number by number."""

from __future__ import annotations

import importlib.util

import pytest

import walkthrough as wt
from tests.oracle.draws import seeded
from tests.oracle.scenarios import KINDS, seeded_scenario
from tests.oracle.training_scenarios import training_scenario
from tests.oracle.yaml_text import as_yaml
from tests.views.code.programs import check

SEEDS, AT_ONCE = 75, 15


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, SEEDS, AT_ONCE))
@pytest.mark.parametrize("kind", KINDS)
def test_drawn(kind: str, first: int) -> None:
    ran = 0
    for seed in range(first, first + AT_ONCE):
        spec = (training_scenario(seeded(seed), kind) if seed % 3 == 0 else None) or seeded_scenario(kind, seed)
        try:
            scenario = wt.parse_scenario(as_yaml(spec))
            traces = [(wt.trace(scenario), "python"), (wt.trace(scenario, arithmetic="by-hand"), "python")]
        except wt.ScenarioError:
            continue  # a loss that is no number ends a training
        if importlib.util.find_spec("torch") is not None:
            traces.append((traces[0][0], "torch"))
        for trace, library in traces:
            check(trace, library)
        ran += 1
    assert ran > AT_ONCE // 2
