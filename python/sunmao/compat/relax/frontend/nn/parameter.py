"""Parameter: a weight of a module. Its data may be given before or after the module is exported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sunmao import _sunmao
from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.frontend.nn.tensor import Tensor
from sunmao.compat.runtime import tensors
from sunmao.errors import fail

_defaults = {"dtype": "float32"}


def get_default_dtype() -> str:
    """Returns the dtype of parameters that state none."""
    return _defaults["dtype"]


@checked
def set_default_dtype(dtype: str) -> None:
    _defaults["dtype"] = dtype


class Parameter(Tensor):
    """A weight of this shape and dtype. A name in the shape is a symbol, the same for all weights of a module."""

    @checked
    def __init__(self, shape: Sequence[int | str | _sunmao.Scalar], dtype: str | _sunmao.DType | None = None) -> None:
        super().__init__(_expr=Tensor.placeholder(shape, dtype or get_default_dtype(), "param")._expr)
        self._data: tensors.Tensor | None = None
        self.attrs: dict[str, Any] = {}

    @property
    def data(self) -> Any:
        """The weight's data as a tensor of the runtime, or None. Arrays of NumPy are copied when it is set, tensors of
        other libraries shared."""
        return self._data

    @data.setter
    def data(self, data: Any) -> None:
        self._data = None if data is None else self._fitting(data)

    def _fitting(self, data: Any) -> tensors.Tensor:
        if isinstance(data, tensors.Tensor):
            found = data
        elif isinstance(data, np.ndarray):
            found = tensors.tensor(data)
        elif hasattr(data, "__dlpack__"):
            found = tensors.from_dlpack(data.detach() if hasattr(data, "detach") else data)
        else:
            raise fail("E0034", f"the data of a parameter is an array, got a {type(data).__name__}")
        if not _sunmao.fits(self._expr.type, found.dtype, list(found.shape)):
            got = f"a {found.dtype} array of shape {tuple(found.shape)}"
            raise fail("E0521", f"the data of a parameter does not fit: expected {self!r}, got {got}",
                       "has the weight another order of dimensions, or another dtype?")  # fmt: skip
        return found

    @checked
    def to(self, dtype: str | None = None) -> None:
        """Changes the dtype of a parameter that has no data."""
        if dtype is None or dtype == self.dtype:
            return
        if self._data is not None:
            raise fail("E0034", f"a parameter with data of {self.dtype} does not become one of {dtype}",
                       "change the dtype first, or set the data to None")  # fmt: skip
        self._expr = Tensor.placeholder(self.shape, dtype, "param")._expr


__getattr__ = attribute_of(__name__)
