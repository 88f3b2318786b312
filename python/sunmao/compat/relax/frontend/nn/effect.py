"""Effect: what a module changes beside its results, such as a cache; and Object: a value that is no tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sunmao import _sunmao
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.block_builder import BlockBuilder
from sunmao.compat.relax.frontend.nn.tensor import current_builder
from sunmao.errors import fail


class Object:
    """A value of type `R.Any` in the function under construction, such as a cache that the caller passes."""

    def __init__(self, *, _expr: _sunmao.Expr, _name: str) -> None:
        self._expr = _expr if isinstance(_expr, _sunmao.Var) else current_builder().emit(_expr, _name)
        if not isinstance(self._expr.type, _sunmao.AnyType):
            raise fail("E0034", f"nn.Object: a value of type R.Any is needed, got {self._expr.type!r}")


class Effect:
    """State that exported functions take as arguments behind their inputs and return behind their results. Derived
    classes say how it begins, which variables it is made of, and what of them a function leaves."""

    def emit_init(self, name_hint: str, builder: BlockBuilder) -> list[_sunmao.Var]:
        """Emits the first state into `_initialize_effect`."""
        raise self._undefined("emit_init", name_hint, builder)

    def create(self, name_hint: str) -> list[_sunmao.Var]:
        """Returns the variables for the state, which become parameters of a function."""
        raise self._undefined("create", name_hint)

    def set_state(self, state_vars: Sequence[_sunmao.Var]) -> None:
        """Takes the state at the beginning of a function."""
        raise self._undefined("set_state", state_vars)

    def finalize(self) -> list[_sunmao.Var]:
        """Returns the state at the end of a function, and forgets it."""
        raise self._undefined("finalize")

    def to(self, dtype: str | None = None) -> None:
        """Changes the dtype of the state; an effect without tensors has none."""

    def _undefined(self, method: str, *_args: Any) -> Exception:
        return fail("E0034", f"the effect {type(self).__name__} has no `{method}`", "define it, as nn.KVCache does")


__getattr__ = attribute_of(__name__)
