"""Nodes as JSON and back: a list of nodes that refer to each other by number, so that what is shared stays shared."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from sunmao import __version__, _sunmao, parse_function
from sunmao._sunmao import make
from sunmao.arrays import to_numpy, to_tensor
from sunmao.compat.ir.attrs import Attrs
from sunmao.compat.ir.container import Array, Map
from sunmao.compat.ir.module import IRModule
from sunmao.compat.ir.type import MISSING, Missing
from sunmao.compat.runtime import Tensor
from sunmao.errors import fail

Read = Callable[[Any], list[Any]]
Make = Callable[..., Any]


def _number(value: float) -> Any:
    return value if math.isfinite(value) else str(value)


def _callable(params: Any, result: Any, is_pure: bool) -> Any:
    return make.callable_type(params, result, is_pure)


def _call(callee: Any, args: Any, attrs: Any, type_args: Any, type: Any) -> Any:
    if type is not None and isinstance(callee, _sunmao.GlobalVar):
        return make.typed_call(callee, args, attrs, type_args, type)
    return make.call(callee, args, attrs, type_args)


def _module(names: list[str], functions: list[Any], attrs: dict[str, Any], infos: dict[str, Any]) -> IRModule:
    return IRModule(dict(zip(names, functions, strict=True)), attrs, infos)


# By the extension's class: the key of the node, what it consists of, and how it is made of that again.
_KINDS: dict[type, tuple[str, Read, Make]] = {
    _sunmao.AnyType: ("AnyType", lambda _: [], make.any_type),
    _sunmao.PrimType: (
        "PrimType",
        lambda t: [t.dtype, t.value],
        lambda dtype, value: make.prim_type(dtype) if value is None else make.prim_type_of(value),
    ),
    _sunmao.ShapeType: (
        "ShapeType",
        lambda t: [t.values, t.ndim],
        lambda values, rank: make.unknown_shape_type(rank) if values is None else make.shape_type(values),
    ),
    _sunmao.TensorType: ("TensorType", lambda t: [t.shape, t.dtype, t.ndim, t.vdevice], make.tensor_type),
    _sunmao.TupleType: ("TupleType", lambda t: [t.fields], make.tuple_type),
    _sunmao.CallableType: ("FuncType", lambda t: [t.params, t.result, t.is_pure], _callable),
    _sunmao.VDevice: ("VDevice", lambda d: [d.target, d.id, d.memory_scope], make.vdevice),
    _sunmao.DummyGlobalInfo: ("DummyGlobalInfo", lambda _: [], make.dummy_global_info),
    _sunmao.Var: ("Var", lambda v: [v.name, v.type, v.is_dataflow], make.var),
    _sunmao.GlobalVar: ("GlobalVar", lambda v: [v.name], make.global_var),
    _sunmao.Constant: ("Constant", lambda c: [c.data], lambda data: make.constant(data.native)),
    _sunmao.ShapeExpr: ("ShapeExpr", lambda s: [list(s.values)], make.shape),
    _sunmao.PrimValue: ("PrimValue", lambda p: [p.value], make.prim_value),
    _sunmao.StringLiteral: ("StringImm", lambda s: [s.value], make.string),
    _sunmao.DTypeLiteral: ("DataTypeImm", lambda d: [d.value], make.dtype),
    _sunmao.ExternFunc: ("ExternFunc", lambda f: [f.name, f.type], make.extern),
    _sunmao.Op: ("Op", lambda op: [op.name], lambda name: _sunmao.find_op(name)),
    _sunmao.Tuple: ("Tuple", lambda t: [list(t.fields)], make.tuple),
    _sunmao.TupleGetItem: ("TupleGetItem", lambda t: [t.tuple, t.index], make.tuple_get_item),
    _sunmao.Call: ("Call", lambda c: [c.callee, list(c.args), c.attrs.native(), list(c.type_args), c.type], _call),
    _sunmao.If: ("If", lambda i: [i.condition, i.then_branch, i.else_branch], make.if_),
    _sunmao.Binding: ("Binding", lambda b: [b.var, b.value, b.cast_type], make.binding),
    _sunmao.BindingBlock: ("BindingBlock", lambda b: [list(b.bindings), b.is_dataflow], make.block),
    _sunmao.SeqExpr: ("SeqExpr", lambda s: [list(s.blocks), s.body], make.sequence),
    _sunmao.Function: (
        "Function",
        lambda f: [list(f.params), f.body, f.result_type, f.is_pure, f.attrs.native()],
        make.function,
    ),
    _sunmao.PrimFunc: ("PrimFunc", lambda f: [f.script()], parse_function),
    IRModule: (
        "IRModule",
        lambda m: [[v.name for v in m.functions], list(m.functions.values()), dict(m.attrs), dict(m.global_infos)],
        _module,
    ),
    _sunmao.SymVar: ("SymVar", lambda v: [v.name, v.dtype], make.sym_var),
    _sunmao.IntImm: ("IntImm", lambda i: [i.dtype, int(i.value)], make.int_imm),
    _sunmao.FloatImm: ("FloatImm", lambda f: [f.dtype, _number(f.value)], lambda t, v: make.float_imm(t, float(v))),
    _sunmao.StringImm: ("tirx.StringImm", lambda s: [s.value], make.string_imm),
    _sunmao.Binary: ("Binary", lambda b: [b.op, b.a, b.b], make.binary),
    _sunmao.Not: ("Not", lambda n: [n.a], make.not_),
    _sunmao.Cast: ("Cast", lambda c: [c.dtype, c.value], make.cast),
    _sunmao.Select: ("Select", lambda s: [s.condition, s.true_value, s.false_value], make.select),
    _sunmao.Ramp: ("Ramp", lambda r: [r.base, r.stride, r.lanes], make.ramp),
    _sunmao.Broadcast: ("Broadcast", lambda b: [b.value, b.lanes], make.broadcast),
    _sunmao.Let: ("Let", lambda n: [n.var, n.value, n.body], make.let),
    _sunmao.ScalarCall: ("ScalarCall", lambda c: [c.name, c.dtype, list(c.args)], make.scalar_call),
    _sunmao.IndexMap: ("IndexMap", lambda m: [list(m.inputs), list(m.outputs)], make.index_map),
    _sunmao.DType: ("DataType", lambda t: [str(t)], _sunmao.DType),
    Attrs: ("DictAttrs", lambda a: [a.native()], Attrs),
    Missing: ("Missing", lambda _: [], lambda: MISSING),
}
_BY_KEY = {key: construct for key, _, construct in _KINDS.values()}


class _Writer:
    """Numbers nodes, operands before what uses them."""

    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = []
        self._numbers: dict[int, int] = {}
        self._kept: list[Any] = []

    def add(self, value: Any) -> int:
        known = self._numbers.get(id(value))
        if known is not None:
            return known
        node = self._node(value)
        self.nodes.append(node)
        self._kept.append(value)  # its id stays its own
        return self._numbers.setdefault(id(value), len(self.nodes) - 1)

    def _node(self, value: Any) -> dict[str, Any]:
        if value is None:
            return {"type": "None"}
        if isinstance(value, bool | int | str):
            return {"type": type(value).__name__, "data": value}
        if isinstance(value, float):
            return {"type": "float", "data": _number(value)}
        if isinstance(value, Tensor | _sunmao.Tensor | np.ndarray):
            return _tensor_node(value)
        if isinstance(value, list | tuple):
            return {"type": "Array", "data": [self.add(item) for item in value]}
        kind = _KINDS.get(type(value))
        if kind is None and hasattr(value, "items"):
            pairs = [[self.add(key), self.add(item)] for key, item in value.items()]
            return {"type": "Map", "data": pairs}
        if kind is None:
            raise fail("E0032", f"saving a {type(value).__name__} as JSON is not supported", "nodes can be saved")
        key, read, _ = kind
        return {"type": key, "data": [self.add(item) for item in read(value)]}


def _tensor_node(value: Any) -> dict[str, Any]:
    native = value.native if isinstance(value, Tensor) else value if isinstance(value, _sunmao.Tensor) else None
    array = np.asarray(value) if native is None else to_numpy(native)
    dtype = array.dtype.name if native is None else native.dtype
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return {"type": "Tensor", "data": {"dtype": dtype, "shape": list(array.shape), "bytes": data}}


def _read_tensor(data: dict[str, Any]) -> Tensor:
    from sunmao.compat.relax.expr import numpy_dtype

    array = np.frombuffer(base64.b64decode(data["bytes"]), numpy_dtype(data["dtype"]))
    return Tensor(to_tensor(array.reshape(data["shape"]).copy(), writable=True))


def save_json(node: Any) -> str:
    """The node as JSON."""
    writer = _Writer()
    root = writer.add(node)
    return json.dumps({"root_index": root, "nodes": writer.nodes, "metadata": {"tvm_version": __version__}})


def load_json(text: str) -> Any:
    """What `save_json` saved."""
    try:
        graph = json.loads(text)
        nodes, root = graph["nodes"], graph["root_index"]
        made: list[Any] = []
        for node in nodes:
            made.append(_read(node, made))
        return made[root]
    except (KeyError, IndexError, TypeError, json.JSONDecodeError) as error:
        raise fail("E0042", f"the text is no saved node: {error!r}", "`tvm.ir.save_json` writes them") from error


def _read(node: dict[str, Any], made: list[Any]) -> Any:
    kind = node["type"]
    if kind == "None":
        return None
    data: Any = node["data"]
    if kind in ("bool", "int", "str"):
        return data
    if kind == "float":
        return float(data)
    if kind == "Tensor":
        return _read_tensor(data)
    if kind == "Array":
        return Array(made[i] for i in data)
    if kind == "Map":
        return Map({made[key]: made[value] for key, value in data})
    return _BY_KEY[kind](*(made[i] for i in data))
