"""Passes as objects, sequences of passes, passes written in Python, and the pass context."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from sunmao import _sunmao
from sunmao.compat.checked import checked
from sunmao.compat.ir.module import IRModule
from sunmao.compat.ir.pass_options import listed_options, native_options, pass_options
from sunmao.compat.missing import attribute_of, refuse, unsupported
from sunmao.errors import fail


@dataclass(frozen=True)
class PassInfo:
    opt_level: int
    name: str
    required: list[str] = field(default_factory=list)
    traceable: bool = False

    def __repr__(self) -> str:
        required, traceable = json.dumps(self.required), self.traceable
        return f'PassInfo(opt_level={self.opt_level}, name="{self.name}", {required=!s}, {traceable=})'


@checked
class PassContext:
    """The configuration of passes: options by name, disabled passes, and instruments."""

    _entered: list[PassContext] = []

    def __init__(
        self,
        opt_level: int = 2,
        required_pass: Sequence[str] | None = None,
        disabled_pass: Sequence[str] | None = None,
        instruments: Sequence[Any] | None = None,
        config: Mapping[str, Any] | None = None,
        trace_stack: Sequence[Any] | None = None,
    ) -> None:
        refuse("PassContext", trace_stack=trace_stack)
        self.opt_level = opt_level
        self.required_pass = _names("required_pass", required_pass)
        self.disabled_pass = _names("disabled_pass", disabled_pass)
        self.instruments: list[Any] = _instruments(instruments)
        self.config = pass_options(config or {})

    @staticmethod
    def current() -> PassContext:
        """Returns the innermost entered context; outside of all, one with upstream's defaults."""
        if not PassContext._entered:
            PassContext._entered.append(PassContext())
        return PassContext._entered[-1]

    @staticmethod
    def list_configs() -> dict[str, Any]:
        """Returns the options that passes read, with descriptions."""
        return listed_options()

    def pass_enabled(self, info: PassInfo) -> bool:
        if info.name in self.disabled_pass:
            return False
        return info.name in self.required_pass or self.opt_level >= info.opt_level

    def override_instruments(self, instruments: Sequence[Any] | None) -> None:
        """Exits the present instruments and enters others."""
        self._leave_instruments()
        self.instruments = _instruments(instruments)
        self._enter_instruments()

    def _enter_instruments(self) -> None:
        entered: list[Any] = []
        try:
            for instrument in self.instruments:
                instrument.enter_pass_ctx()
                entered.append(instrument)
        except BaseException:
            for instrument in entered:
                instrument.exit_pass_ctx()
            self.instruments = []
            raise

    def _leave_instruments(self) -> None:
        for instrument in self.instruments:
            try:
                instrument.exit_pass_ctx()
            except BaseException:
                self.instruments = []
                raise

    def __enter__(self) -> PassContext:
        PassContext.current()
        PassContext._entered.append(self)
        self._enter_instruments()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        PassContext._entered.pop()
        self._leave_instruments()


def _instruments(given: Sequence[Any] | None) -> list[Any]:
    for instrument in given or ():
        if not hasattr(instrument, "run_before_pass"):
            raise fail("E0034", f"an instrument has `run_before_pass` and its like, got {type(instrument).__name__}")
    return list(given or ())


def _names(what: str, given: Sequence[str] | None) -> list[str]:
    if given is not None and not isinstance(given, list | tuple):
        raise fail("E0034", f"{what} is expected to be the type of list/tuple, got {type(given).__name__}")
    wrong = [name for name in given or () if not isinstance(name, str)]
    if wrong:
        raise fail("E0034", f"{what} names passes by texts, got {wrong[0]!r}")
    return list(given or ())


@checked
class Pass:
    """A pass. Calling it returns another module; the argument is unchanged."""

    def __init__(self, info: PassInfo) -> None:
        self.info = info

    def run(self, module: IRModule, context: PassContext) -> IRModule:  # noqa: ARG002
        help = "use module_pass, function_pass or dataflowblock_pass, or derive a class with `run(module, context)`"
        raise unsupported(f"running the pass `{self.info.name}`, which has no `run` of its own,", help)

    def __call__(self, mod: IRModule) -> IRModule:
        context = PassContext.current()
        if self.info.name in context.disabled_pass:
            return mod
        if not isinstance(mod, IRModule):
            raise fail("E0034", f"a pass takes an IRModule, got {type(mod).__name__}")
        snapshot = mod.clone()
        if not all(i.should_run(snapshot, self.info) for i in context.instruments):
            return mod
        for instrument in context.instruments:
            instrument.run_before_pass(snapshot, self.info)
        result = self.run(snapshot, context)
        if not isinstance(result, IRModule):
            raise fail("E0034", f"the pass {self.info.name} gave {type(result).__name__}, expected an IRModule")
        for instrument in context.instruments:
            instrument.run_after_pass(result, self.info)
        return mod if result.same_as(mod) else result

    def __repr__(self) -> str:
        return f"Pass({self.info.name!r})"


@checked
class ModulePass(Pass):
    """A module pass written in Python."""

    def __init__(self, info: PassInfo, transform: Callable[[IRModule, PassContext], IRModule]) -> None:
        super().__init__(info)
        self._transform = transform

    def run(self, module: IRModule, context: PassContext) -> IRModule:
        return self._transform(module, context)


@checked
def run_named_pass(
    module: _sunmao.Module,
    name: str,
    config: Mapping[str, Any] | None = None,
    opt_level: int = 2,
    arguments: Mapping[str, Any] | None = None,
) -> _sunmao.Module:
    """Returns the result of the compiler's pass of this name."""
    return _sunmao.run_pass(module, name, native_options(config or {}), opt_level, "host", dict(arguments or {}))


# Passes of optimization level 1, which a `Sequential` skips under `opt_level=0` as upstream does. All other passes have
# level 0.
_LEVEL_1 = frozenset({
    "AdjustMatmulOrder", "BindSymbolicVars", "BundleModelParams", "CanonicalizeBindings", "DeadCodeElimination",
    "EliminateCommonSubexpr", "ExpandMatmulOfSum", "LambdaLift", "LiftTransformParams", "Normalize",
    "ReorderPermuteDimsAfterConcat", "ReorderTakeAfterMatmul",
})  # fmt: skip


@checked
class NamedPass(Pass):
    """A pass of the compiler under upstream's name."""

    def __init__(self, compat_name: str, name: str, arguments: Mapping[str, Any] | None = None) -> None:
        super().__init__(PassInfo(1 if compat_name in _LEVEL_1 else 0, compat_name))
        self._name = name
        self._arguments = dict(arguments or {})

    def run(self, module: IRModule, context: PassContext) -> IRModule:
        value = module.__sunmao_module__()
        return IRModule(run_named_pass(value, self._name, context.config, context.opt_level, self._arguments))


@checked
class Sequential(Pass):
    """Runs passes in order."""

    def __init__(
        self,
        passes: Sequence[Pass] | None = None,
        opt_level: int = 0,
        name: str = "sequential",
        required: Sequence[str] | None = None,
        traceable: bool = False,
    ) -> None:
        if passes is not None and not isinstance(passes, list | tuple):
            raise fail("E0034", "passes must be a list of Pass objects.")
        super().__init__(PassInfo(opt_level, name, list(required or []), traceable))
        self.passes = list(passes or [])

    def run(self, module: IRModule, context: PassContext) -> IRModule:
        for step in self.passes:
            if context.pass_enabled(step.info):
                for needed in step.info.required:
                    module = pass_by_name(needed)(module)
                module = step(module)
        return module


@checked
def pass_by_name(compat_name: str) -> Pass:
    """Returns the compiler's pass with this upstream name."""
    for row in _sunmao.passes():
        if row["compat_name"] == compat_name:
            return NamedPass(compat_name, row["name"])
    raise fail("E0511", f"there is no pass `{compat_name}`", "`sunmao.passes()` lists them")


def decorate_pass(
    target: Any, info: PassInfo, method: str, make: Callable[[PassInfo, Callable[..., Any]], Pass]
) -> Any:
    """Makes a pass of a function; of a class, makes a class whose instances are passes that call its `method`."""
    if not isinstance(target, type):
        if not callable(target):
            raise fail("E0034", "the pass must be a function or a class")
        return make(info, target)
    if not callable(getattr(target, method, None)):
        raise fail("E0034", f"`{target.__name__}` has no method `{method}`")
    kind: type[Any] = target

    class PassOfClass(Pass):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            self._instance = kind(*args, **kwargs)
            transform = getattr(self._instance, method)
            self._pass = make(info, lambda *a: transform(*a))
            super().__init__(self._pass.info)

        def run(self, module: IRModule, context: PassContext) -> IRModule:
            return self._pass.run(module, context)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.__dict__["_instance"], name)

    functools.update_wrapper(PassOfClass.__init__, kind.__init__)
    PassOfClass.__name__, PassOfClass.__doc__ = kind.__name__, kind.__doc__
    PassOfClass.__module__, PassOfClass.__qualname__ = kind.__module__, kind.__qualname__
    return PassOfClass


def pass_decorator(
    level: str,
    kind: type,
    pass_func: Any,
    opt_level: int | None,
    name: str | None,
    required: Sequence[str] | None,
    traceable: bool,
) -> Any:
    """The common part of `module_pass`, `function_pass` and `dataflowblock_pass`; `level` is the first word of the
    name."""
    if opt_level is None:
        raise fail("E0034", f"Please provide opt_level for the {level} pass.")

    def decorate(target: Any) -> Any:
        info = PassInfo(opt_level, name or target.__name__, list(required or []), traceable)
        return decorate_pass(target, info, f"transform_{level}", kind)

    return decorate(pass_func) if pass_func else decorate


@checked
def module_pass(
    pass_func: Any = None,
    opt_level: int | None = None,
    name: str | None = None,
    required: Sequence[str] | None = None,
    traceable: bool = False,
) -> Any:
    """Makes a pass of a function `(module, context) -> module`, or of a class with `transform_module`."""
    return pass_decorator("module", ModulePass, pass_func, opt_level, name, required, traceable)


@checked
def PrintIR(header: str = "") -> Pass:
    """Returns a pass that prints the module."""

    def show(module: IRModule, _context: PassContext) -> IRModule:
        print(f"{header}\n{module.script()}" if header else module.script())
        return module

    return ModulePass(PassInfo(0, "PrintIR"), show)


__getattr__ = attribute_of(__name__)
