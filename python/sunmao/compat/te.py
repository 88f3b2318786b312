"""Tensor expressions: tensors given by what each element is, and functions of the loop level made of them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.checked import checked
from sunmao.compat.convert import dtype_name, scalar, scalars
from sunmao.compat.missing import attribute_of, refuse
from sunmao.compat.spans import native_span
from sunmao.compat.tirx import op as scalar_ops
from sunmao.compat.tirx.operators import binary
from sunmao.errors import fail


@dataclass(eq=False)
class IterVar:
    """An axis that is reduced."""

    var: _sunmao.SymVar
    extent: _sunmao.Scalar
    begin: _sunmao.Scalar

    def __sunmao_value__(self) -> _sunmao.SymVar:
        return self.var


@dataclass(eq=False)
class Reduce:
    """What an element is that combines values over axes."""

    combine: Callable[[Any, Any], _sunmao.Scalar]
    identity: Callable[[str], _sunmao.Scalar]
    source: _sunmao.Scalar
    axis: list[IterVar]
    where: _sunmao.Scalar | None = None
    init: _sunmao.Scalar | None = None


@dataclass(eq=False)
class Operation:
    """Where a tensor comes from: a placeholder has no stages."""

    name: str
    axis: list[_sunmao.SymVar] = field(default_factory=list)
    tag: str = ""
    body: list[Any] = field(default_factory=list)
    inputs: list[Tensor] = field(default_factory=list)
    outputs: list[Tensor] = field(default_factory=list)

    @property
    def input_tensors(self) -> list[Tensor]:
        return self.inputs

    def output(self, index: int) -> Tensor:
        return self.outputs[index]


@checked
class Tensor:
    """A tensor by the expression of its elements."""

    def __init__(self, shape: Sequence[Any], dtype: str, op: Operation, value_index: int = 0) -> None:
        self.shape = scalars(shape)
        self.dtype = dtype
        self.op = op
        self.value_index = value_index
        self.buffer = make.buffer(op.name, dtype, self.shape)

    @property
    def name(self) -> str:
        return self.op.name

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __call__(self, *indices: Any) -> _sunmao.Scalar:
        return self[indices]

    def __getitem__(self, indices: Any) -> _sunmao.Scalar:
        given = list(indices) if isinstance(indices, tuple | list) else [indices]
        if len(given) != self.ndim:
            raise fail("E0034", f"`{self.name}` has {self.ndim} dimensions, got {len(given)} indices")
        _read.append(self)
        return make.buffer_load(self.buffer, [_index(i) for i in given])

    def __add__(self, other: Any) -> Tensor:
        return _elementwise("add", self, other)

    def __radd__(self, other: Any) -> Tensor:
        return _elementwise("add", self, other)

    def __sub__(self, other: Any) -> Tensor:
        return _elementwise("sub", self, other)

    def __mul__(self, other: Any) -> Tensor:
        return _elementwise("mul", self, other)

    def __rmul__(self, other: Any) -> Tensor:
        return _elementwise("mul", self, other)

    def __repr__(self) -> str:
        return f"Tensor(shape={self.shape}, op.name={self.name})"


# Tensors that the body of the innermost `compute` has read.
_read: list[Tensor] = []


def _index(value: Any) -> _sunmao.Scalar:
    return value.var if isinstance(value, IterVar) else scalar(value)


def _elementwise(op: str, a: Tensor, b: Any) -> Tensor:
    from sunmao.compat import topi

    return topi.broadcast_binary(op, a, b)


@checked
def placeholder(shape: Sequence[Any], dtype: Any = "float32", name: str = "placeholder") -> Tensor:
    """A tensor that is given."""
    op = Operation(name)
    dims = shape if isinstance(shape, list | tuple) else [shape]
    tensor = Tensor(dims, dtype_name(dtype), op)
    op.outputs = [tensor]
    return tensor


def reduce_axis(dom: Any, name: str = "rv", thread_tag: str = "", span: Any = None) -> IterVar:
    """An axis over which values are combined: `(begin, end)`."""
    refuse("te.reduce_axis", thread_tag=thread_tag)
    if not hasattr(dom, "extent") and not (isinstance(dom, list | tuple) and len(dom) == 2):
        raise fail("E0034", f"an axis runs from a begin to an end, got {dom!r}")
    begin, end = (dom.min, dom.min + dom.extent) if hasattr(dom, "extent") else dom
    first, last = scalar(begin), scalar(end)
    return IterVar(make.sym_var(name, "int64", native_span(span)), binary("sub", last, first), first)


def compute(
    shape: Sequence[Any],
    fcompute: Callable[..., Any],
    name: str = "compute",
    tag: str = "",
    attrs: Any = None,
    varargs_names: Any = None,
) -> Any:
    """A tensor whose elements are `fcompute` of their indices; a tuple of tensors where it gives a tuple.

    `tag` is kept in the operation; `varargs_names` are names for the indices of an `fcompute` of `*indices`.
    """
    refuse("te.compute", attrs=attrs)
    dims = list(shape) if isinstance(shape, list | tuple) else [shape]
    axis = [make.sym_var(axis_name, "int64") for axis_name in _axis_names(fcompute, len(dims), varargs_names)]
    op = Operation(name, axis, tag)
    start = len(_read)
    found = fcompute(*axis)
    op.inputs = list(dict.fromkeys(_read[start:]))
    del _read[start:]
    op.body = [item if isinstance(item, Reduce) else scalar(item) for item in _as_list(found)]
    names = [name] if len(op.body) == 1 else [f"{name}_v{i}" for i in range(len(op.body))]
    for i, (body, own) in enumerate(zip(op.body, names, strict=True)):
        dtype = body.source.dtype if isinstance(body, Reduce) else body.dtype
        tensor = Tensor(dims, dtype, Operation(own) if len(names) > 1 else op, i)
        tensor.op = op
        op.outputs.append(tensor)
    return tuple(op.outputs) if isinstance(found, list | tuple) else op.outputs[0]


def _axis_names(function: Callable[..., Any], count: int, varargs: Sequence[str] | None) -> list[str]:
    if varargs is not None and len(varargs) != count:
        raise fail("E0034", f"`varargs_names` has {len(varargs)} names, the tensor {count} dimensions")
    if varargs is not None:
        return [str(name) for name in varargs]
    names = [p.name for p in inspect.signature(function).parameters.values() if p.kind != p.VAR_POSITIONAL]
    return [*names, *(f"i{i}" for i in range(len(names), count))][:count]


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _reduction(
    combine: Callable[[Any, Any], _sunmao.Scalar], identity: Callable[[str], _sunmao.Scalar]
) -> Callable[..., Any]:
    def reduce(expr: Any, axis: Any, where: Any = None, init: Any = None, *more: Any) -> Any:
        if not isinstance(axis, IterVar | list | tuple):
            given = [expr, axis, *(v for v in (where, init, *more) if v is not None)]
            return functools.reduce(combine, given)
        if more:
            raise fail("E0034", f"a reduction over axes takes one expression, got {len(more)} arguments too many")
        source = scalar(expr)
        condition = scalar(where) if where is not None else None
        if condition is not None and condition.dtype != "bool":
            raise fail("E0034", f"`where` says which values count, as a bool, got {condition.dtype}")
        start = scalar(init, source.dtype) if init is not None else None
        return Reduce(combine, identity, source, _as_list(axis), condition, start)

    return reduce


def _limit(dtype: str, largest: bool) -> _sunmao.Scalar:
    if dtype.startswith(("float", "bfloat")):
        return make.float_imm(dtype, float("inf") if largest else float("-inf"))
    return scalar_ops.max_value(dtype) if largest else scalar_ops.min_value(dtype)


sum = _reduction(lambda a, b: binary("add", a, b), lambda dtype: scalar(0, dtype))
max = _reduction(lambda a, b: binary("max", a, b), lambda dtype: _limit(dtype, largest=False))
min = _reduction(lambda a, b: binary("min", a, b), lambda dtype: _limit(dtype, largest=True))


def comm_reducer(fcombine: Callable[[Any, Any], Any], fidentity: Callable[[str], Any], name: str = "reduce") -> Any:
    """A reduction of one's own."""
    found = _reduction(lambda a, b: scalar(fcombine(a, b)), lambda dtype: scalar(fidentity(dtype), dtype))
    found.__name__ = name
    return found


def _in_order(results: Sequence[Tensor]) -> list[Operation]:
    """Operations, those that are read before those that read them."""
    found: dict[Operation, None] = {}
    work: list[tuple[Operation, bool]] = [(t.op, False) for t in reversed(results)]
    while work:
        op, is_done = work.pop()
        if op in found:
            continue
        if is_done:
            found[op] = None
        else:
            work.append((op, True))
            work.extend((t.op, False) for t in reversed(op.inputs))
    return list(found)


def _stage(tensor: Tensor, body: Any) -> _sunmao.KernelStage:
    axis = tensor.op.axis
    if not isinstance(body, Reduce):
        return _sunmao.KernelStage(tensor.buffer, axis, body)
    left, right = (make.sym_var(name, tensor.dtype) for name in ("x", "y"))
    offsets = {r.var: binary("add", r.var, r.begin) for r in body.axis}
    source = body.source
    if body.where is not None:  # what does not count is not read
        none = body.identity(tensor.dtype)
        source = make.scalar_call("if_then_else", source.dtype, [body.where, source, none])
    stage = _sunmao.KernelStage(tensor.buffer, axis, _sunmao.substitute(source, offsets))
    extents = [r.extent for r in body.axis]
    init = body.identity(tensor.dtype) if body.init is None else body.init
    return stage.over([r.var for r in body.axis], extents, init, left, right, body.combine(left, right))


@checked
def create_prim_func(ops: Sequence[Tensor], index_dtype_override: str | None = None) -> _sunmao.PrimFunc:
    """A function of the loop level with these tensors as its parameters, the computed ones as outputs."""
    if index_dtype_override not in (None, "int64"):
        raise fail("E0032", f"create_prim_func: indices of {index_dtype_override} are not supported", "they are int64")
    inputs = [t for t in ops if not t.op.body]
    outputs = [t for t in ops if t.op.body]
    stages = [_stage(t, body) for op in _in_order(outputs) for t, body in zip(op.outputs, op.body, strict=False)]
    found = _sunmao.kernel("main", [t.buffer for t in inputs], [t.buffer for t in outputs], stages)
    assert isinstance(found, _sunmao.PrimFunc)
    return found


def var(name: str = "tindex", dtype: Any = "int32", span: Any = None) -> _sunmao.SymVar:
    return make.sym_var(name, dtype_name(dtype), native_span(span))


size_var = var


def _find(name: str) -> Any:
    return scalar_ops.find(name)


__getattr__ = attribute_of(__name__, _find)
