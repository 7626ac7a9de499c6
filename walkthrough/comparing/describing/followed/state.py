"""The tensors of a module under their names, a tied one under its first: in memory, and as a .safetensors file."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from walkthrough.comparing.capture import as_array
from walkthrough.comparing.describing.followed.calls import Call
from walkthrough.operations.definition import Array

_KINDS = {
    "float64": "F64",
    "float32": "F32",
    "float16": "F16",
    "bfloat16": "BF16",
    "float8_e4m3fn": "F8_E4M3",
    "float8_e5m2": "F8_E5M2",
    "int64": "I64",
    "int32": "I32",
    "int16": "I16",
    "int8": "I8",
    "uint8": "U8",
    "bool": "BOOL",
    "uint16": "U16",
    "uint32": "U32",
    "uint64": "U64",
    "complex64": "C64",
}
"""What a .safetensors file calls the types of PyTorch."""
_ALIGNED = 8


class State:
    """The state_dict of a module."""

    def __init__(self, module: Any) -> None:
        self.tensors: dict[str, Any] = {}
        self.first: dict[str, str] = {}
        seen: dict[Any, str] = {}
        for name, tensor in module.state_dict().items():
            if _kind_of(tensor):
                place = (tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.dtype)
                self.first[name] = seen.setdefault(place, name) if tensor.numel() else name
                if self.first[name] == name:
                    self.tensors[name] = tensor

    def parameters_of(self, call: Call, is_whole: bool = False) -> dict[str, Any]:
        """The parameters that a module has itself, by their whole name, as tensors; is_whole: those inside it too."""
        before = f"{call.name}." if call.name else ""
        named = ((before + name, one.detach()) for name, one in call.module.named_parameters(recurse=is_whole))
        return {self.first[name]: one for name, one in named if name in self.first}

    def array(self, name: str) -> Array:
        """The numbers of one of them as float64."""
        return np.asarray(as_array(self.tensors[name]), np.float64)

    def starts(self, count: int, width: int) -> dict[str, Array]:
        """The first rows of the tensors so wide, somewhat more than `count`: one of them may hold positions."""
        found = {}
        for name, tensor in self.tensors.items():
            rows = tensor.reshape(-1, tensor.shape[-1]) if tensor.dim() > 1 else tensor[None]
            is_matrix = tensor.dim() > 1 and rows.shape[0] == tensor.shape[-2]
            if is_matrix and rows.shape[1] == width and rows.shape[0] >= count and tensor.dtype.is_floating_point:
                found[name] = np.asarray(as_array(rows[: count + 2]), np.float64)
        return found

    def write(self, path: Path) -> None:
        """The tensors as a .safetensors file, each in its type; FileExistsError where there is a file."""
        head, end = dict[str, Any](), 0
        for name, tensor in self.tensors.items():
            kind = _kind_of(tensor)
            begin, end = end, end + tensor.numel() * tensor.element_size()
            head[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [begin, end]}
        text = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
        text += b" " * (-len(text) % _ALIGNED)
        with path.open("xb") as file:
            file.write(len(text).to_bytes(8, "little") + text)
            for tensor in self.tensors.values():
                file.write(_bytes(tensor))


def _kind_of(tensor: Any) -> str:
    """What its type is called; empty for what cannot be stored, such as the text of a get_extra_state."""
    return _KINDS.get(str(getattr(tensor, "dtype", "")).removeprefix("torch."), "")


def _bytes(tensor: Any) -> bytes:
    """The numbers as they lie in memory, whatever their type."""
    torch: Any = import_module("torch")
    flat = tensor.detach().cpu().contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""
