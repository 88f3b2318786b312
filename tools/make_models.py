"""Generates the test models and their recorded inputs and outputs (`make models`), which are committed.

One small network in three forms (ONNX, .pt2, script), and a single layer to measure sizes with. The outputs are
PyTorch's and must agree with those of NumPy and ONNX Runtime. Output is reproducible with the same package versions.
"""

# The imports are installed for `make models` only, so type checking must not depend on them.
# mypy: disable-error-code="import-not-found, import-untyped, misc, no-any-return, no-untyped-call, attr-defined"

import io
import json
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT / "tests" / "models"
BATCHES = (1, 2, 7, 64)
MAX_BATCH = 512
OPSET = 18

SCRIPT = """\
# Two dense layers with a relu, a reshape and a sum between them; the weights stand in mlp.weights.safetensors.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor(("n", 16), "float32"),
        fc1_weight: R.Tensor((32, 16), "float32"),
        fc1_bias: R.Tensor((32,), "float32"),
        fc2_weight: R.Tensor((3, 4), "float32"),
        fc2_bias: R.Tensor((3,), "float32"),
    ) -> R.Tensor(("n", 3), "float32"):
        n = T.int64()
        R.func_attr({"num_input": 1})
        with R.dataflow():
            w1 = R.permute_dims(fc1_weight, axes=[1, 0])
            h1 = R.add(R.matmul(x, w1), fc1_bias)
            h2 = R.nn.relu(h1)
            h3 = R.reshape(h2, R.shape([n, 4, 8]))
            h4 = R.sum(h3, axis=[-1])
            w2 = R.permute_dims(fc2_weight, axes=[1, 0])
            y = R.add(R.matmul(h4, w2), fc2_bias)
            R.output(y)
        return y
"""


class Mlp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(16, 32)
        self.fc2 = nn.Linear(4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = torch.relu(self.fc1(x))
        pooled = hidden.reshape(hidden.shape[0], 4, 8).sum(-1)
        return self.fc2(pooled)


def seeded(model: nn.Module, seed: int) -> nn.Module:
    """Initialises weights with NumPy's legacy generator, whose stream is stable between versions."""
    random = np.random.RandomState(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.from_numpy(random.uniform(-0.5, 0.5, parameter.shape).astype(np.float32)))
    return model.eval()


def numpy_mlp(w: dict[str, np.ndarray], x: np.ndarray) -> np.ndarray:
    hidden = np.maximum(x @ w["fc1.weight"].T + w["fc1.bias"], 0)
    pooled = hidden.reshape(len(x), 4, 8).sum(-1)
    return pooled @ w["fc2.weight"].T + w["fc2.bias"]


def mlp_onnx(w: dict[str, np.ndarray]) -> onnx.ModelProto:
    nodes = [
        helper.make_node("Gemm", ["x", "fc1.weight", "fc1.bias"], ["fc1"], name="Gemm_0", transB=1),
        helper.make_node("Relu", ["fc1"], ["relu"], name="Relu_1"),
        helper.make_node("Shape", ["relu"], ["shape"], name="Shape_2"),
        helper.make_node("Gather", ["shape", "zero"], ["batch_size"], name="Gather_3", axis=0),
        helper.make_node("Unsqueeze", ["batch_size", "axis0"], ["batch_list"], name="Unsqueeze_4"),
        helper.make_node("Concat", ["batch_list", "tail"], ["target"], name="Concat_5", axis=0),
        helper.make_node("Reshape", ["relu", "target"], ["grouped"], name="Reshape_6"),
        helper.make_node("ReduceSum", ["grouped", "last"], ["pooled"], name="ReduceSum_7", keepdims=0),
        helper.make_node("Transpose", ["fc2.weight"], ["fc2_t"], name="Transpose_8", perm=[1, 0]),
        helper.make_node("MatMul", ["pooled", "fc2_t"], ["fc2"], name="MatMul_9"),
        helper.make_node("Add", ["fc2", "fc2.bias"], ["y"], name="Add_10"),
    ]
    numbers = {"zero": 0, "axis0": [0], "tail": [4, 8], "last": [-1]}
    return onnx_model("mlp", nodes, {**w, **{k: np.array(v, np.int64) for k, v in numbers.items()}}, 16, 3)


def linear_onnx(w: dict[str, np.ndarray]) -> onnx.ModelProto:
    nodes = [helper.make_node("Gemm", ["x", "weight", "bias"], ["y"], name="Gemm_0", transB=1)]
    return onnx_model("linear", nodes, w, w["weight"].shape[1], w["weight"].shape[0])


def onnx_model(
    name: str, nodes: list[onnx.NodeProto], weights: dict[str, np.ndarray], inputs: int, outputs: int
) -> onnx.ModelProto:
    graph = helper.make_graph(
        nodes,
        name,
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", inputs])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", outputs])],
        [numpy_helper.from_array(v, k) for k, v in weights.items()],
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8, producer_name="sunmao"
    )
    onnx.checker.check_model(model, full_check=True)
    return model


def relative_paths(program: torch.export.ExportedProgram) -> None:
    """Makes file names in stack traces relative, so that the test files contain no machine paths."""
    for node in program.graph.nodes:
        trace = node.meta.get("stack_trace")
        if trace:
            trace = trace.replace(f"{ROOT}/", "").replace(f"{Path(torch.__file__).parent.parent}/", "")
            node.meta["stack_trace"] = trace
        node.meta.pop("from_node", None)


def export_pt2(model: nn.Module, path: Path, decompose: bool) -> None:
    batch = torch.export.Dim("batch", min=1, max=MAX_BATCH)
    program = torch.export.export(model, (torch.zeros(5, 16),), dynamic_shapes={"x": {0: batch}})
    if decompose:
        program = program.run_decompositions()
    relative_paths(program)
    # Drops the sample inputs: an unused pickle that differs from run to run.
    program._example_inputs = None
    buffer = io.BytesIO()
    torch.export.save(program, buffer)
    path.write_bytes(buffer.getvalue())


def safetensors(tensors: dict[str, np.ndarray]) -> bytes:
    header: dict[str, Any] = {}
    data = b""
    for name, array in tensors.items():
        assert array.dtype == np.float32
        raw = np.ascontiguousarray(array).tobytes()
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 8) % 64)
    return struct.pack("<Q", len(text)) + text + data


def batches(width: int, seed: int) -> Iterator[tuple[str, np.ndarray]]:
    random = np.random.RandomState(seed)
    for batch in BATCHES:
        yield f"b{batch}", random.uniform(-1, 1, (batch, width)).astype(np.float32)


def record(model: nn.Module, width: int, others: Any) -> bytes:
    """Returns inputs and PyTorch's outputs for several batch sizes; `others` yields outputs that must be close to
    them."""
    recorded = {}
    for name, x in batches(width, seed=7):
        with torch.no_grad():
            y = model(torch.from_numpy(x)).numpy()
        for other in others(x):
            np.testing.assert_allclose(y, other, rtol=1e-5, atol=1e-5)
        recorded[f"{name}.input.0"], recorded[f"{name}.output.0"] = x, y
    return safetensors(recorded)


def run_onnx(model: onnx.ModelProto, x: np.ndarray) -> np.ndarray:
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0]


def weights_of(model: nn.Module) -> dict[str, np.ndarray]:
    return {name: value.detach().numpy() for name, value in model.named_parameters()}


def make_mlp() -> None:
    model = seeded(Mlp(), seed=1)
    weights = weights_of(model)
    exported = mlp_onnx(weights)
    (MODELS / "mlp.onnx").write_bytes(exported.SerializeToString())
    export_pt2(model, MODELS / "mlp.pt2", decompose=False)
    export_pt2(model, MODELS / "mlp_aten.pt2", decompose=True)
    (MODELS / "mlp.py").write_text(SCRIPT)
    renamed = {name.replace(".", "_"): value for name, value in weights.items()}
    (MODELS / "mlp.weights.safetensors").write_bytes(safetensors(renamed))
    recorded = record(model, 16, lambda x: (numpy_mlp(weights, x), run_onnx(exported, x)))
    for kind in ("onnx", "pt2", "py"):
        (MODELS / f"mlp.{kind}.safetensors").write_bytes(recorded)


def make_linear() -> None:
    model = seeded(nn.Linear(128, 512), seed=2)
    weights = weights_of(model)
    exported = linear_onnx(weights)
    (MODELS / "linear_128_512.onnx").write_bytes(exported.SerializeToString())
    x = next(iter(batches(128, seed=7)))[1]
    np.testing.assert_allclose(run_onnx(exported, x), x @ weights["weight"].T + weights["bias"], rtol=1e-5, atol=1e-5)


def main() -> None:
    MODELS.mkdir(parents=True, exist_ok=True)
    make_mlp()
    make_linear()
    for path in sorted(MODELS.iterdir()):
        if path.suffix == ".pt2":
            assert str(ROOT).encode() not in path.read_bytes() and zipfile.is_zipfile(path)
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
