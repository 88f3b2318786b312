"""Models that ONNX Runtime quantised are computed in integers, in the numbers that their graph means, and weights stay
as narrow as they are."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
import sunmao
import torch
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from torch import nn
from torchao.quantization import IntxWeightOnlyConfig, quantize_
from torchao.quantization.granularity import PerGroup
from torchao.utils import unwrap_tensor_subclass

SIZE = (2, 3, 16, 16)
TARGETS = ("x86-64-v2", "x86-64-v3", "host")


class Network(nn.Module):  # type: ignore[misc]
    """Convolutions of all kinds, a residual, a pool, and a product."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 16, 3, stride=2, padding=1)
        self.pool = nn.MaxPool2d(3, stride=2, padding=1)
        self.grouped = nn.Conv2d(16, 16, 3, padding=1, groups=2)
        self.depthwise = nn.Conv2d(16, 16, 3, padding=1, groups=16)
        self.dilated = nn.Conv2d(16, 24, 3, padding=2, dilation=2)
        self.last = nn.Linear(24, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.pool(torch.relu(self.first(x)))
        x = x + nn.functional.hardswish(self.grouped(x))
        x = torch.clamp(self.depthwise(x), 0, 6)
        x = self.dilated(x).mean((2, 3))
        out: torch.Tensor = self.last(x)
        return out


class Samples(CalibrationDataReader):  # type: ignore[misc]
    def __init__(self) -> None:
        generator = np.random.default_rng(1)
        self.left: Iterator[Any] = iter([{"x": generator.standard_normal(SIZE, np.float32)} for _ in range(3)])

    def get_next(self) -> Any:
        return next(self.left, None)


@pytest.fixture(scope="module")
def floats(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(2)
    path = tmp_path_factory.mktemp("network") / "network.onnx"
    torch.onnx.export(Network().eval(), (torch.randn(SIZE),), path, input_names=["x"], dynamo=True, external_data=False)
    return path


KINDS = {
    "u8s8": {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8, "per_channel": True},
    "s8s8": {"activation_type": QuantType.QInt8, "weight_type": QuantType.QInt8, "per_channel": True},
    "u8u8": {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QUInt8, "per_channel": False},
}


@pytest.mark.parametrize("kind", KINDS)
def test_onnx_runtime_quantiser(kind: str, floats: Path, tmp_path: Path) -> None:
    path = tmp_path / "network.onnx"
    quantize_static(floats, path, Samples(), quant_format=QuantFormat.QDQ, **KINDS[kind])
    x = np.random.default_rng(3).standard_normal(SIZE, np.float32)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    expected = onnxruntime.InferenceSession(path, options).run(None, {"x": x})[0]

    results = []
    for target in TARGETS:
        model = sunmao.compile(path, target=target)
        for threads in (1, 2):
            sunmao.set_threads(threads)
            results.append(np.asarray(model(x)))
    for other in results[1:]:
        np.testing.assert_array_equal(results[0], other)
    # Each product behind the pass says what it adds: integers, or bytes in float32 where channels stay apart.
    passed = str(sunmao.run_pass(sunmao.run_pass(sunmao.read_model(path)[0], "normalize"), "compute-in-integers"))
    products = [line for line in passed.splitlines() if "R.nn.conv2d(" in line or "R.matmul(" in line]
    assert len(products) >= 5
    assert all('out_dtype="' in line for line in products), products
    step = np.ptp(expected) / 255
    assert np.abs(results[0] - expected).max() <= 2.5 * step
    assert np.abs(results[0] - expected).mean() <= 0.2 * step


def test_weights_alone_are_quantised(tmp_path: Path) -> None:
    """A table with a scale for each row, weights with one for each column or with zero points, and weights in halves:
    all stay as narrow as they are in the file, and results are those of ONNX Runtime."""
    random = np.random.default_rng(5)
    rows, width, hidden = 600, 96, 256
    arrays = {
        "table": random.integers(-127, 128, (rows, width)).astype(np.int8),
        "table_scale": random.random(rows).astype(np.float32),
        "first": random.integers(-127, 128, (width, hidden)).astype(np.int8),
        "first_scale": (random.random(hidden) / 500).astype(np.float32),
        "second": random.integers(0, 256, (width, hidden)).astype(np.uint8),  # transposed
        "second_scale": (random.random(width) / 500).astype(np.float32),
        "second_zero": random.integers(110, 150, width).astype(np.uint8),
        "third": random.standard_normal((width, hidden)).astype(np.float16),
    }
    nodes = [
        helper.make_node("DequantizeLinear", ["table", "table_scale"], ["rows"], axis=0),
        helper.make_node("Gather", ["rows", "tokens"], ["x"], axis=0),
        helper.make_node("DequantizeLinear", ["first", "first_scale"], ["w"], axis=1),
        helper.make_node("MatMul", ["x", "w"], ["a"]),
        helper.make_node("Tanh", ["a"], ["b"]),
        helper.make_node("DequantizeLinear", ["second", "second_scale", "second_zero"], ["v"], axis=0),
        helper.make_node("Transpose", ["v"], ["vt"], perm=[1, 0]),
        helper.make_node("MatMul", ["b", "vt"], ["c"]),
        helper.make_node("Cast", ["third"], ["u"], to=TensorProto.FLOAT),
        helper.make_node("MatMul", ["c", "u"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "weights_alone",
        [helper.make_tensor_value_info("tokens", TensorProto.INT64, (2, 7))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (2, 7, hidden))],
        [numpy_helper.from_array(a, name) for name, a in arrays.items()],
    )
    path = tmp_path / "weights_alone.onnx"
    path.write_bytes(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10).SerializeToString()
    )
    tokens = random.integers(0, rows, (2, 7))
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    expected = onnxruntime.InferenceSession(path, options).run(None, {"tokens": tokens})[0]
    for target in TARGETS:
        model = sunmao.compile(path, target=target)
        np.testing.assert_allclose(np.asarray(model(tokens)), expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())
        model.save(tmp_path / "model.sunmao")
        narrow = sum(a.nbytes for a in arrays.values())
        assert (tmp_path / "model.sunmao").stat().st_size < 1.1 * narrow + 32_000


class Block(nn.Module):  # type: ignore[misc]
    """A layer of a transformer: both products of its attention have computed operands."""

    def __init__(self) -> None:
        super().__init__()
        self.projection, self.out = nn.Linear(32, 96), nn.Linear(32, 32)
        self.up, self.down = nn.Linear(32, 64), nn.Linear(64, 32)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        heads = self.projection(x).reshape(*x.shape[:2], 3, 2, 16).permute(2, 0, 3, 1, 4)
        weights = torch.softmax(heads[0] @ heads[1].transpose(-1, -2) / 4, -1)
        x = x + self.out((weights @ heads[2]).transpose(1, 2).reshape(x.shape))
        out: torch.Tensor = x + self.down(nn.functional.gelu(self.up(x)))
        return out


class Tokens(Samples):
    def __init__(self) -> None:
        generator = np.random.default_rng(1)
        self.left = iter([{"x": generator.standard_normal((2, 24, 32), np.float32)} for _ in range(3)])


@pytest.mark.parametrize("kind", KINDS)
def test_attention_of_onnx_runtime_quantiser(kind: str, tmp_path: Path) -> None:
    torch.manual_seed(2)
    floats, path = tmp_path / "floats.onnx", tmp_path / "block.onnx"
    example = (torch.randn(2, 24, 32),)
    torch.onnx.export(Block().eval(), example, floats, input_names=["x"], dynamo=True, external_data=False)
    quantize_static(floats, path, Tokens(), quant_format=QuantFormat.QDQ, **KINDS[kind])
    x = np.random.default_rng(3).standard_normal((2, 24, 32), np.float32)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    expected = onnxruntime.InferenceSession(path, options).run(None, {"x": x})[0]
    passed = str(sunmao.run_pass(sunmao.run_pass(sunmao.read_model(path)[0], "normalize"), "compute-in-integers"))
    products = [line for line in passed.splitlines() if "R.matmul(" in line]
    assert len(products) == 6
    assert all('out_dtype="int32"' in line for line in products), products
    step = np.ptp(expected) / 255
    for target in TARGETS:
        got = np.asarray(sunmao.compile(path, target=target)(x))
        assert np.abs(got - expected).max() <= 2.5 * step
        assert np.abs(got - expected).mean() <= 0.2 * step


@pytest.mark.parametrize("bits", [2, 4, 8])
def test_groups_of_torchao_stay_narrow(bits: int, tmp_path: Path) -> None:
    torch.manual_seed(4)
    network = nn.Sequential(nn.Linear(512, 2048), nn.GELU(), nn.Linear(2048, 256)).eval()
    codes = sum(p.numel() for p in network.parameters())  # of one byte each in the exported program
    quantize_(network, IntxWeightOnlyConfig(weight_dtype=getattr(torch, f"int{bits}"), granularity=PerGroup(32)))
    x = torch.randn(5, 512)
    path, artifact = tmp_path / "network.pt2", tmp_path / "network.sunmao"
    torch.export.save(torch.export.export(unwrap_tensor_subclass(network), (x,)), path)
    for target in TARGETS:
        model = sunmao.compile(path, target=target)
        np.testing.assert_allclose(np.asarray(model(x.numpy())), network(x).detach(), rtol=1e-4, atol=1e-5)
    model.save(artifact)
    assert artifact.stat().st_size < 1.3 * codes, "a scale takes an eighth of the group's codes"


@pytest.mark.parametrize("bits", [2, 4, 8])
def test_packed_weights_stay_packed(bits: int, tmp_path: Path) -> None:
    rows, columns, block = 1024, 512, 32
    random = np.random.default_rng(5)
    weight = random.integers(0, 256, (rows, columns // block, block * bits // 8), np.uint8)
    scales = (random.random(rows * columns // block) * 0.01 + 0.01).astype(np.float32)
    zeros = random.integers(0, 256, rows * columns // block * bits // 8, np.uint8)
    inits = [numpy_helper.from_array(a, n) for a, n in ((weight, "w"), (scales, "s"), (zeros, "z"))]
    attrs = {"K": columns, "N": rows, "bits": bits, "block_size": block, "accuracy_level": 1}
    node = helper.make_node("MatMulNBits", ["x", "w", "s", "z"], ["y"], domain="com.microsoft", **attrs)
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, columns])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [3, rows])],
        inits,
    )
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    path, artifact = tmp_path / "model.onnx", tmp_path / "model.sunmao"
    path.write_bytes(helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString())
    x = random.standard_normal((3, columns), np.float32)
    (want,) = onnxruntime.InferenceSession(path).run(None, {"x": x})
    model = sunmao.compile(path)
    np.testing.assert_allclose(np.asarray(model(x)), want, rtol=1e-4, atol=1e-3)
    model.save(artifact)
    assert artifact.stat().st_size < 1.02 * sum(a.nbytes for a in (weight, scales, zeros)) + 60_000
