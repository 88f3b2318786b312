"""Analyses of expressions, types and modules."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any

from sunmao import _sunmao
from sunmao.compat import convert as c
from sunmao.compat.checked import checked
from sunmao.compat.ir.container import Array
from sunmao.compat.ir.module import IRModule
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.block_builder import BlockBuilder
from sunmao.compat.relax.expr_visitor import PyExprVisitor
from sunmao.errors import Error, UsageError, fail


class BaseCheckResult(IntEnum):
    """The result of a subsumption check of two types, from worst to best."""

    FAIL_L0 = 0
    FAIL_L1 = 1
    FAIL_L2 = 2
    PASS = 3


def _module(value: Any) -> Any:
    return value.__sunmao_module__() if isinstance(value, IRModule) else value


def free_vars(expr: Any) -> Array:
    """Returns the variables that are used but not defined in the expression, in order of first use."""
    return Array(_sunmao.free_vars(expr))


def bound_vars(expr: Any) -> Array:
    return Array(_sunmao.bound_vars(expr))


def all_vars(expr: Any) -> Array:
    return Array(_sunmao.all_vars(expr))


def used_vars(expr: Any) -> Array:
    return Array(_sunmao.used_vars(expr))


def all_global_vars(expr: Any) -> Array:
    return Array(_sunmao.all_global_vars(expr))


def called_global_vars(expr: Any) -> Array:
    return Array(_sunmao.called_global_vars(expr))


def free_symbolic_vars(func: Any) -> Array:
    return Array(_sunmao.free_symbolic_vars(func))


def defined_symbolic_vars(func: Any) -> Array:
    return Array(_sunmao.defined_symbolic_vars(func))


def tir_vars_in_type(ty: Any) -> Array:
    """Returns the symbols that the type uses."""
    return Array(_sunmao.free_symbols(c.known_type(ty)))


def definable_tir_vars_in_type(ty: Any) -> Array:
    """Returns the symbols that an argument of the type defines."""
    return Array(_sunmao.definable_symbols(c.known_type(ty)))


tir_vars_in_struct_info = tir_vars_in_type
definable_tir_vars_in_struct_info = definable_tir_vars_in_type


def collect_non_negative_expressions(ty: Any) -> Array:
    """Returns the scalars of the type that are known to be non-negative because they are dimensions."""
    return Array(_sunmao.non_negative_scalars(c.known_type(ty)))


def get_static_type(ty: Any) -> _sunmao.Type:
    """Returns the type without dimensions."""
    return _sunmao.static_type(c.known_type(ty))


@checked
def erase_to_well_defined(
    ty: Any,
    shape_var_map: dict[_sunmao.SymVar, Any] | None = None,
    var_map: dict[_sunmao.Var, Any] | None = None,
) -> _sunmao.Type:
    """Returns the type in terms of what the maps define; other dimensions are erased."""
    symbols = {key: c.scalar(value) for key, value in (shape_var_map or {}).items()}
    return _sunmao.erase_to_well_defined(c.known_type(ty), symbols, dict(var_map or {}))


def type_base_check(base: Any, derived: Any) -> BaseCheckResult:
    return BaseCheckResult(_sunmao.base_check(c.known_type(base), c.known_type(derived)))


def type_lca(lhs: Any, rhs: Any) -> _sunmao.Type:
    """Returns the least common ancestor: the most precise type that includes the values of both types."""
    return _sunmao.common_type(c.known_type(lhs), c.known_type(rhs))


struct_info_base_check = type_base_check
struct_info_lca = type_lca


@checked
def derive_call_ret_type(func_ty: Any, call: _sunmao.Call, ctx: Any = None) -> _sunmao.Type:
    """Returns the type of a call of a value of this callable type."""
    if ctx is not None and not isinstance(ctx, BlockBuilder):  # all that it would know is in the arguments' types
        raise fail("E0034", f"derive_call_ret_type: `ctx` is a BlockBuilder, got {type(ctx).__name__}")
    signature = c.known_type(func_ty)
    if not isinstance(signature, _sunmao.CallableType):
        raise fail("E0034", f"only a function has a result, got {signature!r}")
    return _sunmao.derive_call_result(signature, [c.expr(arg) for arg in call.args])


derive_call_ret_struct_info = derive_call_ret_type


def contains_impure_call(expr: Any, own_name: Any = None) -> bool:
    """Returns whether the expression contains a call that may have side effects; calls of `own_name` count as pure."""
    return _sunmao.find_impure_call(expr, own_name) is not None


@checked
def detect_recursion(mod: IRModule) -> Array:
    """Returns the groups of mutually recursive functions."""
    return Array(Array(group) for group in _sunmao.detect_recursion(mod.__sunmao_module__()))


@checked
def estimate_memory_usage(mod: IRModule | _sunmao.Function) -> str:
    """Returns, as text, what the tensors of each function take, without and with planning of memory. What runs only in
    one branch counts, and calls of functions do not."""
    if isinstance(mod, _sunmao.Function):
        mod = IRModule({"foo": mod})
    return _sunmao.describe_memory(mod.__sunmao_module__())


@checked
def computable_at_compile_time(func: _sunmao.Function) -> Array:
    """Returns the variables that depend on weights alone."""
    return Array(_sunmao.computable_at_compile_time(func))


def remove_all_unused(func: Any) -> Any:
    """Returns the function, or block, without unused pure bindings."""
    if isinstance(func, _sunmao.BindingBlock):
        reads = _sunmao.make.tuple([b.var for b in func.bindings if not b.var.is_dataflow])
        kept = _sunmao.remove_all_unused(_sunmao.make.sequence([func], reads))
        assert isinstance(kept, _sunmao.SeqExpr)
        return kept.blocks[0] if kept.blocks else _sunmao.make.block([], func.is_dataflow)
    return _sunmao.remove_all_unused(func)


@checked
def name_to_binding(func: _sunmao.Function) -> dict[str, Array]:
    """Returns the bindings of each variable name."""
    return {name: Array(bindings) for name, bindings in _sunmao.name_to_binding(func).items()}


@checked
def get_var2val(func: _sunmao.Function) -> dict[_sunmao.Var, Any]:
    """Returns the value that each variable is bound to."""
    return dict(_sunmao.var_to_value(func))


@checked
def udchain(dfb: _sunmao.BindingBlock) -> dict[_sunmao.Var, Array]:
    """Returns the users of each variable of a block."""
    return {var: Array(users) for var, users in _sunmao.use_def_chains(dfb)}


@checked
def post_order_visit(expr: Any, fvisit: Callable[[Any], Any]) -> None:
    """Calls `fvisit` with each subexpression, operands before their users."""

    class Visitor(PyExprVisitor):
        def visit_expr(self, e: Any) -> None:
            super().visit_expr(e)
            fvisit(e)

    Visitor().visit_expr(expr)


def has_reshape_pattern(func: _sunmao.PrimFunc) -> bool:
    """Returns whether a loop-level function copies its input in row-major order, as a reshape does."""
    return _sunmao.has_reshape_pattern(func)


def well_formed(obj: Any, check_ty: bool = True, *, check_struct_info: bool | None = None) -> bool:
    """Returns True, or fails with all findings (E04xx) when the module or function is not well formed."""
    target = _module(obj)
    if isinstance(target, _sunmao.PrimFunc):
        target = _sunmao.Module().with_function("main", target)
    if not isinstance(target, _sunmao.Module | _sunmao.Function):
        raise fail("E0034", f"well_formed takes a module or a function, got {type(obj).__name__}")
    _sunmao.check_well_formed(target, check_ty if check_struct_info is None else check_struct_info)
    return True


def check_well_formed(obj: Any, check_ty: bool = True, *, check_struct_info: bool | None = None) -> bool:
    """Returns whether a module or a function is well formed."""
    try:
        return well_formed(obj, check_ty, check_struct_info=check_struct_info)
    except UsageError:
        raise
    except Error:
        return False


__getattr__ = attribute_of(__name__)
