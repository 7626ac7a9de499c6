"""`new --from` against the transformers library itself, in float64; run where that and PyTorch are installed."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import walkthrough as wt
from tests.checkpoints.drawn import drawn
from tests.checkpoints.stored_outputs import assert_same, outputs, shapes
from tests.checkpoints.variants import BY_NAME, FIRST, IDS, VARIANTS, Variant, tensors_of, write_folder, write_weights
from tests.examples import some
from walkthrough.checkpoints import Prompt, compose
from walkthrough.checkpoints.families import FAMILIES
from walkthrough.checkpoints.paths import RETURNED
from walkthrough.checkpoints.settings import COMMON, HARMLESS, Only

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tests.checkpoints import theirs  # noqa: E402  # it needs both

pytestmark = pytest.mark.torch


def traced(folder: Path, prompt: Prompt | None = None) -> wt.Trace:
    composed = compose(folder, prompt or Prompt(ids=",".join(map(str, IDS))))
    path = folder / "scenario.yaml"
    path.write_text(composed.text.replace(f"{folder}/", ""), encoding="utf-8")
    return wt.trace(wt.load_scenario(path))


TRIED = some(FIRST, VARIANTS)


@pytest.mark.parametrize("variant", TRIED, ids=[variant.name for variant in TRIED])
def test_what_is_stored_is_what_the_library_computes(variant: Variant) -> None:
    assert theirs.shapes_of(variant) == shapes()[variant.name]
    found = theirs.outputs_of(variant, tensors_of(variant, shapes()[variant.name]))
    stored = outputs()[variant.name]
    assert found.keys() == stored.keys()
    for key, array in found.items():
        np.testing.assert_allclose(array, stored[key], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("variant", TRIED, ids=[variant.name for variant in TRIED])
def test_the_folder_as_the_library_reads_it(variant: Variant, tmp_path: Path) -> None:
    """config.json and weights through from_pretrained: old keys, several files, every type."""
    write_folder(tmp_path, variant, shapes()[variant.name])
    hidden, logits = theirs.logits_or_hidden(tmp_path, variant)
    trace = traced(tmp_path)
    last = "decoder.output" if "decoder.output" in trace else "encoder.output"
    np.testing.assert_allclose(trace[last].array, hidden, rtol=1e-10, atol=1e-10)
    if logits is not None and last == "decoder.output":
        ours = next(trace[path] for path in RETURNED if path in trace)
        np.testing.assert_allclose(ours.array, logits, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("variant", some([BY_NAME["gptj-plain"], BY_NAME["gemma2-plain"]], VARIANTS), ids=str)
def test_with_what_the_library_keeps_in_float32_it_agrees_to_a_few_millionths(variant: Variant) -> None:
    """Of the largest number of a row; a family that keeps nothing in float32 agrees to 1e-10 all the same.

    A state that is carried from token to token in float32, layer after layer, may be off by twice as much.
    """
    plain = theirs.outputs_of(variant, tensors_of(variant, shapes()[variant.name]), is_plain=True)
    kept = FAMILIES[variant.config["model_type"]].float32
    tolerance = 1e-10 if kept == "nothing" else 1e-5 if "the delta rule" in kept else 5e-6
    for key, exact in outputs()[variant.name].items():
        largest = np.abs(exact).max(axis=-1, keepdims=True)
        assert (np.abs(plain[key] - exact) <= tolerance * largest).all(), key


@pytest.mark.parametrize("seed", range(some(1, 8)))
@pytest.mark.parametrize("family", FAMILIES)
def test_settings_at_random(family: str, seed: int, tmp_path: Path) -> None:
    variant = drawn(family, seed)
    tensors = write_folder(tmp_path, variant, theirs.shapes_of(variant))
    assert_same(traced(tmp_path), theirs.outputs_of(variant, tensors))


@pytest.mark.parametrize("family", FAMILIES)
def test_every_setting_of_the_library_is_decided(family: str) -> None:
    """Each key of its configuration class is supported, harmless or refused, with the library's own default."""
    kind = transformers.AutoConfig.for_model(family).__class__
    table, aliases = FAMILIES[family].settings, FAMILIES[family].aliases
    fields = {field.name: field.default for field in dataclasses.fields(kind)}
    assert [name for name in fields if name not in table and name not in COMMON and name not in aliases] == []
    for name, default in fields.items():
        setting = table.get(name, COMMON.get(name))
        if setting is not HARMLESS and not isinstance(setting, Only) and name not in aliases:
            assert setting is not None
            assert setting.default == default, name


@pytest.mark.parametrize("is_same", [True, False])
def test_a_head_that_is_tied_and_stored(is_same: bool, tmp_path: Path) -> None:
    """Where both are stored the library ties them only if they are equal; so do we, and say so."""
    variant = BY_NAME["llama-biases"]
    own = {**shapes()[variant.name], "lm_head.weight": [11, 8]}
    tensors = write_folder(tmp_path, variant, own)
    if is_same:
        tensors["lm_head.weight"] = tensors["model.embed_tokens.weight"]
        write_weights(tmp_path, tensors)
    _, logits = theirs.logits_or_hidden(tmp_path, variant)
    assert logits is not None
    trace = traced(tmp_path)
    np.testing.assert_allclose(trace["output_head.logits"].array, logits, rtol=1e-10, atol=1e-10)
    assert ("output_head.w" in trace) is not is_same
    notes = compose(tmp_path, Prompt()).notes
    assert any("holds other numbers" in note for note in notes) is not is_same


WITH_HEAD = [variant for variant in VARIANTS if variant.saved_by.endswith("ForCausalLM")]


@pytest.mark.parametrize(
    "variant", some([BY_NAME[name] for name in ("cohere-plain", "falcon-new", "qwen3_next-plain")], WITH_HEAD), ids=str
)
def test_what_its_modules_return_is_compared_and_agrees(variant: Variant, tmp_path: Path) -> None:
    tensors = write_folder(tmp_path, variant, shapes()[variant.name])
    with theirs.in_float64(), torch.no_grad():
        model = theirs.loaded(variant, tensors)
        with wt.capture(model) as seen:
            model(torch.tensor([IDS]))
    composed = compose(tmp_path, Prompt(ids=",".join(map(str, IDS))))
    (tmp_path / "scenario.yaml").write_text(composed.text, encoding="utf-8")
    wt.assert_same(tmp_path / "scenario.yaml", seen)
    weights = {name: one.astype(np.float64) for name, one in tensors.items()}
    assert wt.compare(tmp_path / "scenario.yaml", weights).summary["differs"] == 0
