"""Optimizers: what each carries from step to step, and the update that follows, against arithmetic of its own."""

from __future__ import annotations

import json

import numpy as np
import pytest

import walkthrough as wt
from tests.transformer.runs.test_training import PARAMETERS, SCENARIO, TARGETS, traced
from walkthrough.scenario.schema.keys import Optimizer
from walkthrough.scenario.yaml.problems import ScenarioError
from walkthrough.transformer.runs.optimizers import OPTIMIZERS

STEPS, RATE, MOMENTUM = 4, 0.05, 0.9


@pytest.fixture(scope="module")
def trace() -> wt.Trace:
    return traced({"steps": STEPS, "learning_rate": RATE, "optimizer": {"momentum": MOMENTUM}})


@pytest.mark.parametrize("path", sorted(PARAMETERS))
def test_momentum_is_that_of_pytorch(trace: wt.Trace, path: str) -> None:
    """v = μ·v + g, from the first gradient on; old − η·v (torch.optim.SGD without dampening)."""
    velocity = None
    for step in range(1, STEPS + 1):
        gradient = trace[f"train.{step}.gradient.{path}"].array
        velocity = gradient if velocity is None else MOMENTUM * velocity + gradient
        np.testing.assert_allclose(trace[f"train.{step}.velocity.{path}"].array, velocity, rtol=1e-12)
        updated = trace[f"train.{step}.{path}"].array - RATE * velocity
        np.testing.assert_allclose(trace[f"train.{step}.update.{path}"].array, updated, rtol=1e-12, atol=1e-15)


def test_momentum_agrees_with_torch_optim(trace: wt.Trace) -> None:
    torch = pytest.importorskip("torch")
    path = "output_head.w"
    weight = torch.nn.Parameter(torch.tensor(trace[f"train.1.{path}"].array))
    optimizer = torch.optim.SGD([weight], lr=RATE, momentum=MOMENTUM)
    for step in range(1, STEPS + 1):
        weight.grad = torch.tensor(trace[f"train.{step}.gradient.{path}"].array)
        optimizer.step()
        np.testing.assert_allclose(
            trace[f"train.{step}.update.{path}"].array, weight.detach().numpy(), rtol=1e-12, atol=1e-15
        )


def test_the_first_velocity_is_the_gradient(trace: wt.Trace) -> None:
    assert trace["train.1.velocity.output_head.w"] is trace["train.1.gradient.output_head.w"]
    second = trace["train.2.velocity.output_head.w"]
    assert [value.path for value in second.inputs] == [
        "train.1.gradient.output_head.w",
        "train.2.gradient.output_head.w",
    ]


def test_plain_descent_is_the_default() -> None:
    plain, named = traced({"steps": 2}), traced({"steps": 2, "optimizer": "sgd"})
    assert [value.path for value in plain] == [value.path for value in named]
    assert not any("velocity" in value.path for value in plain)


def test_what_a_long_run_lets_go_is_still_carried() -> None:
    training = {"steps": 3, "learning_rate": RATE, "optimizer": {"momentum": MOMENTUM}}
    scenario = wt.parse_scenario(json.dumps(SCENARIO | {"training": {"targets": TARGETS} | training}))
    kept = wt.trace(scenario, keep=["update.output_head.w"])
    assert kept["train.3.update.output_head.w"].array == pytest.approx(
        traced(training)["train.3.update.output_head.w"].array, rel=1e-15
    )


def test_the_file_and_the_program_know_the_same_optimizers() -> None:
    assert OPTIMIZERS.keys() == {"sgd", *Optimizer.KEYS}


@pytest.mark.parametrize(
    ("optimizer", "said"),
    [
        ("sdg", "did you mean 'sgd'?"),
        ({"momentum": 1}, "momentum"),
        ({}, "optimizer needs momentum, but none is given"),
        ({"adamm": 1}, "unknown key 'adamm'"),
    ],
)
def test_what_is_no_optimizer_is_refused(optimizer: object, said: str) -> None:
    with pytest.raises(ScenarioError, match="(?s)" + said.replace("?", r"\?")):
        traced({"optimizer": optimizer})
