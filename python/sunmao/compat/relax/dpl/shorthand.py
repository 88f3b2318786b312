"""Functions with short names that construct patterns."""

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
    """Matches any expression."""
    return make.wildcard_pattern()


def is_var(name: str = "") -> _sunmao.Pattern:
    """Matches variables, of the given name if there is one."""
    return make.var_pattern(name, False)


def is_dfv(name: str = "") -> _sunmao.Pattern:
    """Matches dataflow variables."""
    return make.var_pattern(name, True)


def is_gv(name: str = "") -> _sunmao.Pattern:
    """Matches functions of the module."""
    return make.global_var_pattern(name)


def is_const() -> _sunmao.Pattern:
    """Matches constants."""
    return make.constant_pattern()


def is_expr(expr: Any) -> _sunmao.Pattern:
    """Matches expressions that are structurally equal to `expr`."""
    return make.expr_pattern(c.expr(expr))


def is_op(op_name: str) -> _sunmao.Pattern:
    """Matches an op by name: `is_op("relax.add")(wildcard(), wildcard())`."""
    return make.expr_pattern(Op.get(op_name))


def is_tuple(fields: Sequence[_sunmao.Pattern], unordered: bool = False) -> _sunmao.Pattern:
    """Matches tuples with these fields, in any order if `unordered`."""
    if isinstance(fields, str | _sunmao.Pattern) or not isinstance(fields, Sequence):
        raise fail("E0034", "fields must be a list, tuple, or Array")
    return make.tuple_pattern(list(fields), not unordered)


def is_tuple_get_item(tuple_value: _sunmao.Pattern, index: int | None = None) -> _sunmao.Pattern:
    """Matches a field of a tuple; any field when no index is given."""
    return make.tuple_item_pattern(tuple_value, p.ANY_INDEX if index is None else index)


def has_dtype(dtype: Any, pattern: _sunmao.Pattern | None = None) -> _sunmao.Pattern:
    """Matches expressions of this dtype."""
    return make.dtype_pattern(wildcard() if pattern is None else pattern, c.dtype_name(dtype))


def has_attr(attrs: Mapping[str, Any], pattern: _sunmao.Pattern | None = None) -> _sunmao.Pattern:
    """Matches calls and functions with these attributes."""
    return make.attr_pattern(wildcard() if pattern is None else pattern, c.attributes(attrs))


def is_shape(shape: Sequence[Any]) -> _sunmao.Pattern:
    """Matches shape expressions with these dimensions."""
    if isinstance(shape, str) or not isinstance(shape, Sequence):
        raise fail("E0034", "is_shape takes a list or tuple as input.")
    return make.shape_value_pattern(c.scalars(shape))


def reject(pattern: _sunmao.Pattern) -> _sunmao.Pattern:
    """Matches what the pattern does not match."""
    return make.not_pattern(pattern)


def _handed_over(op_name: str, function: _sunmao.Pattern, args: Args) -> _sunmao.Pattern:
    if args is None:
        args = wildcard()
    elif not isinstance(args, _sunmao.Pattern):
        args = make.tuple_pattern(list(args), True)
    return make.call_pattern(is_op(op_name), [function, args], False)


def is_call_tir(func_name: str, args: Args = None) -> _sunmao.Pattern:
    """Matches `call_tir` calls of the module function with this name."""
    return _handed_over("relax.call_tir", make.global_var_pattern(func_name), args)


def is_call_dps_packed(func_name: str, args: Args = None) -> _sunmao.Pattern:
    """Matches `call_dps_packed` calls of this function."""
    return _handed_over("relax.call_dps_packed", make.extern_pattern(func_name), args)


def is_call_packed(func_name: str, args: Sequence[_sunmao.Pattern] | None = None) -> _sunmao.Pattern:
    """Matches calls of functions that are looked up at run time."""
    function = make.extern_pattern(func_name)
    if args is None:
        return make.call_pattern(function, [], True)
    return p.CallPattern(function, args)  # type: ignore[return-value]


def make_fused_bias_activation_pattern(
    op_name: str, with_bias: bool = False, activation: str | None = None, allow_reshape: bool = False
) -> Any:
    """Matches an op of two inputs, followed by the addition of a bias and by an activation where these are given."""
    out: Any = p.CallPattern(is_op(op_name), [wildcard(), wildcard()])
    if with_bias:
        bias: Any = wildcard()
        if allow_reshape:
            bias = p.CallPattern(is_op("relax.reshape"), [bias, wildcard()], True)
        out = p.CallPattern(is_op("relax.add"), [out, bias], allow_reshape)
    return p.CallPattern(is_op(activation), [out]) if activation else out


__getattr__ = attribute_of(__name__)
