"""ONNX models become modules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sunmao import _sunmao
from sunmao.compat.ir.module import IRModule
from sunmao.compat.missing import attribute_of, refuse
from sunmao.compat.relax.frontend import parameters
from sunmao.compile_warnings import warn_all
from sunmao.custom_ops import collect
from sunmao.errors import fail

Converter = Callable[[list[Any], dict[str, Any]], Any]


def _with_shapes(
    model: Any, shapes: Mapping[str, Sequence[Any]] | None, dtypes: Any, opset: int | None = None
) -> bytes:
    """Returns the model's bytes, with the shapes and dtypes of inputs that are given, and the version of its ops."""
    if not hasattr(model, "SerializeToString"):
        raise fail("E0034", f"from_onnx takes an onnx.ModelProto, got a {type(model).__name__}", "use onnx.load(path)")
    changed = type(model)()
    changed.CopyFrom(model)
    for value in changed.graph.input:
        tensor = value.type.tensor_type
        if shapes and value.name in shapes:
            tensor.shape.ClearField("dim")
            for size in shapes[value.name]:
                dim = tensor.shape.dim.add()
                if isinstance(size, int):
                    dim.dim_value = size
                else:
                    dim.dim_param = str(size)
        if isinstance(dtypes, Mapping) and value.name in dtypes and not tensor.elem_type:
            raise fail("E0034", f"the input `{value.name}` states no dtype", "state it in the model")
    if opset is not None:
        _set_version(changed, opset)
    data: bytes = changed.SerializeToString()
    return data


def _set_version(model: Any, opset: int) -> None:
    if not isinstance(opset, int) or isinstance(opset, bool) or opset < 1:
        raise fail("E0034", f"`opset`: {opset!r} is no version of ONNX's ops", "leave it out: the model states its own")
    own = [version for version in model.opset_import if version.domain in ("", "ai.onnx")]
    (own[0] if own else model.opset_import.add()).version = opset


def from_onnx(
    model: Any,
    shape_dict: Mapping[str, Sequence[Any]] | None = None,
    dtype_dict: str | Mapping[str, str] | None = "float32",
    opset: int | None = None,
    keep_params_in_input: bool = False,
    sanitize_input_names: bool = True,
    *,
    custom_convert_map: Mapping[str, Converter] | None = None,
    ops: Sequence[Any] | None = None,
) -> IRModule:
    """Returns the module of an ONNX model (onnx.ModelProto), which the reader of `.onnx` files makes in memory.

    `shape_dict` gives shapes to inputs: numbers, and names of symbols. Dtypes are those that the model states. `opset`
    is the version of ONNX's ops by which the model is read, in place of the one that it states. A
    converter of `custom_convert_map` (by op) takes a node's inputs and its attributes by name, and gives an expression
    or a list of them. `ops` are custom ops, as `sunmao.compile` takes them.
    """
    refuse("from_onnx", **({} if sanitize_input_names else {"sanitize_input_names": "False"}))
    data = _with_shapes(model, shape_dict, dtype_dict, opset)
    custom = collect(ops)
    module, weights, _, notes = _sunmao.read_onnx(
        data,
        "model.onnx",
        "",
        {**custom.converters, **(custom_convert_map or {})},
        returns=_sunmao.ReturnForm.BOUND,
        keep_initializers=keep_params_in_input,
        ops=custom.modules,
        upstream_form=True,
    )
    warn_all(notes)
    if keep_params_in_input:
        return parameters.with_parameters(module, weights)
    return parameters.bound(module, weights)


__all__ = ["from_onnx"]

__getattr__ = attribute_of(__name__)
