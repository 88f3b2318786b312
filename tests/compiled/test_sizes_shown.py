"""What `lower-sizes` prints compiles to the same program: the same results, and the same refusals."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import sunmao
import sunmao_binary

HEAD = """from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
"""
CHECKS = """
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32"), y: R.Tensor(("p",), "float32"), s: R.Shape(["k"])):
        R.func_attr({"tir_var_upper_bound": {"n": 6}})
        n = T.int64()
        m = T.int64()
        k = T.int64()
        z = R.match_cast(y, R.Tensor((n * m,), "float32"))
        b = R.add(R.reshape(x, R.shape([n * m])), z)
        c = R.match_cast(R.concat([b, b]), R.Tensor((k,), "float32"))
        return (R.exp(c), R.shape([k + 1, m]))
"""
DATA = """
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n + 1",), "float32"), s: R.Shape(["k"])):
        n = T.int64()
        k = T.int64()
        q = T.int64()
        i = R.match_cast(R.nonzero(R.add(x, R.strided_slice(y, [0], [1], [n + 1]))), R.Tensor((1, q), "int64"))
        j = R.match_cast(R.concat([i, i], axis=1), R.Tensor((1, k), "int64"))
        return (R.add(j, j), R.shape([q]))
"""
BRANCH = """
    @R.function(private=True)
    def half(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n // 2",), "float32"):
        n = T.int64()
        y = R.strided_slice(x, [0], [0], [n // 2])
        return R.exp(y)

    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("p",), "float32"), s: R.Shape(["k"])):
        n = T.int64()
        p = T.int64()
        k = T.int64()
        c = R.less(R.sum(x), R.const(0, "float32"))
        if c:
            a = Module.half(x)
        else:
            a = Module.half(R.negative(x))
        b = R.match_cast(a, R.Tensor((p,), "float32"))
        return (R.add(b, y), R.shape([k * 2, n]))
"""
RANDOM = np.random.default_rng(5)


def floats(*shape: int) -> np.ndarray:
    return RANDOM.uniform(0.5, 1, shape).astype("float32")


# By program: arguments that fit, and arguments that do not.
Given = tuple[np.ndarray, np.ndarray, tuple[int, ...]]
CASES: dict[str, tuple[str, list[Given], list[Given]]] = {
    "checks": (
        CHECKS,
        [(floats(3, 2), floats(6), (12,)), (floats(6, 1), floats(6), (12,))],
        [
            (floats(3, 2), floats(5), (12,)),
            (floats(3, 2), floats(6), (11,)),
            (floats(7, 1), floats(7), (14,)),
            (floats(3, 2), floats(6), (12, 1)),
        ],
    ),
    "data": (
        DATA,
        [(floats(4), floats(5), (8,)), (floats(0), floats(1), (0,))],
        [(floats(4), floats(4), (8,)), (floats(4), floats(5), (7,))],
    ),
    "branch": (
        BRANCH,
        [(floats(5), floats(2), (3,)), (-floats(6), floats(3), (1,))],
        [(floats(5), floats(3), (3,)), (floats(7), floats(4), (0,))],
    ),
}


def ready(text: str, folder: Path) -> sunmao.Module:
    script = folder / "m.py"
    script.write_text(HEAD + text)
    result = sunmao_binary.sunmao("opt", script, "--stop-after", "update-in-place")
    assert result.returncode == 0, result.stderr
    return sunmao.parse_module(result.stdout)


def shown(module: sunmao.Module) -> sunmao.Module:
    return sunmao.run_pass(module, "lower-sizes")


def program(module: sunmao.Module, folder: Path) -> str:
    """The program of an artifact, without the numbers in names of symbols that passes make."""
    artifact = folder / "m.sunmao"
    sunmao.compile(module).save(artifact)
    text = sunmao_binary.sunmao("inspect", artifact, "--bytecode").stdout.split("program:")[1]
    return re.sub(r"\bn\d+\b", "n", re.sub(r"\bshape\d*\b", "shape", text))


@pytest.mark.parametrize("name", CASES)
def test_the_program_is_the_same(name: str, tmp_path: Path) -> None:
    module = ready(CASES[name][0], tmp_path)
    with_sizes = shown(module)
    assert "R.match_cast(x, R.Tensor(" in with_sizes.script()
    assert program(with_sizes, tmp_path) == program(module, tmp_path)


@pytest.mark.parametrize("name", CASES)
def test_so_is_the_program_with_its_memory_shown(name: str, tmp_path: Path) -> None:
    planned = sunmao.run_pass(ready(CASES[name][0], tmp_path), "plan-memory")
    assert program(shown(planned), tmp_path) == program(planned, tmp_path)


def refusal(model: sunmao.Model, args: Given) -> str:
    with pytest.raises(sunmao.Error) as caught:
        model(*args)
    return re.sub(r"\S*:\d+", "", str(caught.value))


@pytest.mark.parametrize("name", CASES)
def test_results_and_refusals_are_the_same(name: str, tmp_path: Path) -> None:
    text, good, bad = CASES[name]
    module = ready(text, tmp_path)
    plain = sunmao.compile(module)
    printed = sunmao.compile(sunmao.parse_module(shown(module).script()))
    for args in good:
        wanted = sunmao.evaluate(sunmao.parse_module(HEAD + text), *args)
        for a, b in zip(printed(*args), wanted, strict=True):
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-5)
    for args in bad:
        assert refusal(printed, args) == refusal(plain, args)
