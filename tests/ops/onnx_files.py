"""ONNX files of modules, and what they compute when they are read back."""

from typing import Any

import numpy as np
from sunmao import _sunmao
from sunmao.arrays import to_numpy, to_tensor

# Of max|got - want| / max|want|: what an op computes in several steps is rounded several times.
TOLERANCE = {"float64": 1e-12, "float32": 2e-6, "float16": 4e-3, "bfloat16": 3e-2}


def read_back(data: bytes, inputs: list[Any]) -> list[np.ndarray[Any, Any]]:
    """Returns what the evaluator computes of the module that an ONNX file is read as."""
    module, weights, states, _ = _sunmao.read_onnx(data, "m.onnx", "")
    assert not states
    main = module.find("main")
    names = [p.name for p in main.params][len(inputs) :]
    assert set(names) == set(weights)
    return evaluated(module, [*inputs, *(weights[n] for n in names)])


def evaluated(module: _sunmao.Module, inputs: list[Any]) -> list[np.ndarray[Any, Any]]:
    """Returns the results of `main` by the evaluator."""
    value = _sunmao.evaluate(module, "main", [to_tensor(x) for x in inputs])
    return [to_numpy(field) for field in (value if isinstance(value, tuple) else (value,))]


def difference(got: np.ndarray[Any, Any], want: np.ndarray[Any, Any]) -> str:
    """Returns what is wrong with a result, or nothing."""
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype} {got.shape} in place of {want.dtype} {want.shape}"
    tolerance = TOLERANCE.get(want.dtype.name)
    if tolerance is None:
        return "" if np.array_equal(got, want) else f"{got} in place of {want}"
    a, b = got.astype(np.float64), want.astype(np.float64)
    finite = np.isfinite(b)
    if not np.array_equal(np.isfinite(a), finite) or not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return f"{got} in place of {want}"
    error = np.abs(a[finite] - b[finite]).max(initial=0) / (np.abs(b[finite]).max(initial=0) or 1)
    return "" if error <= tolerance else f"error {error:.3g}: {got} in place of {want}"
