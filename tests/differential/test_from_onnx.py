"""What `relax.frontend.onnx.from_onnx` makes of a model: parameters and their data, results, op attributes, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pytest
import sunmao
import sunmao.compat as tvm
from onnx import TensorProto, helper, numpy_helper
from sunmao.compat import relax
from sunmao.compat.relax.frontend.onnx import from_onnx

F32 = TensorProto.FLOAT


def info(name: str, shape: Any, dtype: int = F32) -> Any:
    return helper.make_tensor_value_info(name, dtype, shape)


def proto(nodes: Any, inputs: Any, outputs: Any, weights: dict[str, Any] | None = None, opset: int = 18) -> Any:
    initializers = [numpy_helper.from_array(np.asarray(value), name) for name, value in (weights or {}).items()]
    graph = helper.make_graph(nodes, "g", inputs, outputs, initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def one(op: str, inputs: Any, *, opset: int = 18, weights: Any = None, out: int = F32, **attrs: Any) -> Any:
    """Returns a model of one node, whose inputs are given by name and shape, or by name, shape and dtype."""
    names = [*(i[0] for i in inputs), *(weights or {})]
    node = helper.make_node(op, names, ["y"], **attrs)
    return proto([node], [info(*i) for i in inputs], [info("y", None, out)], weights, opset)


def bindings(mod: Any) -> list[str]:
    lines = [line.strip() for line in mod.script().splitlines()]
    return [line.split(" = ", 1)[1] for line in lines if " = R." in line or line.startswith("gv")]


RESHAPE = one("Reshape", [("x", [6])], weights={"shape": np.array([2, 3], "int64")})


def test_all_initializers_are_parameters_with_data() -> None:
    mod = from_onnx(RESHAPE, keep_params_in_input=True)
    assert [p.name for p in mod["main"].params] == ["x", "shape"]
    assert mod["main"].attrs["num_input"] == 1
    np.testing.assert_array_equal(mod["main"].attrs["params"][0].numpy(), [2, 3])
    bare, params = relax.frontend.detach_params(mod)
    assert "params" not in bare["main"].attrs
    np.testing.assert_array_equal(params["main"][0].numpy(), [2, 3])


def test_the_data_of_parameters_goes_through_passes() -> None:
    mod = from_onnx(one("Add", [("x", [2])], weights={"w": np.float32(3)}), keep_params_in_input=True)
    mod = relax.transform.LegalizeOps()(relax.transform.DecomposeOpsForInference()(mod))
    mod, params = relax.frontend.detach_params(mod)
    vm = relax.VirtualMachine(tvm.compile(mod, target="llvm"), tvm.cpu())
    vm.set_input("main", np.ones(2, "float32"), *params["main"])
    vm.invoke_stateful("main")
    np.testing.assert_array_equal(vm.get_outputs("main").numpy(), [4, 4])


def test_constants_are_no_parameters() -> None:
    value = numpy_helper.from_array(np.ones((2, 3), "float32"))
    nodes = [helper.make_node("Constant", [], ["c"], value=value), helper.make_node("Add", ["x", "c"], ["y"])]
    mod = from_onnx(proto(nodes, [info("x", [2, 3])], [info("y", None)]), keep_params_in_input=True)
    assert [p.name for p in mod["main"].params] == ["x"]
    assert "params" not in mod["main"].attrs


def test_weights_are_constants_without_the_option() -> None:
    mod = from_onnx(RESHAPE)
    assert [p.name for p in mod["main"].params] == ["x"]
    assert "params" not in mod["main"].attrs


def test_results_are_bound() -> None:
    assert bindings(from_onnx(one("Identity", [("x", [2])]))) == ["x"]
    nodes = [helper.make_node("Relu", ["x"], ["a"]), helper.make_node("Abs", ["x"], ["b"])]
    both = from_onnx(proto(nodes, [info("x", [2])], [info("a", [2]), info("b", [2])]))
    assert bindings(both) == ["R.nn.relu(x)", "R.abs(x)", "(a, b)"]
    ex = tvm.compile(both, target="llvm")
    a, b = relax.VirtualMachine(ex, tvm.cpu())["main"](np.array([-1, 2], "float32"))
    np.testing.assert_array_equal([a.numpy(), b.numpy()], [[0, 2], [1, 2]])


def test_question_marks_are_different_sizes() -> None:
    mod = from_onnx(one("Relu", [("x", ["?", "?"])]))
    rows, columns = mod["main"].params[0].ty.shape.values
    assert rows is not columns
    ex = tvm.compile(mod, target="llvm")
    relax.VirtualMachine(ex, tvm.cpu())["main"](np.ones((2, 3), "float32"))


def test_quantized_by_one_scale_along_the_stated_axis() -> None:
    inputs = [("x", [2, 3]), ("scale", [])]
    assert "axis=1" in bindings(from_onnx(one("QuantizeLinear", inputs, opset=21, out=TensorProto.UINT8)))[0]
    back = [("x", [2, 3], TensorProto.INT8), ("scale", [])]
    assert "axis=0" in bindings(from_onnx(one("DequantizeLinear", back, axis=0)))[0]
    vector = [("x", [3]), ("scale", [])]
    assert "axis=0" in bindings(from_onnx(one("QuantizeLinear", vector, opset=21, out=TensorProto.UINT8)))[0]


X23, BYTE, INT64 = ("x", [2, 3]), TensorProto.UINT8, TensorProto.INT64
EMPTY = [helper.make_node("Optional", [], ["o"], type=helper.make_tensor_type_proto(F32, [2]))]
REFUSALS = {
    "must match the zero-point dtype": one(
        "QuantizeLinear", [X23, ("s", []), ("z", [], TensorProto.INT8)], opset=21, out=BYTE, output_dtype=BYTE
    ),
    "precision attribute": one("QuantizeLinear", [X23, ("s", [])], opset=23, out=BYTE, precision=TensorProto.FLOAT16),
    "saturate=0": one(
        "QuantizeLinear",
        [X23, ("s", []), ("z", [], TensorProto.FLOAT8E4M3FN)],
        opset=19,
        out=TensorProto.FLOAT8E4M3FN,
        saturate=0,
    ),
    "reductions are supported, but got sum": one(
        "ScatterElements", [X23, ("i", [2, 3], TensorProto.INT64), ("u", [2, 3])], reduction="sum"
    ),
    "step values must be non-zero": one(
        "Slice", [X23], weights={k: np.array([v], "int64") for k, v in zip("bear", (0, 2, 0, 0), strict=True)}
    ),
    "same length, got 2 and 1": one("Slice", [X23, *((n, [c], INT64) for n, c in [("a", 2), ("b", 1)])]),
    "input 1 is missing": proto(
        [helper.make_node("Slice", ["x", "", "ends", "axes"], ["y"])],
        [info("x", [2, 3]), info("ends", [1], INT64), info("axes", [1], INT64)],
        [info("y", None)],
    ),
    "`axes` has rank 2. Expected a 1-D tensor": one("Squeeze", [X23, ("axes", [1, 2], INT64)]),
    "integer inputs encountered divisor value 0": one(
        "Div", [("x", [3], INT64)], weights={"d": np.array([3, 0, -2])}, out=INT64
    ),
    "input A is of int8, expected int16 or uint16": one(
        "MatMulInteger16",
        [("a", [2, 3], TensorProto.INT8), ("b", [3, 4], TensorProto.INT16)],
        out=TensorProto.INT32,
        domain="com.microsoft",
    ),
    "axes must be unique": one("Unsqueeze", [X23], weights={"a": np.array([0, -4], "int64")}),
    "scalar .* or a single-element": one("CumSum", [X23], weights={"a": np.array([0, 1], "int64")}),
    "no type attribute": proto([helper.make_node("Optional", [], ["o"])], [], [info("o", None)]),
    "empty optional": proto([*EMPTY, helper.make_node("OptionalGetElement", ["o"], ["y"])], [], [info("y", None)]),
    r"new_axis in \[0, 1\], got 2": proto(
        [
            helper.make_node("SequenceConstruct", ["x", "x"], ["s"]),
            helper.make_node("ConcatFromSequence", ["s"], ["y"], axis=0, new_axis=2),
        ],
        [info("x", [2])],
        [info("y", None)],
    ),
}


@pytest.mark.parametrize("text", REFUSALS)
def test_refusals(text: str) -> None:
    with pytest.raises(sunmao.Error, match=text):
        from_onnx(REFUSALS[text])


@pytest.mark.parametrize("low", [-1.0, np.nan])
@pytest.mark.parametrize("high", [1.0, np.nan])
@pytest.mark.parametrize("is_known", [True, False])
def test_a_bound_that_is_no_number_is_none(low: float, high: float, is_known: bool) -> None:
    x, bounds = np.array([-2.5, 0.5, 3, np.inf], "float32"), {"low": np.array(low, "f"), "high": np.array(high, "f")}
    fed = {"x": x, **({} if is_known else bounds)}
    model = one("Clip", [(name, value.shape) for name, value in fed.items()], weights=bounds if is_known else None)
    expected = onnxruntime.InferenceSession(model.SerializeToString()).run(None, fed)[0]
    vm = relax.VirtualMachine(tvm.compile(from_onnx(model), target="llvm"), tvm.cpu())
    np.testing.assert_array_equal(vm["main"](*fed.values()).numpy(), expected)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_hardmax_is_one_hot(dtype: str) -> None:
    model = one("Hardmax", [("x", [2, 3], helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))], axis=0)
    mod = from_onnx(model)
    assert [b.split("(")[0] for b in bindings(mod)] == ["R.argmax", "R.one_hot"]
    x = np.array([[1, 5, 2], [1, 4, 3]], dtype)
    vm = relax.VirtualMachine(tvm.compile(mod, target="llvm"), tvm.cpu())
    np.testing.assert_array_equal(vm["main"](x).numpy(), [[1, 1, 0], [0, 0, 1]])


def test_hardmax_of_integers_is_no_defect() -> None:
    mod = from_onnx(one("Hardmax", [("x", [2, 3], TensorProto.UINT8)], out=TensorProto.UINT8))
    x = np.array([[1, 3, 2], [5, 5, 4]], "uint8")
    np.testing.assert_array_equal(sunmao.evaluate(mod, x), [[0, 1, 0], [1, 0, 0]])


def test_what_follows_from_constants_is_computed() -> None:
    value = numpy_helper.from_array(np.array([1, 2], "float32"))
    nodes = [helper.make_node("Constant", [], ["c"], value=value), helper.make_node("Add", ["c", "c"], ["y"])]
    assert bindings(from_onnx(proto(nodes, [], [info("y", [2])]), keep_params_in_input=True)) == [
        'R.const([2.0, 4.0], "float32")'
    ]


def test_layer_normalization_of_older_opsets_is_read() -> None:
    model = one("LayerNormalization", [("x", [2, 4])], weights={"w": np.ones(4, "float32")}, opset=14)
    x = np.random.default_rng(1).standard_normal((2, 4)).astype("float32")
    expected = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": x})[0]
    vm = relax.VirtualMachine(tvm.compile(from_onnx(model), target="llvm"), tvm.cpu())
    np.testing.assert_allclose(vm["main"](x).numpy(), expected, atol=1e-5)


def test_dimensions_that_are_terms_of_others() -> None:
    model = one("Relu", [("x", ["past", "past + 1", "2*rows", "rows", "batch-size"])])
    text = from_onnx(model).script()
    assert 'R.Tensor(("past", "past + 1", "2 * rows", "rows", "batch_size"), dtype="float32")' in text
    assert '("rows", "rows // 2")' in from_onnx(one("Relu", [("x", ["rows", "rows / 2"])])).script()
    mod = from_onnx(model)
    x = np.full((2, 3, 4, 2, 1), -1, np.float32)
    np.testing.assert_array_equal(sunmao.evaluate(mod, x), np.zeros_like(x))
    with pytest.raises(sunmao.Error):
        sunmao.compile(mod)(x[:, :2])


def test_other_readers_take_terms_as_names(tmp_path: Any) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(one("Relu", [("x", ["past", "past + 1"])]).SerializeToString())
    x = np.full((2, 2), -1, np.float32)
    np.testing.assert_array_equal(sunmao.compile(path)(x), np.zeros_like(x))


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([".", "123"], ["_", "input_123"]),
        (["_", "."], ["_", "__1"]),
        (["a:0", "a_0"], ["a_0", "a_0_1"]),
        (["_x", "x"], ["_x", "x"]),
    ],
)
def test_names_of_inputs_are_those_of_tvm(names: list[str], expected: list[str]) -> None:
    assert [p.name for p in from_onnx(one("Add", [(name, [2]) for name in names]))["main"].params] == expected


@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax", "Hardmax"])
def test_no_axis_is_left_behind_the_last_one(op: str) -> None:
    x = np.random.default_rng(0).standard_normal((2, 3), np.float32)
    got = sunmao.evaluate(from_onnx(one(op, [("x", [2, 3])], opset=11, axis=2)), x)
    np.testing.assert_array_equal(got, np.zeros_like(x) if op == "LogSoftmax" else np.ones_like(x))


@pytest.mark.parametrize("a", ["int16", "uint16"])
@pytest.mark.parametrize("b", ["int16", "uint16"])
def test_products_of_integers_of_16_bits(a: str, b: str) -> None:
    both = (np.iinfo(a).max, np.iinfo(b).max)
    x, y = np.array([[both[0], 1, 3]], a), np.array([[both[1]], [2], [5]], b)
    code = helper.np_dtype_to_tensor_dtype
    want = "uint32" if a == b == "uint16" else "int32"
    model = one(
        "MatMulInteger16",
        [("a", [1, 3], code(x.dtype)), ("b", [3, 1], code(y.dtype))],
        out=code(np.dtype(want)),
        domain="com.microsoft",
    )
    got = sunmao.compile(from_onnx(model))(x, y)
    assert got.dtype == want
    np.testing.assert_array_equal(got, (x.astype("int64") @ y.astype("int64")).astype(want))


def against_onnxruntime(model: Any, *inputs: Any) -> Any:
    """Returns the module, which gives what ONNX Runtime gives."""
    mod = from_onnx(model, keep_params_in_input=False)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    wanted = session.run(None, {i.name: x for i, x in zip(session.get_inputs(), inputs, strict=True)})
    got = sunmao.evaluate(mod, *inputs)
    np.testing.assert_allclose(got, wanted[0], rtol=1e-4, atol=1e-5)
    return mod


@pytest.mark.parametrize(
    ("how", "widths"), [("SAME_UPPER", "0, 0, 0, 0, 0, 1, 1, 1"), ("SAME_LOWER", "0, 0, 0, 0, 1, 0, 1, 1")]
)
def test_convolutions_are_padded_by_a_call_of_their_own(how: str, widths: str) -> None:
    weight = np.random.default_rng(0).standard_normal((4, 3, 3, 3)).astype("float32")
    x = np.random.default_rng(1).standard_normal((1, 3, 8, 7)).astype("float32")
    model = one("Conv", [("x", x.shape)], weights={"w": weight}, auto_pad=how, strides=[2, 2])
    text = against_onnxruntime(model, x).script()
    assert f"R.nn.pad(x, pad_width=[{widths}]" in text
    assert "padding=[0, 0, 0, 0]" in text or "padding" not in text.partition("R.nn.conv2d(")[2].partition("\n")[0]


def test_no_padding_is_no_call() -> None:
    x = np.ones((1, 3, 4, 4), "float32")
    model = one("Conv", [("x", x.shape)], weights={"w": np.ones((4, 3, 1, 1), "float32")}, auto_pad="SAME_UPPER")
    assert "R.nn.pad" not in against_onnxruntime(model, x).script()


@pytest.mark.parametrize("scale", [1.0, 0.25])
@pytest.mark.parametrize("pixels", ["half_pixel", "output_half_pixel"])
def test_regions_lie_at_the_middles_of_pixels(scale: float, pixels: str) -> None:
    x = np.random.default_rng(0).standard_normal((2, 3, 8, 9)).astype("float32")
    rois = np.array([[1, 1, 6, 5], [0.5, 2, 7, 7.25], [2, 2, 2.1, 2.2]], "float32") / scale
    inputs = [("x", x.shape), ("rois", rois.shape), ("images", (3,), TensorProto.INT64)]
    model = one("RoiAlign", inputs, coordinate_transformation_mode=pixels, spatial_scale=scale, output_height=2,
                output_width=3, sampling_ratio=2)  # fmt: skip
    against_onnxruntime(model, x, rois, np.array([0, 1, 1]))


def test_statistics_of_narrow_batches_are_computed_in_float32() -> None:
    half = TensorProto.FLOAT16
    names = ("x", "scale", "bias", "mean", "var")
    node = helper.make_node("BatchNormalization", names, ["y", "m", "v"], training_mode=1)
    shapes = [(4, 3, 2, 2), *[(3,)] * 4]
    model = proto([node], [info(n, s, half) for n, s in zip(names, shapes, strict=True)],
                  [info(n, None, half) for n in ("y", "m", "v")])  # fmt: skip
    mod = from_onnx(model)
    x = (300 * np.random.default_rng(0).standard_normal(shapes[0])).astype("float16")  # whose squares float16 lacks
    ones, zeros = np.ones(3, "float16"), np.zeros(3, "float16")
    y, mean, variance = sunmao.evaluate(mod, x, ones, zeros, zeros, zeros)
    wide = x.astype("float64")
    true_mean, true_variance = wide.mean((0, 2, 3)), wide.var((0, 2, 3))
    normal = (wide - true_mean[:, None, None]) / np.sqrt(true_variance[:, None, None] + 1e-5)
    np.testing.assert_allclose(y.astype("float64"), normal, atol=5e-3)
    np.testing.assert_allclose(mean.astype("float64"), 0.1 * true_mean, rtol=2e-3, atol=1e-2)
    np.testing.assert_allclose(variance.astype("float64"), 0.1 * true_variance, rtol=2e-3)
