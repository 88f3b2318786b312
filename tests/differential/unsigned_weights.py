"""The same model with integer weights as unsigned numbers.

On processors without VNNI, ONNX Runtime adds products of uint8 and int8 in pairs of 16 bits, which saturate: sums of a
trained model were wrong by a quarter. Those of uint8 and uint8 are exact.
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import numpy_helper

# Of each op the places of weights and of their zero points.
PLACES = {
    "MatMulInteger": [(1, 3)],
    "ConvInteger": [(1, 3)],
    "DynamicQuantizeMatMul": [(1, 4)],
    "DynamicQuantizeLSTM": [(1, 9), (2, 11)],
}


def with_unsigned_weights(model: onnx.ModelProto) -> onnx.ModelProto | None:
    """Returns a model that computes the same; None when no weights of these ops are int8. The model has its data."""
    graph = model.graph
    known = {t.name: t for t in graph.initializer}
    known |= {n.output[0]: a.t for n in graph.node if n.op_type == "Constant" for a in n.attribute if a.name == "value"}
    made: dict[str, onnx.TensorProto] = {}

    def unsigned(name: str) -> str:
        moved = f"{name}_unsigned"
        values = numpy_helper.to_array(known[name]).astype(np.int16) + 128 if name else np.array(128)
        made[moved] = numpy_helper.from_array(values.astype(np.uint8), moved)
        return moved

    out = onnx.ModelProto()
    out.CopyFrom(model)
    for node in out.graph.node:
        for weight, zero in PLACES.get(node.op_type, []):
            tensor = known.get(node.input[weight]) if weight < len(node.input) else None
            if tensor is None or tensor.data_type != onnx.TensorProto.INT8:
                continue
            node.input.extend([""] * (zero + 1 - len(node.input)))
            if node.input[zero] and node.input[zero] not in known:
                continue
            node.input[weight], node.input[zero] = unsigned(node.input[weight]), unsigned(node.input[zero])
    out.graph.initializer.extend(made.values())
    return out if made else None
