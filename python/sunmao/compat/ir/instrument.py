"""Pass instruments: objects that are called before and after passes."""

from __future__ import annotations

import time
from typing import Any

from sunmao.compat.missing import attribute_of
from sunmao.errors import fail


class PassInstrument:
    """Base class of instruments; all methods do nothing."""

    def enter_pass_ctx(self) -> None:
        """Called when the context is entered."""

    def exit_pass_ctx(self) -> None:
        """Called when the context is left."""

    def should_run(self, mod: Any, info: Any) -> bool:  # noqa: ARG002
        """Returns whether the pass may run."""
        return True

    def run_before_pass(self, mod: Any, info: Any) -> None:
        """Called before a pass."""

    def run_after_pass(self, mod: Any, info: Any) -> None:
        """Called after a pass."""


class _Wrapped(PassInstrument):
    """Adapts an object that defines some of the methods."""

    def __init__(self, instance: Any) -> None:
        self._instance = instance

    def enter_pass_ctx(self) -> None:
        self._call("enter_pass_ctx")

    def exit_pass_ctx(self) -> None:
        self._call("exit_pass_ctx")

    def should_run(self, mod: Any, info: Any) -> bool:
        return bool(self._call("should_run", mod, info, default=True))

    def run_before_pass(self, mod: Any, info: Any) -> None:
        self._call("run_before_pass", mod, info)

    def run_after_pass(self, mod: Any, info: Any) -> None:
        self._call("run_after_pass", mod, info)

    def _call(self, name: str, *args: Any, default: Any = None) -> Any:
        method = getattr(self._instance, name, None)
        return default if method is None else method(*args)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_instance"], name)


def pass_instrument(cls: type | None = None) -> Any:
    """Class decorator: makes the instances of a class instruments. The class defines only the methods that it needs."""

    def decorate(kind: type) -> Any:
        if not isinstance(kind, type):
            raise fail("E0034", "pi_cls must be a class")

        def construct(*args: Any, **kwargs: Any) -> _Wrapped:
            return _Wrapped(kind(*args, **kwargs))

        construct.__name__, construct.__doc__ = kind.__name__, kind.__doc__
        return construct

    return decorate(cls) if cls else decorate


class PassTimingInstrument(PassInstrument):
    """Measures the run time of each pass."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, str, float]] = []
        self._open: list[tuple[int, float]] = []

    def run_before_pass(self, mod: Any, info: Any) -> None:  # noqa: ARG002
        self._open.append((len(self._rows), time.perf_counter()))
        self._rows.append((len(self._open) - 1, info.name, 0.0))

    def run_after_pass(self, mod: Any, info: Any) -> None:  # noqa: ARG002
        row, start = self._open.pop()
        depth, name, _ = self._rows[row]
        self._rows[row] = (depth, name, time.perf_counter() - start)

    def render(self) -> str:
        """Returns one line for each pass, nested passes indented."""
        return "\n".join(f"{'  ' * depth}{name}: {seconds * 1e6:.0f}us" for depth, name, seconds in self._rows)


class PrintBeforeAll(PassInstrument):
    """Prints the module before each pass."""

    def run_before_pass(self, mod: Any, info: Any) -> None:
        print(f"Before Running Pass: {info}")
        print(mod)


class PrintAfterAll(PassInstrument):
    """Prints the module after each pass."""

    def run_after_pass(self, mod: Any, info: Any) -> None:
        print(f"After Running Pass: {info}")
        print(mod)


class PassPrintingInstrument(PassInstrument):
    """Prints the module before or after the passes with the given names."""

    def __init__(self, print_before_pass_names: list[str], print_after_pass_names: list[str]) -> None:
        self.print_before_pass_names = print_before_pass_names
        self.print_after_pass_names = print_after_pass_names

    def run_before_pass(self, mod: Any, info: Any) -> None:
        if info.name in self.print_before_pass_names:
            print(f"Print IR before: {info.name}\n{mod}\n\n")

    def run_after_pass(self, mod: Any, info: Any) -> None:
        if info.name in self.print_after_pass_names:
            print(f"Print IR after: {info.name}\n{mod}\n\n")


__getattr__ = attribute_of(__name__)
