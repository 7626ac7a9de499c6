"""The oracle's own conscience: two ways PyTorch has of computing one value must agree."""

from __future__ import annotations

from torch import Tensor


def agree(stepwise: Tensor, by_module: Tensor, where: str, sensitive: Tensor | None = None) -> None:
    """Both equal to 1e-12 of the larger value.

    `sensitive` is the input that the operation magnifies (the scores of a softmax, x ÷ std of a layer norm): an error
    of one unit in the last place of 1000 is an error of 1000 units in e^1000, however it is computed.
    """
    if stepwise.isnan().any():  # unknown values: what the modules make of nan is not the question
        return
    finite = stepwise.detach()[stepwise.isfinite()].abs()
    scale = max(1.0, float(finite.max())) if finite.numel() else 1.0
    if sensitive is not None:
        large = sensitive.detach()[sensitive.isfinite() & (sensitive > -1e4)].abs()  # not the masks
        scale *= max(1.0, float(large.max()) / 100) if large.numel() else 1.0
    error = float((stepwise - by_module).detach().abs().nan_to_num(0.0).max())
    assert stepwise.shape == by_module.shape, f"{where}: {stepwise.shape} and {by_module.shape}"
    assert error <= 1e-12 * scale, f"{where}: {error} off, at most {1e-12 * scale}"
