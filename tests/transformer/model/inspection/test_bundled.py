"""What is seen inside bundled and drawn models: numbers that are known, passes, caches, two stacks."""

from __future__ import annotations

import numpy as np
import pytest

import walkthrough as wt
from tests.examples import some
from tests.oracle.scenarios import as_yaml, seeded_scenario
from walkthrough.scenario.yaml.problems import ScenarioError
from walkthrough.transformer.loading.inspecting import inspect_scenario


def inspected(name: str, *parts: str, position: str = "") -> wt.Trace:
    return wt.trace(inspect_scenario(wt.load_scenario(name), parts, position))


def adds_up(trace: wt.Trace, prefix: str = "", row: int = -1) -> bool:
    found, logits = trace[f"{prefix}attribution.logits"], trace[f"{prefix}output_head.logits"].array[row]
    return bool(np.abs(found.array[-1] - logits).max() <= 1e-12 * np.abs(found.array).max())


class TestTeaGpt:
    """The fifth pass, where the sentence has to end."""

    trace = inspected("tea-gpt")

    def test_five_parts_say_who_made_it_end(self) -> None:
        found = self.trace["generate.5.attribution.logits"]
        pushed = dict(zip(found.rows, found.array[:, found.columns.index("<end>")].round(3).tolist(), strict=True))
        assert pushed == {
            "token_embedding": -0.069,
            "positional_encoding": 0.591,
            "decoder.1.self_attention.head.1": -0.011,
            "decoder.1.self_attention.head.2": 1.882,
            "decoder.1.feed_forward.output": 4.197,
            "sum": 6.590,
        }
        assert adds_up(self.trace, "generate.5.")

    def test_the_lens_goes_by_the_statistics_of_each_state(self) -> None:
        """With the last state's deviation the first would say "tea" with 0.415."""
        found = self.trace["generate.5.lens.input.prediction"]
        assert found.names is not None
        assert (found.names[int(found.array[-1, 0])], round(float(found.array[-1, 1]), 3)) == ("tea", 0.954)

    def test_every_pass_is_looked_into(self) -> None:
        paths = {path for path, _ in self.trace.items()}
        for number in range(1, 6):
            assert {f"generate.{number}.attribution.logits", f"generate.{number}.lens.input.logits"} <= paths

    def test_the_same_token_is_meant_in_every_pass(self) -> None:
        trace = inspected("tea-gpt", "attribution", position="hot")
        assert adds_up(trace, "generate.5.", row=0)


def test_a_model_built_like_llama() -> None:
    trace = inspected("tiny-llama")
    assert adds_up(trace)


def test_with_a_cache_each_pass_has_the_row_that_it_computes() -> None:
    trace = inspected("key-cache")
    last = trace["generated"].shape[0]
    assert last > 2
    assert adds_up(trace, f"generate.{last}.")
    assert trace[f"generate.{last}.lens.input.logits"].shape[0] == 1


def test_a_decoder_beside_an_encoder_is_what_the_head_follows() -> None:
    trace = inspected("not-on-your-life")
    last = f"generate.{trace['generated'].shape[0]}."
    assert adds_up(trace)
    assert adds_up(trace, last)
    assert f"{last}lens.decoder.input.logits" in trace


def looked_into(scenario: wt.Scenario) -> wt.Trace | None:
    """With all that applies; None where nothing does, and each says why."""
    try:
        return wt.trace(inspect_scenario(scenario))
    except ScenarioError as error:
        others = [one.message for one in error.problems if "does not apply" not in one.message]
    if others:
        raise AssertionError(others)
    return None


@pytest.mark.parametrize("kind", ["encoder", "decoder_only", "encoder_decoder", "attention"])
def test_drawn_scenarios_add_up_or_say_why_not(kind: str) -> None:
    looked_at = 0
    for seed in range(some(3, 200)):
        scenario = wt.parse_scenario(as_yaml(seeded_scenario(kind, seed)))
        trace = looked_into(scenario)
        if trace is None:
            continue
        if "attribution.logits" in trace and np.isfinite(trace["output_head.logits"].array).all():
            looked_at += 1
            assert adds_up(trace), seed
    assert looked_at or kind == "attention"
