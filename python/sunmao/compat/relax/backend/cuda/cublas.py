"""Partitioning for cuBLAS: its matrix products, with bias and activation. The functions are for a code generator that
the program has; Sunmao has none for CUDA."""

from __future__ import annotations

from typing import Any

from sunmao import _sunmao
from sunmao.compat.ir.module import IRModule
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.backend.pattern_registry import get_patterns_with_prefix, register_patterns
from sunmao.compat.relax.backend.products import (
    batches,
    has_leaking_intermediate_variables,
    matmul_patterns,
    sizes_of,
)
from sunmao.compat.relax.transform.partition import FuseOpsByPattern, PatternCheckContext

_DTYPES = ("float16", "float32", "bfloat16", "int8")


def _is_multiple_of_4(size: _sunmao.Scalar) -> bool:
    return isinstance(size, _sunmao.IntImm) and size.value % 4 == 0


def _is_supported(context: PatternCheckContext) -> bool:
    lhs, rhs = (context.annotated_expr[name] for name in ("lhs", "rhs"))
    left, right = sizes_of(lhs), sizes_of(rhs)
    if has_leaking_intermediate_variables(context) or left is None or right is None:
        return False
    dtype = lhs.type.dtype
    if dtype not in _DTYPES or rhs.type.dtype != dtype or not isinstance(left[-1], _sunmao.IntImm):
        return False
    bias = context.annotated_expr.get("bias")
    if dtype == "int8" and (bias is not None or not _is_multiple_of_4(left[-1]) or not _is_multiple_of_4(right[-1])):
        return False
    return (bias is None or _is_row(bias)) and _batches_fit(left, right)


def _is_row(bias: Any) -> bool:
    sizes = sizes_of(bias)
    return sizes is not None and all(isinstance(size, _sunmao.IntImm) and size.value == 1 for size in sizes[:-1])


def _batches_fit(left: list[_sunmao.Scalar], right: list[_sunmao.Scalar]) -> bool:
    """As many matrices on both sides, or one on the right. A symbolic number may be any."""
    own, other = batches(left), batches(right)
    if isinstance(own, _sunmao.SymVar) or isinstance(other, _sunmao.SymVar):
        return True
    analyzer = _sunmao.Analyzer()
    is_single = isinstance(other, _sunmao.IntImm) and other.value == 1
    return analyzer.can_prove_equal(own, other) or (is_single and isinstance(own, _sunmao.IntImm) and own.value >= 1)


register_patterns(matmul_patterns("cublas", _is_supported))


def partition_for_cublas(mod: IRModule, bind_constants: bool = False) -> IRModule:
    """Moves what cuBLAS computes into functions that carry `Codegen`."""
    patterns = get_patterns_with_prefix("cublas")
    return FuseOpsByPattern(patterns, bind_constants=bind_constants, annotate_codegen=True)(mod)


__getattr__ = attribute_of(__name__)
