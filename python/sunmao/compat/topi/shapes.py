"""Operators that move elements of tensor expressions, under upstream's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.checked import checked
from sunmao.compat.convert import scalar, scalars
from sunmao.compat.te.operators import is_one, is_undecided, shown
from sunmao.compat.te.record import apply
from sunmao.compat.te.tensor import Tensor, compute
from sunmao.compat.tirx import op as scalar_ops
from sunmao.compat.tirx.operators import binary
from sunmao.errors import fail


@checked
def squeeze(x: Tensor, axis: Any = None) -> Tensor:
    """Removes axes of size 1: the given ones, or all whose size is known to be 1."""
    if axis is not None:
        return apply("squeeze", x, axis=axis)
    kept = [i for i, size in enumerate(x.shape) if not is_one(size)]

    def element(*at: Any) -> Any:
        places = dict(zip(kept, at, strict=True))
        return x(*(places.get(i, scalar(0, "int64")) for i in range(x.ndim)))

    return compute([x.shape[i] for i in kept], element, "T_squeeze")


@checked
def concatenate(a_tuple: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Joins tensors along an axis; their other sizes must be equal (E0309)."""
    first = a_tuple[0]
    at_axis = axis % first.ndim
    for other in a_tuple[1:]:
        for i, (a, b) in enumerate(zip(first.shape, other.shape, strict=True)):
            if i != at_axis and _differ(a, b):
                problem = f"concatenate: sizes differ at dimension {i}: {shown(a)} and {shown(b)}"
                raise fail("E0309", problem, "tensors that are joined differ along the axis alone")
    starts = [scalar(0, "int64")]
    for part in a_tuple:
        starts.append(binary("add", starts[-1], part.shape[at_axis]))

    def element(*at: Any) -> Any:
        value = first(*at)
        for part, start in zip(a_tuple[1:], starts[1:], strict=False):
            own = [binary("sub", at[i], start) if i == at_axis else at[i] for i in range(first.ndim)]
            value = scalar_ops.if_then_else(binary("le", start, at[at_axis]), part(*own), value)
        return value

    sizes = [starts[-1] if i == at_axis else size for i, size in enumerate(first.shape)]
    return compute(sizes, element, "T_concat")


def _differ(a: _sunmao.Scalar, b: _sunmao.Scalar) -> bool:
    if isinstance(a, _sunmao.IntImm) and isinstance(b, _sunmao.IntImm):
        return a.value != b.value
    return is_undecided(a, b)


@checked
def split(ary: Tensor, indices_or_sections: Any, axis: int = 0) -> Any:
    """Splits a tensor into equal parts, or at indices, along an axis."""
    return apply("split", ary, indices_or_sections=indices_or_sections, axis=axis)


@checked
def broadcast_to(data: Tensor, shape: Any) -> Tensor:
    """Repeats a tensor along the axes that it lacks or where its size is 1."""
    sizes = scalars(shape)
    lacking = len(sizes) - data.ndim
    if lacking < 0:
        raise fail("E0307", f"broadcast_to: `{data.name}` has {data.ndim} dimensions, the shape {len(sizes)}")
    for size, wanted in zip(data.shape, sizes[lacking:], strict=True):
        if not is_one(size) and _differ(size, wanted):
            problem = f"broadcast_to: {shown(size)} does not become {shown(wanted)}"
            raise fail("E0303", problem, "sizes must be equal, or that of the tensor 1")

    def element(*at: Any) -> Any:
        own = zip(data.shape, at[lacking:], strict=True)
        return data(*(scalar(0, "int64") if is_one(size) else i for size, i in own))

    return compute(sizes, element, "T_broadcast_to")


@checked
def trilu(data: Tensor, k: Any, upper: bool) -> Tensor:
    """Keeps the part of each matrix above (or below) the diagonal `k`; other elements become 0."""
    compared = "le" if upper else "ge"

    def element(*at: Any) -> Any:
        row = binary("add", at[-2], k)
        return make.select(binary(compared, row, at[-1]), data(*at), scalar(0, data.dtype))

    return compute(data.shape, element, "trilu")
