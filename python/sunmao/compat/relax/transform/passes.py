"""Graph-level passes: those of the compiler under upstream's names, and passes written in Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sunmao import _sunmao
from sunmao.compat.checked import checked
from sunmao.compat.convert import attribute, type_of
from sunmao.compat.ir.module import IRModule
from sunmao.compat.ir.transform import ModulePass, NamedPass, Pass, PassContext, PassInfo, pass_decorator
from sunmao.compat.missing import refuse
from sunmao.compat.relax.expr_functor import PyExprMutator
from sunmao.errors import fail

_ROWS = {row["compat_name"]: row for row in _sunmao.passes() if row["compat_name"]}


def _named(compat_name: str, given: dict[str, Any]) -> Pass:
    """Returns the compiler's pass with arguments by parameter name."""
    row = _ROWS[compat_name]
    params = [name for name, _, _ in row["params"]]
    unknown = [name for name in given if name not in params]
    refuse(compat_name, **{name: given[name] for name in unknown})
    arguments = {name: attribute(value) for name, value in given.items() if name in params and value is not None}
    return NamedPass(compat_name, row["name"], arguments)


def find_pass(compat_name: str) -> Callable[..., Pass] | None:
    """Returns the constructor of the compiler's pass with this name; None when there is none."""
    row = _ROWS.get(compat_name)
    if row is None:
        return None
    params = [name for name, _, _ in row["params"]]

    def make(*args: Any, **kwargs: Any) -> Pass:
        extra = {f"argument {i}": value for i, value in enumerate(args[len(params) :], len(params))}
        return _named(compat_name, {**dict(zip(params, args, strict=False)), **extra, **kwargs})

    make.__name__, make.__doc__ = compat_name, row["summary"]
    return make


def Normalize(*args: Any, **kwargs: Any) -> Pass:
    """Binds nested operands to variables, infers missing types, and brings calls to the form that their ops require."""
    refuse("Normalize", **{f"argument {i}": value for i, value in enumerate(args)}, **kwargs)
    return _named("Normalize", {})


@checked
def LazyTransformParams(
    fget_item: str = "get_item",
    fset_item: str | None = "set_item",
    extra_get_item_params: Sequence[_sunmao.Var] | None = None,
    extra_set_item_params: Sequence[_sunmao.Var] | None = None,
) -> Pass:
    """Makes weight transforms fetch raw weights by `fget_item` and pass prepared ones to `fset_item`, one at a time.
    Without `fset_item` all results are returned at the end."""
    given = {"fget_item": fget_item, "fset_item": fset_item or ""}
    extra = {"extra_get_item_params": extra_get_item_params, "extra_set_item_params": extra_set_item_params}
    return _named("LazyTransformParams", {**given, **{name: list(value) for name, value in extra.items() if value}})


@checked
def UpdateParamType(ty_func: Callable[[_sunmao.Var], Any]) -> Pass:
    """Gives parameters the types that `ty_func` returns; None keeps a type."""

    def update(module: IRModule, _context: PassContext) -> IRModule:
        return IRModule(_sunmao.update_param_type(module.__sunmao_module__(), lambda var: type_of(ty_func(var))))

    return ModulePass(PassInfo(0, "UpdateParamType"), update)


UpdateParamStructInfo = UpdateParamType


def VMBuiltinLower() -> Pass:
    """LowerRuntimeBuiltin, by its older name."""
    return _named("LowerRuntimeBuiltin", {})


@checked
def BindSymbolicVars(binding_map: Mapping[Any, Any], func_name: str | None = None) -> Pass:
    """Replaces symbols by numbers or scalars. A name denotes the symbols of that name in every function, a symbol only
    itself."""
    by_name = {key: value for key, value in binding_map.items() if isinstance(key, str)}
    by_symbol = {key: value for key, value in binding_map.items() if not isinstance(key, str)}

    def bind(module: IRModule, _context: PassContext) -> IRModule:
        result = module.clone()
        bound = set()
        for var, function in module.functions_items():
            if not isinstance(function, _sunmao.Function) or func_name not in (None, var.name):
                continue
            own = {id(s) for s in _sunmao.defined_symbolic_vars(function)}
            found = {key: value for key, value in by_symbol.items() if id(key) in own}
            bound |= {id(key) for key in found}
            if found:
                result[var] = function.bind_symbolic_vars(found)
        for key in by_symbol:
            if id(key) not in bound:
                raise fail("E0519", f"bind-symbolic-vars: no function has this symbol `{key.name}`")
        return named(result) if by_name or not by_symbol else result

    named = _named("BindSymbolicVars", {"binding_map": by_name, "func_name": func_name})
    return ModulePass(PassInfo(0, "BindSymbolicVars"), bind) if by_symbol else named


@checked
def ConvertLayout(
    desired_layouts: Mapping[str, Sequence[str]],
    layout_cb: Callable[[_sunmao.Call], Mapping[str, Sequence[str]]] | None = None,
) -> Pass:
    """Converts ops to the layouts that are requested for them; the ops between them follow. `layout_cb` returns the
    layouts for one call instead."""
    if layout_cb is None:
        return _named("ConvertLayout", {"desired_layouts": {k: list(v) for k, v in desired_layouts.items()}})

    def choose(call: _sunmao.Call) -> dict[str, list[str]]:
        return {str(op): [str(layout) for layout in layouts] for op, layouts in layout_cb(call).items()}

    def convert(module: IRModule, _context: PassContext) -> IRModule:
        native = module.__sunmao_module__()
        result = _sunmao.convert_layout(native, choose)
        return module if result.same_as(native) else IRModule(result)

    return ModulePass(PassInfo(0, "ConvertLayout"), convert)


@checked
class FunctionPass(Pass):
    """A pass on each graph-level function, written in Python."""

    def __init__(self, info: PassInfo, transform: Callable[[Any, IRModule, PassContext], Any]) -> None:
        super().__init__(info)
        self._transform = transform

    def run(self, module: IRModule, context: PassContext) -> IRModule:
        result = module.clone()
        for var, function in module.functions_items():
            if isinstance(function, _sunmao.Function):
                changed = self._transform(function, module, context)
                if changed is not function:
                    result[var] = changed
        return result


@checked
class DataflowBlockPass(FunctionPass):
    """A pass on each dataflow block, written in Python."""

    def __init__(self, info: PassInfo, transform: Callable[[Any, IRModule, PassContext], Any]) -> None:
        class Blocks(PyExprMutator):
            def __init__(self, module: IRModule, context: PassContext) -> None:
                super().__init__(module)
                self.module, self.context = module, context

            def visit_dataflow_block_(self, block: Any) -> Any:
                self.builder_._begin_dataflow_block()
                changed = transform(block, self.module, self.context)
                for binding in changed.bindings:
                    self.visit_binding(binding)
                return self.builder_._end_block()

        super().__init__(info, lambda function, module, context: Blocks(module, context).visit_expr(function))


@checked
def function_pass(
    pass_func: Any = None,
    opt_level: int | None = None,
    name: str | None = None,
    required: Sequence[str] | None = None,
    traceable: bool = False,
) -> Any:
    """Makes a pass of a function `(function, module, context) -> function`, or of a class with `transform_function`."""
    return pass_decorator("function", FunctionPass, pass_func, opt_level, name, required, traceable)


@checked
def dataflowblock_pass(
    pass_func: Any = None,
    opt_level: int | None = None,
    name: str | None = None,
    required: Sequence[str] | None = None,
    traceable: bool = False,
) -> Any:
    """Makes a pass of a function `(block, module, context) -> block`, or of a class with `transform_dataflowblock`."""
    return pass_decorator("dataflowblock", DataflowBlockPass, pass_func, opt_level, name, required, traceable)
