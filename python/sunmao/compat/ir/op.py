"""Ops by name, and what programs note about them. A program adds ops of its own by noting what they do."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from typing import Any

from sunmao import _sunmao
from sunmao.compat.facade import Facade, extend
from sunmao.compat.missing import attribute_of
from sunmao.errors import fail

PREFIX = "relax."
# The name of an op as scripts write it behind `R.`.
own_name: Callable[[Any], str] = _sunmao.Op.name.__get__
# What programs have noted, by op and key, and at which level.
_notes: dict[tuple[str, str], Any] = {}
_levels: dict[tuple[str, str], int] = {}
_DEFAULT_LEVEL = 10
# The notes that say what an op of the program's own does, and are the record's to say for one of the library.
_INFERENCE = ("FInferType", "FInferStructInfo")
_OF_RECORDS = (*_INFERENCE, "FPurity", "FNormalize", "FValidate")


class Op(metaclass=Facade, native=_sunmao.Op):
    """An op by its name: `Op.get("relax.add")`."""

    @staticmethod
    def get(op_name: str) -> _sunmao.Op:
        found = _sunmao.find_op(op_name)
        if found is None:
            raise fail("E0204", f"unknown op `{op_name}`", "`Op.list_op_names()` lists them")
        return found

    @staticmethod
    def list_op_names() -> list[str]:
        return [PREFIX + name for name in _sunmao.op_names()]


def register_op_attr(op_name: str, attr_key: str, value: Any = None, level: int = _DEFAULT_LEVEL) -> Any:
    """Notes a value under a key of an op; without a value, it is a decorator of a function that is the value.

    Where the library has no op of this name, `FInferType` adds one, and `FPurity`, `FNormalize`, `FValidate` and
    `FLegalize` say more of it. An op that is not said to be pure counts as having effects. A note of a lower level than
    the one that is there changes nothing.
    """
    if not isinstance(op_name, str) or not isinstance(attr_key, str):
        raise fail("E0034", f"an op and a key are named by texts, got {op_name!r} and {attr_key!r}")

    def note(found: Any) -> Any:
        name = op_name.removeprefix(PREFIX)
        if attr_key in _OF_RECORDS:
            _check_record_note(name, attr_key, found)
        before, known_level = _notes.get((name, attr_key)), _levels.get((name, attr_key), level)
        if before is not None and level < known_level:
            return found
        _notes[(name, attr_key)], _levels[(name, attr_key)] = found, level
        try:
            _tell(name, attr_key)
        except BaseException:
            _restore(name, attr_key, before, known_level)
            raise
        return found

    return note if value is None else note(value)


def legalizations() -> dict[str, Callable[..., Any]]:
    """What programs have noted as `FLegalize`, by op."""
    return {name: value for (name, key), value in _notes.items() if key == "FLegalize"}


class LibraryLegalization:
    """How the library makes calls of one of its ops legal: what `get_attr("FLegalize")` gives while no program has said
    otherwise. Called, it gives the call back, which the library then replaces."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, builder: Any, call: Any) -> Any:  # noqa: ARG002
        return call


def reset_legalization(op_name: str, value: Any) -> bool:
    """Whether `value` is the library's own legalisation of the op, which then is in force again."""
    name = op_name.removeprefix(PREFIX)
    if not isinstance(value, LibraryLegalization) or value.name != name:
        return False
    _forget_note(name, "FLegalize")
    return True


def _check_record_note(name: str, key: str, value: Any) -> None:
    if name in _LIBRARY:
        raise fail("E0034", f"`{name}` is an op of the library, whose `{key}` does not change", "choose another name")
    if key != "FPurity" and not callable(value):
        raise fail("E0034", f"`{key}` of `{name}` is a function, got {type(value).__name__}")


def _restore(name: str, key: str, value: Any, level: int) -> None:
    if value is None:
        _forget_note(name, key)
    else:
        _notes[(name, key)], _levels[(name, key)] = value, level


def _forget_note(name: str, key: str) -> Any:
    _levels.pop((name, key), None)
    return _notes.pop((name, key), None)


def _tell(name: str, key: str) -> None:
    """Tells the compiler what the notes of an op of the program's own say."""
    if key not in _OF_RECORDS or name in _LIBRARY:
        return
    infer = next((found for k in _INFERENCE if (found := _notes.get((name, k)))), None)
    if infer is None:
        _sunmao.remove_custom_op(name)
        return
    purity = _notes.get((name, "FPurity"))
    normalize, validate = _notes.get((name, "FNormalize")), _notes.get((name, "FValidate"))
    _sunmao.set_custom_op(
        name,
        None if purity is None else bool(purity),
        lambda call: _known_type(infer(call, _context())),
        None if normalize is None else lambda call: _expr(normalize(_context(), call)),
        validate,
    )


def _context() -> Any:
    """The builder that inference and normal forms are told: the one whose function is being written."""
    from sunmao.compat.relax.block_builder import BlockBuilder

    return BlockBuilder.current() or BlockBuilder()


def _known_type(value: Any) -> _sunmao.Type:
    from sunmao.compat import convert

    return convert.known_type(value)


def _expr(value: Any) -> _sunmao.Expr:
    from sunmao.compat import convert

    return convert.expr(value)


@atexit.register
def _forget() -> None:
    """Lets the compiler go of Python's functions while there is a Python."""
    for name, _ in _notes:
        _sunmao.remove_custom_op(name)


def _get_attr(self: _sunmao.Op, attr_name: str) -> Any:
    name = own_name(self)
    if attr_name == "FPurity":
        return self.is_pure
    if attr_name in _INFERENCE and name in _LIBRARY:
        return lambda call, _context=None: call.ty
    found = _notes.get((name, attr_name))
    if found is None and attr_name == "FLegalize" and name in _LIBRARY and self.has_lowering:
        return LibraryLegalization(name)
    return found


def _set_attr(self: _sunmao.Op, attr_name: str, value: Any, plevel: int = _DEFAULT_LEVEL) -> None:
    register_op_attr(own_name(self), attr_name, value, plevel)


def _reset_attr(self: _sunmao.Op, attr_name: str) -> None:
    name = own_name(self)
    if _forget_note(name, attr_name) is not None and attr_name != "FPurity":
        _tell(name, attr_name)


_LIBRARY = frozenset(_sunmao.op_names())

extend(
    _sunmao.Op,
    name=property(lambda self: PREFIX + own_name(self)),
    get_attr=_get_attr,
    has_attr=lambda self, attr_name: _get_attr(self, attr_name) is not None,
    set_attr=_set_attr,
    reset_attr=_reset_attr,
    num_inputs=property(lambda self: sum(p["kind"] != "attr" for p in self.params)),
)

__getattr__ = attribute_of(__name__)
