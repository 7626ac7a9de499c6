"""Write tests/oracle/stored and stored_training: what PyTorch gives for scenarios of all kinds, to be had without it.

    python -m tests.oracle.make_stored

The same seeds give the same files. A scenario is kept when it is well conditioned, so that 1e-12 can be asked of it,
and when it shows features that those before it did not show, until each kind has its number.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .compare import sensitivity
from .features import features
from .parts import Spec
from .reference import expected
from .scenarios import as_yaml, seeded_scenario
from .training import trained
from .training_scenarios import seeded_training, settle

STORED = Path(__file__).parent / "stored"
STORED_TRAINING = Path(__file__).parent / "stored_training"
EACH = {"encoder": 12, "decoder_only": 8, "encoder_decoder": 10, "attention": 12}
LARGEST = 200  # numbers in a scenario's largest path: small files, quick tests
EACH_TRAINING = {"encoder": 5, "decoder_only": 5, "encoder_decoder": 5, "attention": 2}
LARGEST_TRAINING, MOST_PATHS = 40, 250


def main() -> None:
    for old in STORED.glob("*.*"):
        old.unlink()
    STORED.mkdir(exist_ok=True)
    seen: set[str] = set()
    for kind, wanted in EACH.items():
        kept, seed = 0, 1000
        while kept < wanted:
            seed += 1
            scenario = seeded_scenario(kind, seed)
            shown = {f"{kind}: {feature}" for feature in features(scenario)}
            if len(shown - seen) < (3 if seed < 1400 else 1 if seed < 3000 else 0):
                continue
            arrays = expected(scenario)
            sensitive = max(sensitivity(expected, scenario, arrays).values())
            if sensitive > 50 or max(map(np.size, arrays.values())) > LARGEST:
                continue
            kept, seen = kept + 1, seen | shown
            name = f"{kind}_{kept:02}"
            (STORED / f"{name}.yaml").write_text(as_yaml(scenario), encoding="utf-8")
            np.savez_compressed(STORED / f"{name}.npz", **arrays)


def training() -> None:
    """The same for scenarios that train: of each kind with one step and with several, in every reduction."""
    for old in STORED_TRAINING.glob("*.*"):
        old.unlink()
    STORED_TRAINING.mkdir(exist_ok=True)
    seen: set[str] = set()
    for kind, wanted in EACH_TRAINING.items():
        kept, seed = 0, 1000
        while kept < wanted:
            seed += 1
            scenario = seeded_training(kind, seed)
            if scenario is None or not settle(scenario, trained(scenario)):
                continue
            arrays = {path: array for path, array in trained(scenario).items() if _is_of_training(path)}
            keys = scenario["training"]
            choices = [f"{kind}: {key}={keys.get(key)}" for key in ("steps", "reduction")]
            shown = {*choices, f"{kind}: {keys.get('update', 'all') == 'all'}", *features(scenario)}
            large = max(map(np.size, arrays.values())) > LARGEST_TRAINING or len(arrays) > MOST_PATHS
            if len(shown - seen) < 3 or large or _is_sensitive(scenario):
                continue
            kept, seen = kept + 1, seen | shown
            name = f"{kind}_{kept:02}"
            (STORED_TRAINING / f"{name}.yaml").write_text(as_yaml(scenario), encoding="utf-8")
            np.savez_compressed(STORED_TRAINING / f"{name}.npz", **arrays)


def _is_of_training(path: str) -> bool:
    return path == "training" or bool({"loss", "gradient", "update"} & set(path.split(".")))


def _is_sensitive(scenario: Spec) -> bool:
    return max(sensitivity(trained, scenario, trained(scenario)).values()) > 50


if __name__ == "__main__":
    main()
    training()
