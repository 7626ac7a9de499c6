"""What each command takes for a model of the size of GPT-2, of random numbers: seconds, and the most memory at once.

python -m docs.benchmarks.gpt2 [folder that keeps the 500 MB of weights] [word of the commands to run]
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

WIDTH, INNER, WORDS, POSITIONS, LAYERS = 768, 3072, 50_257, 1024, 12
IDS = (464, 3797, 3332, 319, 262, 2603, 290, 3114)
COMMANDS = (
    ("validate",),
    ("shapes",),
    ("steps",),
    ("run", "--step", "decoder.1.self_attention.head.1.scores"),
    ("run", "--step", "decoder.12.self_attention.head.12.weights"),
    ("run", "--step", "output_head.prediction"),
    ("explain", "decoder.1.self_attention.head.1.scores[w464, w464]"),
    ("explain", "output_head.probabilities[w464, w464]"),
    ("export", "--step", "decoder.1.self_attention.head.1", "-o", "head.html"),
)


def shapes() -> dict[str, tuple[int, ...]]:
    """The tensors of a GPT-2, under the names of transformers."""
    found: dict[str, tuple[int, ...]] = {"wte.weight": (WORDS, WIDTH), "wpe.weight": (POSITIONS, WIDTH)}
    linear = {"attn.c_attn": 3 * WIDTH, "attn.c_proj": WIDTH, "mlp.c_fc": INNER, "mlp.c_proj": WIDTH}
    for layer in range(LAYERS):
        for name, outward in linear.items():
            inward = INNER if name == "mlp.c_proj" else WIDTH
            found |= {f"h.{layer}.{name}.weight": (inward, outward), f"h.{layer}.{name}.bias": (outward,)}
        for name in ("ln_1", "ln_2"):
            found |= {f"h.{layer}.{name}.weight": (WIDTH,), f"h.{layer}.{name}.bias": (WIDTH,)}
    return found | {"ln_f.weight": (WIDTH,), "ln_f.bias": (WIDTH,)}


def write_weights(path: Path) -> None:
    """A safetensors file of random float32 numbers, written tensor by tensor."""
    end, head = 0, {}
    for name, shape in shapes().items():
        begin, end = end, end + 4 * int(np.prod(shape))
        head[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [begin, end]}
    written, rng = json.dumps(head).encode(), np.random.default_rng(1)
    with path.open("wb") as file:
        file.write(len(written).to_bytes(8, "little") + written)
        for name, (rows, *columns) in shapes().items():
            for _ in range(rows):  # row by row: what this process holds would count as that of those that it starts
                numbers = rng.standard_normal(columns, dtype=np.float32) * np.float32(0.02)
                file.write(np.float32(numbers + ("ln_" in name and name.endswith("weight"))).tobytes())


def scenario(all_words: bool) -> str:
    """A scenario that reads them; `all_words`: with a word for each of its ids."""

    def among(**names: str) -> str:
        return ", ".join(f"{key}: {{tensor: '{name}'}}" for key, name in names.items())

    def linear(name: str, w: str, b: str) -> str:
        return among(**{w: f"h.{{i}}.{name}.weight", b: f"h.{{i}}.{name}.bias"})

    def norm(name: str) -> str:
        return "{" + among(gamma=f"{name}.weight", beta=f"{name}.bias") + "}"

    def third(number: int, letter: str) -> str:
        columns = f"columns: [{number * WIDTH + 1}, {(number + 1) * WIDTH}]"
        tensor = "{{tensor: 'h.{{i}}.attn.c_attn.{}', {}}}"
        return f"w_{letter}: {tensor.format('weight', columns)}, b_{letter}: {tensor.format('bias', columns)}"

    known = range(WORDS) if all_words else IDS
    return f"""
title: A model of the size of GPT-2
weights_file: model.safetensors
tokens: [{", ".join(f"w{number}" for number in IDS)}]
vocabulary: {{{", ".join(f"w{number}: {number}" for number in known)}}}
embeddings: {{tensor: wte.weight}}
positional_encoding: {{tensor: wpe.weight}}
decoder:
  norm_order: pre
  layers:
    repeat: {LAYERS}
    layer:
      norm_1: {norm("h.{i}.ln_1")}
      self_attention:
        {{num_heads: 12, {", ".join(third(number, letter) for number, letter in enumerate("qkv"))},
        {linear("attn.c_proj", "w_o", "b_o")}}}
      norm_2: {norm("h.{i}.ln_2")}
      feed_forward: {{{linear("mlp.c_fc", "w_1", "b_1")}, {linear("mlp.c_proj", "w_2", "b_2")}, activation: gelu_tanh}}
  final_norm: {norm("ln_f")}
output_head: {{tied: true}}
"""


def measured(folder: Path, name: str, command: tuple[str, ...]) -> str:
    """Seconds and megabytes of one command, in a process of its own."""
    line = [sys.executable, "-m", "walkthrough", command[0], name, *command[1:]]
    begun = time.perf_counter()
    with (folder / "out.txt").open("wb") as out:
        process = os.posix_spawn(
            sys.executable,
            line,
            {**os.environ, "PYTHONPATH": str(Path.cwd())},
            file_actions=[
                (os.POSIX_SPAWN_DUP2, out.fileno(), 1),
            ],
        )
        _, status, usage = os.wait4(process, 0)
    seconds, megabytes = time.perf_counter() - begun, usage.ru_maxrss / 1000
    cpu = usage.ru_utime + usage.ru_stime
    written, code = (folder / "out.txt").stat().st_size, os.waitstatus_to_exitcode(status)
    return f"{seconds:6.1f} s {cpu:6.1f} s CPU {megabytes:8,.0f} MB {written:12,} bytes, status {code}"


def main(folder: Path, wanted: str) -> None:
    weights = folder / "model.safetensors"
    if not weights.exists():
        write_weights(weights)
    for name, all_words in (("few-words.yaml", False), ("all-words.yaml", True)):
        (folder / name).write_text(scenario(all_words), encoding="utf-8")
        print(f"{name}: {sum(int(np.prod(shape)) for shape in shapes().values()):,} parameters, {len(IDS)} tokens")
        for command in COMMANDS:
            if wanted in " ".join(command):
                command = tuple(str(folder / word) if word.endswith(".html") else word for word in command)
                print(measured(folder, str(folder / name), command), " ", " ".join(command), flush=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        main(Path(sys.argv[1] if sys.argv[1:] else temporary), sys.argv[2] if sys.argv[2:] else "")
