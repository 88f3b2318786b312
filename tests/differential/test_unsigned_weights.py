"""tests/differential/unsigned_weights.py: integer products that do not saturate anywhere."""

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import sunmao
from onnx import helper, numpy_helper
from unsigned_weights import with_unsigned_weights

TYPES = onnx.TensorProto


def product_model(weights: np.ndarray, zero: np.ndarray | None) -> onnx.ModelProto:
    held = [numpy_helper.from_array(weights, "w"), numpy_helper.from_array(np.array(3, np.uint8), "a_zero")]
    names = ["x", "w", "a_zero"]
    if zero is not None:
        held.append(numpy_helper.from_array(zero, "w_zero"))
        names.append("w_zero")
    graph = helper.make_graph(
        [helper.make_node("MatMulInteger", names, ["y"])],
        "product",
        [helper.make_tensor_value_info("x", TYPES.UINT8, [4, weights.shape[0]])],
        [helper.make_tensor_value_info("y", TYPES.INT32, [4, weights.shape[1]])],
        held,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


@pytest.mark.parametrize("zero", [None, np.array(-5, np.int8)])
def test_products_are_exact(zero: np.ndarray | None, tmp_path: Path) -> None:
    weights = np.random.default_rng(1).integers(-128, 128, (64, 8)).astype(np.int8)
    x = np.full((4, 64), 255, np.uint8)
    model = product_model(weights, zero)
    exact = with_unsigned_weights(model)
    assert exact is not None
    expected = (x.astype(np.int32) - 3) @ (weights.astype(np.int32) - (0 if zero is None else int(zero)))
    session = onnxruntime.InferenceSession(exact.SerializeToString(), providers=["CPUExecutionProvider"])
    np.testing.assert_array_equal(session.run(None, {"x": x})[0], expected)
    onnx.save(model, tmp_path / "product.onnx")
    np.testing.assert_array_equal(sunmao.compile(tmp_path / "product.onnx")(x), expected)


def test_other_weights_stay() -> None:
    assert with_unsigned_weights(product_model(np.ones((4, 4), np.uint8), None)) is None
