"""Visitors and mutators written in Python: a method for each kind of node, with defaults that go on to the operands."""

from __future__ import annotations

from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat import convert as c
from sunmao.compat.missing import attribute_of, unsupported
from sunmao.compat.relax.block_builder import BlockBuilder
from sunmao.compat.relax.expr import unwrap
from sunmao.compat.tirx.intrinsic import Intrinsic

# The method that a node of a class goes to, by the extension's class.
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


def method_of(node: Any) -> str:
    """The method that visits the node."""
    if isinstance(node, _sunmao.Var):
        return "visit_dataflow_var_" if node.is_dataflow else "visit_var_"
    if isinstance(node, _sunmao.Binary):
        return _BINARY[node.op]
    return _METHODS.get(type(node), "visit_expr_fallback_")


def scalar_operands(node: Any) -> list[Any]:
    """The scalars and intrinsics inside of a scalar."""
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
    """Dispatches on the kind of node; derived classes say what to do."""

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

    def visit_binding(self, binding: _sunmao.Binding) -> Any:
        kind = "visit_match_cast_" if binding.cast_type is not None else "visit_var_binding_"
        return getattr(self, kind)(binding)

    def visit_binding_block(self, block: _sunmao.BindingBlock) -> Any:
        kind = "visit_dataflow_block_" if block.is_dataflow else "visit_binding_block_"
        return getattr(self, kind)(block)

    def visit_var_def(self, var: _sunmao.Var) -> Any:
        return getattr(self, "visit_dataflow_var_def_" if var.is_dataflow else "visit_var_def_")(var)


class PyExprVisitor(ExprFunctor):
    """Looks at expressions. The defaults look at what is inside."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("visit_") and (name in _BINARY.values() or name in _METHODS.values()):
            return self._visit_scalar
        raise AttributeError(f"{type(self).__name__} has no attribute {name}")

    def _visit_scalar(self, op: Any) -> None:
        for operand in scalar_operands(op):
            self.visit_expr(operand)

    def visit_expr_fallback_(self, op: Any) -> None:
        self._visit_scalar(op)

    def visit_constant_(self, op: Any) -> None:
        """Nothing is inside."""

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


class PyExprMutator(ExprFunctor):
    """Rebuilds expressions. What does not change keeps its node; `builder_` emits what a method adds."""

    def __init__(self, mod: Any = None) -> None:
        self.builder_ = BlockBuilder(mod)
        self._remap: dict[Any, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name == "_remap":  # a derived class did not call __init__
            self.__dict__["_remap"] = {}
            return self._remap
        if name == "builder_":
            self.__dict__["builder_"] = BlockBuilder()
            return self.builder_
        if name.startswith("visit_") and (name in _BINARY.values() or name in _METHODS.values()):
            return self.visit_expr_post_order
        raise AttributeError(f"{type(self).__name__} has no attribute {name}")

    def visit_expr(self, expr: Any) -> Any:
        """The node in its new form, normalised."""
        found = super().visit_expr(expr)
        return self.builder_.normalize(found) if isinstance(found, _sunmao.Call | _sunmao.Tuple) else found

    def visit_expr_fallback_(self, op: Any) -> Any:
        return self.visit_expr_post_order(op)

    def visit_expr_post_order(self, expr: Any) -> Any:
        """The node over its operands in their new form."""
        rebuild = _REBUILD.get(type(expr))
        return rebuild(self, expr) if rebuild else expr

    def visit_constant_(self, op: Any) -> Any:
        return self.visit_expr_post_order(op)

    visit_var_ = visit_dataflow_var_ = visit_tuple_ = visit_shape_expr_ = visit_extern_func_ = visit_constant_
    visit_global_var_ = visit_function_ = visit_call_ = visit_seq_expr_ = visit_if_ = visit_op_ = visit_constant_
    visit_tuple_getitem_ = visit_string_imm_ = visit_data_type_imm_ = visit_constant_

    def visit_span(self, span: Any) -> Any:
        return span

    def visit_var_def_(self, var: Any) -> Any:
        remapped = self._remap.get(var)
        return remapped if remapped is not None else var

    visit_dataflow_var_def_ = visit_var_def_

    def visit_var_binding_(self, binding: Any) -> None:
        value = self.visit_expr(binding.value)
        var = self.visit_var_def(binding.var)
        if var is binding.var and value is binding.value:
            self.builder_.emit_normalized(binding)
            return
        if isinstance(value, _sunmao.Expr) and value.type is not None and not _same_type(var.type, value.type):
            var = self.with_type(var, value.type)
        if var is not binding.var:
            self.set_var_remap(binding.var, var)
        self.builder_.emit_normalized(make.binding(var, c.expr(value), None))

    def visit_match_cast_(self, binding: Any) -> None:
        var = self.visit_var_def(binding.var)
        value = self.visit_expr(binding.value)
        self.builder_.emit_normalized(make.binding(var, c.expr(value), binding.cast_type))

    def visit_binding_block_(self, block: Any) -> Any:
        self.builder_._begin_binding_block()
        return self._finish_block(block)

    def visit_dataflow_block_(self, block: Any) -> Any:
        self.builder_._begin_dataflow_block()
        return self._finish_block(block)

    def _finish_block(self, block: Any) -> Any:
        for binding in block.bindings:
            self.visit_binding(binding)
        rebuilt = self.builder_._end_block()
        return block if rebuilt.bindings == block.bindings else rebuilt

    def set_var_remap(self, old_var: Any, new_var: Any) -> None:
        """From here on `old_var` is `new_var`."""
        self._remap[old_var] = new_var

    def get_var_remap(self, var: Any) -> Any:
        return self._remap.get(var, var)

    def visit_with_new_scope(self, expr: Any) -> Any:
        """The expression as a sequence of its own: what it emits stands inside."""
        seq = expr if isinstance(expr, _sunmao.SeqExpr) else make.sequence([], c.expr(expr))
        return self.visit_expr(seq)

    def lookup_binding(self, var: Any) -> Any:
        return self.builder_.lookup_binding(var)

    def with_type(self, var: Any, ty: Any) -> Any:
        """A variable of this type in the place of `var`; itself where it has it."""
        known = c.known_type(ty)
        if _same_type(var.type, known):
            return var
        return make.var(var.name, known, var.is_dataflow)

    with_struct_info = with_type


def _same_type(a: Any, b: Any) -> bool:
    return a is b or (a is not None and b is not None and _sunmao.structural_equal(a, b))


def _visit_all(mutator: PyExprMutator, items: Any) -> tuple[list[Any], bool]:
    visited = [mutator.visit_expr(item) for item in items]
    return visited, all(a is b for a, b in zip(visited, items, strict=True))


def _var(mutator: PyExprMutator, op: Any) -> Any:
    return mutator.get_var_remap(op)


def _shape(mutator: PyExprMutator, op: Any) -> Any:
    values, is_same = _visit_all(mutator, op.values)
    return op if is_same else make.shape(c.scalars(values))


def _tuple(mutator: PyExprMutator, op: Any) -> Any:
    fields, is_same = _visit_all(mutator, op.fields)
    return op if is_same else make.tuple([c.expr(field) for field in fields])


def _tuple_get_item(mutator: PyExprMutator, op: Any) -> Any:
    value = mutator.visit_expr(op.tuple_value)
    return op if value is op.tuple_value else make.tuple_get_item(c.expr(value), op.index)


def _with_visited_shape(mutator: PyExprMutator, type: Any) -> Any:
    """The type of a call: the shape of a tensor is an expression, which is visited like the others."""
    if not isinstance(type, _sunmao.TensorType) or type.shape is None:
        return type
    shape = mutator.visit_expr(type.shape)
    return type if shape is type.shape else make.tensor_type(c.expr(shape), type.dtype, -1, type.vdevice)


def _call(mutator: PyExprMutator, op: Any) -> Any:
    callee = mutator.visit_expr(op.op)
    args, is_same = _visit_all(mutator, op.args)
    type = _with_visited_shape(mutator, op.type)
    if callee is op.op and is_same:
        return op
    operands = [c.expr(arg) for arg in args]
    if isinstance(callee, _sunmao.GlobalVar) and type is not None and callee is op.op:
        return make.typed_call(callee, operands, op.attrs.native(), list(op.ty_args), type)
    return make.call(callee, operands, op.attrs.native(), list(op.ty_args))


def _function(mutator: PyExprMutator, op: Any) -> Any:
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


def _if(mutator: PyExprMutator, op: Any) -> Any:
    cond = mutator.visit_expr(op.cond)
    then_branch = mutator.visit_with_new_scope(op.true_branch)
    else_branch = mutator.visit_with_new_scope(op.false_branch)
    if cond is op.cond and then_branch is op.true_branch and else_branch is op.false_branch:
        return op
    return make.if_(c.expr(cond), then_branch, else_branch)


def _seq(mutator: PyExprMutator, op: Any) -> Any:
    blocks = [mutator.visit_binding_block(block) for block in op.blocks]
    mutator.builder_._begin_binding_block()
    body = mutator.visit_expr(op.body)
    rest = mutator.builder_._end_block()
    is_same = body is op.body and all(a is b for a, b in zip(blocks, op.blocks, strict=True))
    if is_same and not rest.bindings:
        return op
    blocks = [block for block in [*blocks, rest] if block.bindings]
    return make.sequence(blocks, c.expr(body))


def _scalar(mutator: PyExprMutator, op: Any) -> Any:
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


_REBUILD = {
    _sunmao.Var: _var, _sunmao.ShapeExpr: _shape, _sunmao.Tuple: _tuple, _sunmao.TupleGetItem: _tuple_get_item,
    _sunmao.Call: _call, _sunmao.Function: _function, _sunmao.If: _if, _sunmao.SeqExpr: _seq, _sunmao.SymVar: _var,
    _sunmao.Binary: _scalar, _sunmao.Not: _scalar, _sunmao.Cast: _scalar, _sunmao.Select: _scalar,
    _sunmao.ScalarCall: _scalar,
}  # fmt: skip


def _marked(cls: type) -> type:
    """The class, under the name that classes derived from it are to use."""
    for base in cls.__bases__:
        if "_cls" in vars(base) and vars(base)["_cls"] is not base and "_is_marked" in vars(base):
            raise TypeError(
                f"Inheritance from a decorated object `{cls.__name__}` is not allowed. "
                f"Please inherit from `{cls.__name__}._cls`."
            )
    marked = type(cls.__name__, (cls,), {"_cls": cls, "_is_marked": True, "__doc__": cls.__doc__})
    marked.__module__, marked.__qualname__ = cls.__module__, cls.__qualname__
    return marked


def visitor(visitor_cls: type) -> type:
    """Marks a visitor; derive from its `_cls`."""
    return _marked(visitor_cls)


def mutator(mutator_cls: type) -> type:
    """Marks a mutator; derive from its `_cls`."""
    return _marked(mutator_cls)


__getattr__ = attribute_of(__name__)
