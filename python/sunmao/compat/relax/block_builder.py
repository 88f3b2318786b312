"""BlockBuilder: builds functions binding by binding, in normal form and with unique names."""

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
from sunmao.errors import VerifyError, fail


@checked
class FunctionScope:
    """The scope of a function under construction: `with bb.function("main", [x]):`."""

    def __init__(self, builder: BlockBuilder, name: str, params: Any, attrs: Any, is_pure: bool, private: bool) -> None:
        self.builder, self.name, self.private = builder, name, private
        self.params, self.attrs, self.is_pure = params, dict(attrs or {}), is_pure
        self.is_finished = False

    def __enter__(self) -> FunctionScope:
        self.builder._enter_function(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.builder._exit_function(failed=kind is not None)


class DataflowScope:
    """The scope of a dataflow block under construction: `with bb.dataflow():`."""

    def __init__(self, builder: BlockBuilder) -> None:
        self.builder = builder

    def __enter__(self) -> DataflowScope:
        self.builder._writer.enter_dataflow()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.builder._writer.leave_dataflow()


class TestingScope:
    """A scope in which the given symbols count as defined."""

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
    """Builds functions; `get` returns the module of the finished ones."""

    __test__ = False
    _stack: list[BlockBuilder] = []

    @staticmethod
    def current() -> BlockBuilder | None:
        """Returns the builder of the function under construction."""
        return BlockBuilder._stack[-1] if BlockBuilder._stack else None

    def __init__(self, mod: IRModule | None = None) -> None:
        self._writer = _sunmao.FunctionWriter()
        if mod is not None:
            self._writer.module = mod.__sunmao_module__()
        self._functions: list[FunctionScope] = []
        self._scopes: list[Any] = []

    # Methods that begin and end blocks and scopes.

    def _begin_dataflow_block(self) -> None:
        self._writer.begin_dataflow_block()

    def _begin_binding_block(self) -> None:
        self._writer.begin_block()

    def _end_block(self) -> _sunmao.BindingBlock:
        return self._writer.end_block()

    def current_block_is_dataflow(self) -> bool:
        return self._writer.in_dataflow

    def dataflow(self) -> DataflowScope:
        return DataflowScope(self)

    def testing_scope(self, def_vars: Sequence[Any]) -> TestingScope:
        return TestingScope(self, def_vars)

    def begin_scope(self, params: Sequence[_sunmao.Var] | None = None) -> None:
        """Makes the symbols of the parameters known until `end_scope`."""
        self._scopes.append(list(params or []))

    def end_scope(self) -> None:
        if not self._scopes:
            raise fail("E0039", "there is no scope to end", "begin one first")
        self._scopes.pop()

    # Methods that begin and end functions.

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
        self._functions.append(scope)
        BlockBuilder._stack.append(self)
        self.begin_scope(scope.params)
        self._writer.begin_function()

    def _exit_function(self, failed: bool) -> None:
        scope = self._functions.pop()
        self._writer.end_function()
        BlockBuilder._stack.remove(self)
        self.end_scope()
        if not failed and not scope.is_finished:
            raise RuntimeError("emit_func_output must be called in a relax function.")

    def _scope(self) -> FunctionScope:
        if not self._functions:
            raise RuntimeError("Cannot call emit_func_output when not in a function: write `with bb.function(...)`")
        return self._functions[-1]

    def emit_func_output(self, output: Any, params: Any = None) -> _sunmao.GlobalVar:
        """Finishes the function with `output` as its result. A call that failed for its output may be repeated with
        another one."""
        scope = self._scope()
        if scope.is_finished:
            raise RuntimeError("emit_func_output must be called exactly once in a relax function.")
        if params is not None:
            if scope.params is not None:
                raise RuntimeError("function parameters have been specified in the constructor of the function")
            params = [params] if isinstance(params, _sunmao.Var) else list(params)
        else:
            params = scope.params
        if params is None:
            raise RuntimeError("Relax function must have parameter: give `params`, if only an empty list")
        try:
            body = self._writer.finish_body(c.expr(output))
        except VerifyError:  # in the blocks: the body is closed, and another output does not correct it
            scope.is_finished = True
            raise
        attrs = dict(scope.attrs)
        if not scope.private:
            attrs = {"global_symbol": scope.name, **attrs}
        function = make.function(params, body, None, scope.is_pure, native_attrs(attrs))
        added = self.add_func(function, scope.name)
        scope.params, scope.is_finished = params, True
        return added

    # Methods that add, look up and normalize bindings.

    def emit(self, expr: Any, name_hint: str = "") -> _sunmao.Var:
        return self._writer.emit(c.expr(expr), name_hint)

    def emit_output(self, output: Any, name_hint: str = "") -> _sunmao.Var:
        """Binds a value to a variable that is visible outside the dataflow block."""
        return self._writer.emit_output(c.expr(output), name_hint)

    def call_te(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> _sunmao.Call:
        """Returns a call of the loop-level function made from a function on tensor expressions."""
        return call_te(self.add_func, func, args, kwargs)

    def emit_te(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> _sunmao.Var:
        """Makes a loop-level function from a function on tensor expressions, and emits a call of it."""
        name_hint = str(kwargs.pop("name_hint", ""))
        return self.emit(self.call_te(func, *args, **kwargs), name_hint)

    def match_cast(self, value: Any, ty: Any, name_hint: str = "") -> _sunmao.Var:
        return self._writer.match_cast(c.expr(value), c.known_type(ty), name_hint)

    def emit_normalized(self, binding: _sunmao.Binding) -> None:
        """Adds a binding that is in normal form."""
        self._writer.append(binding)

    def lookup_binding(self, var: _sunmao.Var) -> Any:
        """Returns the value that the variable was bound to, or None."""
        return self._writer.value_of(var)

    def normalize(self, expr: Any) -> Any:
        """Returns the expression in normal form: with known types, and leaves as operands."""
        return expr if isinstance(expr, _sunmao.Scalar) else self._writer.normalize(c.expr(expr))

    # Methods for the module under construction: its functions and unique names.

    def get(self) -> IRModule:
        return IRModule(self._writer.module)

    def finalize(self) -> IRModule:
        """Returns the module, in which public functions have their global symbols as names; private functions in
        conflict are renamed."""
        return IRModule(run_named_pass(self._writer.module, "normalize-global-var"))

    def get_unique_name(self, name_prefix: str) -> str:
        return self._writer.unique_name(name_prefix)

    def add_func(self, func: Any, func_name: str) -> _sunmao.GlobalVar:
        """Adds a function under a unique name derived from `func_name`."""
        return self._writer.add_function(func_name, func)

    def update_func(self, gv: _sunmao.GlobalVar, updated_func: Any) -> None:
        self._writer.module = self._writer.module.with_function(gv, updated_func)
