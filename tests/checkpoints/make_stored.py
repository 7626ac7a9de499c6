"""Writes what the tests without PyTorch compare with: `python -m tests.checkpoints.make_stored`, with transformers.

stored/shapes.json has the names and shapes of each variant's tensors; stored/outputs.npz what transformers computes.
"""

from __future__ import annotations

import json

import numpy as np

from tests.checkpoints.stored_outputs import OUTPUTS, SHAPES
from tests.checkpoints.theirs import outputs_of, shapes_of
from tests.checkpoints.variants import VARIANTS, tensors_of


def main() -> None:
    shapes = {variant.name: shapes_of(variant) for variant in VARIANTS}
    lines = (f"{json.dumps(name)}: {json.dumps(own)}" for name, own in shapes.items())
    SHAPES.write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")
    outputs = {}
    for variant in VARIANTS:
        found = outputs_of(variant, tensors_of(variant, shapes[variant.name]))
        outputs |= {f"{variant.name}/{key}": array for key, array in found.items()}
    np.savez_compressed(OUTPUTS, **outputs)


if __name__ == "__main__":
    main()
