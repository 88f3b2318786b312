"""Sizes that turn out 1 when a program runs: what `broadcast_to` repeats, alone and in kernels with other ops."""

from __future__ import annotations

import numpy as np
import pytest
import sunmao
from sunmao.errors import Error

SCRIPT = """from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "k"), "float32"), y: R.Tensor(("m", 257), "float32")):
        m = T.int64()
        with R.dataflow():
            e = R.exp(x)
            b = R.broadcast_to(e, R.shape([m, 257]))
            s = R.add(b, y)
            t = R.sum(s, axis=[1])
            z = (b, s, t)
            R.output(z)
        return z
"""


def rows(n: int, k: int) -> np.ndarray:
    return np.linspace(-1, 1, n * k, dtype="float32").reshape(n, k)


@pytest.fixture(scope="module")
def module() -> sunmao.Module:
    return sunmao.parse_module(SCRIPT)


@pytest.mark.parametrize("threads", [1, 2])
def test_sizes_of_1_are_repeated(module: sunmao.Module, threads: int) -> None:
    compiled = sunmao.compile(module, threads=threads)
    for n, k, m in [(4, 257, 4), (1, 257, 4), (4, 1, 4), (1, 1, 4), (1, 257, 1), (1, 1, 1), (1, 257, 0), (0, 1, 0)]:
        x, y = rows(n, k), rows(m, 257)
        b = np.broadcast_to(np.exp(x), (m, 257))
        want = b, b + y, (b + y).sum(1)
        for got in (compiled.flat(x, y), sunmao.evaluate(module, x, y)):
            for g, w in zip(got, want, strict=True):
                np.testing.assert_allclose(g, w, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("n", "k", "m"), [(3, 257, 4), (4, 5, 4), (0, 257, 4), (4, 257, 1)])
def test_other_sizes_are_refused(module: sunmao.Module, n: int, k: int, m: int) -> None:
    compiled = sunmao.compile(module)
    for run in (compiled.flat, lambda *a: sunmao.evaluate(module, *a)):
        with pytest.raises(Error) as error:
            run(rows(n, k), rows(m, 257))
        assert error.value.code == "E0905"
