"""What ONNX Runtime and PyTorch compute for each node of a model, as a recording for `sunmao check`."""

from __future__ import annotations

import importlib
import json
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sunmao.errors import fail

Arrays = dict[str, np.ndarray[Any, Any]]

DTYPES = {
    "F64": "float64", "F32": "float32", "F16": "float16", "I64": "int64", "I32": "int32", "I16": "int16", "I8": "int8",
    "U64": "uint64", "U32": "uint32", "U16": "uint16", "U8": "uint8", "BOOL": "bool",
}  # fmt: skip
NAMES = {dtype: name for name, dtype in DTYPES.items()}


def read_arrays(path: Path) -> Arrays:
    """Returns the arrays of a safetensors file whose dtypes NumPy has."""
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    arrays = {}
    for name, entry in json.loads(data[8 : 8 + size]).items():
        if entry.get("dtype") not in DTYPES:
            continue
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        arrays[name] = np.frombuffer(data[begin:end], DTYPES[entry["dtype"]]).reshape(entry["shape"])
    return arrays


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Writes the arrays whose dtypes safetensors files have, and leaves out the others."""
    header, parts, end = {}, [], 0
    for name, array in arrays.items():
        if array.dtype.name not in NAMES:
            continue
        parts.append(np.ascontiguousarray(array).tobytes())
        header[name] = {
            "dtype": NAMES[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [end, end + len(parts[-1])],
        }
        end += len(parts[-1])
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(parts))


def by_onnx_runtime(model: Path, inputs: Sequence[np.ndarray[Any, Any]]) -> Arrays:
    """Runs an ONNX model with the results of all its nodes as outputs."""
    onnxruntime = _library("onnxruntime", "ONNX Runtime")
    data = model.read_bytes()
    graph = list(_messages(data, 7))
    if model.suffix != ".onnx" or not graph:
        raise fail(
            "E0054", f"ONNX Runtime runs ONNX models, and `{model}` is none", "--against evaluator runs any model"
        )
    outputs = [_text(o, 1) for g in graph for o in _messages(g, 12)]
    results = dict(_results_of_nodes(graph))
    added = [name for name in dict.fromkeys(results.values()) if name not in outputs]
    # A second `graph` in a message is merged into the first: these are further outputs of it.
    data += _field(7, b"".join(_field(12, _field(1, name.encode())) for name in added))
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(model.parent))
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    given = {i.name: array for i, array in zip(session.get_inputs(), inputs, strict=True)}
    values = dict(zip(outputs + added, session.run(outputs + added, given), strict=True))
    arrays = {f"node.{node}": values[name] for node, name in results.items()}
    arrays.update({f"output.{i}": values[name] for i, name in enumerate(outputs)})
    return {name: array for name, array in arrays.items() if isinstance(array, np.ndarray)}


def by_pytorch(model: Path, inputs: Sequence[np.ndarray[Any, Any]]) -> Arrays:
    """Runs an exported program node by node."""
    torch = _library("torch", "PyTorch")
    if model.suffix != ".pt2":
        raise fail("E0054", f"PyTorch runs .pt2 archives, and `{model}` is none", "--against evaluator runs any model")
    arrays: Arrays = {}

    def run_node(self: Any, node: Any) -> Any:
        value = torch.fx.Interpreter.run_node(self, node)
        if isinstance(value, torch.Tensor) and value.dtype != torch.bfloat16:
            arrays[f"node.{node.name}"] = value.detach().cpu().numpy().copy()
        return value

    recorder = type("Recorder", (torch.fx.Interpreter,), {"run_node": run_node})
    program = recorder(torch.export.load(model).module())
    with torch.no_grad():
        result = program.run(*(torch.from_numpy(i.copy()) for i in inputs), enable_io_processing=False)
    leaves = torch.utils._pytree.tree_leaves(result)
    arrays.update({f"output.{i}": r.detach().cpu().numpy() for i, r in enumerate(leaves) if r.dtype != torch.bfloat16})
    return arrays


def _library(module: str, name: str) -> Any:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        raise fail("E0054", f"{name} is not installed here", f"pip install {module}") from None


def _results_of_nodes(graphs: Sequence[bytes]) -> Iterator[tuple[str, str]]:
    """Yields the names of nodes with one result, and of that result."""
    for graph in graphs:
        for node in _messages(graph, 1):
            name, outputs = _text(node, 3), [o.decode() for o in _messages(node, 2) if o]
            if name and len(outputs) == 1:
                yield name, outputs[0]


def _text(message: bytes, number: int) -> str:
    return next((value.decode() for value in _messages(message, number)), "")


def _messages(message: bytes, number: int) -> Iterator[bytes]:
    """Yields the values of a field whose values are messages or texts."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        kind = key & 7
        if kind == 2:
            size, at = _varint(message, at)
            if key >> 3 == number:
                yield message[at : at + size]
            at += size
        elif kind == 0:
            _, at = _varint(message, at)
        else:
            at += 8 if kind == 1 else 4


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(message):
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    return value, at


def _field(number: int, value: bytes) -> bytes:
    out = bytearray()
    for integer in (number << 3 | 2, len(value)):
        while integer >= 0x80:
            out.append(integer & 0x7F | 0x80)
            integer >>= 7
        out.append(integer)
    return bytes(out) + value
