"""Passes as objects, sequences of them, and the context that they run in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from sunmao import _sunmao
from sunmao.compat.ir.module import IRModule
from sunmao.compat.missing import attribute_of, refuse


@dataclass(frozen=True)
class PassInfo:
    opt_level: int
    name: str
    required: list[str] = field(default_factory=list)


class PassContext:
    """What passes read while they run: options by name, and passes to leave out."""

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
        refuse("PassContext", instruments=instruments, trace_stack=trace_stack)
        self.opt_level = opt_level
        self.required_pass = list(required_pass or [])
        self.disabled_pass = list(disabled_pass or [])
        self.instruments: list[Any] = []
        self.config = dict(config or {})

    @staticmethod
    def current() -> PassContext:
        """The innermost context that was entered; one with upstream's defaults outside of all."""
        return PassContext._entered[-1] if PassContext._entered else PassContext()

    def __enter__(self) -> PassContext:
        PassContext._entered.append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        PassContext._entered.pop()


class Pass(ABC):
    """A pass. Calling it gives another module and leaves its input as it is."""

    def __init__(self, info: PassInfo) -> None:
        self.info = info

    @abstractmethod
    def run(self, module: _sunmao.Module, context: PassContext) -> _sunmao.Module: ...

    def __call__(self, module: IRModule) -> IRModule:
        context = PassContext.current()
        if self.info.name in context.disabled_pass:
            return module
        return IRModule(self.run(module.__sunmao_module__(), context))

    def __repr__(self) -> str:
        return f"Pass({self.info.name!r})"


class NamedPass(Pass):
    """A pass of the compiler, under upstream's name."""

    def __init__(self, compat_name: str, name: str, config: Mapping[str, Any] | None = None) -> None:
        super().__init__(PassInfo(0, compat_name))
        self._name = name
        self._config = dict(config or {})

    def run(self, module: _sunmao.Module, context: PassContext) -> _sunmao.Module:
        return _sunmao.run_pass(module, self._name, {**context.config, **self._config}, context.opt_level)


class Sequential(Pass):
    """Passes one after the other."""

    def __init__(
        self,
        passes: Sequence[Pass] = (),
        opt_level: int = 0,
        name: str = "sequential",
        required: Sequence[str] | None = None,
        traceable: bool | None = None,
    ) -> None:
        super().__init__(PassInfo(opt_level, name, list(required or [])))
        self.passes = list(passes)

    def run(self, module: _sunmao.Module, context: PassContext) -> _sunmao.Module:
        for step in self.passes:
            if step.info.name not in context.disabled_pass and context.opt_level >= step.info.opt_level:
                module = step.run(module, context)
        return module


__getattr__ = attribute_of(__name__)
