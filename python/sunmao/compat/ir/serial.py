"""Nodes as JSON: a list of nodes that refer to each other by index, so shared nodes stay shared. Kinds and fields have
upstream's names. Functions of the loop level, calls of intrinsics and tensor data have a format of Sunmao's own."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import numpy as np

from sunmao import _sunmao
from sunmao.arrays import numpy_dtype, to_numpy, to_tensor
from sunmao.compat.ir.container import Array, Map
from sunmao.compat.ir.json_compact import HELP, upgraded_graph
from sunmao.compat.ir.kinds import BY_KEY, kind_of, make_by_key
from sunmao.compat.runtime.tensors import Tensor
from sunmao.compat.spans import SourceName, Span
from sunmao.errors import Error, fail

_TEXT, _LIST, _MAP, _TENSOR = "ffi.String", "ffi.Array", "ffi.Map", "sunmao.Tensor"
_PLAIN = {"bool": bool, "int": int, _TEXT: str}


# Keeps the data of tensors beside the text: returns what the text says in its place, None to have it in the text.
KeepTensor = Callable[[_sunmao.Tensor], "dict[str, Any] | None"]
# Returns the tensor of which the text says this.
FindTensor = Callable[[dict[str, Any]], _sunmao.Tensor]


class _Writer:
    """Numbers nodes such that operands precede their users."""

    def __init__(self, keep: KeepTensor | None = None) -> None:
        self._keep = keep
        self.nodes: list[dict[str, Any]] = []
        self._numbers: dict[Any, int] = {}
        self._kept: list[Any] = []

    def add(self, value: Any) -> int:
        name = value if isinstance(value, SourceName | Span) else id(value)
        known = self._numbers.get(name)
        if known is not None:
            return known
        self._kept.append(value)  # its id stays its own
        node = self._node(value)
        self.nodes.append(node)
        return self._numbers.setdefault(name, len(self.nodes) - 1)

    def _node(self, value: Any) -> dict[str, Any]:
        if value is None:
            return {"type": "None"}
        if isinstance(value, str):
            return {"type": _TEXT, "data": value}
        if isinstance(value, bool | int | float):
            plain = value if isinstance(value, int) or np.isfinite(value) else str(value)  # JSON has no infinity
            return {"type": "bool" if isinstance(value, bool) else "int" if isinstance(value, int) else "float",
                    "data": plain}  # fmt: skip
        if isinstance(value, Tensor | _sunmao.Tensor | np.ndarray):
            return _tensor_node(value, self._keep)
        if isinstance(value, list | tuple):
            return {"type": _LIST, "data": [self.add(item) for item in value]}
        return self._named_node(value)

    def _named_node(self, value: Any) -> dict[str, Any]:
        kind = kind_of(value)
        if kind is None and hasattr(value, "items"):
            return {"type": _MAP, "data": [self.add(part) for pair in value.items() for part in pair]}
        if kind is None:
            raise fail("E0032", f"saving a {type(value).__name__} as JSON is not supported", "nodes can be saved")
        fields = {name: read(value) for name, read in kind.fields.items()}
        if kind.as_text:
            return {"type": kind.key, "data": next(iter(fields.values()))}
        if kind.has_span:
            fields["span"] = getattr(value, "span", None)
        data = {name: part if name in kind.plain else self.add(part)
                for name, part in fields.items() if part is not None}  # fmt: skip
        return {"type": kind.key, "data": data}


def _tensor_node(value: Any, keep: KeepTensor | None) -> dict[str, Any]:
    native = value.native if isinstance(value, Tensor) else value if isinstance(value, _sunmao.Tensor) else None
    if keep is not None and native is not None and (kept := keep(native)) is not None:
        return {"type": _TENSOR, "data": {"dtype": native.dtype, "shape": list(native.shape), **kept}}
    array = np.asarray(value) if native is None else to_numpy(native)
    dtype = array.dtype.name if native is None else native.dtype
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return {"type": _TENSOR, "data": {"dtype": dtype, "shape": list(array.shape), "bytes": data}}


def _read_tensor(data: dict[str, Any], find: FindTensor | None) -> Tensor:
    if find is not None and "bytes" not in data:
        return Tensor(find(data))
    array = np.frombuffer(base64.b64decode(data["bytes"]), numpy_dtype(data["dtype"]))
    return Tensor(to_tensor(array.reshape(data["shape"]).copy(), writable=True))


def save_json(node: Any, keep: KeepTensor | None = None) -> str:
    """Returns the node as JSON text."""
    writer = _Writer(keep)
    root = writer.add(node)
    return json.dumps({"root_index": root, "nodes": writer.nodes, "metadata": {"tvm_version": _sunmao.version()}})


def load_json(text: str, find: FindTensor | None = None) -> Any:
    """Reads what `save_json` of this or an earlier version has written (E0042). `find` gives tensors that are kept
    beside the text."""
    graph = upgraded_graph(text)
    try:
        nodes, root = graph["nodes"], graph["root_index"]
        made: dict[int, Any] = {}
        for number in _needed(nodes, root):
            made[number] = _read(nodes[number]["type"], nodes[number].get("data"), made, find)
        return made[root]
    except Error:
        raise
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise fail("E0042", f"the text is no saved node: {error!r}", HELP) from error


def _needed(nodes: list[dict[str, Any]], root: Any) -> list[int]:
    """Returns the indices of the nodes reachable from the root, operands first."""
    found = {_checked(root, len(nodes))}
    for number in range(root, -1, -1):
        if number in found:
            found.update(_checked(part, number) for part in _parts(nodes[number]["type"], nodes[number].get("data")))
    return sorted(found)


def _checked(number: Any, end: int) -> int:
    if not isinstance(number, int) or not 0 <= number < end:
        raise fail("E0042", f"the text is no saved node: {number!r} numbers none of the {end} nodes before", HELP)
    return number


def _parts(kind: str, data: Any) -> list[Any]:
    named = BY_KEY.get(kind)
    if named and not named.as_text:
        return [part for name, part in (data or {}).items() if name not in named.plain]
    return list(data) if kind in (_LIST, _MAP) else []


def _read(kind: str, data: Any, made: dict[int, Any], find: FindTensor | None) -> Any:
    if kind == "None":
        return None
    if kind in _PLAIN:
        if not isinstance(data, _PLAIN[kind]) or (kind == "int" and isinstance(data, bool)):
            raise fail("E0042", f"the text is no saved node: {data!r} is no {kind}", HELP)
        return data
    if kind == "float":
        return float(data)
    if kind == _TENSOR:
        return _read_tensor(data, find)
    if kind == _LIST:
        return Array(made[part] for part in data)
    if kind == _MAP:
        return Map({made[key]: made[value] for key, value in zip(data[::2], data[1::2], strict=True)})
    named = BY_KEY.get(kind)
    if named is None:
        raise fail("E0042", f"the text is no saved node: there is no kind of node `{kind}` here", HELP)
    if named.as_text:
        return named.make(data)
    fields = {name: part if name in named.plain else made[part] for name, part in (data or {}).items()}
    return make_by_key(kind, fields)
