"""IRBuilder: what the calls inside `with IRBuilder() as ib:` build."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from sunmao.compat.missing import attribute_of


class IRBuilderFrame:
    """Something under construction: a module, a function, a block."""

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
        """Called when the frame is entered."""

    def end(self, builder: IRBuilder) -> None:
        """Called when it is left without an error."""


class IRBuilder:
    """Keeps the frames that are open, and what the outermost one gives."""

    _entered: list[IRBuilder] = []

    def __init__(self) -> None:
        self.frames: list[IRBuilderFrame] = []
        self.names: dict[Any, str] = {}
        self.source_span: Any = None
        self._result: Any = None

    @contextmanager
    def with_source_span(self, span: Any) -> Iterator[None]:
        """What is built inside comes from that place of a text."""
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
        """Gives a variable a name; what is built has it."""
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
        """The innermost open frame of this kind, or None."""
        return next((frame for frame in reversed(self.frames) if isinstance(frame, kind)), None)

    def give(self, result: Any) -> None:
        self._result = result

    def get(self) -> Any:
        """What was built."""
        if self._result is None:
            raise ValueError("nothing was built: the outermost frame has not ended")
        return self._result


__getattr__ = attribute_of(__name__)
