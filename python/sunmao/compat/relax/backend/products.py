"""Patterns of matrix products that libraries compute, and checks of what they match."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.dpl.pattern import is_op, wildcard
from sunmao.compat.relax.transform.partition import FusionPattern, PatternCheckContext
from sunmao.compat.tirx.operators import binary

Named = tuple[Any, Mapping[str, Any]]


def make_matmul_pattern(with_bias: bool = False, activation: str | None = None, transposed_rhs: bool = False) -> Named:
    """Matches a product, whose right operand may be a transposed matrix, followed by the addition of a bias and by an
    activation where these are given. The annotations name the operands (`lhs`, `rhs`), the product (`root`) and the
    `bias`."""
    lhs, rhs = wildcard(), wildcard()
    root = is_op("relax.matmul")(lhs, is_op("relax.permute_dims")(rhs) if transposed_rhs else rhs)
    named = {"lhs": lhs, "rhs": rhs, "root": root}
    out = root
    if with_bias:
        named["bias"] = wildcard()
        out = is_op("relax.add")(out, named["bias"])
    return (is_op(activation)(out) if activation else out), named


def matmul_patterns(library: str, check: Any) -> list[FusionPattern]:
    """Returns the patterns of a library, from the least to the most that they match: with the bias, the activation and
    the transposition of the right operand in their names."""
    found = []
    for transposed in (False, True):
        for bias, activation in ((False, None), (True, None), (True, "relu"), (True, "gelu")):
            parts = ["matmul", "transposed" * transposed, "bias" * bias, activation or ""]
            op = f"relax.nn.{activation}" if activation else None
            pattern, named = make_matmul_pattern(bias, op, transposed)
            found.append(FusionPattern(f"{library}.{'_'.join(filter(None, parts))}", pattern, named, check))
    return found


def has_leaking_intermediate_variables(context: PatternCheckContext) -> bool:
    """Returns whether a value on the way to the result of a match can be read outside the match."""
    inside = context.matched_bindings
    uses = context.var_usages
    result = context.value_to_bound_var[context.matched_expr]
    between = [var for var in inside if var is not result]
    return any(not var.is_dataflow or any(user not in inside for user in uses[var]) for var in between)


def sizes_of(value: Any) -> list[_sunmao.Scalar] | None:
    """Returns the dimensions of a tensor; None when they are not known."""
    shape = value.type.shape
    return list(shape.values) if isinstance(shape, _sunmao.ShapeExpr) else None


def batches(sizes: Sequence[_sunmao.Scalar]) -> _sunmao.Scalar:
    """Returns the number of matrices in a tensor of these dimensions."""
    one = make.int_imm("int64", 1)
    return _sunmao.Analyzer().simplify(functools.reduce(lambda a, b: binary("mul", a, b), sizes[:-2], one))


__getattr__ = attribute_of(__name__)
