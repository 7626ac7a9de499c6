"""Names of activations, as transformers has them, and ours."""

from __future__ import annotations

from walkthrough.text import in_quotes

ACTIVATIONS = {
    "gelu": "gelu",
    "gelu_python": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu_accurate": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_python_tanh": "gelu_tanh",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
    "sigmoid": "sigmoid",
    "linear": "none",
}
"""Others change the numbers and are refused. gelu_fast has √(2/π) with ten digits; that shows in the twelfth."""


def activation_of(key: str, name: str, faults: list[str]) -> str:
    """Our name of an activation; one that is not known is a fault."""
    if name not in ACTIVATIONS:
        known = ", ".join(ACTIVATIONS)
        faults.append(f"{key} is {in_quotes(name)}, which is not supported; known are {known}")
    return ACTIVATIONS.get(name, "none")
