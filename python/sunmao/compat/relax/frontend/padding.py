"""Padding of convolutions that keep sizes; upstream has it beside `detach_params` in one module."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sunmao import _sunmao
from sunmao.compat import topi
from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.block_builder import BlockBuilder
from sunmao.compat.relax.frontend.parameters import detach_params
from sunmao.errors import fail

_PADS = {"constant": "pad", "edge": "replicate_pad", "reflect": "mirror_pad"}


@checked
def autopad(
    bb: BlockBuilder,
    data: _sunmao.Expr,
    strides: Sequence[int],
    kernel_shape: Sequence[int],
    dilations: Sequence[int] = (1, 1),
    pad_type: str = "constant",
    deconv: bool = False,
    mode: str = "SAME_UPPER",
    pad_value: float = 0.0,
) -> _sunmao.Var:
    """Pads images of known sizes such that a window gives one result for each stride. An odd element goes behind in the
    mode "SAME_UPPER", before in "SAME_LOWER"."""
    if pad_type not in _PADS:
        raise fail("E0034", f"autopad: `pad_type` is {pad_type!r}", f"there are {', '.join(_PADS)}")
    if not isinstance(data.type, _sunmao.TensorType) or not isinstance(data.type.shape, _sunmao.ShapeExpr):
        raise fail("E0034", f"autopad: a tensor of known shape is needed, got {data.type!r}")
    sizes = [getattr(size, "value", None) for size in data.type.shape.values[2:]]
    before, after = [0, 0], [0, 0]
    for size, stride, kernel, dilation in zip(sizes, strides, kernel_shape, dilations, strict=True):
        if not isinstance(size, int):
            raise fail("E0034", f"autopad: sizes must be known, got {data.type!r}", "bind the symbols first")
        reach = (kernel - 1) * dilation + 1
        total = max(reach - (size % stride or stride), 0)
        total = kernel - 1 - total if deconv else total
        first, second = total // 2, total - total // 2
        before.append(second if "LOWER" in mode else first)
        after.append(first if "LOWER" in mode else second)
    options: dict[str, list[Any]] = {"constant": [pad_value], "reflect": ["REFLECT"], "edge": []}
    return bb.emit_te(getattr(topi.nn, _PADS[pad_type]), data, before, after, *options[pad_type])


__all__ = ["autopad", "detach_params"]

__getattr__ = attribute_of(__name__)
