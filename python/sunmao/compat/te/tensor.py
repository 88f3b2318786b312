"""Tensors defined by expressions of their elements."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.checked import checked
from sunmao.compat.convert import dtype_name, scalar, scalars
from sunmao.compat.missing import refuse
from sunmao.compat.spans import native_span
from sunmao.compat.tirx.operators import binary
from sunmao.errors import fail


@dataclass(eq=False)
class IterVar:
    """A reduction axis."""

    var: _sunmao.SymVar
    extent: _sunmao.Scalar
    begin: _sunmao.Scalar

    def __sunmao_value__(self) -> _sunmao.SymVar:
        return self.var


@dataclass(eq=False)
class Reduce:
    """An element that is a reduction of an expression over axes."""

    combine: Callable[[Any, Any], _sunmao.Scalar]
    identity: Callable[[str], _sunmao.Scalar]
    source: _sunmao.Scalar
    axis: list[IterVar]
    where: _sunmao.Scalar | None = None
    init: _sunmao.Scalar | None = None


@dataclass(eq=False)
class Operation:
    """The producer of a tensor: expressions of its elements, or a kernel of the library; neither for a placeholder."""

    name: str
    axis: list[_sunmao.SymVar] = field(default_factory=list)
    tag: str = ""
    body: list[Any] = field(default_factory=list)
    inputs: list[Tensor] = field(default_factory=list)
    outputs: list[Tensor] = field(default_factory=list)
    kernel: _sunmao.PrimFunc | None = None

    @property
    def is_given(self) -> bool:
        return not self.body and self.kernel is None

    @property
    def input_tensors(self) -> list[Tensor]:
        return self.inputs

    def output(self, index: int) -> Tensor:
        return self.outputs[index]


@checked
class Tensor:
    """A tensor defined by its producer."""

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

    def __repr__(self) -> str:
        return f"Tensor(shape={self.shape}, op.name={self.name})"


# The tensors that the body of the innermost `compute` under construction has read so far.
_read: list[Tensor] = []


def _index(value: Any) -> _sunmao.Scalar:
    return value.var if isinstance(value, IterVar) else scalar(value)


@checked
def placeholder(shape: Sequence[Any], dtype: Any = "float32", name: str = "placeholder") -> Tensor:
    """Makes an input tensor."""
    op = Operation(name)
    dims = shape if isinstance(shape, list | tuple) else [shape]
    tensor = Tensor(dims, dtype_name(dtype), op)
    op.outputs = [tensor]
    return tensor


def reduce_axis(dom: Any, name: str = "rv", thread_tag: str = "", span: Any = None) -> IterVar:
    """Makes a reduction axis over `(begin, end)`."""
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
    """Makes a tensor whose elements are `fcompute` of their indices; a tuple of tensors when it returns a tuple. `tag`
    is stored in the operation; `varargs_names` names the indices of an `fcompute` with `*indices`."""
    refuse("te.compute", attrs=attrs)
    dims = list(shape) if isinstance(shape, list | tuple) else [shape]
    axis = [make.sym_var(axis_name, "int64") for axis_name in _axis_names(fcompute, len(dims), varargs_names)]
    op = Operation(name, axis, tag)
    start = len(_read)
    found = fcompute(*axis)
    op.inputs = list(dict.fromkeys(_read[start:]))
    del _read[start:]
    op.body = [item if isinstance(item, Reduce) else scalar(item) for item in as_list(found)]
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


def as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]
