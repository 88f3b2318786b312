"""Operators that put elements before and behind along the axes of a tensor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sunmao.compat import tirx
from sunmao.compat.checked import checked
from sunmao.compat.convert import scalar
from sunmao.compat.missing import attribute_of
from sunmao.compat.te.tensor import Tensor, compute
from sunmao.errors import fail

Axis = tuple[Any, int, int]  # its size, and how many elements are put before and behind


@checked
def pad(
    data: Tensor, pad_before: Sequence[int], pad_after: Sequence[int] | None = None, pad_value: float = 0.0
) -> Tensor:
    """Puts `pad_value` before and behind; behind as many as before if `pad_after` is not given."""
    axes = _axes(data, pad_before, pad_after)

    def at(*indices: Any) -> Any:
        pairs = list(zip(indices, axes, strict=True))
        element = data[tuple(i - before if before else i for i, (_, before, _) in pairs)]
        bounds = [_int64(before) <= i for i, (_, before, after) in pairs if before or after]
        ends = [i < size + before for i, (size, before, after) in pairs if before or after]
        inside = [condition for both in zip(bounds, ends, strict=True) for condition in both]
        return tirx.if_then_else(tirx.all(*inside), element, tirx.const(pad_value, data.dtype)) if inside else element

    return _padded(axes, at, "PadInput")


@checked
def replicate_pad(data: Tensor, pad_before: Sequence[int], pad_after: Sequence[int] | None = None) -> Tensor:
    """Repeats the first and last element of each axis."""
    axes = _axes(data, pad_before, pad_after)

    def nearest(i: Any, size: Any, before: int, _after: int) -> Any:
        at = i - before if before else i
        last = tirx.if_then_else(size <= at, size - 1, at)
        return tirx.if_then_else(at < 0, _int64(0), last)

    return _padded(axes, _moved(data, axes, nearest), "ReplicatePadInput")


@checked
def mirror_pad(
    data: Tensor, pad_before: Sequence[int], pad_after: Sequence[int] | None = None, mode: str = "SYMMETRIC"
) -> Tensor:
    """Mirrors the elements at both ends of an axis; in the mode "REFLECT" without those at the ends themselves."""
    if mode not in ("SYMMETRIC", "REFLECT"):
        raise fail("E0034", f"mirror_pad: `mode` is {mode!r}", 'there are "SYMMETRIC" and "REFLECT"')
    axes = _axes(data, pad_before, pad_after)
    repeated = int(mode == "SYMMETRIC")

    def mirrored(i: Any, size: Any, before: int, after: int) -> Any:
        if before == after == 0:
            return i
        first = before - repeated
        inside = tirx.if_then_else(i < before, first - i if first else i * -1, i - before if before else i)
        return tirx.if_then_else(size + before <= i, size * 2 + (before - 2 + repeated) - i, inside)

    return _padded(axes, _moved(data, axes, mirrored), "MirrorPadInput")


def _moved(data: Tensor, axes: list[Axis], moved: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function from indices of the padded tensor to the element that they are moved to."""
    return lambda *indices: data[tuple(moved(i, *axis) for i, axis in zip(indices, axes, strict=True))]


def _axes(data: Tensor, before: Sequence[int], after: Sequence[int] | None) -> list[Axis]:
    behind = before if after is None else after
    if len(before) != data.ndim or len(behind) != data.ndim:
        raise fail("E0307", f"pad: {data.ndim} axes need as many widths, got {len(before)} and {len(behind)}")
    return [(_int64(n), int(b), int(a)) for n, b, a in zip(data.shape, before, behind, strict=True)]


def _padded(axes: list[Axis], at: Callable[..., Any], name: str) -> Tensor:
    sizes = [size + (before + after) for size, before, after in axes]
    found: Tensor = compute(sizes, at, name=name)
    return found


def _int64(value: Any) -> Any:
    return scalar(value, "int64")


__getattr__ = attribute_of(__name__)
