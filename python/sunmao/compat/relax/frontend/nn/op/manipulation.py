"""Ops that move elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sunmao import _sunmao
from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax import op as relax_op
from sunmao.compat.relax.frontend.nn.tensor import Tensor, wrap_nested


@checked
def unsqueeze(x: Tensor, dim: int, name: str = "unsqueeze") -> Tensor:
    return wrap_nested(relax_op.expand_dims(x._expr, dim), name)


@checked
def squeeze(x: Tensor, axis: int = -1, name: str = "squeeze") -> Tensor:
    return wrap_nested(relax_op.squeeze(x._expr, axis), name)


@checked
def concat(x: Sequence[Tensor], dim: int, name: str = "concat") -> Tensor:
    return wrap_nested(relax_op.concat([tensor._expr for tensor in x], dim), name)


@checked
def split(
    ary: Tensor, indices_or_sections: int | Sequence[int], axis: int = 0, name: str = "split"
) -> tuple[Tensor, ...]:
    """Returns so many equal parts, or the parts between indices."""
    return wrap_nested(relax_op.split(ary._expr, indices_or_sections, axis), name)


@checked
def chunk(x: Tensor, chunks: int, dim: int = 0, name: str = "chunk") -> tuple[Tensor, ...]:
    return wrap_nested(relax_op.split(x._expr, chunks, dim), name)


@checked
def broadcast_to(x: Tensor, shape: Sequence[int | _sunmao.Scalar], name: str = "broadcast_to") -> Tensor:
    return wrap_nested(relax_op.broadcast_to(x._expr, shape), name)


@checked
def reshape(x: Tensor, shape: Sequence[int | _sunmao.Scalar], name: str = "reshape") -> Tensor:
    """Returns the elements in another shape. One dimension may be -1, which follows from the others; 0 means the
    dimension of `x` at this place."""
    return wrap_nested(reshaped(x._expr, shape), name)


def reshaped(x: Any, shape: Sequence[Any]) -> Any:
    """Returns a reshape that states every dimension."""
    found: Any = relax_op.reshape(x, list(shape))
    return relax_op.reshape(x, found.type.shape)


@checked
def permute_dims(x: Tensor, axes: Sequence[int] | None = None, name: str | None = None) -> Tensor:
    """Returns the tensor with its dimensions in another order, without `axes` reversed. The weight of a layer called
    `linear…` becomes `matmul…`."""
    return wrap_nested(relax_op.permute_dims(x._expr, axes=axes), name or _transposed_name(x._expr))


def _transposed_name(x: Any) -> str:
    own = x.name if isinstance(x, _sunmao.Var) else ""
    return own.replace("linear", "matmul") if "linear" in own else "permute_dims"


@checked
def permute(x: Tensor, axes: Sequence[int] | None, name: str = "permute") -> Tensor:
    return wrap_nested(relax_op.permute_dims(x._expr, axes=axes), name)


@checked
def repeat(x: Tensor, repeats: int, axis: int | None = None, name: str = "repeat") -> Tensor:
    """Returns each element so many times, one after the other."""
    return wrap_nested(relax_op.repeat(x._expr, repeats, axis), name)


@checked
def take(x: Tensor, indices: Tensor, axis: int | None = None, name: str = "take") -> Tensor:
    return wrap_nested(relax_op.take(x._expr, indices._expr, axis), name)


__getattr__ = attribute_of(__name__)
