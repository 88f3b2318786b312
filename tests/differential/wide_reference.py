"""What a model of ONNX says in float64: the same graph with every float type replaced, by ONNX's own evaluator.

A recorded output carries the rounding of the machine that made it. Where a result misses it by more than the test's
tolerance, float64 decides (`error_beyond` of comparing.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from comparing import UNIT
from onnx import TensorProto
from onnx.reference import ReferenceEvaluator
from quantised_lstm import DynamicQuantizeLSTM

_FLOATS = {TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16}
_TYPE_ATTRIBUTES = ("to", "dtype", "stash_type", "softmax_precision", "output_dtype")


def _widen_tensor(tensor: TensorProto) -> None:
    if tensor.data_type in _FLOATS:
        wide = onnx.numpy_helper.to_array(tensor).astype(np.float64)
        tensor.CopyFrom(onnx.numpy_helper.from_array(wide, tensor.name))


def _widen_nodes(nodes: Any) -> None:
    for node in nodes:
        for attribute in node.attribute:
            if attribute.name in _TYPE_ATTRIBUTES and attribute.i in _FLOATS:
                attribute.i = TensorProto.DOUBLE
            if attribute.HasField("t"):
                _widen_tensor(attribute.t)
            for graph in [attribute.g, *attribute.graphs]:
                _widen_graph(graph)


def _widen_graph(graph: Any) -> None:
    for value in [*graph.input, *graph.output, *graph.value_info]:
        if value.type.tensor_type.elem_type in _FLOATS:
            value.type.tensor_type.elem_type = TensorProto.DOUBLE
    for tensor in graph.initializer:
        _widen_tensor(tensor)
    _widen_nodes(graph.node)


def wide_outputs(model: Any, inputs: list[Any]) -> list[Any]:
    """Returns the outputs that the model has in float64."""
    wide = onnx.ModelProto()
    wide.CopyFrom(model)
    _widen_graph(wide.graph)
    for function in wide.functions:
        _widen_nodes(function.node)
    fed = [np.asarray(x).astype(np.float64) if str(np.asarray(x).dtype) in UNIT else x for x in inputs]
    names = [value.name for value in wide.graph.input]
    return list(ReferenceEvaluator(wide, new_ops=[DynamicQuantizeLSTM]).run(None, dict(zip(names, fed, strict=False))))
