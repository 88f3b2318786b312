"""IRBuilder: builds what the calls inside `with IRBuilder() as ib:` describe."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from sunmao.compat.missing import attribute_of


class IRBuilderFrame:
    """A scope of something under construction: a module, a function, a block."""

    def __enter__(self) -> Any:
        builder = IRBuilder.current()
        builder.frames.append(self)
        self.begin(builder)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        builder = IRBuilder.current()
        builder.frames.remove(self)
        if kind is None:
            self.end(builder)

    def begin(self, builder: IRBuilder) -> None:
        """Called on entry to the scope."""

    def end(self, builder: IRBuilder) -> None:
        """Called on exit from the scope without an exception."""


class IRBuilder:
    """Holds the open frames and the result of the outermost one."""

    _entered: list[IRBuilder] = []

    def __init__(self) -> None:
        self.frames: list[IRBuilderFrame] = []
        self.names: dict[Any, str] = {}
        self.source_span: Any = None
        self._result: Any = None

    @contextmanager
    def with_source_span(self, span: Any) -> Iterator[None]:
        """Sets the source location of nodes that are built inside."""
        before, self.source_span = self.source_span, span
        try:
            yield
        finally:
            self.source_span = before

    @staticmethod
    def current() -> IRBuilder:
        if not IRBuilder._entered:
            raise ValueError("No IRBuilder in current scope")
        return IRBuilder._entered[-1]

    @staticmethod
    def is_in_scope() -> bool:
        return bool(IRBuilder._entered)

    @staticmethod
    def name(s: str, v: Any) -> Any:
        """Names a variable, which is printed under this name."""
        IRBuilder.current().names[v] = s
        return v

    @staticmethod
    def name_many(s: list[str], vs: list[Any]) -> list[Any]:
        return [IRBuilder.name(name, value) for name, value in zip(s, vs, strict=True)]

    def __enter__(self) -> IRBuilder:
        IRBuilder._entered.append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        IRBuilder._entered.remove(self)

    def find_frame(self, kind: type) -> Any:
        """Returns the innermost open frame of this class, or None."""
        return next((frame for frame in reversed(self.frames) if isinstance(frame, kind)), None)

    def give(self, result: Any) -> None:
        self._result = result

    def get(self) -> Any:
        """Returns the finished result."""
        if self._result is None:
            raise ValueError("nothing was built: the outermost frame has not ended")
        return self._result


__getattr__ = attribute_of(__name__)
