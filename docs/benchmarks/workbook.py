"""Writing workbooks: of `not-on-your-life`, and of an encoder of 6 layers with 16 tokens and 64 features.

python -m docs.benchmarks.workbook
"""

from __future__ import annotations

import time

import walkthrough as wt
from walkthrough.views.formats import to_bytes
from walkthrough.views.options import Options


def encoder(layers: int = 6, tokens: int = 16, width: int = 64) -> wt.Trace:
    """The trace of an encoder with random weights."""
    words = ", ".join(f"w{at}" for at in range(tokens))
    init = "{init: normal, std: 0.1}"
    weights = ", ".join(f"{name}: {init}" for name in ("w_q", "w_k", "w_v", "w_o"))
    forward = ", ".join(f"{name}: {init}" for name in ("w_1", "b_1", "w_2", "b_2"))
    return wt.trace(
        wt.parse_scenario(
            f"""
title: benchmark
tokens: [{words}]
embeddings: {{init: normal, std: 1}}
dimensions: {{d_model: {width}, d_ff: {4 * width}}}
encoder:
  layers:
    repeat: {layers}
    layer: {{attention: {{num_heads: 4, {weights}}}, feed_forward: {{{forward}}}}}
"""
        )
    )


def main() -> None:
    """Prints how many formulas there are, and how long writing them takes; what is loaded once is not counted."""
    to_bytes(wt.trace(wt.load_scenario("help-me")), Options(), "xlsx")
    for name, trace in (("not-on-your-life", wt.trace(wt.load_scenario("not-on-your-life"))), ("6 layers", encoder())):
        formulas = sum(value.array.size for value in trace if value.operation is not None)
        begun, cpu = time.perf_counter(), time.process_time()
        size = len(to_bytes(trace, Options(), "xlsx"))
        spent = time.perf_counter() - begun
        print(
            f"{name}: {formulas:,} formulas, {size / 1e6:.1f} MB, {spent:.2f} s ({time.process_time() - cpu:.2f} s CPU)"
        )


if __name__ == "__main__":
    main()
