"""Neural network operators on tensor expressions."""

from __future__ import annotations

from typing import Any

from sunmao import _sunmao
from sunmao.compat.checked import checked
from sunmao.compat.convert import dtype_name
from sunmao.compat.missing import attribute_of
from sunmao.compat.te.record import apply
from sunmao.compat.te.tensor import Tensor
from sunmao.compat.topi import operators
from sunmao.compat.topi.padding import mirror_pad as mirror_pad
from sunmao.compat.topi.padding import pad as pad
from sunmao.compat.topi.padding import replicate_pad as replicate_pad
from sunmao.errors import fail


@checked
def relu(x: Tensor) -> Tensor:
    return apply("nn.relu", x)


@checked
def softmax(x: Tensor, axis: int = -1) -> Tensor:
    return apply("nn.softmax", x, axis=axis)


@checked
def dense(data: Tensor, weight: Tensor, bias: Tensor | None = None, out_dtype: Any = None) -> Tensor:
    """Multiplies a matrix by the transpose of another one, and adds a vector to each row."""
    for x in (data, weight):
        if x.ndim != 2:
            raise fail("E0307", f"dense: `{x.name}` must have 2 dimensions, got {x.ndim}")
    if out_dtype is not None and dtype_name(out_dtype) != data.dtype:
        data, weight = (apply("astype", x, dtype=dtype_name(out_dtype)) for x in (data, weight))
    product = operators.product(data, weight, transp_a=False, transp_b=True)
    return product if bias is None else apply("add", product, bias)


@checked
def conv2d(
    input: Tensor,
    filter: Tensor,
    strides: Any,
    padding: Any,
    dilation: Any,
    data_layout: str = "NCHW",
    kernel_layout: str = "",
    out_dtype: Any = None,
) -> Tensor:
    return apply(
        "nn.conv2d", input, filter, strides=strides, padding=padding, dilation=dilation, data_layout=data_layout,
        kernel_layout=kernel_layout or "OIHW", out_dtype=None if out_dtype is None else dtype_name(out_dtype),
    )  # fmt: skip


@checked
def pool2d(
    data: Tensor,
    kernel: Any,
    stride: Any,
    dilation: Any,
    padding: Any,
    pool_type: str,
    ceil_mode: bool = False,
    layout: str = "NCHW",
    count_include_pad: bool = True,
) -> Tensor:
    """Reduces windows to their maximum or average."""
    if pool_type not in ("max", "avg"):
        raise fail("E0034", f"pool2d: `pool_type` is `max` or `avg`, got `{pool_type}`")
    return apply(
        f"nn.{pool_type}_pool2d", data, pool_size=kernel, strides=stride, padding=padding, dilation=dilation,
        ceil_mode=ceil_mode, layout=layout, count_include_pad=count_include_pad,
    )  # fmt: skip


@checked
def upsampling(
    data: Tensor,
    scale_h: Any,
    scale_w: Any,
    layout: str = "NCHW",
    method: str = "nearest_neighbor",
    align_corners: bool = False,
) -> Tensor:
    """Enlarges images of constant size by factors."""
    sizes = []
    for axis, scale in (("H", scale_h), ("W", scale_w)):
        size = data.shape[layout.index(axis)]
        if not isinstance(size, _sunmao.IntImm):
            raise fail("E0032", f"upsampling: `{data.name}` has a symbolic {axis}, which is not supported")
        sizes.append(round(size.value * scale))
    is_nearest = method == "nearest_neighbor"
    transformation = "align_corners" if align_corners else "asymmetric" if is_nearest else "half_pixel"
    names = {"nearest_neighbor": "nearest_neighbor", "bilinear": "linear", "bicubic": "cubic"}
    if method not in names:
        raise fail("E0034", f"upsampling: `method` is one of {', '.join(names)}, got `{method}`")
    rounding = "floor" if is_nearest else ""
    return apply(
        "image.resize2d", data, sizes, layout=layout, method=names[method],
        coordinate_transformation_mode=transformation, rounding_method=rounding,
    )  # fmt: skip


def matmul(a: Tensor, b: Tensor, **options: Any) -> Tensor:
    return operators.matmul(a, b, **options)


__getattr__ = attribute_of(__name__)
