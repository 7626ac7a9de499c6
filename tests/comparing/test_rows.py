"""One row of logits, or several sequences: compared as far as it goes, and what was left out is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import walkthrough as wt

torch = pytest.importorskip("torch")

from tests.comparing.matching.own_modules import IDS, SMALL, Small, captured, drawn, saved  # noqa: E402

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("shape", [(1, 1, 7), (1, 7), (7,)])
def test_one_row_of_logits_is_that_of_the_last_position(shape: tuple[int, ...], tmp_path: Path) -> None:
    model = drawn(Small(output="logits"))
    path = saved(model, SMALL, tmp_path)
    last = captured(model)["output"][0, -1].reshape(shape)
    found = wt.assert_same(path, {"logits": last})
    assert "only the row of the last position was given" in " ".join(str(found).split())
    found = wt.compare(path, {"logits": captured(drawn(Small("not scaled", "logits")))["output"][0, -1]})
    assert found.first is not None
    assert found.first.row == len(IDS) - 1
    assert "not divided by √d_k" in (found.cause or "")


def test_of_a_batch_the_first_sequence_is_compared(tmp_path: Path) -> None:
    model = drawn(Small(output="logits"))
    path = saved(model, SMALL, tmp_path)
    found = wt.assert_same(path, captured(model, torch.tensor([IDS, [6, 5, 4, 3], [0, 0, 1, 2]])))
    assert len({one.value for one in found.steps}) > 20
    assert "of a batch of 3 only the first sequence is compared" in " ".join(str(found).split())
    assert wt.compare(path, captured(model, torch.tensor([[6, 5, 4, 3], IDS]))).first is not None


def test_without_the_output_everything_is_required(tmp_path: Path) -> None:
    model = drawn(Small(output="logits"))
    path = saved(model, SMALL, tmp_path)
    tensors = captured(model)
    assert wt.compare(path, {"logits": tensors["output"]}).ok
    del tensors["output"]
    assert wt.compare(path, tensors).missing == ("output_head.logits",)
    with pytest.raises(AssertionError, match="Required, but not compared"):
        wt.assert_same(path, {"stages.0": np.array(tensors["stages.0"])})
