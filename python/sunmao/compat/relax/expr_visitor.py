"""Dispatch of visitor methods by node kind, and visitors written in Python, whose defaults visit the operands."""

from __future__ import annotations

from typing import Any

from sunmao import _sunmao
from sunmao.compat.checked import checked
from sunmao.compat.missing import unsupported
from sunmao.compat.relax.expr_members import unwrap
from sunmao.compat.tirx.intrinsic import Intrinsic

# Maps each node class of the extension to the name of the visitor method that handles it.
_METHODS: dict[type, str] = {
    _sunmao.Constant: "visit_constant_",
    _sunmao.Tuple: "visit_tuple_",
    _sunmao.ShapeExpr: "visit_shape_expr_",
    _sunmao.ExternFunc: "visit_extern_func_",
    _sunmao.GlobalVar: "visit_global_var_",
    _sunmao.Function: "visit_function_",
    _sunmao.Call: "visit_call_",
    _sunmao.SeqExpr: "visit_seq_expr_",
    _sunmao.If: "visit_if_",
    _sunmao.Op: "visit_op_",
    _sunmao.TupleGetItem: "visit_tuple_getitem_",
    _sunmao.StringLiteral: "visit_string_imm_",
    _sunmao.DTypeLiteral: "visit_data_type_imm_",
    _sunmao.SymVar: "visit_var_",
    _sunmao.IntImm: "visit_int_imm_",
    _sunmao.FloatImm: "visit_float_imm_",
    _sunmao.StringImm: "visit_tirx_string_imm_",
    _sunmao.Cast: "visit_cast_",
    _sunmao.Not: "visit_not_",
    _sunmao.Select: "visit_select_",
    _sunmao.Ramp: "visit_ramp_",
    _sunmao.Broadcast: "visit_broadcast_",
    _sunmao.ScalarCall: "visit_call_",
    Intrinsic: "visit_op_",
}
_BINARY = {
    "add": "visit_add_", "sub": "visit_sub_", "mul": "visit_mul_", "div": "visit_div_", "truncmod": "visit_mod_",
    "floordiv": "visit_floor_div_", "floormod": "visit_floor_mod_", "min": "visit_min_", "max": "visit_max_",
    "eq": "visit_eq_", "ne": "visit_ne_", "lt": "visit_lt_", "le": "visit_le_", "gt": "visit_gt_", "ge": "visit_ge_",
    "and": "visit_and_", "or": "visit_or_",
}  # fmt: skip


def is_node_method(name: str) -> bool:
    """Returns whether a method of this name visits a node kind."""
    return name.startswith("visit_") and (name in _BINARY.values() or name in _METHODS.values())


def method_of(node: Any) -> str:
    """Returns the method that visits the node."""
    if isinstance(node, _sunmao.Var):
        return "visit_dataflow_var_" if node.is_dataflow else "visit_var_"
    if isinstance(node, _sunmao.Binary):
        return _BINARY[node.op]
    return _METHODS.get(type(node), "visit_expr_fallback_")


def scalar_operands(node: Any) -> list[Any]:
    """Returns the scalars and intrinsics inside a scalar."""
    if isinstance(node, _sunmao.Binary):
        return [node.a, node.b]
    if isinstance(node, _sunmao.Not):
        return [node.a]
    if isinstance(node, _sunmao.Cast | _sunmao.Broadcast):
        return [node.value]
    if isinstance(node, _sunmao.Select):
        return [node.condition, node.true_value, node.false_value]
    if isinstance(node, _sunmao.Ramp):
        return [node.base, node.stride]
    if isinstance(node, _sunmao.ScalarCall):
        return [node.op, *(arg for arg in node.args if not isinstance(arg, _sunmao.StringImm))]
    return []


class ExprFunctor:
    """Dispatches on the node kind; derived classes define the methods."""

    def visit_expr(self, expr: Any) -> Any:
        value = unwrap(expr)
        name = method_of(value)
        method = getattr(self, name, None)
        return (method or self.visit_expr_fallback_)(value)

    def visit_expr_fallback_(self, op: Any) -> Any:
        method = method_of(op)
        help = f"give the class a method `{method}` or `visit_expr_fallback_`, or derive it from PyExprVisitor"
        raise unsupported(
            f"visiting a {type(op).__name__} with `{type(self).__name__}`, which has no `{method}`,", help
        )

    @checked
    def visit_binding(self, binding: _sunmao.Binding) -> Any:
        kind = "visit_match_cast_" if binding.cast_type is not None else "visit_var_binding_"
        return getattr(self, kind)(binding)

    @checked
    def visit_binding_block(self, block: _sunmao.BindingBlock) -> Any:
        kind = "visit_dataflow_block_" if block.is_dataflow else "visit_binding_block_"
        return getattr(self, kind)(block)

    @checked
    def visit_var_def(self, var: _sunmao.Var) -> Any:
        return getattr(self, "visit_dataflow_var_def_" if var.is_dataflow else "visit_var_def_")(var)


class PyExprVisitor(ExprFunctor):
    """Visits expressions; the defaults visit the operands."""

    def __getattr__(self, name: str) -> Any:
        if is_node_method(name):
            return self._visit_scalar
        raise AttributeError(f"{type(self).__name__} has no attribute {name}")

    def _visit_scalar(self, op: Any) -> None:
        for operand in scalar_operands(op):
            self.visit_expr(operand)

    def visit_expr_fallback_(self, op: Any) -> None:
        self._visit_scalar(op)

    def visit_constant_(self, op: Any) -> None:
        """Does nothing: a constant has no operands."""

    visit_var_ = visit_dataflow_var_ = visit_extern_func_ = visit_global_var_ = visit_op_ = visit_constant_
    visit_string_imm_ = visit_data_type_imm_ = visit_int_imm_ = visit_float_imm_ = visit_constant_
    visit_var_def_ = visit_dataflow_var_def_ = visit_span = visit_constant_

    def visit_shape_expr_(self, op: Any) -> None:
        for value in op.values:
            self.visit_expr(value)

    def visit_tuple_(self, op: Any) -> None:
        for field in op.fields:
            self.visit_expr(field)

    def visit_tuple_getitem_(self, op: Any) -> None:
        self.visit_expr(op.tuple_value)

    def visit_call_(self, op: Any) -> None:
        self.visit_expr(op.op)
        for arg in op.args:
            self.visit_expr(arg)

    def visit_function_(self, op: Any) -> None:
        for param in op.params:
            self.visit_var_def(param)
        self.visit_expr(op.body)

    def visit_if_(self, op: Any) -> None:
        self.visit_expr(op.cond)
        self.visit_expr(op.true_branch)
        self.visit_expr(op.false_branch)

    def visit_seq_expr_(self, op: Any) -> None:
        for block in op.blocks:
            self.visit_binding_block(block)
        self.visit_expr(op.body)

    def visit_var_binding_(self, binding: Any) -> None:
        self.visit_expr(binding.value)
        self.visit_var_def(binding.var)

    visit_match_cast_ = visit_var_binding_

    def visit_binding_block_(self, block: Any) -> None:
        for binding in block.bindings:
            self.visit_binding(binding)

    visit_dataflow_block_ = visit_binding_block_
