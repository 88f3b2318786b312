"""Ops by name, and what programs note about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sunmao import _sunmao
from sunmao.compat.facade import Facade, extend
from sunmao.compat.missing import attribute_of
from sunmao.errors import fail

PREFIX = "relax."
# The name of an op as scripts write it behind `R.`.
own_name: Callable[[Any], str] = _sunmao.Op.name.__get__
# What programs have noted, by op and key.
_notes: dict[tuple[str, str], Any] = {}


class Op(metaclass=Facade, native=_sunmao.Op):
    """An op of the library, by its name: `Op.get("relax.add")`."""

    @staticmethod
    def get(op_name: str) -> _sunmao.Op:
        found = _sunmao.find_op(op_name)
        if found is None:
            raise fail("E0204", f"unknown op `{op_name}`", "`Op.list_op_names()` lists them")
        return found

    @staticmethod
    def list_op_names() -> list[str]:
        return [PREFIX + name for name in _sunmao.op_names()]


def register_op_attr(op_name: str, attr_key: str, value: Any = None, level: int = 10) -> Any:
    """Notes a value under a key of an op; without a value, it is a decorator of a function that is the value."""

    def note(found: Any) -> Any:
        _notes[(op_name.removeprefix(PREFIX), attr_key)] = found
        return found

    return note if value is None else note(value)


def _get_attr(self: _sunmao.Op, attr_name: str) -> Any:
    if attr_name == "FPurity":
        return self.is_pure
    return _notes.get((own_name(self), attr_name))


extend(
    _sunmao.Op,
    name=property(lambda self: PREFIX + own_name(self)),
    get_attr=_get_attr,
    has_attr=lambda self, attr_name: _get_attr(self, attr_name) is not None,
    set_attr=lambda self, attr_name, value, level=10: register_op_attr(own_name(self), attr_name, value),
    reset_attr=lambda self, attr_name: _notes.pop((own_name(self), attr_name), None),
    num_inputs=property(lambda self: sum(p["kind"] != "attr" for p in self.params)),
)

__getattr__ = attribute_of(__name__)
