"""ONNX's checker accepts the files that calls are written as, and ONNX Runtime computes what the evaluator does."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import shape_inference
from onnx.reference import ReferenceEvaluator
from onnx_files import difference, evaluated
from onnx_writer_cases import ROWS, Written, written
from sunmao.arrays import to_numpy, to_tensor

SAMPLES = 6
# Dtypes that NumPy has: ONNX Runtime takes arrays of them.
DTYPES = ("float32", "float16", "float64", "int8", "int32", "int64", "uint8", "uint32", "bool")
# ONNX Runtime lacks some dtypes and forms of an op.
NOT_THERE = ("NOT_IMPLEMENTED", "Could not find an implementation", "data type is not supported", "mode only supports",
             "Tensor type mismatch")  # fmt: skip
# Ops that ONNX Runtime does not have: ONNX's own evaluator stands for it.
BY_REFERENCE = {"linalg.det"}


def dtypes_of(model: onnx.ModelProto) -> dict[str, int]:
    """Returns the element type of each tensor, as ONNX infers it."""
    graph = shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True).graph
    found = {v.name: v.type.tensor_type.elem_type for v in [*graph.input, *graph.value_info, *graph.output]}
    return {**found, **{t.name: t.data_type for t in graph.initializer}}


def unlike_schema(model: onnx.ModelProto) -> list[str]:
    """Returns the inputs of nodes whose dtype the op is not defined for."""
    found, out = dtypes_of(model), []
    for node in model.graph.node:
        schema = onnx.defs.get_schema(node.op_type, model.opset_import[0].version)
        allowed = {c.type_param_str: set(c.allowed_type_strs) for c in schema.type_constraints}
        for i, name in enumerate(node.input):
            formal = schema.inputs[min(i, len(schema.inputs) - 1)]
            names = allowed.get(formal.type_str, {formal.type_str})
            kind = onnx.TensorProto.DataType.Name(found[name]).lower() if name else ""
            if name and f"tensor({kind})" not in names:
                out.append(f"{node.op_type} takes {name} of {kind}")
    return out


def run(case: Written) -> list[Any] | None:
    """Returns what ONNX Runtime computes; None where it lacks the op in this form."""
    given = [to_numpy(to_tensor(x)) for x in case.inputs]
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = onnxruntime.InferenceSession(case.data, options, providers=["CPUExecutionProvider"])
        return session.run(None, {i.name: x for i, x in zip(session.get_inputs(), given, strict=True)})
    except Exception as error:
        if any(text in str(error) for text in NOT_THERE):
            return None
        raise


def run_by_reference(case: Written, model: onnx.ModelProto) -> list[Any]:
    given = {i.name: to_numpy(to_tensor(x)) for i, x in zip(model.graph.input, case.inputs, strict=True)}
    return ReferenceEvaluator(model).run(None, given)


def is_unlike(op: str, case: Written) -> bool:
    """True where ONNX Runtime is known to give another result than ONNX says, or ONNX does not say which: the largest
    of NaN and numbers, products and exponentials of infinities; and where a scalar has no place, ONNX Runtime gives
    one."""
    arrays = [to_numpy(to_tensor(x)) for x in case.inputs]
    if op == "nonzero":
        return arrays[0].ndim == 0
    is_finite = all(np.isfinite(a.astype("float64")).all() for a in arrays)
    return not is_finite and (op in ("max", "min", "nn.log_softmax", "nn.softmax") or "max_pool" in op)


@pytest.mark.parametrize("op", ROWS)
def test_others_read_what_is_written(op: str) -> None:
    cases, obstacles = written(op, SAMPLES, DTYPES)
    compared = 0
    for case in cases:
        model = onnx.load_from_string(case.data)
        onnx.checker.check_model(model, full_check=True)
        assert unlike_schema(model) == [], case.label
        want = evaluated(case.module, case.inputs)
        got = run_by_reference(case, model) if op in BY_REFERENCE else run(case)
        if got is None or is_unlike(op, case):
            continue
        compared += 1
        wrong = [difference(np.asarray(g), w) for g, w in zip(got, want, strict=True)]
        assert not any(wrong), f"{case.label}: {wrong}"
    assert compared > 0, obstacles
