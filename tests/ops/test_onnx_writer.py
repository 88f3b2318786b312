"""Calls that are written as ONNX files and read back compute the same; what has no counterpart there has a reason."""

import numpy as np
import pytest
import sunmao
from one_function import module_of
from onnx_files import difference, evaluated, read_back
from onnx_writer_cases import ROWS, floats, written
from sunmao import _sunmao
from sunmao.arrays import to_tensor


@pytest.mark.parametrize("op", ROWS)
def test_what_is_written_is_read_back(op: str, pytestconfig: pytest.Config) -> None:
    cases, obstacles = written(op, pytestconfig.getoption("--samples"))
    assert len(cases) >= 2, obstacles
    for case in cases:
        want = evaluated(case.module, case.inputs)
        got = read_back(case.data, case.inputs)
        wrong = [difference(*pair) for pair in zip(got, want, strict=True)]
        assert not any(wrong), f"{case.label}: {wrong}"


def test_rows_are_ops_of_both() -> None:
    assert set(ROWS) <= set(_sunmao.op_names()) and len(ROWS) > 130
    read = {row["op"] for row in _sunmao.frontend_rows() if row["frontend"] == "onnx"}
    assert {name for names in ROWS.values() for name in names.split(", ")} <= read


WEIGHTED = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("batch", 4), "float32"), w: R.Tensor((4, 3), "float32"), b: R.Tensor((3,), "float32")):
        R.func_attr({"num_input": 1, "sunmao.source_weights": {"w": "fc.weight"},
                     "sunmao.source_inputs": {"x": "in 1"}})
        with R.dataflow():
            y = R.matmul(x, w)
            s = R.add(y, b)
            z = R.nn.relu(s)
            R.output(z)
        return (z, x, z, R.const([1, 2], "int64"))
"""


def test_weights_names_sizes_and_results() -> None:
    module = sunmao.parse_module(WEIGHTED)
    w, b, x = floats(4, 3), floats(3), floats(2, 4)
    data, obstacle = _sunmao.write_onnx(module, {"w": to_tensor(w), "b": to_tensor(b)})
    assert obstacle == ""
    assert all(text in data for text in (b"fc.weight", b"in 1", b"batch"))
    for got, want in zip(read_back(data, [x]), [z := np.maximum(x @ w + b, 0), x, z, np.array([1, 2])], strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
    assert _sunmao.write_onnx(module, {"w": to_tensor(w)})[1] == "the weight `b` has no data"


def test_the_same_module_is_the_same_file() -> None:
    module = module_of(['x: R.Tensor(("n", 6), "float32")'], ["y = R.reshape(x, R.shape([n * 6]))"], ["n"])
    assert _sunmao.write_onnx(module, {}) == _sunmao.write_onnx(module, {})


HEAD = '@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((4,), "float32")'
OBSTACLES = {
    "`digamma` has no counterpart in ONNX": f"{HEAD}):\n        y = R.digamma(x)\n        return y\n",
    "`add` on bool has no counterpart in ONNX": f'{HEAD}):\n        b = R.astype(x, "bool")\n'
    "        y = R.add(b, b)\n        return y\n",
    "the parameter `s` is no tensor": f'{HEAD}, s: R.Prim("int64")):\n        y = R.exp(x)\n        return y\n',
    "`y` is checked while running, by a match_cast": f"{HEAD}):\n        n = T.int64()\n        y = R.match_cast("
    'R.unique(x), R.Tensor((n,), "float32"))\n        return y\n',
    "ONNX has no dtype float8_e3m4, of `x`": f"{HEAD}):\n        y = R.exp(x)\n        return y\n".replace(
        "float32", "float8_e3m4"
    ),
    "the size `n // 2` is no sum or product of sizes of inputs": f"{HEAD}, z: R.Tensor(('n',), \"float32\")):\n"
    '        n = T.int64()\n        y = R.zeros(R.shape([n // 2]), "float32")\n        return y\n',
    "the module has more functions than `main`, and a graph of ONNX is one": f"{HEAD}):\n        y = R.exp(x)\n"
    '        return y\n    @R.function\n    def other(x: R.Tensor((4,), "float32")):\n        return x\n',
    "`strided_slice` backwards from a place that may lie before the first one has no counterpart in ONNX": f"{HEAD}):\n"
    "        y = R.strided_slice(x, [0], [-6], [-9], [-1])\n        return y\n",
    "the module has no function `main`": f"{HEAD}):\n        y = R.exp(x)\n        return y\n".replace("main", "run"),
    "`y` is a branch": f'{HEAD}, c: R.Tensor((), "bool")):\n        if c:\n            y = R.exp(x)\n        else:\n'
    "            y = R.negative(x)\n        return y\n",
}


@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_what_has_no_form_in_onnx_says_why(obstacle: str) -> None:
    data, told = _sunmao.write_onnx(sunmao.parse_module(OBSTACLES[obstacle]), {})
    assert (data, told) == (b"", obstacle)
