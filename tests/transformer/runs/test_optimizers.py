"""Optimizers, schedules and clipping: what is carried from step to step; updates are in test_given_gradients."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.transformer.runs.test_training import PARAMETERS, SCENARIO, TARGETS, traced
from walkthrough.scenario.schema.keys import Optimizer
from walkthrough.scenario.yaml.problems import ScenarioError
from walkthrough.transformer.runs.training.optimizers import OPTIMIZERS

STEPS, RATE, MOMENTUM = 4, 0.05, 0.9


def test_the_first_velocity_is_the_gradient() -> None:
    trace = traced({"steps": 2, "optimizer": {"momentum": MOMENTUM}})
    names = [f"train.{step}.gradient.output_head.w" for step in (1, 2)]
    assert trace["train.1.velocity.output_head.w"] is trace[names[0]]
    assert trace["train.2.velocity.output_head.w"].inputs == tuple(trace[name] for name in names)


def test_plain_descent_is_the_default() -> None:
    plain, named = traced({"steps": 2}), traced({"steps": 2, "optimizer": "sgd"})
    assert [value.path for value in plain] == [value.path for value in named]
    assert not any("velocity" in value.path for value in plain)


def test_what_a_long_run_lets_go_is_still_carried() -> None:
    training = {"steps": 3, "learning_rate": RATE, "optimizer": {"momentum": MOMENTUM}}
    scenario = wt.parse_scenario(json.dumps(SCENARIO | {"training": {"targets": TARGETS} | training}))
    kept = wt.trace(scenario, wanted=["update.output_head.w"])
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
        ({}, "optimizer needs either momentum or adam or adamw, but none is given"),
        ({"adamm": 1}, "unknown key 'adamm'"),
    ],
)
def test_what_is_no_optimizer_is_refused(optimizer: object, said: str) -> None:
    with pytest.raises(ScenarioError, match="(?s)" + said.replace("?", r"\?")):
        traced({"optimizer": optimizer})


SCHEDULES = [
    ({"linear": {"warmup_steps": 2, "total": 6}}, RATE,
     lambda o: transformers().get_linear_schedule_with_warmup(o, 2, 6)),
    ({"linear": {}}, RATE, lambda o: transformers().get_linear_schedule_with_warmup(o, 0, STEPS)),
    ({"cosine": {"warmup_steps": 1, "minimum": 0.1}}, RATE,
     lambda o: transformers().get_cosine_with_min_lr_schedule_with_warmup(o, 1, STEPS, min_lr_rate=0.1)),
    ({"warmup": {"steps": 3}}, 1.0, lambda o: _paper(o, 2, 3)),
    ({"warmup": {"steps": 3, "d_model": 512}}, 1.0, lambda o: _paper(o, 512, 3)),
]  # fmt: skip


def transformers() -> Any:
    return pytest.importorskip("transformers")


def _paper(optimizer: Any, d_model: int, steps: int) -> Any:
    """Vaswani et al. 2017, eq. 3; PyTorch counts steps from 0."""
    torch = pytest.importorskip("torch")
    return torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: d_model**-0.5 * min((step + 1) ** -0.5, (step + 1) * steps**-1.5)
    )


@pytest.mark.torch
@pytest.mark.parametrize(("schedule", "rate", "of_transformers"), SCHEDULES, ids=[str(one[0]) for one in SCHEDULES])
def test_rate_and_clipping_are_those_of_transformers_and_pytorch(
    schedule: object, rate: float, of_transformers: Any
) -> None:
    torch = pytest.importorskip("torch")
    given = {} if rate == 1 else {"learning_rate": rate}
    trace = traced({"steps": STEPS, "schedule": schedule, "clip": 0.5, "optimizer": "adamw", **given})
    weights = {path: torch.nn.Parameter(torch.tensor(trace[f"train.1.{path}"].array)) for path in sorted(PARAMETERS)}
    optimizer = torch.optim.AdamW(weights.values(), lr=rate)
    theirs = of_transformers(optimizer)
    for step in range(1, STEPS + 1):
        at = f"train.{step}."
        for path, weight in weights.items():
            weight.grad = torch.tensor(trace[f"{at}gradient.{path}"].array)
        norm = torch.nn.utils.clip_grad_norm_(weights.values(), 0.5)
        np.testing.assert_allclose(trace[f"{at}clip.norm"].array, norm.item(), rtol=1e-12)
        np.testing.assert_allclose(trace[f"{at}learning_rate"].array, optimizer.param_groups[0]["lr"], rtol=1e-12)
        optimizer.step()
        theirs.step()
        for path, weight in weights.items():
            np.testing.assert_allclose(trace[f"{at}clipped.{path}"].array, weight.grad, rtol=1e-12, atol=1e-15)
            np.testing.assert_allclose(trace[f"{at}update.{path}"].array, weight.detach(), rtol=1e-11, atol=1e-13)


def test_a_step_adds_at_most_six_values_a_parameter() -> None:
    plain, adamw = (len(traced({"optimizer": name})) for name in ("sgd", "adamw"))
    assert adamw - plain == 6 * len(PARAMETERS)


def test_a_gradient_within_the_limit_is_clipped_by_one() -> None:
    trace = traced({"clip": 1e6})
    assert trace["clip.factor"].array == 1
    assert (trace["clipped.output_head.w"].array == trace["gradient.output_head.w"].array).all()
    assert trace["clip.squares"].rows == tuple(path.removeprefix("update.") for path in updates(trace))


@pytest.mark.parametrize("keep", [None, ["training"]])
def test_a_number_that_an_update_breaks_is_none_that_the_file_leaves_unknown(keep: list[str] | None) -> None:
    """0 / √0 for the second feature, which is 0; whatever is kept of the steps before."""
    optimizer = "{adam: {epsilon: 0}}"
    text = "title: t\ntokens: [a]\nvocabulary: [a, b]\nembeddings: [[1, 0], [2, 0]]\n"
    text += f"output_head: {{w: [[1, 0], [0, 1]]}}\ntraining: {{targets: [b], steps: 3, optimizer: {optimizer}}}\n"
    with pytest.raises(ScenarioError, match="the loss of training step 2 is not a finite number"):
        wt.trace(wt.parse_scenario(text), wanted=keep)


def updates(trace: wt.Trace) -> list[str]:
    return [value.path for value in trace if value.path.startswith("update.")]


@pytest.mark.parametrize(
    ("training", "said"),
    [
        ({"schedule": "linaer"}, "constant or a mapping"),
        ({"schedule": {"linear": {"total": 2}}, "steps": 3}, "the schedule ends at step 2, before the 3 steps"),
        ({"schedule": {"cosine": {"warmup_steps": 9}}, "steps": 3}, "before the 9 steps of its warm-up"),
        ({"schedule": {"warmup": {}}}, "steps is missing"),
        ({"optimizer": {"adam": {"beta_2": 1}}}, "beta_2"),
        ({"clip": 0}, "clip"),
    ],
)
def test_bad_settings_are_refused(training: dict[str, object], said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        traced(training)
