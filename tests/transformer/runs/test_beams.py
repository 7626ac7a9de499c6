"""Beam search: every table of it is what a search finds that is written from the description alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import walkthrough as wt
from tests.examples import some
from tests.transformer.runs.beam_search import Found, search
from walkthrough.scenario.yaml.problems import ScenarioError
from walkthrough.transformer.runs.generation import GenerationError

TEA = Path(__file__).parents[3] / "scenarios" / "tea-gpt.yaml"
Data = dict[str, Any]


def model(rng: np.random.Generator, words: int, longest: int, whole: bool) -> Data:
    """A model without layers; with whole numbers, and two words with the same weights, many totals are equal."""
    d = 3

    def drawn(*shape: int) -> np.ndarray:
        return rng.integers(-1, 2, size=shape).astype(float) if whole else rng.normal(size=shape) * 1.5

    head = drawn(d, words)
    if whole:
        head[:, 0] = head[:, -1]
    return {
        "title": "t",
        "tokens": ["w0"],
        "vocabulary": [f"w{at}" for at in range(words)],
        "embeddings": drawn(words, d).tolist(),
        "positional_encoding": drawn(longest, d).tolist(),
        "output_head": {"w": head.tolist()},
    }


def following(data: Data, ids: tuple[int, ...]) -> np.ndarray:
    """The logarithm of how likely each word is to come next."""
    x = np.array(data["embeddings"])[ids[-1]] + np.array(data["positional_encoding"])[len(ids) - 1]
    logits = x @ np.array(data["output_head"]["w"])
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(logits) / np.exp(logits).sum()))


def traced(data: Data, **generate: Any) -> wt.Trace:
    return wt.trace(wt.parse_scenario(json.dumps({**data, "generate": generate})))


def table(trace: wt.Trace, number: int, name: str) -> list[list[float]]:
    value = trace.get(f"generate.{number}.{name}")
    return value.array.tolist() if value is not None else []


def agree(trace: wt.Trace, found: Found) -> None:
    """All tables, and the answer."""
    for number in range(1, len(found.candidates) + 1):
        for name, rows in (("candidates", found.candidates), ("finished", found.finished), ("alive", found.alive)):
            own = table(trace, number, name)
            assert [row[:-1] for row in own] == [row[:-1] for row in rows[number - 1]], (number, name)
            np.testing.assert_allclose([row[-1] for row in own], [row[-1] for row in rows[number - 1]], atol=1e-9)
    assert f"generate.{len(found.candidates) + 1}.candidates" not in trace
    assert tuple(trace["generated"].array[:, 0].astype(int)) == found.answer


@pytest.mark.parametrize("seed", range(some(16, 400)))
def test_every_table_is_that_of_an_independent_search(seed: int) -> None:
    rng = np.random.default_rng(seed)
    words, most, width = int(rng.integers(2, 7)), int(rng.integers(1, 6)), int(rng.integers(1, 5))
    data = model(rng, words, most, whole=False)
    alpha = float(rng.choice([0, 0.6, 1, 2.5]))
    penalty = {"power": alpha} if rng.random() < 0.5 else alpha
    end = int(rng.integers(words)) if rng.random() < 0.8 else None
    ending = {"end_token": f"w{end}"} if end is not None else {}
    trace = traced(data, max_tokens=most, beams=width, length_penalty=penalty, **ending)
    found = search(lambda ids: following(data, ids), (0,), most=most, end=end, width=width, penalty=penalty)
    agree(trace, found)


@pytest.mark.parametrize("seed", range(some(5, 100)))
def test_of_equal_totals_the_lower_beam_and_the_lower_id_come_first(seed: int) -> None:
    """What the model computes is given to both searches: the last bits of its numbers decide what is equal."""
    rng = np.random.default_rng(seed)
    data = model(rng, 4, 4, whole=True)
    trace = traced(data, max_tokens=4, end_token="w1", beams=3, length_penalty=0)
    known: dict[tuple[int, ...], np.ndarray] = {}
    for path, value in trace.items():
        if path.endswith(".log_probabilities"):
            before = path.removesuffix(".log_probabilities")
            known[tuple(trace[f"{before}.token_ids"].array[:, 0].astype(int))] = value.array[0]
    agree(trace, search(known.__getitem__, (0,), most=4, end=1, width=3, penalty=0))
    totals = [row[2] for row in table(trace, 1, "candidates")]
    assert len(set(totals)) < len(totals)


def test_a_pass_of_a_hypothesis_is_that_of_the_longer_prompt() -> None:
    data = yaml.safe_load(TEA.read_text(encoding="utf-8")) | {"tokens": ["hot"]}
    del data["generate"]
    trace = traced(data, max_tokens=3, end_token="<end>", beams=2)
    longer = {**data, "tokens": ["hot", "cold", "tea"]}
    alone = wt.trace(wt.parse_scenario(json.dumps(longer)))
    assert table(trace, 1, "alive")[1][:2] == [1, 1]  # cold
    assert table(trace, 2, "alive")[1][:2] == [2, 2]  # tea behind it
    own = trace["generate.3.beam.2.output_head.probabilities"].array
    np.testing.assert_allclose(own, alone["output_head.probabilities"].array, rtol=1e-12)
    totals = trace["generate.3.beam.2.totals"].array[0]
    np.testing.assert_allclose(totals, table(trace, 2, "alive")[1][2] + np.log(own[-1]), rtol=1e-12)
    assert trace["generate.1.beam.1.output_head.logits"] is trace["output_head.logits"]


def test_the_answer_has_its_probabilities() -> None:
    data = model(np.random.default_rng(3), 4, 3, whole=False)
    trace = traced(data, max_tokens=3, beams=3, length_penalty=0)
    ids = trace["generated"].array[:, 0].astype(int)
    shares = [np.exp(following(data, (0, *ids[:at]))[word]) for at, word in enumerate(ids)]
    np.testing.assert_allclose(trace["generated"].array[:, 1], shares, rtol=1e-12)


def test_where_all_candidates_end_the_search_is_over() -> None:
    data = model(np.random.default_rng(1), 1, 5, whole=False) | {"tokens": ["w0"]}
    trace = traced(data, max_tokens=5, end_token="w0", beams=3)
    assert table(trace, 1, "candidates") == [[1, 0, 0]]
    assert table(trace, 1, "finished") == [[1, 1, 0, 0]]
    assert "generate.1.alive" not in trace
    assert "generate.2.beam.1.totals" not in trace


def test_what_is_impossible_is_no_candidate() -> None:
    data = model(np.random.default_rng(1), 3, 2, whole=False)
    data["output_head"]["w"] = [[0, 2000, 4000]] * 3
    data["embeddings"], data["positional_encoding"] = [[1, 0, 0]] * 3, [[0, 0, 0]] * 2
    trace = traced(data, max_tokens=2, beams=2)
    assert trace["generate.1.beam.1.totals"].array.tolist() == [[-np.inf, -np.inf, 0]]
    assert table(trace, 1, "candidates") == [[1, 2, 0]]
    assert trace["generated"].array.tolist() == [[2, 1], [2, 1]]


def test_a_pass_without_ends_records_no_table_of_finished() -> None:
    trace = traced(model(np.random.default_rng(0), 4, 3, whole=False), max_tokens=3, beams=2)
    assert "generate.1.finished" not in trace
    assert "generate.3.finished" in trace
    assert "generate.3.alive" not in trace
    here = {path.split(".")[2] for path, _ in trace.items() if path.startswith("generate.2.")}
    assert here == {"beam", "length_penalty", "candidates", "alive"}


def test_without_a_next_word_the_message_says_so() -> None:
    data = model(np.random.default_rng(0), 3, 2, whole=False)
    data["embeddings"][0] = [1e300] * 3
    data["output_head"]["w"] = [[1e300, -1e300, 0]] * 3
    with pytest.raises(GenerationError, match=r"beam.1.totals: there is no next token; the first non-finite number is"):
        traced(data, max_tokens=2, beams=2)


@pytest.mark.parametrize(
    ("generate", "message", "at"),
    [
        ("{max_tokens: 2, beams: 2, cache: true}", "both beams and cache are given: beams search for", 44),
        ("{max_tokens: 2, beams: 2, sample: {seed: 1}}", "both beams and sample are given: beams search for", 37),
        ("{max_tokens: 2, length_penalty: 0.6}", "length_penalty is given without beams", 43),
        ("{max_tokens: 201, beams: 2}", "max_tokens is 201, expected at most 200 with beams", 24),
        ("{max_tokens: 2, beams: 0}", "expected a whole number from 1 to 1000", 34),
        ("{max_tokens: 2, beams: 2, length_penalty: {power: high}}", "expected a number, found text 'high'", 61),
        ("{max_tokens: 2, beams: 2, length_penalty: gnmt}", "expected a number", 53),
    ],
)
def test_what_does_not_go_with_beams_is_said_with_its_place(generate: str, message: str, at: int) -> None:
    data = model(np.random.default_rng(0), 3, 2, whole=False)
    text = yaml.safe_dump(data) + f"generate: {generate}\n"
    with pytest.raises(ScenarioError, match=message) as caught:
        wt.parse_scenario(text)
    assert (text.count("\n"), at) in {(one.line, one.column) for one in caught.value.problems}
