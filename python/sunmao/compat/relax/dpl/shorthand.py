"""Short names for what patterns are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat import convert as c
from sunmao.compat.ir.op_class import Op
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.dpl import kinds as p
from sunmao.errors import fail

Args = Sequence[_sunmao.Pattern] | _sunmao.Pattern | None


def wildcard() -> _sunmao.Pattern:
    """Anything."""
    return make.wildcard_pattern()


def is_var(name: str = "") -> _sunmao.Pattern:
    """A variable, of this name if there is one."""
    return make.var_pattern(name, False)


def is_dfv(name: str = "") -> _sunmao.Pattern:
    """A dataflow variable."""
    return make.var_pattern(name, True)


def is_gv(name: str = "") -> _sunmao.Pattern:
    """A function of the module."""
    return make.global_var_pattern(name)


def is_const() -> _sunmao.Pattern:
    """A constant."""
    return make.constant_pattern()


def is_expr(expr: Any) -> _sunmao.Pattern:
    """An expression of this structure."""
    return make.expr_pattern(c.expr(expr))


def is_op(op_name: str) -> _sunmao.Pattern:
    """An op by name: `is_op("relax.add")(wildcard(), wildcard())`."""
    return make.expr_pattern(Op.get(op_name))


def is_tuple(fields: Sequence[_sunmao.Pattern], unordered: bool = False) -> _sunmao.Pattern:
    """A tuple of these fields, in any order if it is said so."""
    if isinstance(fields, str | _sunmao.Pattern) or not isinstance(fields, Sequence):
        raise fail("E0034", "fields must be a list, tuple, or Array")
    return make.tuple_pattern(list(fields), not unordered)


def is_tuple_get_item(tuple_value: _sunmao.Pattern, index: int | None = None) -> _sunmao.Pattern:
    """A field of a tuple; any field without an index."""
    return make.tuple_item_pattern(tuple_value, p.ANY_INDEX if index is None else index)


def has_dtype(dtype: Any, pattern: _sunmao.Pattern | None = None) -> _sunmao.Pattern:
    """What has this dtype."""
    return make.dtype_pattern(wildcard() if pattern is None else pattern, c.dtype_name(dtype))


def has_attr(attrs: Mapping[str, Any], pattern: _sunmao.Pattern | None = None) -> _sunmao.Pattern:
    """What has these attributes."""
    return make.attr_pattern(wildcard() if pattern is None else pattern, c.attributes(attrs))


def is_shape(shape: Sequence[Any]) -> _sunmao.Pattern:
    """A shape of these dimensions."""
    if isinstance(shape, str) or not isinstance(shape, Sequence):
        raise fail("E0034", "is_shape takes a list or tuple as input.")
    return make.shape_value_pattern(c.scalars(shape))


def reject(pattern: _sunmao.Pattern) -> _sunmao.Pattern:
    """Anything else."""
    return make.not_pattern(pattern)


def _handed_over(op_name: str, function: _sunmao.Pattern, args: Args) -> _sunmao.Pattern:
    if args is None:
        args = wildcard()
    elif not isinstance(args, _sunmao.Pattern):
        args = make.tuple_pattern(list(args), True)
    return make.call_pattern(is_op(op_name), [function, args], False)


def is_call_tir(func_name: str, args: Args = None) -> _sunmao.Pattern:
    """A `call_tir` of the module's function of this name."""
    return _handed_over("relax.call_tir", make.global_var_pattern(func_name), args)


def is_call_dps_packed(func_name: str, args: Args = None) -> _sunmao.Pattern:
    """A `call_dps_packed` of this function."""
    return _handed_over("relax.call_dps_packed", make.extern_pattern(func_name), args)


def is_call_packed(func_name: str, args: Sequence[_sunmao.Pattern] | None = None) -> _sunmao.Pattern:
    """A call of a function that is found at run time."""
    function = make.extern_pattern(func_name)
    if args is None:
        return make.call_pattern(function, [], True)
    return p.CallPattern(function, args)  # type: ignore[return-value]


def make_fused_bias_activation_pattern(
    op_name: str, with_bias: bool = False, activation: str | None = None, allow_reshape: bool = False
) -> Any:
    """An op of two inputs, then the sum with a bias, then an activation, as far as they are asked for."""
    out: Any = p.CallPattern(is_op(op_name), [wildcard(), wildcard()])
    if with_bias:
        bias: Any = wildcard()
        if allow_reshape:
            bias = p.CallPattern(is_op("relax.reshape"), [bias, wildcard()], True)
        out = p.CallPattern(is_op("relax.add"), [out, bias], allow_reshape)
    return p.CallPattern(is_op(activation), [out]) if activation else out


__getattr__ = attribute_of(__name__)
