"""`capture` and `compare`: a module is watched by hooks, without torch; somebody's own test reads the result."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import walkthrough as wt


class Handle:
    def __init__(self, hooks: list[Any], hook: Any) -> None:
        self.hooks, self.hook = hooks, hook

    def remove(self) -> None:
        self.hooks.remove(self.hook)


class Module:
    """What a torch.nn.Module has that capture asks for."""

    def __init__(self, forward: Callable[[Any], Any], **parts: Module) -> None:
        self.forward, self.parts, self.hooks = forward, parts, []  # type: ignore[var-annotated]

    def named_modules(self) -> list[tuple[str, Module]]:
        return [("", self), *self.parts.items()]

    def register_forward_hook(self, hook: Any) -> Handle:
        self.hooks.append(hook)
        return Handle(self.hooks, hook)

    def __call__(self, x: Any) -> Any:
        result = self.forward(x)
        for hook in self.hooks:
            hook(self, (x,), result)
        return result


class Tensor:
    """What a tensor has that capture asks for."""

    dtype = "torch.float64"

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def detach(self) -> Tensor:
        return self

    cpu = resolve_conj = detach

    def numpy(self) -> np.ndarray:
        return self.array


X = np.arange(6.0).reshape(2, 3)


def test_outputs_have_the_names_of_their_modules() -> None:
    pair = Module(lambda x: (Tensor(X), None, (Tensor(X + 1), Tensor(X + 2))))
    named = Module(lambda x: {"logits": Tensor(X + 3), "cache": object()})
    whole = Module(lambda x: (pair(x), named(x), pair(x)) and Tensor(X + 4), pair=pair, named=named)
    with wt.capture(whole) as tensors:
        whole(None)
        tensors["mine"] = Tensor(X + 5)
    expected = {"pair": 0, "pair.2.0": 1, "pair.2.1": 2, "named.logits": 3, "output": 4, "mine": 5}
    again = {"pair@2": 0, "pair.2.0@2": 1, "pair.2.1@2": 2}
    assert {name: float(array[0, 0]) for name, array in tensors.items()} == expected | again


def test_what_is_captured_is_a_copy() -> None:
    array = X.copy()
    whole = Module(lambda x: Tensor(array))
    with wt.capture(whole) as tensors:
        whole(None)
        array += 1
    np.testing.assert_array_equal(tensors["output"], X)


def test_hooks_are_removed_even_after_an_error() -> None:
    whole = Module(lambda x: Tensor(X))
    with pytest.raises(KeyError), wt.capture(whole):
        raise KeyError
    assert not whole.hooks
    with pytest.raises(TypeError, match=r"expects a torch\.nn\.Module, not a int"), wt.capture(3):
        pass


def test_compare_says_where_and_why() -> None:
    trace = wt.trace(wt.load_scenario("cooking"))
    scores = trace.only("scores").array
    powers = np.exp(trace.only("scaled_scores").array)
    tensors = {"scores": scores, "weights": powers / powers.sum(axis=0)}
    for scenario in ("cooking", wt.load_scenario("cooking"), trace):
        result = wt.compare(scenario, tensors)
        assert result.first is not None
        assert result.first.value.path.endswith("weights")
        assert result.cause == result.first.cause == "softmax over the columns instead of the rows"
        assert "what it is computed from agrees: scores" in " ".join(str(result).split())
    right = wt.compare("cooking", {"scores": scores})
    assert (right.first, right.cause) == (None, None)
    with pytest.raises(ValueError, match="nothing could be compared"):
        wt.compare("cooking", {"mine": scores})


@pytest.mark.parametrize(
    ("tensors", "names", "message"),
    [
        ([1, 2], None, "expected a dict, name → tensor, found a list"),
        ({3: [[1]]}, None, "expected a text as the name of a tensor, found 3"),
        ({"s": [[1]]}, "transformer", "there is no file 'transformer'; did you mean 'transformers'"),
        ({"s": [[1]]}, "x" * 300, "known layouts: transformers, torch, transformer_lens"),
    ],
)
def test_compare_says_what_it_takes(tensors: Any, names: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        wt.compare("cooking", tensors, names)
