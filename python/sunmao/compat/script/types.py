"""Types of scripts as Python values: `R.Tensor((2, n), "float32")` is a type. An annotation that Python cannot
evaluate, such as one with quoted dimensions, is only recorded."""

from __future__ import annotations

from typing import Any, TypeVar

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat import convert as c
from sunmao.compat.ir import type as types
from sunmao.compat.missing import refuse
from sunmao.compat.script.annotation import Annotation


class TypeName(Annotation):
    """The name of a kind of type; without a call it denotes the most general type of this kind."""

    def __init__(self, name: str, build: Any) -> None:
        super().__init__(name)
        self._build = build

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        kwargs = {("ty" if k == "struct_info" else k): v for k, v in kwargs.items()}
        if any(_has_names(value) for value in (*args, *kwargs.values())):
            return Annotation(self.name, args, kwargs)
        return self._build(*args, **kwargs)

    def __getitem__(self, item: Any) -> Any:
        return self(*(item if isinstance(item, tuple) else (item,)))

    def __sunmao_type__(self) -> _sunmao.Type:
        found: _sunmao.Type = self._build()
        return found

    as_ty = as_struct_info = __sunmao_type__


def _has_names(value: Any) -> bool:
    """Returns whether a dimension is given by name, or an argument is an annotation that was only recorded."""
    if isinstance(value, list | tuple):
        return any(isinstance(item, str | TypeVar) or _has_names(item) for item in value)
    return isinstance(value, Annotation) and not isinstance(value, TypeName)


def tensor(shape: Any = None, dtype: Any = None, vdevice: Any = None, ndim: int = -1) -> Any:
    if isinstance(shape, str) and dtype is None:
        shape, dtype = None, shape
    return types.TensorType(shape, dtype, vdevice, ndim)


def shape(values: Any = None, ndim: int = -1) -> Any:
    return types.ShapeType(values, ndim)


def prim(dtype: Any = None, *, value: Any = None) -> Any:
    if dtype is None and value is None:
        raise TypeError("R.Prim() missing 1 required positional argument: 'dtype'")
    return types.PrimType(dtype, value)


def tuple_(*fields: Any) -> Any:
    if len(fields) == 1 and isinstance(fields[0], list | tuple):
        fields = tuple(fields[0])
    return types.TupleType(fields)


def callable_(params: Any = None, ret: Any = None, purity: bool | None = None, derive_func: Any = None) -> Any:
    refuse("R.Callable", derive_func=derive_func)
    if params is None:
        return make.callable_type(None, make.any_type() if ret is None else c.known_type(ret), bool(purity))
    if not isinstance(params, list | tuple):
        params = [params]
    return types.FuncType(params, ret, True if purity is None else purity)


Tensor = TypeName("R.Tensor", tensor)
Shape = TypeName("R.Shape", shape)
Prim = TypeName("R.Prim", prim)
Tuple = TypeName("R.Tuple", tuple_)
Callable = TypeName("R.Callable", callable_)
Any_ = TypeName("R.Any", lambda: make.any_type())
Object = TypeName("R.Object", lambda: make.any_type())
