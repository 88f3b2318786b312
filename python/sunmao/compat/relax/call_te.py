"""Calls of loop-level functions that are made from functions on tensor expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat import convert as c
from sunmao.compat.checked import checked
from sunmao.compat.te.prim_func import create_prim_func
from sunmao.compat.te.tensor import Tensor, placeholder
from sunmao.errors import fail

AddFunction = Callable[[Any, str], _sunmao.GlobalVar]


class _Arguments:
    """Converts expressions to placeholders; other arguments are unchanged."""

    def __init__(self) -> None:
        self.tensors: list[Tensor] = []
        self.values: list[_sunmao.Expr] = []

    def convert(self, value: Any) -> Any:
        if isinstance(value, _sunmao.ShapeExpr):
            return list(value.values)
        if isinstance(value, _sunmao.PrimValue):
            return value.value
        if isinstance(value, _sunmao.Expr):
            return self._expr(value)
        if isinstance(value, list | tuple):
            return [self.convert(item) for item in value]
        if isinstance(value, Mapping):
            return {key: self.convert(item) for key, item in value.items()}
        return value

    def _expr(self, value: _sunmao.Expr) -> Any:
        if isinstance(value, _sunmao.Tuple):
            return [self.convert(field) for field in value.fields]
        if isinstance(value.type, _sunmao.TupleType):
            return [self._expr(make.tuple_get_item(value, i)) for i in range(len(value.type.fields))]
        if isinstance(value.type, _sunmao.ShapeType) and value.type.values is not None:
            return list(value.type.values)
        if not isinstance(value.type, _sunmao.TensorType) or not isinstance(value.type.shape, _sunmao.ShapeExpr):
            raise fail("E0034", f"emit_te takes tensors of known shapes, got {value!r} of type {value.type!r}")
        for known, tensor in zip(self.values, self.tensors, strict=True):
            if known is value:
                return tensor
        name = value.name if isinstance(value, _sunmao.Var) else "rxplaceholder"
        self.tensors.append(placeholder(list(value.type.shape.values), value.type.dtype, name))
        self.values.append(value)
        return self.tensors[-1]


@checked
def call_te(add: AddFunction, func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> _sunmao.Call:
    """Returns a call of the loop-level function that `func` computes from `args`, on their device; `add` adds the
    function to the module."""
    named = dict(kwargs)
    attrs = named.pop("primfunc_attrs", None)
    name = str(named.pop("primfunc_name_hint", "") or getattr(func, "__name__", "te_func"))
    if not name.isidentifier():
        name = "te_func"
    gradient: dict[str, Any] = {key: named.pop(key) for key in ("te_grad_name", "te_grad_kwargs") if key in named}
    if "te_grad_kwargs" in gradient:
        gradient["te_grad_kwargs"] = c.attributes(gradient["te_grad_kwargs"])
    arguments = _Arguments()
    positional = [arguments.convert(arg) for arg in args]
    keyword = {key: arguments.convert(value) for key, value in named.items()}
    found = func(*positional, **keyword)
    outputs = list(found) if isinstance(found, list | tuple) else [found]
    if not all(isinstance(t, Tensor) for t in outputs):
        raise fail("E0034", "a function for emit_te gives tensors")
    function: Any = create_prim_func([*arguments.tensors, *outputs])
    for key, value in {"tirx.noalias": True, "s_tir": True, **(attrs or {})}.items():
        function = function.with_attr(key, c.attribute(value))
    tensors = [v.type for v in arguments.values if isinstance(v.type, _sunmao.TensorType)]
    device = next((t.vdevice for t in tensors if t.vdevice is not None), None)
    types = [make.tensor_type(make.shape(t.shape), t.dtype, -1, device) for t in outputs]
    operands = [add(function, name), make.tuple(arguments.values)]
    extra = _scalar_parameters(function, arguments.values, outputs)
    if extra:
        operands.append(make.shape(extra))
    op = _sunmao.find_op("call_tir_with_grad" if gradient else "call_tir")
    assert op is not None
    return make.call(op, operands, gradient, types)


def _scalar_parameters(function: Any, values: Sequence[_sunmao.Expr], outputs: Sequence[Tensor]) -> list[Any]:
    """Returns the scalar parameters of the function: the symbols that are not a whole dimension of a tensor
    parameter."""
    extra = len(function.type.params) - len(values) - len(outputs)
    return [p.value for p in function.type.params[-extra:]] if extra > 0 else []
