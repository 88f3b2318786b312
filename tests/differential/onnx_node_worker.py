"""A worker of onnx_node_tests.py: reads the index of a case in each line, answers what became of it."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent


def load_cases(filter_: str) -> list[Any]:
    """Returns the cases of kind "node" in a stable order."""
    import re

    from onnx.backend.test.loader import load_model_tests

    return [case for case in _all(load_model_tests) if re.search(filter_, case.name)]


@cache
def _all(load: Any) -> list[Any]:
    warnings.simplefilter("ignore")
    return sorted(load(kind="node"), key=lambda case: str(case.name))


def _check(got: Any, want: Any, rtol: float, atol: float) -> str:
    """Compares as onnx's own runner does."""
    import ml_dtypes  # noqa: F401

    if got.dtype != want.dtype:
        return f"dtype is {got.dtype}, expected {want.dtype}"
    if got.shape != want.shape:
        return f"shape is {got.shape}, expected {want.shape}"
    if want.dtype == object:
        return "" if np.array_equal(got, want) else "texts differ"
    if want.dtype.kind not in "biufc":  # of ml_dtypes
        got, want = got.astype(np.float32), want.astype(np.float32)
    try:
        np.testing.assert_allclose(got, want, rtol=rtol, atol=atol)
    except AssertionError as error:
        return " ".join(str(error).split())[:300]
    return ""


def _tensor(value: Any) -> Any:
    """Returns a tensor as an array: ONNX has those of small types as protos. Anything else comes back as it is."""
    import onnx

    if isinstance(value, onnx.TensorProto):
        return onnx.numpy_helper.to_array(value)
    return np.asarray(value) if isinstance(value, np.generic) else value


def _agrees_with_float64(model: Any, inputs: list[Any], index: int, got: Any, recorded: Any) -> bool:
    """True if float64 says that `got` is right where it misses what was recorded."""
    from comparing import UNIT, error_beyond
    from wide_reference import wide_outputs

    if got.dtype != recorded.dtype or got.shape != recorded.shape or str(got.dtype) not in UNIT:
        return False
    try:
        precise = np.asarray(wide_outputs(model, inputs)[index], np.float64)
    except Exception:  # the evaluator does not have everything in float64
        return False
    return precise.shape == got.shape and not error_beyond(got, recorded, precise)


def run_case(case: Any) -> dict[str, str]:
    import onnx
    import sunmao

    detail = ""
    sets = [([_tensor(v) for v in inputs], [_tensor(v) for v in outputs]) for inputs, outputs in case.data_sets]
    if not all(isinstance(v, np.ndarray) for inputs, outputs in sets for v in [*inputs, *outputs]):
        return {"kind": "aside", "detail": "values that are no tensors"}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "node.onnx"
        onnx.save(case.model, path)
        try:
            model = sunmao.compile(path, opt_level=1, threads=1)
        except sunmao.Error as error:
            return {"kind": "refused" if error.code else "failed", "detail": str(error).replace(str(path), "node.onnx")}
        except Exception as error:
            return {"kind": "failed", "detail": f"{type(error).__name__}: {error}"}
        for inputs, outputs in sets:
            try:
                result = model(*inputs)
            except Exception as error:
                return {"kind": "failed", "detail": f"run: {type(error).__name__}: {error}"}
            got = result if isinstance(result, tuple) else (result,)
            if len(got) != len(outputs):
                return {"kind": "wrong", "detail": f"{len(got)} outputs, expected {len(outputs)}"}
            for i, (g, w) in enumerate(zip(got, outputs, strict=True)):
                text = _check(np.asarray(g), w, case.rtol, case.atol)
                if text and not _agrees_with_float64(case.model, inputs, i, np.asarray(g), w):
                    return {"kind": "wrong", "detail": f"output {i}: {text}"}
                detail = f"output {i}: by float64" if text else detail
    return {"kind": "passed", "detail": detail}


def main() -> None:
    sys.path.insert(0, str(HERE.parents[1] / "python"))
    import sunmao  # noqa: F401  (a package that cannot be imported ends the run, not each case)

    # What the libraries print must not stand among the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    cases = load_cases(sys.argv[1])
    print(json.dumps({"cases": len(cases)}), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(run_case(cases[int(line)])), file=answers, flush=True)


if __name__ == "__main__":
    main()
