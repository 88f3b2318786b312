"""Tensor: an expression of known shape and dtype, on which ops are applied, and the emission of what they compute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat import convert as c
from sunmao.compat.checked import checked
from sunmao.compat.ir.type import TensorType
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.block_builder import BlockBuilder
from sunmao.compat.relax.expr import const
from sunmao.compat.relax.frontend.nn.tensor_operators import TensorOperators
from sunmao.errors import fail

# dtypes of constants that are given as NumPy arrays without one, as upstream chooses them.
_NARROWED = {"float64": "float32", "int64": "int32"}


def dims_of(shape: Sequence[Any], symbols: dict[str, _sunmao.SymVar] | None = None) -> list[_sunmao.Scalar]:
    """Returns the dimensions of a shape. A name denotes the symbol of `symbols`, to which new ones are added."""
    known = {} if symbols is None else symbols
    found = c.dims([symbol_named(dim, known) if isinstance(dim, str) else dim for dim in shape])
    for dim in found:
        if isinstance(dim, _sunmao.IntImm) and dim.value < 0:
            raise fail("E0034", f"a dimension is negative: {dim.value}", "sizes are 0 or more, or names for symbols")
    return found


def tensor_type(shape: Sequence[Any], dtype: Any, symbols: dict[str, _sunmao.SymVar] | None = None) -> Any:
    return TensorType(dims_of(shape, symbols), dtype)


def symbol_named(name: str, symbols: dict[str, _sunmao.SymVar]) -> _sunmao.SymVar:
    if not name.isidentifier():
        raise fail("E0034", f"`{name}` is no name of a symbol", "write an expression on variables of tirx")
    if name not in symbols:
        symbols[name] = make.sym_var(name, "int64")
    return symbols[name]


class Tensor(TensorOperators):
    """A tensor of the function under construction. It has no data; its shape and dtype are known."""

    def __init__(self, *, _expr: _sunmao.Expr) -> None:
        """Ops and `placeholder` call this, with an expression of tensor type."""
        type = _expr.type
        if not isinstance(type, _sunmao.TensorType) or not isinstance(type.shape, _sunmao.ShapeExpr):
            raise fail("E0034", f"nn.Tensor: a tensor of known shape is needed, got {type!r}")
        self._expr: Any = _expr

    @staticmethod
    def from_const(data: Any) -> Tensor:
        """Returns a constant. Arrays of float64 become float32, those of int64 int32."""
        narrowed = _NARROWED.get(str(data.dtype)) if isinstance(data, np.ndarray) else None
        return Tensor(_expr=const(data, narrowed))

    @staticmethod
    def from_scalar(data: float, dtype: str) -> Tensor:
        """Returns a constant without dimensions."""
        return Tensor(_expr=const(data, dtype))

    @staticmethod
    @checked
    def from_ty(ty: _sunmao.TensorType, name: str = "tensor") -> Tensor:
        """Returns a tensor that stands for any of the type."""
        return Tensor(_expr=make.var(name, ty))

    from_struct_info = from_ty

    @staticmethod
    @checked
    def placeholder(
        shape: Sequence[int | str | _sunmao.Scalar], dtype: str | _sunmao.DType, name: str = "tensor"
    ) -> Tensor:
        """Returns a tensor that stands for any of this shape and dtype, such as the result of an external function.
        A name in the shape becomes a new symbol."""
        return Tensor(_expr=make.var(name, tensor_type(shape, dtype)))

    @property
    def shape(self) -> list[Any]:
        """The dimensions: numbers where they are known, else scalar expressions."""
        return [dim.value if isinstance(dim, _sunmao.IntImm) else dim for dim in self._expr.type.shape.values]

    @property
    def ndim(self) -> int:
        return len(self._expr.type.shape.values)

    @property
    def dtype(self) -> str:
        return str(self._expr.type.dtype)

    def __repr__(self) -> str:
        return f'Tensor({self.shape}, "{self.dtype}")'


def current_builder() -> BlockBuilder:
    """Returns the builder of the function under construction."""
    found = BlockBuilder.current()
    if found is None:
        help = "call it in a method that `export_tvm` or `jit` exports, not in `__init__`"
        raise fail("E0039", "an op of `nn` is used while no function is built", help)
    return found


def wrap_nested(expr: Any, name: str) -> Any:
    """Binds what an expression computes to a variable, and returns it as a Tensor; a tuple as a tuple of such."""
    is_bound = isinstance(expr, _sunmao.Var) and expr.is_dataflow
    var = expr if is_bound else current_builder().emit(expr, name.replace(".", "_"))
    if isinstance(var.type, _sunmao.TupleType):
        count = len(var.type.fields)
        return tuple(wrap_nested(make.tuple_get_item(var, i), f"{name}_{i}") for i in range(count))
    return Tensor(_expr=var)


__getattr__ = attribute_of(__name__)
