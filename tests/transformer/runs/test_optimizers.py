"""Optimizers: what each carries from step to step, and the update that follows, against arithmetic of its own."""

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


@pytest.mark.torch
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


ADAMS = [
    ("adam", lambda torch, w: torch.optim.Adam(w, lr=RATE)),
    ({"adam": {"beta_1": 0.8, "epsilon": 1e-3}},
     lambda torch, w: torch.optim.Adam(w, lr=RATE, betas=(0.8, 0.999), eps=1e-3)),
    ("adamw", lambda torch, w: torch.optim.AdamW(w, lr=RATE)),
    ({"adamw": {"weight_decay": 0.3}}, lambda torch, w: torch.optim.AdamW(w, lr=RATE, weight_decay=0.3)),
]  # fmt: skip
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


def follow(trace: wt.Trace, optimizer: Any, weights: dict[str, Any], clip: float = 0, schedule: Any = None) -> None:
    """The same training by PyTorch, from the recorded gradients on."""
    torch = pytest.importorskip("torch")
    for step in range(1, STEPS + 1):
        for path, weight in weights.items():
            weight.grad = torch.tensor(trace[f"train.{step}.gradient.{path}"].array)
        if clip:
            norm = torch.nn.utils.clip_grad_norm_(weights.values(), clip)
            np.testing.assert_allclose(trace[f"train.{step}.clip.norm"].array, norm.item(), rtol=1e-12)
            for path, weight in weights.items():
                np.testing.assert_allclose(
                    trace[f"train.{step}.clipped.{path}"].array, weight.grad.numpy(), rtol=1e-12, atol=1e-15
                )
        if schedule is not None:
            rate = trace[f"train.{step}.learning_rate"].array
            np.testing.assert_allclose(rate, optimizer.param_groups[0]["lr"], rtol=1e-12, atol=1e-15)
        optimizer.step()
        if schedule is not None:
            schedule.step()
        for path, weight in weights.items():
            np.testing.assert_allclose(
                trace[f"train.{step}.update.{path}"].array, weight.detach().numpy(), rtol=1e-11, atol=1e-13
            )


def weights_of(trace: wt.Trace) -> dict[str, Any]:
    torch = pytest.importorskip("torch")
    return {path: torch.nn.Parameter(torch.tensor(trace[f"train.1.{path}"].array)) for path in sorted(PARAMETERS)}


@pytest.mark.torch
@pytest.mark.parametrize(("optimizer", "of_torch"), ADAMS, ids=[str(adam[0]) for adam in ADAMS])
def test_adam_is_that_of_pytorch(optimizer: object, of_torch: Any) -> None:
    torch = pytest.importorskip("torch")
    trace = traced({"steps": STEPS, "learning_rate": RATE, "optimizer": optimizer})
    weights = weights_of(trace)
    follow(trace, of_torch(torch, weights.values()), weights)


@pytest.mark.torch
@pytest.mark.parametrize(("schedule", "rate", "of_transformers"), SCHEDULES, ids=[str(one[0]) for one in SCHEDULES])
def test_rate_and_clipping_are_those_of_transformers_and_pytorch(
    schedule: object, rate: float, of_transformers: Any
) -> None:
    torch = pytest.importorskip("torch")
    given = {} if rate == 1 else {"learning_rate": rate}
    trace = traced({"steps": STEPS, "schedule": schedule, "clip": 0.5, "optimizer": "adamw", **given})
    weights = weights_of(trace)
    optimizer = torch.optim.AdamW(weights.values(), lr=rate)
    follow(trace, optimizer, weights, 0.5, of_transformers(optimizer))


def test_every_number_of_an_adam_step_follows_from_its_inputs() -> None:
    trace = traced({"steps": 2, "optimizer": "adam"})
    w = "train.2.{}.output_head.w"
    g, m, v = (trace[w.format(name)].array for name in ("gradient", "first_moment", "second_moment"))
    before = [trace[f"train.1.{name}.output_head.w"].array for name in ("first_moment", "second_moment")]
    np.testing.assert_allclose(m, 0.9 * before[0] + (1 - 0.9) * g, rtol=1e-15)
    np.testing.assert_allclose(v, 0.999 * before[1] + (1 - 0.999) * g * g, rtol=1e-15)
    np.testing.assert_allclose(trace[w.format("first_moment_corrected")].array, m / (1 - 0.9**2), rtol=1e-15)
    np.testing.assert_allclose(trace[w.format("second_moment_corrected")].array, v / (1 - 0.999**2), rtol=1e-15)
    direction = trace[w.format("direction")].array
    np.testing.assert_allclose(direction, (m / (1 - 0.9**2)) / (np.sqrt(v / (1 - 0.999**2)) + 1e-8), rtol=1e-15)
    updated = trace["train.2.output_head.w"].array - 0.1 * direction
    np.testing.assert_allclose(trace[w.format("update")].array, updated, rtol=1e-15)


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
