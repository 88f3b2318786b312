"""Runs an ONNX model in float64: what a quantised model means. The rounding of float32 sums would move values that lie
near the middle of two steps from one to the other.

onnx's own reference runs the graph; the ops that would round to float32 there, or take minutes, stand here. Padding
that an attribute decides (`auto_pad`, `ceil_mode`) is rare enough to be left to that reference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.reference
import torch
from onnx.reference.op_run import OpRun
from onnx.reference.ops import op_conv, op_max_pool

Array = np.ndarray[Any, Any]
OPS: list[type[OpRun]] = []


def exact(op: type[OpRun]) -> type[OpRun]:
    OPS.append(op)
    return op


def as_double(x: Array) -> torch.Tensor:
    return torch.from_numpy(np.asarray(x, np.float64))


def along(parameter: Array, axis: int, rank: int) -> Array:
    """Returns a scale or zero point of each index of an axis in the shape that broadcasts against the tensor."""
    if parameter.ndim != 1 or parameter.size == 1:
        return parameter.reshape(())
    return parameter.reshape([-1 if i == axis % rank else 1 for i in range(rank)])


@exact
class DequantizeLinear(OpRun):  # type: ignore[misc]
    op_domain = ""

    def _run(self, x: Array, scale: Array, zero: Array | None = None, **attributes: Any) -> tuple[Array]:
        axis = attributes.get("axis", 1)
        moved = x.astype(np.float64) - (0.0 if zero is None else along(zero, axis, x.ndim).astype(np.float64))
        return (moved * along(scale, axis, x.ndim).astype(np.float64),)


@exact
class QuantizeLinear(OpRun):  # type: ignore[misc]
    op_domain = ""

    def _run(self, x: Array, scale: Array, zero: Array | None = None, **attributes: Any) -> tuple[Array]:
        axis = attributes.get("axis", 1)
        zero = np.zeros((), np.uint8) if zero is None else along(zero, axis, x.ndim)
        steps = np.rint(np.asarray(x, np.float64) / along(scale, axis, x.ndim).astype(np.float64)) + zero
        limits = np.iinfo(zero.dtype)
        return (np.clip(steps, limits.min, limits.max).astype(zero.dtype),)


@exact
class DynamicQuantizeLinear(OpRun):  # type: ignore[misc]
    op_domain = ""

    def _run(self, x: Array) -> tuple[Array, ...]:
        low, high = min(float(x.min()), 0.0), max(float(x.max()), 0.0)
        scale = (high - low) / 255 or 1.0
        zero = np.clip(np.rint(-low / scale), 0, 255)
        return np.clip(np.rint(x / scale) + zero, 0, 255).astype(np.uint8), np.array(scale), zero.astype(np.uint8)


@exact
class Conv(op_conv.Conv):  # type: ignore[misc]
    op_domain = ""

    def _run(self, x: Array, w: Array, b: Array | None = None, **attributes: Any) -> tuple[Array]:
        if attributes.get("auto_pad") not in (None, "NOTSET"):
            return tuple(super()._run(x.astype(np.float64), w.astype(np.float64), b, **attributes))
        rank = x.ndim - 2
        pads = attributes.get("pads") or [0] * 2 * rank
        both = [p for pair in zip(pads[rank - 1 :: -1], pads[: rank - 1 : -1], strict=True) for p in pair]
        convolve = {1: torch.nn.functional.conv1d, 2: torch.nn.functional.conv2d}[rank]
        out = convolve(
            torch.nn.functional.pad(as_double(x), both),
            as_double(w),
            None if b is None else as_double(b),
            stride=attributes.get("strides") or [1] * rank,
            dilation=attributes.get("dilations") or [1] * rank,
            groups=attributes.get("group") or 1,
        )
        return (out.numpy(),)


@exact
class MaxPool(op_max_pool.MaxPool):  # type: ignore[misc]
    op_domain = ""

    def _run(self, x: Array, **attributes: Any) -> tuple[Array]:
        if attributes.get("auto_pad") not in (None, "NOTSET") or attributes.get("ceil_mode"):
            return tuple(super()._run(x, **attributes))
        pads = attributes.get("pads") or [0, 0, 0, 0]
        padded = torch.nn.functional.pad(as_double(x), [pads[1], pads[3], pads[0], pads[2]], value=-torch.inf)
        out = torch.nn.functional.max_pool2d(padded, attributes["kernel_shape"], attributes.get("strides") or 1)
        return (out.numpy().astype(x.dtype),)


@exact
class GatherElements(OpRun):  # type: ignore[misc]
    op_domain = ""

    def _run(self, data: Array, indices: Array, **attributes: Any) -> tuple[Array]:
        axis = attributes.get("axis") or 0
        places = np.where(indices < 0, indices + data.shape[axis], indices)
        return (torch.gather(torch.from_numpy(data), axis, torch.from_numpy(places)).numpy(),)


@exact
class LayerNormalization(OpRun):  # type: ignore[misc]
    op_domain = ""

    def _run(self, x: Array, scale: Array, bias: Array | None = None, **attributes: Any) -> tuple[Array]:
        shape = x.shape[attributes.get("axis", -1) % x.ndim :]
        parts = as_double(scale), None if bias is None else as_double(bias)
        return (torch.nn.functional.layer_norm(as_double(x), shape, *parts, attributes.get("epsilon") or 1e-5).numpy(),)


@exact
class MatMulInteger(OpRun):  # type: ignore[misc]
    """Products and sums of bytes are exact in float64."""

    op_domain = ""

    def _run(self, a: Array, b: Array, za: Array | None = None, zb: Array | None = None) -> tuple[Array]:
        left = a.astype(np.float64) - (0 if za is None else np.reshape(za, ()).astype(np.float64))
        right = b.astype(np.float64) - (0 if zb is None else zb.astype(np.float64))
        return ((left @ right).astype(np.int32),)


def elementwise(name: str, compute: Callable[..., Any]) -> None:
    """Adds an op that `compute` gives of each element, as float64; attributes are passed on."""

    def run(_self: OpRun, x: Array, **attributes: Any) -> tuple[Array]:
        return (np.asarray(compute(as_double(x), **attributes)),)

    exact(type(name, (OpRun,), {"op_domain": "", "_run": run}))


elementwise("Erf", torch.erf)
elementwise("Gelu", lambda x, approximate=None: torch.nn.functional.gelu(x, approximate=approximate or "none"))
elementwise("Sigmoid", torch.sigmoid)
elementwise("HardSwish", lambda x: x * torch.clip(x / 6 + 0.5, 0, 1))


@exact
class GlobalAveragePool(OpRun):  # type: ignore[misc]
    op_domain = ""

    def _run(self, x: Array) -> tuple[Array]:
        return (np.asarray(np.mean(x, axis=tuple(range(2, x.ndim)), keepdims=True, dtype=np.float64)),)


def run_exactly(path: Path, inputs: Sequence[Array]) -> list[Array]:
    """Returns the outputs of the model on these inputs, in float64."""
    model = onnx.load(str(path))
    held = [attribute.t for node in model.graph.node if node.op_type == "Constant" for attribute in node.attribute]
    for value in [*model.graph.initializer, *held]:
        if value.data_type == onnx.TensorProto.FLOAT:
            wide = onnx.numpy_helper.to_array(value).astype(np.float64)
            value.CopyFrom(onnx.numpy_helper.from_array(wide, value.name))
    for node in model.graph.node:
        for attribute in node.attribute:
            if node.op_type == "Cast" and attribute.name == "to" and attribute.i == onnx.TensorProto.FLOAT:
                attribute.i = onnx.TensorProto.DOUBLE
    session = onnx.reference.ReferenceEvaluator(model, new_ops=OPS)
    feeds = [x.astype(np.float64) if x.dtype == np.float32 else x for x in inputs]
    outputs: list[Array] = session.run(None, dict(zip([i.name for i in model.graph.input], feeds, strict=True)))
    return outputs
