"""Mistakes that give almost the same numbers: of those within the roundings, the nearest is named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import walkthrough as wt

EPSILON = 1e-6
X = np.random.default_rng(3).normal(0, 0.4, (5, 8))
X[2] *= 0.2 / np.sqrt((X[2] ** 2).mean())  # small enough for epsilon to be seen in float32
MEAN_SQUARE = (X * X).mean(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("near") / "near.yaml"
    rows = ", ".join(str(row) for row in X.tolist())
    weights = str(np.eye(8).tolist())
    path.write_text(
        f"title: near\ntokens: [a, b, c, d, e]\nembeddings: [{rows}]\n"
        f"encoder:\n  norm: rms\n  norm_order: pre\n  layer_norm: {{epsilon: {EPSILON}}}\n"
        f"  layers:\n    - feed_forward: {{w_1: {weights}, w_2: {weights}}}\n"
    )
    return path


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("cause", "root"),
    [
        ("epsilon is missing", np.sqrt(MEAN_SQUARE)),
        ("epsilon is outside the root", np.sqrt(MEAN_SQUARE) + EPSILON),
        (None, np.sqrt(MEAN_SQUARE + EPSILON)),
    ],
)
def test_the_nearest_mistake_is_named(scenario: Path, kind: type, cause: str | None, root: np.ndarray) -> None:
    result = wt.compare(scenario, {"encoder.1.norm_2.output": (X / root).astype(kind)})
    assert (result.cause or "").partition(" (")[0] == (cause or "")
