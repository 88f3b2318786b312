"""Images."""

from __future__ import annotations

from collections.abc import Sequence

from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of, refuse
from sunmao.compat.relax import op as relax_op
from sunmao.compat.relax.frontend.nn.tensor import Tensor, wrap_nested
from sunmao.errors import fail


@checked
def pad(x: Tensor, pad: Sequence[int], mode: str = "constant", value: float = 0.0, name: str = "pad") -> Tensor:
    """Puts elements before and behind along each axis, two numbers for each, from the first axis on."""
    return wrap_nested(relax_op.nn.pad(x._expr, pad_width=list(pad), pad_mode=mode, pad_value=value), name)


@checked
def interpolate(
    x: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool | None = None,
    data_layout: str = "NCHW",
    name: str = "interpolate",
) -> Tensor:
    """Brings images to another size, or to their size times a factor. The mode is "nearest", "bilinear" or
    "bicubic"."""
    refuse("interpolate", recompute_scale_factor=recompute_scale_factor, antialias=antialias)
    if (size is None) == (scale_factor is None):
        raise fail("E0034", "interpolate takes a size or a scale factor", "give one of the two")
    method = "nearest_neighbor" if mode.startswith("nearest") else mode.removeprefix("bi")
    corners = "align_corners" if align_corners else "half_pixel"
    resized = relax_op.image.resize2d(
        x._expr,
        _scaled(x, scale_factor, data_layout) if size is None else size,
        layout=data_layout,
        method=method,
        coordinate_transformation_mode="asymmetric" if method == "nearest_neighbor" else corners,
    )
    return wrap_nested(resized, name)


def _scaled(x: Tensor, scale_factor: float | Sequence[float] | None, layout: str) -> list[int]:
    axes = [i for i, axis in enumerate(layout) if axis not in "NC"]
    sizes = [x.shape[axis] for axis in axes]
    if not all(isinstance(size, int) for size in sizes):
        raise fail("E0034", f"interpolate: a scale factor needs known sizes, got {x!r}", "give the new size")
    factors = [scale_factor] * len(axes) if isinstance(scale_factor, int | float) else list(scale_factor or [])
    if len(factors) != len(axes):
        raise fail("E0034", f"interpolate: {len(factors)} scale factors are given for {len(axes)} axes")
    return [int(size * factor) for size, factor in zip(sizes, factors, strict=True)]


__getattr__ = attribute_of(__name__)
