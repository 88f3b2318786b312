"""Rebuilding of nodes with rewritten operands, for mutators; a node is kept when no operand changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat import convert as c
from sunmao.compat.relax.expr_visitor import scalar_operands


class Mutator(Protocol):
    """The methods of a mutator that rebuilding calls."""

    builder_: Any

    def visit_expr(self, expr: Any) -> Any: ...
    def visit_var_def(self, var: Any) -> Any: ...
    def visit_binding_block(self, block: Any) -> Any: ...
    def visit_with_new_scope(self, expr: Any) -> Any: ...
    def get_var_remap(self, var: Any) -> Any: ...
    def set_var_remap(self, old_var: Any, new_var: Any) -> None: ...


def same_type(a: Any, b: Any) -> bool:
    return a is b or (a is not None and b is not None and _sunmao.structural_equal(a, b))


def _visit_all(mutator: Mutator, items: Any) -> tuple[list[Any], bool]:
    visited = [mutator.visit_expr(item) for item in items]
    return visited, all(a is b for a, b in zip(visited, items, strict=True))


def _var(mutator: Mutator, op: Any) -> Any:
    return mutator.get_var_remap(op)


def _shape(mutator: Mutator, op: Any) -> Any:
    values, is_same = _visit_all(mutator, op.values)
    return op if is_same else make.shape(c.scalars(values))


def _tuple(mutator: Mutator, op: Any) -> Any:
    fields, is_same = _visit_all(mutator, op.fields)
    return op if is_same else make.tuple([c.expr(field) for field in fields])


def _tuple_get_item(mutator: Mutator, op: Any) -> Any:
    value = mutator.visit_expr(op.tuple_value)
    return op if value is op.tuple_value else make.tuple_get_item(c.expr(value), op.index)


def _with_visited_shape(mutator: Mutator, type: Any) -> Any:
    """Rewrites the shape expression in the type of a call."""
    if not isinstance(type, _sunmao.TensorType) or type.shape is None:
        return type
    shape = mutator.visit_expr(type.shape)
    return type if shape is type.shape else make.tensor_type(c.expr(shape), type.dtype, -1, type.vdevice)


def _call(mutator: Mutator, op: Any) -> Any:
    callee = mutator.visit_expr(op.op)
    args, is_same = _visit_all(mutator, op.args)
    type = _with_visited_shape(mutator, op.type)
    if callee is op.op and is_same:
        return op
    operands = [c.expr(arg) for arg in args]
    if isinstance(callee, _sunmao.GlobalVar) and type is not None and callee is op.op:
        return make.typed_call(callee, operands, op.attrs.native(), list(op.ty_args), type)
    return make.call(callee, operands, op.attrs.native(), list(op.ty_args))


def _function(mutator: Mutator, op: Any) -> Any:
    params = []
    for param in op.params:
        new = mutator.visit_var_def(param)
        if new is not param:
            mutator.set_var_remap(param, new)
        params.append(new)
    body = mutator.visit_with_new_scope(op.body)
    if body is op.body and all(a is b for a, b in zip(params, op.params, strict=True)):
        return op
    return make.function(params, body, None, op.is_pure, op.attrs.native())


def _if(mutator: Mutator, op: Any) -> Any:
    cond = mutator.visit_expr(op.cond)
    then_branch = mutator.visit_with_new_scope(op.true_branch)
    else_branch = mutator.visit_with_new_scope(op.false_branch)
    if cond is op.cond and then_branch is op.true_branch and else_branch is op.false_branch:
        return op
    return make.if_(c.expr(cond), then_branch, else_branch)


def _seq(mutator: Mutator, op: Any) -> Any:
    blocks = [mutator.visit_binding_block(block) for block in op.blocks]
    mutator.builder_._begin_binding_block()
    body = mutator.visit_expr(op.body)
    rest = mutator.builder_._end_block()
    is_same = body is op.body and all(a is b for a, b in zip(blocks, op.blocks, strict=True))
    if is_same and not rest.bindings:
        return op
    blocks = [block for block in [*blocks, rest] if block.bindings]
    return make.sequence(blocks, c.expr(body))


def _scalar(mutator: Mutator, op: Any) -> Any:
    operands, is_same = _visit_all(mutator, scalar_operands(op))
    if is_same:
        return op
    if isinstance(op, _sunmao.Binary):
        return make.binary(op.op, *operands)
    if isinstance(op, _sunmao.Not):
        return make.not_(*operands)
    if isinstance(op, _sunmao.Cast):
        return make.cast(op.dtype, *operands)
    if isinstance(op, _sunmao.Select):
        return make.select(*operands)
    return op


_REBUILD: dict[type, Callable[[Any, Any], Any]] = {
    _sunmao.Var: _var, _sunmao.ShapeExpr: _shape, _sunmao.Tuple: _tuple, _sunmao.TupleGetItem: _tuple_get_item,
    _sunmao.Call: _call, _sunmao.Function: _function, _sunmao.If: _if, _sunmao.SeqExpr: _seq, _sunmao.SymVar: _var,
    _sunmao.Binary: _scalar, _sunmao.Not: _scalar, _sunmao.Cast: _scalar, _sunmao.Select: _scalar,
    _sunmao.ScalarCall: _scalar,
}  # fmt: skip


def rebuild(mutator: Mutator, node: Any) -> Any:
    """Returns the node with its operands rewritten by the mutator."""
    kind = _REBUILD.get(type(node))
    return kind(mutator, node) if kind else node
