"""Write tests/oracle/stored: scenarios of all kinds with the values that PyTorch gives, for machines without PyTorch.

    python -m tests.oracle.make_stored

The same seeds give the same files. A scenario is kept when it is well conditioned, so that 1e-12 can be asked of it,
and when it shows features that those before it did not show, until each kind has its number.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .compare import sensitivity
from .features import features
from .reference import expected
from .scenarios import as_yaml, seeded_scenario

STORED = Path(__file__).parent / "stored"
EACH = {"encoder": 12, "decoder_only": 8, "encoder_decoder": 10, "attention": 12}
LARGEST = 200  # numbers in a scenario's largest path: small files, quick tests


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


if __name__ == "__main__":
    main()
