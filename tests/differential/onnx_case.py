"""Single ops of ONNX: a case is one node that is compiled, run, and compared with a reference.

    CASES = {"Conv": [Case(inputs=[T(1, 3, 8, 8), W(4, 3, 3, 3)], attrs={"pads": [1, 1, 1, 1]})]}

stands in tests/differential/onnx_cases/<family>.py.
"""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import onnx
import sunmao
from comparing import Array, differences, outputs_of
from onnx import helper, numpy_helper

COMPILE: dict[str, Any] = {"opt_level": 1, "threads": 1}
TOLERANCE = 1e-4
OPSET = 18


class T:
    """An input to be drawn. Floats are normal, or uniform in [low, high), or in [0.1, 2) where `positive`; integers are
    uniform in [low, high), by default [0, 8). `value` is taken as it is."""

    def __init__(
        self,
        *shape: int,
        dtype: Any = np.float32,
        low: float | None = None,
        high: float | None = None,
        positive: bool = False,
        value: Any = None,
    ) -> None:
        self.value = None if value is None else np.asarray(value)
        self.shape = tuple(shape) if self.value is None else self.value.shape
        self.dtype: np.dtype[Any] = np.dtype(dtype) if self.value is None else self.value.dtype
        self.low, self.high = (0.1, 2.0) if positive else (low, high)

    def draw(self, random: np.random.Generator, shape: Sequence[int] | None = None) -> Array:
        sizes = tuple(self.shape if shape is None else shape)
        if self.value is not None:
            return np.array(self.value) if sizes == self.shape else np.resize(self.value, sizes)
        if self.dtype == np.bool_:
            return random.random(sizes) < 0.5
        if self.dtype.kind in "iu" or "int" in self.dtype.name:
            first, end = int(self.low or 0), int(8 if self.high is None else self.high)
            return random.integers(first, end, sizes).astype(self.dtype)
        if self.low is None and self.high is None:
            return np.asarray(random.standard_normal(sizes)).astype(self.dtype)
        low, high = 0.0 if self.low is None else self.low, 1.0 if self.high is None else self.high
        return np.asarray(random.uniform(low, high, sizes)).astype(self.dtype)


class W(T):
    """An initializer, drawn like T."""


class Case:
    """One node with `inputs` (T, W, or None for an omitted one) and `outputs`: how many, or for each if it is used.

    `dynamic` names dimensions of inputs, {0: {0: "n"}}. They are run at their size and at those of `sizes`, by default
    one larger. The reference is onnx's evaluator, ONNX Runtime where `engine` is "ort" (always for com.microsoft), or a
    callable on all inputs. `model` may make the whole model instead of one node; its inputs are the T in order."""

    def __init__(
        self,
        inputs: Sequence[T | None],
        outputs: int | Sequence[bool] = 1,
        opset: int = OPSET,
        attrs: Mapping[str, Any] | None = None,
        dynamic: Mapping[int, Mapping[int, str]] | None = None,
        reference: Callable[..., Any] | None = None,
        engine: Literal["reference", "ort"] = "reference",
        tol: float = TOLERANCE,
        sizes: Sequence[Mapping[str, int]] | None = None,
        model: Callable[[], onnx.ModelProto] | None = None,
    ) -> None:
        self.inputs = list(inputs)
        self.outputs = [True] * outputs if isinstance(outputs, int) else list(outputs)
        self.opset, self.attrs, self.dynamic = opset, dict(attrs or {}), dict(dynamic or {})
        self.reference, self.engine, self.tol, self.model = reference, engine, tol, model
        given = {name: self.shape_of(i)[d] for i, dims in self.dynamic.items() for d, name in dims.items()}
        larger = [{name: size + 1 for name, size in given.items()}] if given else []
        self.sizes: list[Mapping[str, int]] = [given, *(larger if sizes is None else sizes)]

    def shape_of(self, index: int, sizes: Mapping[str, int] | None = None) -> tuple[int, ...]:
        spec = self.inputs[index]
        assert spec is not None
        names = self.dynamic.get(index, {})
        return tuple((sizes or {}).get(names.get(d, ""), size) for d, size in enumerate(spec.shape))


def _type(dtype: np.dtype[Any]) -> int:
    return onnx.TensorProto.STRING if dtype.kind in "OUS" else helper.np_dtype_to_tensor_dtype(dtype)


def build(key: str, case: Case, weights: Mapping[int, Array], results: Sequence[Array | None] = ()) -> onnx.ModelProto:
    """Returns the model of a case. Outputs have the types of `results` where those are given, else none."""
    if case.model is not None:
        return case.model()
    domain, _, op = key.rpartition("::")
    names = ["" if spec is None else f"input{i}" for i, spec in enumerate(case.inputs)]
    outputs = [f"output{i}" if used else "" for i, used in enumerate(case.outputs)]
    node = helper.make_node(op, names, outputs, name=f"the_{op}", domain=domain, **case.attrs)
    values = []
    for i, spec in enumerate(case.inputs):
        if spec is not None and not isinstance(spec, W):
            dims = [case.dynamic.get(i, {}).get(d, size) for d, size in enumerate(spec.shape)]
            values.append(helper.make_tensor_value_info(names[i], _type(spec.dtype), dims))
    used = [name for name in outputs if name]
    infos = [onnx.ValueInfoProto(name=name) for name in used]
    for i, result in enumerate(results):
        if result is not None:
            shape = None if case.dynamic else result.shape
            infos[i] = helper.make_tensor_value_info(used[i], _type(result.dtype), shape)
    tensors = [numpy_helper.from_array(weight, names[i]) for i, weight in weights.items()]
    opsets = [helper.make_opsetid("", case.opset)] + ([helper.make_opsetid(domain, 1)] if domain else [])
    graph = helper.make_graph([node], "case", values, infos, tensors)
    return helper.make_model(graph, opset_imports=opsets, ir_version=helper.find_min_ir_version_for(opsets, True))


def expected(key: str, case: Case, model: onnx.ModelProto, values: Sequence[Array | None]) -> list[Array]:
    """Returns the reference's outputs. `values` are those of all inputs, initializers too."""
    if case.reference is not None:
        result = case.reference(*values)
        return [np.asarray(r) for r in (result if isinstance(result, tuple | list) else (result,))]
    given = [v for v, spec in zip(values, case.inputs, strict=True) if spec is not None and not isinstance(spec, W)]
    feeds = {info.name: value for info, value in zip(model.graph.input, given, strict=True)}
    if case.engine == "ort" or key.startswith("com.microsoft"):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level, options.intra_op_num_threads = 3, 1
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
        return [np.asarray(r) for r in session.run(None, feeds)]
    from onnx.reference import ReferenceEvaluator

    return [np.asarray(r) for r in ReferenceEvaluator(model).run(None, feeds)]


def evaluator(path: Path) -> Callable[..., Any]:
    """Returns a model that the evaluator runs."""
    module, weights = sunmao.read_model(path)
    main: Any = module.find("main")
    rest = [weights[p.name] for p in main.params if p.name in weights]
    return lambda *inputs: sunmao.evaluate(module, *inputs, *rest)


def run(key: str, case: Case, seed: str = "") -> None:
    """Runs one case; an AssertionError says what differs."""
    random = np.random.default_rng(zlib.crc32(f"{key}-{seed}".encode()))
    weights = {i: spec.draw(random) for i, spec in enumerate(case.inputs) if isinstance(spec, W)}
    model: Callable[..., Any] | None = None
    for sizes in case.sizes:
        values = [
            None if spec is None else weights[i] if i in weights else spec.draw(random, case.shape_of(i, sizes))
            for i, spec in enumerate(case.inputs)
        ]
        plain = build(key, case, weights)
        want = expected(key, case, plain, values)
        if model is None:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "case.onnx"
                onnx.save(build(key, case, weights, want), path)
                model = sunmao.compile(path, **COMPILE)
        given = [v for i, v in enumerate(values) if v is not None and i not in weights]
        found = differences(outputs_of(model(*given)), want, case.tol)
        assert not found, f"at {dict(sizes)}: " + "; ".join(found) if sizes else "; ".join(found)
