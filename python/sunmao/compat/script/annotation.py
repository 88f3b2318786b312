"""Values of script annotations when Python evaluates them. The parser works on the source text, so these objects only
record the arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sunmao.compat import convert as c


class Annotation:
    """`R.Tensor`, `R.Tensor((n, 16), "float32")`, `T.Buffer[(16,), "float32"]`."""

    def __init__(self, name: str, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> None:
        self.name = self.__name__ = name
        self.args = args
        self.kwargs = kwargs or {}

    def __call__(self, *args: Any, **kwargs: Any) -> Annotation:
        return Annotation(self.name, args, kwargs)

    def __getitem__(self, item: Any) -> Annotation:
        return Annotation(self.name, item if isinstance(item, tuple) else (item,))

    @property
    def __sunmao_value__(self) -> Callable[[], Any]:
        """Returns the number that `T.int64(2)` denotes; other annotations are no values."""
        if not self.name.startswith(("T.int", "T.uint", "T.float")) or self.kwargs or len(self.args) != 1:
            raise AttributeError("__sunmao_value__")
        if not isinstance(self.args[0], int | float):
            raise AttributeError("__sunmao_value__")
        return lambda: c.scalar(self.args[0], self.name.removeprefix("T."))

    def __repr__(self) -> str:
        given = [repr(a) for a in self.args] + [f"{k}={v!r}" for k, v in self.kwargs.items()]
        return f"{self.name}({', '.join(given)})" if given else self.name
