"""Checks of the arguments of compiled functions: their number, tuples and tensors by type, and whether weights are
prepared as a lifted function requires."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sunmao import _sunmao
from sunmao.arrays import to_tensor
from sunmao.compat.runtime.containers import ShapeTuple
from sunmao.compat.runtime.tensors import Tensor
from sunmao.errors import fail

_SHOWN = 3  # weights that a message lists


class Signature:
    """The parameters of a function, and its weight transforms."""

    def __init__(self, name: str, function: _sunmao.Function, module: _sunmao.Module) -> None:
        self.name = name
        self.params = function.params
        self.result_type = function.result_type
        attrs = function.attrs
        self._inputs = attrs.get("num_input", 0)
        stages = attrs.get("sunmao.param_transform", [])
        self._transforms: list[str] = [stages] if isinstance(stages, str) else list(stages)
        last = module.find(self._transforms[-1]) if self._transforms else None
        sources = last.attrs.get("sunmao.prepared_from", {}) if isinstance(last, _sunmao.Function) else {}
        self._sources: dict[str, Any] = dict(sources)

    def in_order(self, args: Sequence[Any], by_name: Mapping[str, Any]) -> list[Any]:
        """Returns the arguments in the order of the parameters, including those given by name."""
        values = in_order(self.name, [p.name for p in self.params], args, by_name)
        self.check(values)
        return values

    def check(self, args: Sequence[Any]) -> None:
        """Fails with E0917 when weights are not the prepared ones, with E0037 when other arguments do not match."""
        inputs = self.params[: self._inputs] if len(args) == len(self.params) else []
        for param, arg in zip(inputs, args, strict=False):
            _check_kind(arg, param.type, f"`{self.name}`: argument `{param.name}`")
        self._check_weights(args)
        if len(args) != len(self.params):
            known = f"they are {', '.join(p.name for p in self.params)}" if self.params else "it takes none"
            given = f"{len(args)} arguments given, expected {len(self.params)}"
            raise fail("E0037", f"`{self.name}`: {given}", known)
        for param, arg in zip(self.params, args, strict=True):
            _check_kind(arg, param.type, f"`{self.name}`: argument `{param.name}`")

    def _check_weights(self, args: Sequence[Any]) -> None:
        if not self._transforms:
            return
        if len(args) != len(self.params):
            wrong = [f"{len(args)} arguments given, expected {len(self.params)}: {', '.join(self._names())}"]
        else:
            pairs = list(zip(self.params, args, self._names(), strict=True))[self._inputs :]
            wrong = [
                f"{name}: expected {param.type!r}, got {_described(arg)}"
                for param, arg, name in pairs
                if not _fits_type(arg, param.type)
            ]
        if not wrong:
            return
        more = [f"and {len(wrong) - _SHOWN} more"] if len(wrong) > _SHOWN else []
        first = ", then ".join(f"`{name}`" for name in self._transforms)
        message = f"`{self.name}` expects prepared weights: run {first} first\n  "
        inputs = "".join(f"{p.name}, " for p in self.params[: self._inputs])
        text = "raw"
        for name in self._transforms:
            text = f'vm["{name}"]({text})'
        raise fail("E0917", message + "\n  ".join(wrong[:_SHOWN] + more), f'vm["{self.name}"]({inputs}*{text})')

    def _names(self) -> list[str]:
        """Returns the names of the parameters, for prepared weights with the raw weights that they are computed
        from."""
        out = []
        for p in self.params:
            sources = ", ".join(f"`{name}`" for name in self._sources.get(p.name, []))
            out.append(f"`{p.name}` (from {sources})" if sources else f"`{p.name}`")
        return out


def in_order(function: str, params: Sequence[str], args: Sequence[Any], by_name: Mapping[str, Any]) -> list[Any]:
    """Returns the arguments in the order of the parameters, including those given by name."""
    rest = dict(by_name)
    values = [*args, *(rest.pop(name) for name in params[len(args) :] if name in rest)]
    if rest:
        wrong = ", ".join(f"`{name}`" for name in rest)
        raise fail("E0037", f"`{function}`: no parameter can take {wrong}", f"they are {', '.join(params)}")
    return values


def flatten(value: Any, type: _sunmao.Type | None, what: str, out: list[Any]) -> None:
    """Appends the tensors of `value`, whose structure must be that of the type, and objects as they are."""
    if is_handle(type):
        out.append(value)
        return
    if not isinstance(type, _sunmao.TupleType):
        if isinstance(type, _sunmao.ShapeType | _sunmao.PrimType) and not hasattr(value, "dtype"):
            value = _sizes(value, what)
        out.append(value if isinstance(value, Tensor) else to_tensor(value, what))
        return
    items = list(value)
    if len(items) != len(type.fields):
        raise fail("E0037", f"{what} has {len(items)} fields, expected {len(type.fields)}: {type!r}")
    for i, (item, field) in enumerate(zip(items, type.fields, strict=True)):
        flatten(item, field, f"{what}, field {i}", out)


def nest(results: Iterator[Any], type: _sunmao.Type | None) -> Any:
    """Returns the results, nested like the type."""
    if isinstance(type, _sunmao.TupleType):
        return [nest(results, field) for field in type.fields]
    if is_handle(type):
        return next(results)
    result = Tensor(next(results))
    if isinstance(type, _sunmao.ShapeType):
        return ShapeTuple(result.numpy().tolist())
    return int(result.numpy()) if isinstance(type, _sunmao.PrimType) else result


def is_handle(type: _sunmao.Type | None) -> bool:
    """Returns whether a value of the type is an object that only functions of the host understand."""
    return isinstance(type, _sunmao.TensorType) and str(type.dtype) == "handle"


def _sizes(value: Any, what: str) -> Any:
    try:
        return np.array([operator.index(n) for n in value] if is_nested(value) else operator.index(value), "int64")
    except (TypeError, OverflowError):
        raise fail("E0037", f"{what} is a {_kind(value)}, expected integers", "pass an integer, or a tuple") from None


def is_nested(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _check_kind(value: Any, type: _sunmao.Type | None, what: str) -> None:
    if is_handle(type):
        return
    if isinstance(type, _sunmao.TensorType) and isinstance(value, list | tuple | dict):
        raise fail("E0037", f"{what} is a {_kind(value)}, expected a tensor: {type!r}", "pass one tensor")
    if isinstance(type, _sunmao.ShapeType) and not is_nested(value):
        raise fail("E0037", f"{what} is a {_kind(value)}, expected a shape: {type!r}", "pass a tuple of integers")
    if not isinstance(type, _sunmao.TupleType) or isinstance(value, Iterator):
        return
    if not is_nested(value):
        raise fail("E0037", f"{what} is a {_kind(value)}, expected a tuple: {type!r}", "pass a list of tensors")
    if len(value) != len(type.fields):
        raise fail("E0037", f"{what} has {len(value)} fields, expected {len(type.fields)}: {type!r}")
    for i, (item, field) in enumerate(zip(value, type.fields, strict=True)):
        _check_kind(item, field, f"{what}, field {i}")


def _fits_type(value: Any, type: _sunmao.Type | None) -> bool:
    if not isinstance(type, _sunmao.TensorType):
        return True
    found = _dtype_and_sizes(value)
    return found is not None and _sunmao.fits(type, *found)


def _dtype_and_sizes(value: Any) -> tuple[str, list[int]] | None:
    """Returns dtype and sizes of a tensor of any library; None for other values."""
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if not isinstance(shape, Iterable) or dtype is None or isinstance(value, list | tuple):
        return None
    if not all(hasattr(size, "__index__") for size in shape):
        return None
    return str(dtype).removeprefix("torch."), [int(size) for size in shape]


def _described(value: Any) -> str:
    found = _dtype_and_sizes(value)
    if found is None:
        return f"a {_kind(value)}"
    dtype, sizes = found
    return f"a tensor of {dtype} of shape ({', '.join(map(str, sizes))})"


def _kind(value: Any) -> str:
    return type(value).__name__
