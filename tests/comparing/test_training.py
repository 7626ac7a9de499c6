"""Steps of an optimizer, as `capture` sees them: gradients before and after clipping, and the parameters after it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import walkthrough as wt
from walkthrough.comparing.matching.passes import Passes

torch = pytest.importorskip("torch")

from torch.nn import functional  # noqa: E402

from tests.comparing.matching.own_modules import IDS, SMALL, Small, drawn, saved  # noqa: E402
from tests.comparing.test_tuples import NEAR, Near  # noqa: E402
from tests.examples import slow  # noqa: E402

pytestmark = pytest.mark.torch

TARGETS = torch.tensor([1, 4, 1, 2])
RATE, DECAY = 0.01, 0.1
Optimizer = Callable[[Any], Any]
ADAMW = f"adamw: {{weight_decay: {DECAY}}}"


def adamw(rate: float = RATE, decay: float = DECAY, epsilon: float = 1e-8) -> Optimizer:
    return lambda parameters: torch.optim.AdamW(parameters, rate, weight_decay=decay, eps=epsilon)


def adam(decay: float = 0.0) -> Optimizer:
    return lambda parameters: torch.optim.Adam(parameters, RATE, weight_decay=decay)


def uncorrected(parameters: Any) -> torch.optim.Optimizer:
    """AdamW so late that there is nothing to correct, with moments of 0."""
    descent = torch.optim.AdamW(list(parameters), RATE, weight_decay=DECAY)
    for one in descent.param_groups[0]["params"]:
        late = {"step": torch.tensor(1e6), "exp_avg": torch.zeros_like(one), "exp_avg_sq": torch.zeros_like(one)}
        descent.state[one] = late
    return descent


class Where(Small):
    """With a module that looks up positions."""

    def __init__(self) -> None:
        super().__init__(output="logits")
        del self.place
        self.where = torch.nn.Embedding(8, 6)

    def __getattr__(self, name: str) -> Any:
        return self.where(torch.arange(len(IDS))) if name == "place" else super().__getattr__(name)


def trained(
    folder: Path,
    optimizer: Optimizer,
    ours: str,
    clip: float | None = None,
    steps: int = 2,
    more: str = "",
    learns_place: bool = False,
    sets_to_zero: bool = True,
    looks_up: bool = False,
    goes_on: bool = True,
    kind: str = "",
) -> wt.Comparison:
    """A training with torch beside the scenario's; what is captured is the block of all steps.

    goes_on:      and a pass after it
    kind:         of its numbers, where nothing but the forward passes is captured
    looks_up:     positions have a module of their own
    learns_place: so does the table of positions, which is no parameter of the scenario
    """
    model = drawn(Where() if looks_up else Small(output="logits"))
    for name, one in model.named_parameters():
        one.requires_grad_(learns_place or name not in ("place", "where.weight"))
    model = model.to(getattr(torch, kind)) if kind else model
    rule = f", optimizer: {{{ours}}}" if ours else ""
    training = f"training: {{targets: [b, e, b, c], learning_rate: {RATE}, steps: {steps}{rule}{more}}}\n"
    text = SMALL.replace("tensor: place", "tensor: where.weight") if looks_up else SMALL
    path = saved(model, text + training, folder)
    descent = optimizer(model.parameters())
    with wt.capture(model, gradients=not kind) as tensors:
        for _ in range(steps):
            if sets_to_zero:
                descent.zero_grad()
            functional.cross_entropy(model(torch.tensor([IDS]))[0], TARGETS).backward()
            if clip is not None:
                torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
            descent.step()
        if goes_on:
            model(torch.tensor([IDS]))
    return wt.compare(path, tensors, require="all")


@pytest.mark.parametrize(
    ("theirs", "ours", "clip"),
    [
        (adamw(), ADAMW, 0.5),
        (adam(), "adam: {}", 1e6),
        (lambda parameters: torch.optim.SGD(parameters, RATE, momentum=0.9), "momentum: 0.9", 0.5),
    ],
    ids=["adamw", "adam", "momentum"],
)
def test_a_training_with_clipped_gradients_is_the_same_throughout(
    theirs: Optimizer, ours: str, clip: float, tmp_path: Path
) -> None:
    found = trained(tmp_path, theirs, ours, clip, more=f", clip: {clip}")
    assert found.ok, found
    taken = {one.theirs.name: one.value.path for one in found.steps}
    weight = "decoder.1.feed_forward.w_1"
    expected = {
        "stages.0.wide.up.weight.grad": f"train.1.gradient.{weight}",
        "stages.0.wide.up.weight.clipped@2": f"train.2.clipped.{weight}",
        "stages.0.wide.up.weight.update": f"train.1.update.{weight}",
        "stages.0.wide.up.weight.update@2": f"train.2.update.{weight}",
    }
    assert {name: taken[name] for name in expected} == expected


def test_gradients_that_are_clipped_though_they_should_not_be(tmp_path: Path) -> None:
    first = trained(tmp_path, adamw(), ADAMW, 0.5, steps=1).first
    assert first is not None
    assert first.value.path.startswith("gradient.")
    assert first.theirs.name.endswith(".clipped")
    assert first.cause is not None
    assert "times the right one" in first.cause


def test_gradients_that_are_not_clipped_are_found_before_the_step(tmp_path: Path) -> None:
    first = trained(tmp_path, adamw(), ADAMW, steps=1, more=", clip: 0.5").first
    assert first is not None
    assert first.value.path.startswith("clipped.")


def test_gradients_that_are_clipped_to_another_norm_are_one_fault(tmp_path: Path) -> None:
    fault, of_few_numbers = trained(tmp_path, adamw(), ADAMW, 0.25, steps=1, more=", clip: 0.5").faults
    assert (fault.value.path, fault.cause) == ("clipped.embeddings", "every number is 0.5 times the right one")
    assert of_few_numbers.cause is None


@pytest.mark.parametrize("clip", [None, slow(0.5)])
def test_gradients_that_are_not_set_to_zero_between_steps_are_one_fault(clip: float | None, tmp_path: Path) -> None:
    more = f", clip: {clip}" if clip is not None else ""
    (fault,) = trained(tmp_path, adamw(), ADAMW, clip, steps=3, more=more, sets_to_zero=False).faults
    assert fault.value.path.startswith("train.2.gradient.")
    assert fault.kind == "accumulated"
    assert "not set to zero" in (fault.cause or "")


@pytest.fixture
def no_causes(monkeypatch: pytest.MonkeyPatch) -> None:
    """No cause is searched where none is asked for."""
    monkeypatch.setattr("walkthrough.comparing.cause.SEARCHED", -1.0)


@pytest.mark.usefixtures("no_causes")
def test_a_gradient_that_the_scenario_lacks_goes_into_the_norm(tmp_path: Path) -> None:
    clipped: dict[str, Any] = {"steps": 1, "more": ", clip: 0.5", "learns_place": True, "goes_on": False}
    found = trained(tmp_path, adamw(), ADAMW, 0.5, **clipped)
    assert found.ok, found
    assert {one.theirs: one.why for one in found.not_compared}["place.grad"].endswith(
        "it is part of the norm to which gradients are clipped"
    )
    why = {one.theirs: one.why for one in found.not_compared}["place.update"]
    assert why.endswith("learned positions are trained only where training.update names them")
    for clip in (None, 0.25):
        first = trained(tmp_path, adamw(), ADAMW, clip, **clipped).first
        assert first is not None
        assert first.value.path.startswith("clipped.")


@pytest.mark.parametrize("kind", ["", "float64"], ids=["with gradients", "forward only"])
@pytest.mark.parametrize(("looks_up", "steps"), [(False, 2), (True, 1), (True, 3)])
def test_what_is_trained_and_left_out_by_the_scenario_is_one_fault(
    looks_up: bool, steps: int, kind: str, tmp_path: Path
) -> None:
    """`update: all` leaves out learned positions; a pass that records none of its own takes those of the last."""
    found = trained(tmp_path, adamw(), ADAMW, steps=steps, learns_place=True, looks_up=looks_up, kind=kind)
    (fault,) = found.faults
    first = f"{'trained' if steps == 1 else 'train.2'}."
    assert fault.value.path == first + ("positional_encoding" if looks_up and steps > 1 else "decoder.1.norm_1.output")
    assert any(path.startswith("trained.") for path in (fault.value.path, *fault.also))
    assert "is trained, and training.update leaves it out" in (fault.cause or "")


@pytest.mark.usefixtures("no_causes")
@pytest.mark.parametrize("kind", ["float64", "float32"])
@pytest.mark.parametrize("seed", [0, 13, slow(1), slow(2)])
def test_what_cancels_behind_a_saturated_softmax_is_no_difference(seed: int, kind: str, tmp_path: Path) -> None:
    """As T5's, whose scores are not divided by the root: what is left of gradients are their roundings."""
    model = drawn(Near(), seed)
    for each in (model.look.ask, model.look.keep):
        each.weight.data *= 4
    model = model.to(getattr(torch, kind))
    training = "training: {targets: [b, e, b, c], learning_rate: 0.1, reduction: mean}\n"
    path = saved(model, NEAR + training, tmp_path, "near")

    def compared(reduction: str = "mean") -> wt.Comparison:
        descent = torch.optim.SGD(model.parameters(), 0.0)
        with wt.capture(model, gradients=True) as tensors:
            functional.cross_entropy(model(torch.tensor([IDS]))[0], TARGETS, reduction=reduction).backward()
            descent.step()
        descent.zero_grad()
        return wt.compare(path, {name: one for name, one in tensors.items() if not name.endswith(".update")})

    assert compared().ok, compared()
    assert not compared("sum").ok


@pytest.mark.usefixtures("no_causes")
@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_what_adam_makes_of_gradients_that_cancel_is_said_not_to_be_judged(kind: str, tmp_path: Path) -> None:
    """The biases of keys have no gradient but roundings, which Adam divides by their own size."""
    found = trained(tmp_path, adamw(), ADAMW, kind=kind)
    noted = {one.value.path.rpartition(".")[2] for one in found.steps if "gradients cancel" in one.note}
    assert (found.ok, noted) == (True, {"key"}), found
    for other in (adamw(1.01 * RATE), adamw(decay=0.0)):
        assert not trained(tmp_path, other, ADAMW, kind=kind).ok


def test_what_adam_makes_of_a_wrong_gradient_that_was_not_captured_is_no_mistake_before_it(tmp_path: Path) -> None:
    """Of a gradient Adam leaves little but the signs: another mistake that gives the same signs was named."""
    found = trained(tmp_path, adamw(), ADAMW, 0.5, kind="float32", more=", label_smoothing: 0.1, clip: 0.5")
    assert found.first is not None
    assert [fault.cause for fault in found.faults if fault.cause is not None] == []


@pytest.mark.parametrize(
    ("theirs", "cause"),
    [
        slow(adamw(2 * RATE), "learning_rate ≈ 0.02 instead of 0.01"),
        (adam(DECAY), "the weight decay is added to the gradient (L2)"),
        (adamw(decay=0.0), "the weight decay is missing"),
        (adamw(epsilon=1e-3), "optimizer.epsilon ≈ 0.001 instead of 1e-08"),  # hardly moves biases without a gradient
        (uncorrected, "Adam's moments are not corrected for their bias towards 0"),  # with one step: a larger rate
    ],
    ids=["rate", "L2", "no decay", "epsilon", "uncorrected"],
)
def test_another_step_is_named(theirs: Optimizer, cause: str, tmp_path: Path) -> None:
    found = trained(tmp_path, theirs, ADAMW)
    assert found.first is not None
    assert len(found.faults) == 1, found
    assert found.first.value.path.startswith("train.1.update.")
    assert cause in (found.cause or ""), found.cause


def test_a_parameter_without_a_gradient_in_the_first_step_has_that_of_the_second() -> None:
    """An expert that was sent no token is seen as the step leaves it, and the next step is the second all the same."""
    experts = torch.nn.ModuleList(torch.nn.Linear(2, 2) for _ in range(2))
    descent = torch.optim.SGD(experts.parameters(), RATE)
    with wt.capture(experts, gradients=True) as tensors:
        for chosen in experts:
            descent.zero_grad()
            chosen(torch.ones(1, 2)).sum().backward()
            descent.step()
    steps = {name for name in tensors if name.startswith(("0.weight.", "1.weight."))}
    kinds = ("grad", "clipped", "update")
    idle = {"0.weight.update@2", "1.weight.update"}
    assert steps == {f"0.weight.{kind}" for kind in kinds} | {f"1.weight.{kind}@2" for kind in kinds} | idle
    passes = Passes(steps, wt.trace(wt.load_scenario("chai")))
    assert all(passes.is_of_a_step(name.removesuffix("@2")) for name in steps)


TWO = [(IDS, TARGETS), ([0, 2, 4, 6], torch.tensor([2, 3, 0, 0]))]
EXAMPLES = """training:
  {learning_rate: 0.1, steps: STEPS, examples: [
    {tokens: [d, b, e, b], targets: [b, e, b, c]}, {tokens: [a, c, e, g], targets: [c, d, a, a]}]}
"""


@pytest.mark.usefixtures("no_causes")
@pytest.mark.parametrize("steps", [1, 2])
@pytest.mark.parametrize(
    ("model", "text", "name"),
    [(lambda: Small(output="logits"), SMALL, "small"), (Near, NEAR, "near")],
    ids=["decoder", "encoder"],
)
def test_micro_batches_are_judged_by_what_training_leaves(
    model: Callable[[], Any], text: str, name: str, steps: int, tmp_path: Path
) -> None:
    """No call is one pass of several examples: without gradients the parameters after the last step say enough."""
    text = text.replace("tokens: [d, b, e, b]\n", "") + EXAMPLES.replace("STEPS", str(steps))

    def left(each: float = 0.5, sets_to_zero: bool = True, goes_a_step: bool = True) -> tuple[Path, dict[str, Any]]:
        learner = drawn(model())
        learner.requires_grad_(True)
        path = saved(learner, text, tmp_path, name)
        descent = torch.optim.SGD([one for key, one in learner.named_parameters() if key != "place"], 0.1)
        with wt.capture(learner) as tensors:
            for _ in range(steps):
                if sets_to_zero:
                    descent.zero_grad()
                for ids, targets in TWO:
                    (each * functional.cross_entropy(learner(torch.tensor([ids]))[0], targets)).backward()
                if goes_a_step:
                    descent.step()
        return path, tensors | dict(learner.state_dict())

    found = wt.compare(*left())
    assert (found.ok, found.missing) == (True, ()), found
    assert (
        "where there are examples, a call is no one pass; capture(…, gradients=True) has" in found.not_compared[0].why
    )
    assert found.steps[-1].value.path.startswith("update." if steps == 1 else "train.2.update.")
    assert not wt.compare(*left(each=1.0)).ok
    assert steps == 1 or not wt.compare(*left(sets_to_zero=False)).ok
    assert not wt.compare(*left(goes_a_step=False)).ok


@pytest.mark.usefixtures("no_causes")
@pytest.mark.parametrize("frozen", ["", "end.weight"])
def test_a_parameter_that_training_has_forgotten_does_not_pass_as_given(frozen: str, tmp_path: Path) -> None:
    """All parameters under their own names are of one time: before training, or after it."""
    learner = drawn(Small(output="logits"))
    path = saved(
        learner, SMALL + "training: {targets: [b, e, b, c], learning_rate: 0.1, reduction: mean, steps: 1}\n", tmp_path
    )
    before = {name: one.clone() for name, one in learner.state_dict().items()}
    learned = [one for name, one in learner.named_parameters() if name not in ("place", frozen)]
    descent = torch.optim.SGD(learned, 0.1)
    with wt.capture(learner) as tensors:
        functional.cross_entropy(learner.requires_grad_(True)(torch.tensor([IDS]))[0], TARGETS).backward()
        descent.step()
    assert wt.compare(path, tensors | before).ok
    found = wt.compare(path, tensors | dict(learner.state_dict()))
    assert {one.theirs.name for one in found.steps if one.differs} == {frozen} - {""}, found
