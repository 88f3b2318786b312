"""Writer of ONNX models byte by byte, so that tests can make any model, valid or not."""

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

DTYPES = {"float32": 1, "int64": 7, "float64": 11}


def varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def text(field: int, value: str | bytes) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(data)) + data


def tensor(name: str, array: np.ndarray, external: Mapping[str, str] | None = None) -> bytes:
    """Encodes a tensor with its data in the message, or at the location that `external` gives."""
    head = b"".join(number(1, d) for d in array.shape) + number(2, DTYPES[array.dtype.name]) + text(8, name)
    if external is None:
        return head + text(9, array.tobytes())
    return head + b"".join(text(13, text(1, k) + text(2, v)) for k, v in external.items()) + number(14, 1)


def attribute(name: str, given: float | int | str | Sequence[int]) -> bytes:
    """Encodes a float, an integer, a text or a list of integers."""
    if isinstance(given, float):
        return text(1, name) + varint(2 << 3 | 5) + struct.pack("<f", given) + number(20, 1)
    if isinstance(given, int):
        return text(1, name) + number(3, given) + number(20, 2)
    if isinstance(given, str):
        return text(1, name) + text(4, given) + number(20, 3)
    return text(1, name) + b"".join(number(8, i) for i in given) + number(20, 7)


def node(op: str, inputs: Sequence[str], outputs: Sequence[str], domain: str = "", **attributes: Any) -> bytes:
    names = b"".join(text(1, i) for i in inputs) + b"".join(text(2, o) for o in outputs)
    given = b"".join(text(5, attribute(name, value)) for name, value in attributes.items())
    return names + text(3, f"{op}_of_{outputs[0]}") + text(4, op) + given + (text(7, domain) if domain else b"")


def value(name: str, dims: Sequence[int | str]) -> bytes:
    shape = b"".join(text(1, number(1, d) if isinstance(d, int) else text(2, d)) for d in dims)
    return text(1, name) + text(2, text(1, number(1, 1) + text(2, shape)))


def model(
    nodes: Sequence[bytes], inputs: Sequence[bytes], outputs: Sequence[str], weights: Sequence[bytes] = ()
) -> bytes:
    parts = [text(1, n) for n in nodes] + [text(2, "g")] + [text(5, w) for w in weights]
    graph = b"".join(parts + [text(11, i) for i in inputs] + [text(12, text(1, o)) for o in outputs])
    return number(1, 8) + text(7, graph) + opset("", 18) + opset("my", 1) + opset("my.domain", 1)


def opset(domain: str, version: int) -> bytes:
    return text(8, text(1, domain) + number(2, version))


def linear(path: Path, weight: np.ndarray, bias: np.ndarray, external: Mapping[str, str] | None = None) -> Path:
    """Writes a model with inputs `输入` and `a b`, output `an output`, and weights named in the style of other
    frameworks."""
    w, b = "encoder.layer.0/kernel:0", "encoder.layer.0/bias:0"
    nodes = [
        node("MatMul", ["输入", w], ["product"]),
        node("Add", ["product", b], ["shifted"]),
        node("Add", ["shifted", "a b"], ["an output"]),
    ]
    inputs = [value("输入", ["n", weight.shape[0]]), value("a b", ["n", weight.shape[1]])]
    path.write_bytes(model(nodes, inputs, ["an output"], [tensor(w, weight, external), tensor(b, bias)]))
    return path
