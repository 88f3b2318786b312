"""Op attributes set by programs. A program defines a custom op by setting its attributes."""

from __future__ import annotations

import atexit
from typing import Any

from sunmao import _sunmao
from sunmao.compat import convert as c
from sunmao.compat.facade import extend
from sunmao.compat.ir.op_class import INFERENCE, LIBRARY, PREFIX, LibraryLegalization, notes, own_name
from sunmao.compat.relax.block_builder import BlockBuilder
from sunmao.errors import fail

# The priority level (`plevel`) at which each attribute was set, by op and key.
_levels: dict[tuple[str, str], int] = {}
_DEFAULT_LEVEL = 10
_FLAGS = ("FPurity", "TAllocator")
# Attributes that programs may set only for custom ops, since they define the op's behaviour; a library op takes its
# behaviour from its op record.
_OF_RECORDS = (*INFERENCE, *_FLAGS, "FNormalize", "FValidate")


def register_op_attr(op_name: str, attr_key: str, value: Any = None, level: int = _DEFAULT_LEVEL) -> Any:
    """Sets an attribute of an op; without a value, returns a decorator for the function that is the value. `FInferType`
    of an op that the library lacks defines a custom op, and `FPurity`, `TAllocator`, `FNormalize`, `FValidate` and
    `FLegalize` describe it further; an op without `FPurity` counts as impure, and equal calls of an allocator are not
    merged. A value of a lower level than the present one is ignored."""
    if not isinstance(op_name, str) or not isinstance(attr_key, str):
        raise fail("E0034", f"an op and a key are named by texts, got {op_name!r} and {attr_key!r}")

    def note(found: Any) -> Any:
        name = op_name.removeprefix(PREFIX)
        if attr_key in _OF_RECORDS:
            _check_record_note(name, attr_key, found)
        before, known_level = notes.get((name, attr_key)), _levels.get((name, attr_key), level)
        if before is not None and level < known_level:
            return found
        notes[(name, attr_key)], _levels[(name, attr_key)] = found, level
        try:
            _tell(name, attr_key)
        except BaseException:
            _restore(name, attr_key, before, known_level)
            raise
        return found

    return note if value is None else note(value)


def reset_legalization(op_name: str, value: Any) -> bool:
    """Returns whether `value` is the library's own legalization of the op; if so, it takes effect again."""
    name = op_name.removeprefix(PREFIX)
    if not isinstance(value, LibraryLegalization) or value.name != name:
        return False
    _forget_note(name, "FLegalize")
    return True


def _check_record_note(name: str, key: str, value: Any) -> None:
    if name in LIBRARY:
        raise fail("E0034", f"`{name}` is an op of the library, whose `{key}` does not change", "choose another name")
    if key not in _FLAGS and not callable(value):
        raise fail("E0034", f"`{key}` of `{name}` is a function, got {type(value).__name__}")


def _restore(name: str, key: str, value: Any, level: int) -> None:
    if value is None:
        _forget_note(name, key)
    else:
        notes[(name, key)], _levels[(name, key)] = value, level


def _forget_note(name: str, key: str) -> Any:
    _levels.pop((name, key), None)
    return notes.pop((name, key), None)


def _tell(name: str, key: str) -> None:
    """Registers a custom op with the compiler, as its attributes define it."""
    if key not in _OF_RECORDS or name in LIBRARY:
        return
    infer = next((found for k in INFERENCE if (found := notes.get((name, k)))), None)
    if infer is None:
        _sunmao.remove_custom_op(name)
        return
    purity, allocates = (notes.get((name, key)) for key in _FLAGS)
    normalize, validate = notes.get((name, "FNormalize")), notes.get((name, "FValidate"))
    _sunmao.set_custom_op(
        name,
        None if purity is None else bool(purity),
        None if allocates is None else bool(allocates),
        lambda call: c.known_type(infer(call, _context())),
        None if normalize is None else lambda call: c.expr(normalize(_context(), call)),
        validate,
    )


def _context() -> Any:
    """Returns the builder that is passed to inference and normalization: that of the function under construction, else
    a new one."""
    return BlockBuilder.current() or BlockBuilder()


@atexit.register
def _forget() -> None:
    """Releases the compiler's references to Python functions before the interpreter ends."""
    for name, _ in notes:
        _sunmao.remove_custom_op(name)


def _set_attr(self: _sunmao.Op, attr_name: str, value: Any, plevel: int = _DEFAULT_LEVEL) -> None:
    register_op_attr(own_name(self), attr_name, value, plevel)


def _reset_attr(self: _sunmao.Op, attr_name: str) -> None:
    name = own_name(self)
    if _forget_note(name, attr_name) is not None and attr_name not in _FLAGS:
        _tell(name, attr_name)


extend(_sunmao.Op, set_attr=_set_attr, reset_attr=_reset_attr)
