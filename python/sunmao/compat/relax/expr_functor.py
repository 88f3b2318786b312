"""Mutators and visitors written in Python: one method for each node kind, with defaults that traverse or rebuild."""

from __future__ import annotations

from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat import convert as c
from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.block_builder import BlockBuilder
from sunmao.compat.relax.expr_rebuild import rebuild, same_type
from sunmao.compat.relax.expr_visitor import ExprFunctor as ExprFunctor
from sunmao.compat.relax.expr_visitor import PyExprVisitor as PyExprVisitor
from sunmao.compat.relax.expr_visitor import is_node_method
from sunmao.errors import fail


@checked
class PyExprMutator(ExprFunctor):
    """Rebuilds expressions; unchanged nodes are kept. `builder_` emits the bindings that a method adds."""

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
        if is_node_method(name):
            return self.visit_expr_post_order
        raise AttributeError(f"{type(self).__name__} has no attribute {name}")

    def visit_expr(self, expr: Any) -> Any:
        """Returns the rewritten expression in normal form."""
        found = super().visit_expr(expr)
        return self.builder_.normalize(found) if isinstance(found, _sunmao.Call | _sunmao.Tuple) else found

    def visit_expr_fallback_(self, op: Any) -> Any:
        return self.visit_expr_post_order(op)

    def visit_expr_post_order(self, expr: Any) -> Any:
        """Rewrites the operands of the node; returns the node with the rewritten operands."""
        return rebuild(self, expr)

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
        if isinstance(value, _sunmao.Expr) and value.type is not None and not same_type(var.type, value.type):
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
        """Replaces `old_var` by `new_var` from here on."""
        self._remap[old_var] = new_var

    def get_var_remap(self, var: Any) -> Any:
        return self._remap.get(var, var)

    def visit_with_new_scope(self, expr: Any) -> Any:
        """Rewrites the expression as a sequence of its own, which contains the bindings that are emitted meanwhile."""
        seq = expr if isinstance(expr, _sunmao.SeqExpr) else make.sequence([], c.expr(expr))
        return self.visit_expr(seq)

    def lookup_binding(self, var: Any) -> Any:
        return self.builder_.lookup_binding(var)

    def with_type(self, var: Any, ty: Any) -> Any:
        """Returns a variable of this type in place of `var`; `var` itself when it has the type."""
        known = c.known_type(ty)
        if same_type(var.type, known):
            return var
        return make.var(var.name, known, var.is_dataflow)

    with_struct_info = with_type


def _marked(cls: type) -> type:
    """Returns the class under its name, with `_cls`, from which derived classes must inherit."""
    for base in cls.__bases__:
        if "_cls" in vars(base) and vars(base)["_cls"] is not base and "_is_marked" in vars(base):
            raise fail(
                "E0034",
                f"Inheritance from a decorated object `{cls.__name__}` is not allowed. "
                f"Please inherit from `{cls.__name__}._cls`.",
            )
    marked = type(cls.__name__, (cls,), {"_cls": cls, "_is_marked": True, "__doc__": cls.__doc__})
    marked.__module__, marked.__qualname__ = cls.__module__, cls.__qualname__
    return marked


@checked
def visitor(visitor_cls: type) -> type:
    """Class decorator for visitors; derived classes inherit from its `_cls`."""
    return _marked(visitor_cls)


@checked
def mutator(mutator_cls: type) -> type:
    """Class decorator for mutators; derived classes inherit from its `_cls`."""
    return _marked(mutator_cls)


__getattr__ = attribute_of(__name__)
