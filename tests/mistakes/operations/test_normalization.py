"""Layer norms and RMS norms: each usual mistake is made by plain numpy, and named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import walkthrough as wt
from tests.mistakes import modern
from tests.mistakes.classic import LAYER, Fault, assert_named, attended, model, norm_1, normed
from walkthrough.recording.trace import Trace


def squares(x: np.ndarray, **settings: bool) -> np.ndarray:
    """The sum of the squares of each row."""
    return np.asarray((x * x).sum(axis=1, keepdims=True))


COLUMNS = "normalized over the columns instead of the rows"
MEAN, VARIANCE, SAMPLE, FOUR = LAYER + "norm_1.mean", LAYER + "norm_1.variance", {"variance": "sample"}, "[a, b, c, d]"
FAULTS: list[tuple[str, str, Fault, dict[str, str]]] = [
    (COLUMNS, MEAN, lambda x: x.mean(axis=0)[:, None], {"tokens": FOUR}),
    (COLUMNS, VARIANCE, lambda x, **_: (x * x).mean(axis=0)[:, None], {"tokens": FOUR}),
    ("absolute values are taken instead of squares", VARIANCE, lambda x, **_: abs(x).mean(axis=1)[:, None], {}),
    ("not divided by d", MEAN, lambda x: x.sum(axis=1, keepdims=True), {}),
    ("the sample variance (÷ (d − 1)) was used", VARIANCE, lambda x, **_: squares(x) / 3, {}),
    ("the population variance (÷ d) was used", VARIANCE, lambda x, **_: squares(x) / 4, SAMPLE),
    ("not divided by d", VARIANCE, lambda x, **_: squares(x), {}),
    ("not divided by d", VARIANCE, lambda x, **_: squares(x), SAMPLE),
    ("epsilon is added to the standard deviation", LAYER + "norm_1.std", lambda v, **_: np.sqrt(v) + 0.01, {}),
    ("epsilon is added to the variance", LAYER + "norm_1.std", lambda v, **_: np.sqrt(v + 0.01), {"epsilon_in": "std"}),
    ("epsilon is missing", LAYER + "norm_1.std", lambda v, **_: np.sqrt(v), {}),
    *(
        (f"epsilon is {other:g}", LAYER + "norm_1.std", lambda v, other=other, **_: np.sqrt(v + other), {})
        for other in (1e-3, 1e-5, 1e-6, 1e-8, 1e-12)
    ),
    ("the variance was used as the standard deviation", LAYER + "norm_1.std", lambda v, **_: v, {}),
    *(
        (f"the division by σ_{name} is missing", step, lambda x, _: x, {})
        for name, step in (
            ("1", LAYER + "norm_1.normalized"),
            ("2", LAYER + "norm_2.normalized"),
            ("f", "encoder.final_norm.output"),
        )
    ),
    ("gamma and beta are missing", LAYER + "norm_1.output", lambda x, g, b, **_: x, {}),
    ("beta is missing", LAYER + "norm_1.output", lambda x, g, b, **_: x * g, {}),
    ("gamma is missing", LAYER + "norm_1.output", lambda x, g, b, **_: x + b, {}),
    ("gamma and beta are swapped", LAYER + "norm_1.output", lambda x, g, b, **_: x * b + g, {}),
    ("gamma is missing", LAYER + "norm_2.output", lambda x, g, **_: x, {}),
    ("the mean is not subtracted: it is an RMS norm", LAYER + "norm_1.centered", lambda x, m: x, {}),
]
ELSEWHERE: list[tuple[str, str, Callable[[Trace], np.ndarray]]] = [
    ("it is normed twice", LAYER + "norm_1.output", lambda t: norm_1(norm_1(t["input"].array, t), t)),
    ("the norm is missing", LAYER + "norm_1.output", lambda t: t["input"].array),
    (COLUMNS, LAYER + "norm_1.output", lambda t: norm_1(t["input"].array, t, axis=0)),
    (
        "the residual is added after the norm",
        LAYER + "norm_2.output",
        lambda t: t["input"].array + normed(t[LAYER + "attention.output"].array) * t[LAYER + "norm_2.gamma"].array,
    ),
    (
        "the norm comes after the residual (post-LN) instead of before the part (pre-LN)",
        LAYER + "norm_1.output",
        lambda t: norm_1(t["input"].array + attended(t["input"].array, t), t),
    ),
]
NORMALIZED = "query_norm.normalized"
MODERN: list[tuple[str, str, Fault]] = [
    (COLUMNS, NORMALIZED, lambda x, r: modern.rms(x.T).T),
    ("epsilon is outside the root", "query_norm.rms", lambda m, **_: np.sqrt(m) + modern.EPSILON),
    ("epsilon is missing", "query_norm.rms", lambda m, **_: np.sqrt(m)),
    ("epsilon is 1e-06", "query_norm.rms", lambda m, **_: np.sqrt(m + 1e-6)),
    ("the mean square was used as its root", "query_norm.rms", lambda m, **_: m),
    ("divided by the mean square instead of its root", NORMALIZED, lambda x, r: x / (r * r - modern.EPSILON)),
    ("not divided by d under the root", NORMALIZED, lambda x, r: x / np.sqrt(squares(x) + modern.EPSILON)),
    ("the mean is subtracted: it is a layer norm", NORMALIZED, modern.layer_normed),
    ("multiplied by 1 + gamma", "query_norm.output", lambda x, g, **_: x * (1 + g)),
    ("the mean is subtracted: it is the variance", "query_norm.mean_square", lambda x, **_: x.var(1, keepdims=True)),
    ("not divided by d", "query_norm.mean_square", squares),
]
SQUARED = "divided by the variance instead of the standard deviation"


def test_a_division_by_the_variance_is_named() -> None:
    variance = model()[LAYER + "norm_1.variance"].array
    assert_named(SQUARED, LAYER + "norm_1.normalized", lambda x, std: x / variance, {})


SMALL = 1e-6
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
        f"encoder:\n  norm: rms\n  norm_order: pre\n  layer_norm: {{epsilon: {SMALL}}}\n"
        f"  layers:\n    - feed_forward: {{w_1: {weights}, w_2: {weights}}}\n"
    )
    return path


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("cause", "root"),
    [
        ("epsilon is missing", np.sqrt(MEAN_SQUARE)),
        ("epsilon is outside the root", np.sqrt(MEAN_SQUARE) + SMALL),
        (None, np.sqrt(MEAN_SQUARE + SMALL)),
    ],
)
def test_the_nearest_mistake_is_named(scenario: Path, kind: type, cause: str | None, root: np.ndarray) -> None:
    result = wt.compare(scenario, {"encoder.1.norm_2.output": (X / root).astype(kind)})
    is_small = kind is np.float32 and cause == "epsilon is missing"  # of such numbers a tiny one is none
    assert (result.cause or "").partition(" (")[0] == (f"{cause}, or at most 1e-08" if is_small else cause or "")
