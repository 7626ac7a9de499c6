"""Training from given gradients: an optimizer's steps without a model, one operation backwards without a loss."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.cli.program import run
from tests.transformer.runs.test_training import PARAMETERS, SCENARIO
from tests.views.code.programs import check
from walkthrough.scenario.yaml.problems import ScenarioError

RATE = 0.1
SCALAR = [0.4, -0.2]
"""The gradients of nearly every worked Adam example, of a parameter that begins at 1."""
OPTIMIZERS = [
    ("sgd", lambda torch, w: torch.optim.SGD(w, lr=RATE)),
    ({"momentum": 0.9}, lambda torch, w: torch.optim.SGD(w, lr=RATE, momentum=0.9)),
    ("adam", lambda torch, w: torch.optim.Adam(w, lr=RATE)),
    ({"adam": {"beta_1": 0.8, "epsilon": 1e-3}},
     lambda torch, w: torch.optim.Adam(w, lr=RATE, betas=(0.8, 0.999), eps=1e-3)),
    ("adamw", lambda torch, w: torch.optim.AdamW(w, lr=RATE)),
    ({"adamw": {"weight_decay": 0.3}}, lambda torch, w: torch.optim.AdamW(w, lr=RATE, weight_decay=0.3)),
]  # fmt: skip
HEAD = {"q": [[1, 0], [0.5, 1]], "k": [[1, 1], [0, 2]], "v": [[1, 2], [3, 4]]}
UP = [[1, 0.5], [-2, 1]]


def scenario_of(gradients: Any, keys: dict[str, Any] | None = None, **training: Any) -> wt.Scenario:
    settings = {"gradients": gradients, "learning_rate": RATE} | training
    return wt.parse_scenario(json.dumps({"title": "t", "training": settings} | (keys or {}), ensure_ascii=False))


def traced(gradients: Any, keys: dict[str, Any] | None = None, **training: Any) -> wt.Trace:
    return wt.trace(scenario_of(gradients, keys, **training))


def scalar(**training: Any) -> wt.Trace:
    return traced({"embeddings": SCALAR}, {"embeddings": {"θ": [1.0]}}, **training)


def refused(gradients: Any, keys: dict[str, Any] | None = None, **training: Any) -> str:
    with pytest.raises(ScenarioError) as caught:
        scenario_of(gradients, keys, **training)
    return str(caught.value)


def test_a_given_gradient_is_recorded_as_given_and_nothing_else_is_calculated() -> None:
    trace = scalar()
    assert [value.path for value in trace] == [
        "train.1.embeddings",
        "train.1.gradient.embeddings",
        "train.1.update.embeddings",
        "train.2.gradient.embeddings",
        "train.2.update.embeddings",
    ]
    assert trace["train.2.gradient.embeddings"].operation is None
    assert trace["train.2.update.embeddings"].array == pytest.approx(1 - 0.04 + 0.02)


@pytest.mark.torch
@pytest.mark.parametrize(("optimizer", "of_torch"), OPTIMIZERS, ids=[str(one[0]) for one in OPTIMIZERS])
@pytest.mark.parametrize(
    ("start", "gradients"),
    [
        ([[1.0]], [0.4, -0.2]),
        ([[1.0, -2.0, 0.5]], [[0.1, 0.2, -0.3], [1.0, 0.0, 2.0], [-0.5, 0.25, 0.125]]),
        ([[1.0, 2.0], [3.0, 4.0]], [[[0.1, -0.2], [0.0, 1.0]], [[-1.0, 0.5], [0.25, 0.75]]]),
    ],
)
def test_every_optimizer_is_that_of_pytorch(start: Any, gradients: Any, optimizer: Any, of_torch: Any) -> None:
    torch = pytest.importorskip("torch")
    trace = traced({"output_head.w": gradients}, {"output_head": {"w": start}}, optimizer=optimizer)
    weight = torch.nn.Parameter(torch.tensor(start, dtype=torch.float64))
    stepping = of_torch(torch, [weight])
    for step, gradient in enumerate(gradients, 1):
        weight.grad = torch.tensor(gradient, dtype=torch.float64).reshape(weight.shape)
        stepping.step()
        found = trace[f"train.{step}.update.output_head.w"].array
        np.testing.assert_allclose(found, weight.detach().numpy(), rtol=1e-12, atol=1e-15)


@pytest.mark.torch
def test_one_attention_backwards_is_that_of_pytorch() -> None:
    """Of the queries, keys and values as numbers, although nothing is trained."""
    torch = pytest.importorskip("torch")
    trace = traced({"attention.head.1.output": UP}, {"attention": {"heads": [HEAD]}})
    q, k, v = (torch.tensor(HEAD[name], dtype=torch.float64, requires_grad=True) for name in "qkv")
    weights = torch.softmax(q @ k.T / 2**0.5, dim=-1)
    weights.retain_grad()
    (weights @ v).backward(gradient=torch.tensor(UP, dtype=torch.float64))
    for name, one in {"query": q, "key": k, "value": v, "weights": weights}.items():
        found = trace[f"gradient.attention.head.1.{name}"].array
        np.testing.assert_allclose(found, one.grad.numpy(), rtol=1e-12, atol=1e-15)
    assert not any(path.startswith(("update.", "loss.", "trained.", "training")) for path, _ in trace.items())


@pytest.mark.torch
def test_a_whole_model_backwards_from_the_gradient_of_its_logits_is_that_by_its_loss() -> None:
    by_loss = wt.trace(wt.parse_scenario(json.dumps(SCENARIO | {"training": {"targets": ["b", "c", "d"]}})))
    up = by_loss["gradient.output_head.logits"].array.tolist()
    given = traced({"output_head.logits": up}, SCENARIO)
    updates = [path for path, _ in by_loss.items() if path.startswith("update.")]
    assert len(updates) == 12
    for path in updates:
        np.testing.assert_allclose(given[path].array, by_loss[path].array, rtol=1e-13, atol=1e-15)


def test_a_given_gradient_takes_the_place_of_what_would_have_been_calculated() -> None:
    gradients = {"attention.head.1.output": UP, "attention.head.1.weights": [[0, 1], [2, 0]]}
    trace = traced(gradients, {"attention": {"heads": [HEAD]}})
    weights = trace["attention.head.1.weights"].array
    up = trace["gradient.attention.head.1.weights"]
    assert up.operation is None
    expected = weights * (up.array - (weights * up.array).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(trace["gradient.attention.head.1.scaled_scores"].array, expected, rtol=1e-13)


def test_clipping_and_schedules_go_by_given_gradients() -> None:
    head = {"output_head": {"w": [[1.0, 2.0]]}}
    schedule = {"linear": {"total": 4}}
    trace = traced({"output_head.w": [[3.0, 4.0], [0.3, 0.4]]}, head, clip=1, schedule=schedule)
    assert trace["train.1.clip.norm"].array == 5
    np.testing.assert_allclose(trace["train.1.update.output_head.w"].array, [[1 - 0.06, 2 - 0.08]], rtol=1e-6)
    assert trace["train.2.learning_rate"].array == pytest.approx(0.1 * 3 / 4)
    np.testing.assert_allclose(trace["train.2.clipped.output_head.w"].array, [[0.3, 0.4]], rtol=1e-12)


def test_a_matrix_is_the_gradient_of_every_step() -> None:
    trace = traced({"output_head.w": 2}, {"output_head": {"w": [[1.0]]}}, steps=3)
    assert trace["train.3.update.output_head.w"].array == pytest.approx(1 - 3 * 0.2)


def test_update_chooses_what_is_trained() -> None:
    keys = {"output_head": {"w": [[1.0]], "b": [2.0]}}
    trace = traced({"output_head.w": 1, "output_head.b": 1}, keys, update=["b"])
    assert "update.output_head.b" in trace
    assert "update.output_head.w" not in trace


def test_every_parameter_of_a_model_can_stand_alone_under_the_path_of_its_step() -> None:
    experts = {"router": {"w": [[1, 2], [3, 4]]}, "experts": [{"w_1": [[1, 2]], "w_2": [[1], [2]]}] * 2}
    layer = {**SCENARIO["encoder"]["layers"][0], "feed_forward": experts}
    within = {f"encoder.2.feed_forward.{name}" for name in ("router.w", "expert.1.w_1", "expert.2.w_2")}
    model = {key: value for key, value in SCENARIO.items() if key != "tokens"}
    model["encoder"] = {"layers": [SCENARIO["encoder"]["layers"][0], layer]}
    whole = wt.trace(wt.parse_scenario(json.dumps(SCENARIO | {"training": {"targets": ["b", "c", "d"]}})))
    gradients = {path: np.ones(whole[path].shape).tolist() for path in PARAMETERS}
    gradients["encoder.2.norm_1.gamma"] = [1, 1]
    shapes = zip(sorted(within), [(1, 2), (2, 1), (2, 2)], strict=True)
    gradients |= {path: np.ones(shape).tolist() for path, shape in shapes}
    trace = traced(gradients, model)
    updated = {path.removeprefix("update.") for path, _ in trace.items() if path.startswith("update.")}
    assert updated == gradients.keys()
    assert len(trace) == 3 * len(gradients)  # parameter, gradient and update of each


def test_a_given_gradient_is_set_like_any_given_number(tmp_path: Path) -> None:
    file = tmp_path / "adam.yaml"
    file.write_text("title: t\nembeddings: {θ: [1.0]}\ntraining: {gradients: {embeddings: [0.4, -0.2]}}\n", "utf-8")
    options = ("--set", "train.2.gradient.embeddings[θ, 1]=3", "--step", "train.2.update.embeddings")
    assert "0.660" in run("run", str(file), *options).stdout


@pytest.mark.parametrize("library", ["python", pytest.param("torch", marks=pytest.mark.torch)])
@pytest.mark.parametrize(
    "text",
    [
        "{title: t, embeddings: {θ: [1.0]}, training: {gradients: {embeddings: [0.4, -0.2]}, optimizer: adamw}}",
        json.dumps(
            {"title": "t", "attention": {"heads": [HEAD]}, "training": {"gradients": {"attention.head.1.output": UP}}}
        ),
    ],
)
def test_exported_programs_go_back_from_given_gradients_too(text: str, library: str) -> None:
    if library == "torch":
        pytest.importorskip("torch")
    check(wt.trace(wt.parse_scenario(text)), library)


@pytest.mark.parametrize(
    ("gradients", "training", "said"),
    [
        ({"output_head.v": 1}, {}, "there is no step called 'output_head.v'"),
        ({"output_hed.w": 1}, {}, "did you mean 'output_head.w'?"),
        ({"logits": 1}, {}, "known: output_head.w; the steps of a model need tokens and embeddings"),
        ({}, {"optimizer": "adam"}, "no gradient is given, and no schedule: there is nothing to calculate"),
        ({"output_head.w": [[1, 2]]}, {}, "the gradient of output_head.w is 1×2, expected 2×1"),
        ({"output_head.w": [[[1], [2]], [[1, 2]]]}, {}, "the gradient of output_head.w is 1×2, expected 2×1"),
        ({"output_head.w": [[[1], [2]]] * 2}, {"steps": 3}, "has 2 gradients, expected one for each of the 3 steps"),
        ({"output_head.w": [[1], [None]]}, {}, "null"),
        ({"output_head.w": {"init": "ones"}}, {}, "expected a list of rows, or a tensor of a file"),
        ({"output_head.w": [[1], [2]]}, {"targets": ["a"]}, "but targets and gradients are given"),
        ({"output_head.w": [[1], [2]]}, {"schedule": {"warmup": {"steps": 4}}}, "d_model is missing: of the formula"),
        ({"output_head.prediction": [[1, 2]]}, {}, "output_head.prediction decides what is"),
        ({"embedding_norm.mean": 1}, {}, "there is no way back from embedding_norm.mean"),
        ([[1]], {}, "expected a mapping path → matrix"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(gradients: Any, training: dict[str, Any], said: str) -> None:
    keys = {"output_head": {"w": [[1.0], [2.0]], "vocabulary": ["a"]}}
    if {"output_head.prediction", "embedding_norm.mean"} & {*map(str, gradients)}:
        keys |= {"tokens": ["x"], "embeddings": {"x": [1, 2]}, "embedding_norm": {}}
    told = refused(gradients, keys, **training)
    assert said in told
    assert "<text>:1:" in told


def test_what_is_kept_in_few_bits_is_not_trained() -> None:
    head = {"w": {"values": [[1.0], [2.0]], "quantize": "absmax"}, "vocabulary": ["a"]}
    keys = {"tokens": ["x"], "embeddings": {"x": [1, 2]}, "output_head": head}
    whole = wt.trace(wt.parse_scenario(json.dumps({"title": "t"} | keys)))
    base = next(value.path for value in whole if value.matrix is not None and value.matrix.is_derived)
    assert f"{base} is not trained" in refused({base: [[1], [1]]}, keys)


def test_a_first_step_is_that_of_schedules_and_of_adams_correction() -> None:
    """Vaswani et al. 2017, eq. 3, at step 4000 of 4000; Adam's moments begin at 0, whatever the step."""
    trace = scalar(optimizer="adam", first_step=10)
    m = 0.1 * 0.4
    assert trace["train.1.first_moment_corrected.embeddings"].array == pytest.approx(m / (1 - 0.9**10), rel=1e-13)
    m = 0.9 * m - 0.1 * 0.2
    assert trace["train.2.first_moment_corrected.embeddings"].array == pytest.approx(m / (1 - 0.9**11), rel=1e-13)
    rate = traced({}, schedule={"warmup": {"steps": 4000, "d_model": 512}}, first_step=4000)["learning_rate"]
    assert rate.array == pytest.approx(0.1 * (512 * 4000) ** -0.5, rel=1e-13)


@pytest.mark.parametrize("name", ["linear", "cosine"])
def test_a_line_and_a_wave_end_after_the_last_step_counted_from_the_first(name: str) -> None:
    whole = traced({}, schedule={name: {"warmup_steps": 2}}, steps=6)
    late = traced({}, schedule={name: {"warmup_steps": 2}}, first_step=4, steps=3)
    for step in range(1, 4):
        assert late[f"train.{step}.learning_rate"].array == whole[f"train.{step + 3}.learning_rate"].array
    assert "the schedule ends at step 5, before the 6 steps" in refused(
        {}, schedule={name: {"total": 5}}, first_step=4, steps=3
    )


def test_a_first_step_that_nothing_counts_and_what_belongs_to_a_loss_are_idle() -> None:
    told = scenario_of({"embeddings": 1}, {"embeddings": [[1.0]]}, first_step=3, reduction="sum", label_smoothing=0.1)
    assert sorted(warning.key for warning in told.warnings) == [
        "training.first_step",
        "training.label_smoothing",
        "training.reduction",
    ]


def test_all_steps_are_on_a_sheet_and_right_answers_are_right(tmp_path: Path) -> None:
    file, sheet, answers = tmp_path / "adam.yaml", tmp_path / "sheet.xlsx", tmp_path / "key.xlsx"
    text = "{title: t, embeddings: {θ: [1.0]}, training: {gradients: {embeddings: [0.4, -0.2]}, optimizer: adam}}"
    file.write_text(text, "utf-8")
    run("worksheet", str(file), "-o", str(sheet), "--key", str(answers))
    marks = run("mark", str(answers), "--key", str(answers)).stdout
    assert "12 of 12 points" in " ".join(marks.split())  # however long the path is


def test_published_numbers_of_an_optimizer_are_judged(tmp_path: Path) -> None:
    file = tmp_path / "adam.yaml"
    published = {"train.1.second_moment.embeddings": "0.00016", "train.2.first_moment_corrected.embeddings": "0.074"}
    prints = "".join(f"- {{step: {path}, values: [[{number}]]}}\n" for path, number in published.items())
    training = "training: {gradients: {embeddings: [0.4, -0.2]}, optimizer: adam}\n"
    file.write_text(f"title: t\nembeddings: {{θ: [1.0]}}\n{training}published:\n{prints}", "utf-8")
    cells = json.loads(run("check", str(file), "--format", "json").stdout)["cells"]
    assert [cell["verdict"] for cell in cells] == ["exact", "wrong"]
