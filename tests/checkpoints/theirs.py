"""What the transformers library makes of a checkpoint, in float64 throughout."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import torch
import transformers
from transformers.models.gptj.modeling_gptj import create_sinusoidal_positions

from tests.checkpoints.variants import IDS, Variant


@contextlib.contextmanager
def by_default(kind: torch.dtype) -> Iterator[None]:
    """What another test in this process has chosen for new tensors does not matter here."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(kind)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


@contextlib.contextmanager
def in_float64() -> Iterator[None]:
    """transformers computes angles and RMS norms in float32, whatever the model's type; here it does not."""
    changes = [mock.patch.object(torch, name, torch.float64) for name in ("float32", "float")]
    double = mock.patch.object(torch.Tensor, "float", torch.Tensor.double)
    with changes[0], changes[1], double, by_default(torch.float64):
        yield


def model_of(variant: Variant) -> Any:
    """A model of the class that saved the checkpoint."""
    config = transformers.AutoConfig.for_model(**dict(variant.config))
    config._attn_implementation = config._experts_implementation = "eager"
    return getattr(transformers, variant.saved_by)(config).double().eval()


def loaded(variant: Variant, tensors: Mapping[str, Any]) -> Any:
    """The model with these weights."""
    model = model_of(variant)
    state = {name: torch.tensor(array.astype(np.float64)) for name, array in tensors.items()}
    missing, surplus = model.load_state_dict(state, strict=False)
    assert not surplus
    assert set(missing) <= set(model.all_tied_weights_keys), missing
    model.tie_weights()
    return model


def shapes_of(variant: Variant) -> dict[str, list[int]]:
    """The names and shapes of what a model saves: tied weights once."""
    model = model_of(variant)
    tied = set(model.all_tied_weights_keys)
    return {name: list(value.shape) for name, value in model.state_dict().items() if name not in tied}


def asked(config: Mapping[str, Any]) -> dict[str, torch.Tensor]:
    """What a model reads: the ids; beside an encoder, the decoder's first token."""
    read = {"input_ids": torch.tensor([IDS])}
    if config["model_type"] == "t5":
        read["decoder_input_ids"] = torch.tensor([[config["decoder_start_token_id"]]])
    return read


def outputs_of(variant: Variant, tensors: dict[str, Any], is_plain: bool = False) -> dict[str, np.ndarray]:
    """hidden.0, hidden.1, … as the library counts them, weights.1, … with heads×n×n, and logits where there are any.

    Of an encoder and a decoder those of the decoder, and encoder, what comes out of the encoder.

    is_plain: with what the library keeps in float32
    """
    with by_default(torch.float32) if is_plain else in_float64(), torch.no_grad():
        model = loaded(variant, tensors)
        out = model(**asked(variant.config), output_hidden_states=True, output_attentions=True)
    hidden = out.hidden_states if "hidden_states" in out else out.decoder_hidden_states
    attentions = out.attentions if "attentions" in out else out.decoder_attentions
    found = {f"hidden.{at}": state[0].numpy() for at, state in enumerate(hidden)}
    found |= {f"weights.{layer}": weights[0].numpy() for layer, weights in enumerate(attentions, 1)}
    if "encoder_last_hidden_state" in out:
        found |= {f"cross.{layer}": weights[0].numpy() for layer, weights in enumerate(out.cross_attentions, 1)}
        found["encoder"] = out.encoder_last_hidden_state[0].numpy()
    if "bert" not in variant.config["model_type"] and "logits" in out:
        found["logits"] = out.logits[0].numpy()
    return found


def logits_or_hidden(folder: Path, variant: Variant) -> tuple[np.ndarray, np.ndarray | None]:
    """The last hidden state and the logits, if any, of a model as the library itself reads it from a folder."""
    kind = getattr(transformers, variant.saved_by)
    ways = {"attn_implementation": "eager", "experts_implementation": "eager"}
    model = kind.from_pretrained(folder, dtype=torch.float64, **ways).eval()
    with in_float64(), torch.no_grad():
        for module in list(model.modules()):
            if hasattr(module, "rotary_emb"):  # its angles were made in float32
                module.rotary_emb = type(module.rotary_emb)(model.config)
            if hasattr(module, "embed_positions") and hasattr(module, "pos_embd_dim"):  # GPT-J's, likewise
                module.embed_positions = create_sinusoidal_positions(module.max_positions, module.pos_embd_dim)
        out = model(**asked(variant.config), output_hidden_states=True)
    logits = out.logits[0].numpy() if "logits" in out else None
    hidden = out.hidden_states if "hidden_states" in out else out.decoder_hidden_states
    return hidden[-1][0].numpy(), logits
