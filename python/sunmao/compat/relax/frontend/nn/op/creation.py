"""New tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from sunmao import _sunmao
from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax import op as relax_op
from sunmao.compat.relax.expr import const
from sunmao.compat.relax.frontend.nn.parameter import get_default_dtype
from sunmao.compat.relax.frontend.nn.tensor import Tensor, current_builder, wrap_nested


@checked
def arange(
    start: int | float | _sunmao.Scalar,
    end: int | float | _sunmao.Scalar | None = None,
    step: int | float | _sunmao.Scalar = 1,
    dtype: str = "float32",
    name: str = "arange",
) -> Tensor:
    return wrap_nested(relax_op.arange(start, end, step, dtype), name)


@checked
def full(
    shape: Sequence[int | _sunmao.Scalar],
    fill_value: int | float | _sunmao.IntImm | _sunmao.FloatImm | Tensor,
    dtype: str = "float32",
    name: str = "full",
) -> Tensor:
    value = fill_value._expr if isinstance(fill_value, Tensor) else const(fill_value, dtype)
    return wrap_nested(relax_op.full(list(shape), value, dtype), name)


@checked
def zeros(shape: Sequence[int | _sunmao.Scalar], dtype: str = "float32", name: str = "zeros") -> Tensor:
    return wrap_nested(relax_op.zeros(list(shape), dtype), name)


@checked
def ones(shape: Sequence[int | _sunmao.Scalar], dtype: str = "float32", name: str = "ones") -> Tensor:
    return wrap_nested(relax_op.ones(list(shape), dtype), name)


@checked
def empty(shape: Sequence[int | _sunmao.Scalar], dtype: str = "float32", name: str = "empty") -> Tensor:
    """Returns memory with unknown contents, for functions that write into it."""
    return wrap_nested(relax_op.builtin.alloc_tensor(list(shape), dtype, 0), name)


@checked
def triu(x: Tensor, diagonal: int = 0, name: str = "triu") -> Tensor:
    """Returns the upper triangle, with zeros below."""
    return wrap_nested(relax_op.triu(x._expr, diagonal), name)


@checked
def get_timestep_embedding(
    x: Tensor,
    embedding_dim: int,
    flip_sin_to_cos: bool = False,
    downscale_freq_shift: float = 1,
    scale: float = 1,
    max_period: int = 10000,
    name: str = "get_timestep_embedding",
) -> Tensor:
    """Returns for each time step the sines and cosines of `embedding_dim // 2` frequencies, from 1 to
    1 / `max_period`, and a zero if the dimension is odd."""
    half = embedding_dim // 2
    steps = relax_op.astype(x._expr, "float32")
    logarithms = _number(-math.log(max_period)) * relax_op.arange(start=0, end=half, dtype="float32")
    frequencies = relax_op.exp(logarithms / _number(half - downscale_freq_shift))
    angles = relax_op.expand_dims(steps, 1) * relax_op.expand_dims(frequencies, 0)
    angles = current_builder().emit(angles if scale == 1 else _number(scale) * angles)
    parts = [relax_op.sin(angles), relax_op.cos(angles)]
    found = relax_op.concat(parts[::-1] if flip_sin_to_cos else parts, axis=-1)
    if embedding_dim % 2:
        found = relax_op.nn.pad(found, (0, 0, 0, 1))
    return wrap_nested(relax_op.astype(found, get_default_dtype()), name)


def _number(value: float) -> Any:
    return const(value, "float32")


__getattr__ = attribute_of(__name__)
