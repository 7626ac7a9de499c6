"""Beam search beside transformers' own, on small GPT-2s of random numbers; its penalty is a power of the length."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import walkthrough as wt
from tests.examples import some
from walkthrough.checkpoints import Prompt, compose

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", range(some(3, 40)))
def test_the_answer_and_its_score_are_those_of_transformers(seed: int, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    words, most, width = int(rng.integers(5, 12)), int(rng.integers(2, 7)), int(rng.integers(2, 5))
    alpha, end = float(rng.choice([0.0, 0.6, 1.0, 2.0])), int(rng.integers(words))
    config = transformers.GPT2Config(
        vocab_size=words,
        n_positions=16,
        n_embd=8,
        n_layer=1,
        n_head=2,
        initializer_range=0.8,
        eos_token_id=end,
        bos_token_id=None,
    )
    model = transformers.GPT2LMHeadModel(config).double().eval()
    model.float().save_pretrained(tmp_path / "gpt2")
    vocabulary = json.dumps({f"w{at}": at for at in range(words)})
    (tmp_path / "gpt2" / "vocab.json").write_text(vocabulary)
    settings = f"{{max_tokens: {most}, end_token: w{end}, beams: {width}, length_penalty: {{power: {alpha}}}}}"
    text = compose(tmp_path / "gpt2", Prompt(ids="1,2,3")).text
    file = tmp_path / "gpt2.yaml"
    file.write_text(f"{text}\ngenerate: {settings}\n")
    trace = wt.trace(wt.load_scenario(file))
    found = model.double().generate(
        torch.tensor([[1, 2, 3]]), num_beams=width, max_new_tokens=most, early_stopping=False, length_penalty=alpha,
        do_sample=False, pad_token_id=end, return_dict_in_generate=True, output_scores=True
    )  # fmt: skip
    own = trace["generated"].array[:, 0].astype(int).tolist()
    theirs = found.sequences[0, 3:].tolist()
    assert own == theirs[: len(own)]
    assert set(theirs[len(own) :]) <= {end}
    last = max(int(path.split(".")[1]) for path, _ in trace.items() if path.endswith(".finished"))
    score = trace[f"generate.{last}.finished"].array[0, 3]
    assert score == pytest.approx(float(found.sequences_scores[0]), rel=1e-5)
