"""BlockBuilder: builds functions binding by binding, in normal form, with unique names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat import convert as c
from sunmao.compat.checked import checked
from sunmao.compat.ir.module import IRModule
from sunmao.compat.ir.transform import run_named_pass
from sunmao.compat.relax.call_te import call_te
from sunmao.compat.relax.expr import native_attrs
from sunmao.compat.relax.normal_call import normal_call
from sunmao.errors import fail


class _Block:
    """A block that is being written."""

    def __init__(self, is_dataflow: bool) -> None:
        self.is_dataflow = is_dataflow
        self.bindings: list[_sunmao.Binding] = []

    def finish(self) -> _sunmao.BindingBlock:
        return make.block(self.bindings, self.is_dataflow)


@checked
class FunctionScope:
    """A function that is being written: `with bb.function("main", [x]):`."""

    def __init__(self, builder: BlockBuilder, name: str, params: Any, attrs: Any, is_pure: bool, private: bool) -> None:
        self.builder, self.name, self.private = builder, name, private
        self.params, self.attrs, self.is_pure = params, dict(attrs or {}), is_pure
        self.blocks: list[_sunmao.BindingBlock] = []
        self.outer_blocks: list[_Block] = []
        # Blocks that came into a dataflow block and are none themselves.
        self.divided_by: list[_sunmao.BindingBlock] = []
        self.is_finished = False

    def __enter__(self) -> FunctionScope:
        self.builder._enter_function(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.builder._exit_function(failed=kind is not None)


class DataflowScope:
    """A dataflow block that is being written: `with bb.dataflow():`."""

    def __init__(self, builder: BlockBuilder) -> None:
        self.builder = builder

    def __enter__(self) -> DataflowScope:
        block = self.builder._end_block()
        self.builder._add_block(block)
        self.builder._begin_dataflow_block()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.builder._add_block(self.builder._end_block())
            self.builder._begin_binding_block()


class TestingScope:
    """Symbols that are defined for what is built inside."""

    def __init__(self, builder: BlockBuilder, def_vars: Sequence[Any]) -> None:
        self.builder = builder
        shape = make.unknown_shape_type(-1) if not def_vars else make.shape_type(c.scalars(def_vars))
        self.params = [make.var("sym_shape", shape)]

    def __enter__(self) -> TestingScope:
        self.builder.begin_scope(self.params)
        self.builder._begin_dataflow_block()
        return self

    def __exit__(self, *error: Any) -> None:
        self.builder._end_block()
        self.builder.end_scope()


@checked
class BlockBuilder:
    """Builds functions; `get` gives the module of those that are done."""

    __test__ = False
    _stack: list[BlockBuilder] = []

    @staticmethod
    def current() -> BlockBuilder | None:
        """The builder whose function is being written."""
        return BlockBuilder._stack[-1] if BlockBuilder._stack else None

    def __init__(self, mod: IRModule | None = None) -> None:
        self._native = _sunmao.BlockBuilder()
        if mod is not None:
            self._native.module = mod.__sunmao_module__()
        self._functions: list[FunctionScope] = []
        self._blocks: list[_Block] = []
        self._values: dict[_sunmao.Var, Any] = {}
        self._scopes: list[Any] = []

    # Blocks

    def _begin_dataflow_block(self) -> None:
        self._blocks.append(_Block(True))

    def _begin_binding_block(self) -> None:
        self._blocks.append(_Block(False))

    def _end_block(self) -> _sunmao.BindingBlock:
        if not self._blocks:
            raise fail("E0039", "there is no block to end", "begin one first")
        return self._blocks.pop().finish()

    def _add_block(self, block: _sunmao.BindingBlock) -> None:
        if self._functions and block.bindings:
            self._functions[-1].blocks.append(block)

    def current_block_is_dataflow(self) -> bool:
        return bool(self._blocks) and self._blocks[-1].is_dataflow

    def dataflow(self) -> DataflowScope:
        return DataflowScope(self)

    def testing_scope(self, def_vars: Sequence[Any]) -> TestingScope:
        return TestingScope(self, def_vars)

    def begin_scope(self, params: Sequence[_sunmao.Var] | None = None) -> None:
        """Parameters whose symbols count as known until `end_scope`."""
        self._scopes.append(list(params or []))

    def end_scope(self) -> None:
        if not self._scopes:
            raise fail("E0039", "there is no scope to end", "begin one first")
        self._scopes.pop()

    # Functions

    def function(
        self,
        name: str,
        params: Any = None,
        attrs: Any = None,
        pure: bool | None = None,
        private: bool = False,
        *,
        is_pure: bool = True,
    ) -> FunctionScope:
        if isinstance(params, _sunmao.Var):
            params = [params]
        elif isinstance(params, list | tuple):
            params = list(params)
            for p in params:
                if not isinstance(p, _sunmao.Var):
                    raise fail(
                        "E0034", f"each function parameter must be of type tvm.relax.Var, got {type(p).__name__}"
                    )
        return FunctionScope(self, name, params, attrs, is_pure if pure is None else pure, private)

    def _enter_function(self, scope: FunctionScope) -> None:
        scope.outer_blocks, self._blocks = self._blocks, []
        self._functions.append(scope)
        BlockBuilder._stack.append(self)
        self.begin_scope(scope.params)
        self._begin_binding_block()

    def _exit_function(self, failed: bool) -> None:
        scope = self._functions.pop()
        self._blocks = scope.outer_blocks
        BlockBuilder._stack.remove(self)
        self.end_scope()
        if not failed and not scope.is_finished:
            raise RuntimeError("emit_func_output must be called in a relax function.")

    def _scope(self) -> FunctionScope:
        if not self._functions:
            raise RuntimeError("Cannot call emit_func_output when not in a function: write `with bb.function(...)`")
        return self._functions[-1]

    def emit_func_output(self, output: Any, params: Any = None) -> _sunmao.GlobalVar:
        """Ends the function: this is what it gives."""
        scope = self._scope()
        if scope.is_finished:
            raise RuntimeError("emit_func_output must be called exactly once in a relax function.")
        if params is not None:
            if scope.params is not None:
                raise RuntimeError("function parameters have been specified in the constructor of the function")
            scope.params = [params] if isinstance(params, _sunmao.Var) else list(params)
        if scope.params is None:
            raise RuntimeError("Relax function must have parameter: give `params`, if only an empty list")
        if self.current_block_is_dataflow():
            raise fail("E0039", "the dataflow block is still open", "leave it before emit_func_output")
        result = self.normalize(c.expr(output))
        if not _is_leaf(result):
            result = self.emit(result)
        self._add_block(self._end_block())
        self._begin_binding_block()
        scope.is_finished = True
        _check_dividing_blocks(scope)
        body = make.sequence(scope.blocks, result)
        attrs = dict(scope.attrs)
        if not scope.private:
            attrs = {"global_symbol": scope.name, **attrs}
        function = make.function(scope.params, body, None, scope.is_pure, native_attrs(attrs))
        return self.add_func(function, scope.name)

    # Bindings

    def _flatten(self, value: Any) -> _sunmao.Expr:
        """Normal form; what operands need is bound in the current block."""
        expr = c.expr(value)
        while isinstance(expr, _sunmao.SeqExpr):
            self._inline(expr)
            expr = expr.body
        is_dataflow = self.current_block_is_dataflow()
        if is_dataflow:
            self._native.begin_dataflow()
        try:
            flat = self._native.normalize(expr)
            pending = self._native.take_bindings()
        finally:
            if is_dataflow:
                self._native.end_dataflow()
        for binding in pending:
            self._append(binding)
        normal = normal_call(flat, self.lookup_binding) if isinstance(flat, _sunmao.Call) else flat
        return flat if normal is flat else self._flatten(normal)

    def _inline(self, seq: _sunmao.SeqExpr) -> None:
        """The bindings of a sequence become part of the current block; a block of the other kind divides it."""
        is_dataflow = self.current_block_is_dataflow()
        for block in seq.blocks:
            if block.is_dataflow == is_dataflow or not self._functions:
                for binding in block.bindings:
                    self._append(binding)
                continue
            self._add_block(self._end_block())
            self._add_block(block)
            self._values.update({b.var: b.value for b in block.bindings})
            self._blocks.append(_Block(is_dataflow))
            self._functions[-1].divided_by += [] if block.is_dataflow else [block]

    def _append(self, binding: _sunmao.Binding) -> None:
        if not self._blocks:
            raise fail("E0039", "there is no block to emit into", 'write `with bb.function("name", [params]):`')
        self._blocks[-1].bindings.append(binding)
        self._values[binding.var] = binding.value

    def _new_var(self, hint: str, default: str, type: Any, is_dataflow: bool) -> _sunmao.Var:
        return make.var(self._native.unique_name(hint or default), type, is_dataflow)

    def emit(self, expr: Any, name_hint: str = "") -> _sunmao.Var:
        value = self._flatten(expr)
        is_dataflow = self.current_block_is_dataflow()
        var = self._new_var(name_hint, "lv" if is_dataflow else "gv", value.type, is_dataflow)
        self._append(make.binding(var, value, None))
        return var

    def emit_output(self, output: Any, name_hint: str = "") -> _sunmao.Var:
        """Binds a variable that is seen outside of the dataflow block."""
        if not self.current_block_is_dataflow():
            raise fail("E0039", "emit_output stands in a dataflow block", "write `with bb.dataflow():`, or use emit")
        value = self._flatten(output)
        var = self._new_var(name_hint, "gv", value.type, False)
        self._append(make.binding(var, value, None))
        return var

    def call_te(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> _sunmao.Call:
        """A call of a loop-level function made of a function on tensor expressions."""
        return call_te(self.add_func, func, args, kwargs)

    def emit_te(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> _sunmao.Var:
        """Makes a loop-level function of a function on tensor expressions, and emits a call of it."""
        name_hint = str(kwargs.pop("name_hint", ""))
        return self.emit(self.call_te(func, *args, **kwargs), name_hint)

    def match_cast(self, value: Any, ty: Any, name_hint: str = "") -> _sunmao.Var:
        flat, type = self._flatten(value), c.known_type(ty)
        is_dataflow = self.current_block_is_dataflow()
        var = self._new_var(name_hint, "lv" if is_dataflow else "gv", type, is_dataflow)
        self._append(make.binding(var, flat, type))
        return var

    def emit_normalized(self, binding: _sunmao.Binding) -> None:
        """Takes over a binding that is in normal form."""
        self._append(binding)

    def lookup_binding(self, var: _sunmao.Var) -> Any:
        """What the variable was bound to, or None."""
        return self._values.get(var)

    def normalize(self, expr: Any) -> Any:
        """The expression with known types and leaves as operands."""
        if isinstance(expr, _sunmao.Scalar):
            return expr
        value = c.expr(expr)
        if isinstance(value, _sunmao.Function):
            module = self._native.module.with_function("main", value)
            return run_named_pass(module, "normalize").find("main")
        if isinstance(value, _sunmao.SeqExpr | _sunmao.If):
            return self._normalize_nested(value)
        if not self._blocks:
            self._begin_binding_block()
            try:
                return self._flatten(value)
            finally:
                self._blocks.pop()
        return self._flatten(value)

    def _normalize_nested(self, value: Any) -> _sunmao.Expr:
        free = _sunmao.free_vars(value)
        function = make.function(free, value, None, False, {})
        normal = run_named_pass(self._native.module.with_function("main", function), "normalize").find("main")
        assert isinstance(normal, _sunmao.Function)
        body = normal.body
        if isinstance(value, _sunmao.If) and len(body.blocks) == len(body.blocks[-1].bindings) == 1:
            return body.blocks[0].bindings[0].value
        is_plain = not body.blocks and not isinstance(value, _sunmao.SeqExpr)
        return body.body if is_plain else body

    # The module

    def get(self) -> IRModule:
        return IRModule(self._native.module)

    def finalize(self) -> IRModule:
        """The module, with the names of its public functions first served."""
        return IRModule(run_named_pass(self._native.module, "normalize-global-var"))

    def get_unique_name(self, name_prefix: str) -> str:
        return self._native.unique_name(name_prefix)

    def add_func(self, func: Any, func_name: str) -> _sunmao.GlobalVar:
        """Adds a function under a name near `func_name`."""
        return self._native.add_function(func_name, func)

    def update_func(self, gv: _sunmao.GlobalVar, updated_func: Any) -> None:
        self._native.module = self._native.module.with_function(gv, updated_func)


def _check_dividing_blocks(scope: FunctionScope) -> None:
    for block in scope.divided_by:
        for var in (var for binding in block.bindings for var in _sunmao.free_vars(binding.value)):
            if var.is_dataflow:
                help = "emit what reads it in the dataflow block, or bind it by emit_output"
                raise fail("E0401", f"Malformed AST: `{var.name}` is read outside of its dataflow block", help)


def _is_leaf(e: _sunmao.Expr) -> bool:
    if isinstance(e, _sunmao.Tuple):
        return all(not isinstance(field, _sunmao.Expr) or _is_leaf(field) for field in e.fields)
    calls = (_sunmao.Call, _sunmao.If, _sunmao.SeqExpr, _sunmao.Function, _sunmao.TupleGetItem)
    return not isinstance(e, calls)
