"""Passes that replace ops by the kernels of a device. The kernels are loops, which every device can run."""

from __future__ import annotations

from typing import Any

from sunmao import _sunmao
from sunmao.compat import topi
from sunmao.compat.ir.module import IRModule
from sunmao.compat.ir.transform import ModulePass, Pass, PassContext, PassInfo
from sunmao.compat.relax.transform.legalize import legalize_only, replace_calls

_SORTS_AND_SCANS = ("argsort", "bucketize", "cumprod", "cumsum", "sort", "topk")


def DispatchSampling() -> Pass:
    """Replaces ops that draw samples by kernels."""
    return legalize_only(["multinomial_from_uniform"], "DispatchSampling")


def DispatchSortScan() -> Pass:
    """Replaces ops that sort, and running totals, by kernels."""
    rest = legalize_only(_SORTS_AND_SCANS, "DispatchSortScan")

    def run(module: IRModule, context: PassContext) -> IRModule:
        return rest.run(replace_calls(module, _EXPRESSIONS), context)

    return ModulePass(PassInfo(0, "DispatchSortScan"), run)


def _of_tensors(builder: Any, call: _sunmao.Call, operator: Any, **attrs: Any) -> Any:
    """Returns the call of the kernel of a tensor expression; the call itself where a size is not known."""
    type = call.args[0].type
    is_known = isinstance(type, _sunmao.TensorType) and isinstance(type.shape, _sunmao.ShapeExpr)
    return builder.call_te(operator, call.args[0], **attrs) if is_known else call


def _sort(builder: Any, call: _sunmao.Call) -> Any:
    return _of_tensors(builder, call, topi.sort, axis=call.attrs.axis, is_ascend=not call.attrs.descending)


def _argsort(builder: Any, call: _sunmao.Call) -> Any:
    attrs = call.attrs
    given = {"axis": attrs.axis, "is_ascend": not attrs.descending, "dtype": attrs.dtype}
    return _of_tensors(builder, call, topi.argsort, **given)


def _topk(builder: Any, call: _sunmao.Call) -> Any:
    attrs = call.attrs
    given = {"k": attrs.k, "axis": attrs.axis, "ret_type": attrs.ret_type, "is_ascend": not attrs.largest}
    return _of_tensors(builder, call, topi.topk, dtype=attrs.dtype, **given)


def _scan(operator: Any) -> Any:
    def scan(builder: Any, call: _sunmao.Call) -> Any:
        attrs = call.attrs
        return _of_tensors(builder, call, operator, axis=attrs.axis, dtype=attrs.dtype, exclusive=attrs.exclusive)

    return scan


_EXPRESSIONS = {
    "sort": _sort, "argsort": _argsort, "topk": _topk, "cumsum": _scan(topi.cumsum), "cumprod": _scan(topi.cumprod),
}  # fmt: skip
