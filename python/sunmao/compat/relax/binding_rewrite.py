"""Editing of one dataflow block of a function. Each edit makes another function; the original one is unchanged."""

from __future__ import annotations

from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat import convert as c
from sunmao.compat.checked import checked
from sunmao.compat.ir.module import IRModule
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.expr_functor import PyExprMutator
from sunmao.errors import fail


@checked
class DataflowBlockRewrite:
    """A dataflow block and its function, with the edits made so far."""

    def __init__(self, dfb: _sunmao.BindingBlock, root_fn: _sunmao.Function) -> None:
        if not dfb.is_dataflow or not any(block is dfb for block in root_fn.body.blocks):
            raise fail("E0032", "editing a block that is no dataflow block of the function is not supported")
        self._block, self._function = dfb, root_fn
        self._original = root_fn
        self._names = _sunmao.NameSupply()
        for name in _sunmao.name_to_binding(root_fn):
            self._names.reserve(name)

    def mutated_dfb(self) -> _sunmao.BindingBlock:
        return self._block

    def mutated_root_fn(self) -> _sunmao.Function:
        return self._function

    def mutate_irmodule(self, irmodule: IRModule) -> IRModule:
        """Returns the module with the edited function in place of the original one."""
        result = irmodule.clone()
        for var, function in irmodule.functions_items():
            if function is self._original:
                result[var] = self._function
        return result

    def add_binding(self, binding: _sunmao.Binding) -> None:
        """Adds a binding at the end of the block."""
        self._set_block(make.block([*self._block.bindings, binding], True))

    def add(self, expr: Any, name: str | None = None, is_dfvar: bool = False) -> None:
        """Binds an expression to a fresh variable at the end of the block."""
        value = c.expr(expr)
        var = make.var(self._names.fresh(name or "tmp"), value.type, is_dfvar)
        self.add_binding(make.binding(var, value, None))

    def replace_all_uses(self, old_var: _sunmao.Var, new_var: _sunmao.Var) -> None:
        """Replaces all uses of `old_var` in the function by `new_var`."""
        if not any(var is old_var for var in _sunmao.all_vars(self._function)):
            raise RuntimeError(f"Cannot find the variable `{old_var.name}` in the function")
        mutator = PyExprMutator()
        mutator.set_var_remap(old_var, new_var)
        blocks = list(self._function.body.blocks)
        at = next(i for i, block in enumerate(blocks) if block is self._block)
        rewritten: list[_sunmao.BindingBlock] = []
        for block in blocks:
            bindings = [self._rewritten(mutator, b, old_var) for b in block.bindings]
            is_same = all(a is b or a == b for a, b in zip(bindings, block.bindings, strict=True))
            rewritten.append(block if is_same else make.block(bindings, block.is_dataflow))
        self._block = rewritten[at]
        self._set_body(rewritten, mutator.visit_expr(self._function.body.body))

    @staticmethod
    def _rewritten(mutator: PyExprMutator, binding: _sunmao.Binding, old_var: _sunmao.Var) -> _sunmao.Binding:
        if binding.var is old_var:
            return binding
        value = mutator.visit_expr(binding.value)
        return binding if value is binding.value else make.binding(binding.var, c.expr(value), binding.cast_type)

    def remove_unused(self, var: _sunmao.Var, allow_undef: bool = False) -> None:
        """Removes the binding of an unused variable."""
        bound = [b for b in self._block.bindings if b.var is var]
        if not bound:
            if allow_undef:
                return
            raise RuntimeError(f"Cannot find the binding of `{var.name}` in the block")
        users = [b for b in self._bindings() if any(v is var for v in _sunmao.used_vars(b.value))]
        count = len(users) + any(v is var for v in _sunmao.used_vars(self._function.body.body))
        if count:
            raise RuntimeError(f"`{var.name}` is used by {count} vars")
        self._set_block(make.block([b for b in self._block.bindings if b.var is not var], True))

    def remove_all_unused(self) -> None:
        """Removes the unused bindings of the block."""
        changed = _sunmao.remove_all_unused(self._function)
        assert isinstance(changed, _sunmao.Function)
        kept = {b.var for block in changed.body.blocks for b in block.bindings}
        self._set_block(make.block([b for b in self._block.bindings if b.var in kept], True))

    def _bindings(self) -> list[_sunmao.Binding]:
        return [b for block in self._function.body.blocks for b in block.bindings]

    def _set_block(self, block: _sunmao.BindingBlock) -> None:
        blocks = [block if b is self._block else b for b in self._function.body.blocks]
        self._block = block
        self._set_body([b for b in blocks if b.bindings], self._function.body.body)

    def _set_body(self, blocks: list[_sunmao.BindingBlock], result: Any) -> None:
        f = self._function
        body = make.sequence(blocks, c.expr(result))
        self._function = make.function(list(f.params), body, f.result_type, f.is_pure, f.attrs.native())


__getattr__ = attribute_of(__name__)
