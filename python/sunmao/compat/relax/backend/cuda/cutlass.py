"""Partitioning for CUTLASS: matrix products with bias, activation and a residual. The functions are for a code
generator that the program has; Sunmao has none for CUDA."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.ir.module import IRModule
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.backend.pattern_registry import get_patterns_with_prefix, register_patterns
from sunmao.compat.relax.backend.products import (
    batches,
    has_leaking_intermediate_variables,
    matmul_patterns,
    sizes_of,
)
from sunmao.compat.relax.dpl.pattern import is_op, wildcard
from sunmao.compat.relax.transform.partition import FuseOpsByPattern, FusionPattern, PatternCheckContext

_DTYPES = (("float16",), ("float32",), ("int8", "uint8"))


def _is_supported(context: PatternCheckContext) -> bool:
    lhs, rhs = (context.annotated_expr[name] for name in ("lhs", "rhs"))
    left, right = sizes_of(lhs), sizes_of(rhs)
    if has_leaking_intermediate_variables(context) or left is None or right is None:
        return False
    if not any(lhs.type.dtype in group and rhs.type.dtype in group for group in _DTYPES):
        return False
    residual = context.annotated_expr.get("residual")
    if residual is not None and not _is_residual(residual, context):
        return False
    return isinstance(left[-1], _sunmao.IntImm) and _batches_fit(left, right)


def _is_one(size: _sunmao.Scalar) -> bool:
    return isinstance(size, _sunmao.IntImm) and size.value == 1


def _batches_fit(left: list[_sunmao.Scalar], right: list[_sunmao.Scalar]) -> bool:
    """One matrix on one side, or the same batches on both."""
    if _is_one(batches(left)) or _is_one(batches(right)):
        return True
    one = make.int_imm("int64", 1)
    pairs = zip_longest(left[-3::-1], right[-3::-1], fillvalue=one)
    return all(_sunmao.Analyzer().can_prove_equal(a, b) for a, b in pairs)


def _is_residual(residual: Any, context: PatternCheckContext) -> bool:
    """A tensor of the result's shape, or one of a row, which the product is not needed for."""
    root = context.value_to_bound_var[context.annotated_expr["root"]]
    var = residual if isinstance(residual, _sunmao.Var) else context.value_to_bound_var.get(residual)
    own, other = sizes_of(root), sizes_of(var) if var is not None else None
    if own is None or other is None or _depends_on(var, root, context):
        return False
    analyzer = _sunmao.Analyzer()
    is_same = len(own) == len(other) and all(analyzer.can_prove_equal(a, b) for a, b in zip(own, other, strict=True))
    return is_same or (analyzer.can_prove_equal(own[-1], other[-1]) and all(_is_one(size) for size in other[:-1]))


def _depends_on(var: Any, source: Any, context: PatternCheckContext) -> bool:
    uses, seen, work = context.var_usages, {source}, [source]
    while work:
        for user in uses.get(work.pop(), []):
            if user not in seen:
                seen.add(user)
                work.append(user)
    return var in seen


def _with_residual(base: FusionPattern, op: str, activation: str | None) -> FusionPattern:
    residual = wildcard()
    out = is_op(f"relax.{op}")(base.pattern, residual) | is_op(f"relax.{op}")(residual, base.pattern)
    parts = [base.name, "residual", op, *([activation] if activation else [])]
    pattern = is_op(f"relax.nn.{activation}")(out) if activation else out
    return FusionPattern("_".join(parts), pattern, {**base.annotation_patterns, "residual": residual}, _is_supported)


_PRODUCTS = matmul_patterns("cutlass", _is_supported)
register_patterns(_PRODUCTS)
# A residual without a bias is a bias, as far as the patterns tell.
register_patterns(
    [
        _with_residual(base, op, activation)
        for activation in (None, "relu")
        for base in _PRODUCTS
        if "bias" in base.name
        for op in ("add", "multiply")
    ]
)


def partition_for_cutlass(mod: IRModule, annotate_codegen: bool = True) -> IRModule:
    """Moves matrix products that CUTLASS computes into functions; with `annotate_codegen` these carry `Codegen`."""
    patterns = get_patterns_with_prefix("cutlass")
    return FuseOpsByPattern(patterns, bind_constants=False, annotate_codegen=annotate_codegen)(mod)


__getattr__ = attribute_of(__name__)
