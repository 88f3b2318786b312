"""Ops by name, with the attributes of their records and those that programs have set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sunmao import _sunmao
from sunmao.compat.facade import Facade, extend
from sunmao.errors import fail

PREFIX = "relax."
# Returns the name of an op as scripts write it after `R.`; taken from the extension class before `name` is replaced.
own_name: Callable[[Any], str] = _sunmao.Op.name.__get__
# Attributes that programs have set, by op and key; written by `ir.op_attr`.
notes: dict[tuple[str, str], Any] = {}
# Attributes that hold the type inference function of an op: the current name, and the older one.
INFERENCE = ("FInferType", "FInferStructInfo")
LIBRARY = frozenset(_sunmao.op_names())


class Op(metaclass=Facade, native=_sunmao.Op):
    """An op, looked up by name: `Op.get("relax.add")`."""

    @staticmethod
    def get(op_name: str) -> _sunmao.Op:
        found = _sunmao.find_op(op_name)
        if found is None:
            raise fail("E0204", f"unknown op `{op_name}`", "`Op.list_op_names()` lists them")
        return found

    @staticmethod
    def list_op_names() -> list[str]:
        return [PREFIX + name for name in _sunmao.op_names()]


def legalizations() -> dict[str, Callable[..., Any]]:
    """Returns the `FLegalize` functions that programs have set, by op."""
    return {name: value for (name, key), value in notes.items() if key == "FLegalize"}


class LibraryLegalization:
    """The value of `get_attr("FLegalize")` while no program has set it. Calling it returns the call unchanged, which
    the library then legalizes."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, builder: Any, call: Any) -> Any:  # noqa: ARG002
        return call


def _get_attr(self: _sunmao.Op, attr_name: str) -> Any:
    name = own_name(self)
    if attr_name == "FPurity":
        return self.is_pure
    if attr_name == "TAllocator":
        return self.allocates or None
    if attr_name in INFERENCE and name in LIBRARY:
        return lambda call, _context=None: call.ty
    found = notes.get((name, attr_name))
    if found is None and attr_name == "FLegalize" and name in LIBRARY and self.has_lowering:
        return LibraryLegalization(name)
    return found


extend(
    _sunmao.Op,
    name=property(lambda self: PREFIX + own_name(self)),
    get_attr=_get_attr,
    has_attr=lambda self, attr_name: _get_attr(self, attr_name) is not None,
    num_inputs=property(lambda self: sum(p["kind"] != "attr" for p in self.params)),
)
