"""Programs that state where their tensors lie, as passes write them, become artifacts and compute the same."""

import numpy as np
import pytest
import sunmao
from sunmao import relax
from sunmao.compat.relax.programs import GraphProgram

LOWERING = [
    "legalize-ops",
    "to-non-dataflow",
    "remove-purity-checking",
    "lower-call-tir",
    "plan-block-memory",
    "lower-alloc-tensor",
    "kill-after-last-use",
]
HEAD = """from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
"""
CHAIN = """
    @R.function
    def main(x: R.Tensor((8, 16), "float32"), w: R.Tensor((16, 16), "float32")):
        with R.dataflow():
            a = R.matmul(x, w)
            b = R.nn.softmax(a)
            c = R.matmul(b, w)
            d = R.nn.softmax(R.add(c, a))
            e = R.reshape(d, (4, 32))
            f = R.nn.softmax(e)
            R.output(f, d)
        return (f, d)
"""
SYMBOLS = """
    @R.function
    def main(x: R.Tensor(("n", 16), "float32"), w: R.Tensor((16, 16), "float32")):
        n = T.int64()
        with R.dataflow():
            a = R.matmul(x, w)
            b = R.nn.softmax(a)
            c = R.sum(b, axis=0)
            d = R.nn.softmax(R.concat((R.matmul(b, w), x), axis=0))
            e = R.nn.softmax(R.add(c, R.sum(w, axis=0)))
            R.output(d, e)
        return (d, e)
"""
BRANCH = """
    @R.function(private=True)
    def twice(x: R.Tensor(("n", 16), "float32")) -> R.Tensor(("n", 16), "float32"):
        y = R.nn.softmax(x)
        z = R.nn.softmax(R.nn.relu(R.cumsum(y, axis=0)))
        return z

    @R.function
    def main(x: R.Tensor((8, 16), "float32"), w: R.Tensor((16, 16), "float32")):
        a = R.nn.softmax(R.matmul(x, w))
        t = R.less(R.sum(a), R.const(8.5, "float32"))
        if t:
            b = Module.twice(a)
        else:
            b = R.matmul(a, w)
        c = R.nn.softmax(R.matmul(b, w))
        return c
"""
IN_PLACE = """
    @R.function
    def main(x: R.Tensor((8, 16), "float32"), w: R.Tensor((16, 16), "float32")):
        a = R.nn.softmax(R.matmul(x, w))
        b = R.scatter_nd(a, R.const([[1], [3]], "int64"), R.strided_slice(x, [0], [0], [2]))
        c = R.matmul(b, w)
        return c
"""
PROGRAMS = {"chain": CHAIN, "symbols": SYMBOLS, "branch": BRANCH, "in_place": IN_PLACE}
RANDOM = np.random.default_rng(3)
ARGS = [RANDOM.uniform(-1, 1, shape).astype("float32") for shape in ((8, 16), (16, 16))]


def after(module: sunmao.Module, *passes: str) -> sunmao.Module:
    for name in passes:
        module = sunmao._sunmao.run_pass(module, name)
    return module


def flat(value: object) -> list[np.ndarray]:
    if isinstance(value, (tuple, list)):
        return [leaf for field in value for leaf in flat(field)]
    return [np.asarray(value)]


def check_same(lowered: sunmao.Module, wanted: object) -> None:
    for got in (sunmao.compile(lowered)(*ARGS), sunmao.evaluate(lowered, *ARGS)):
        for a, b in zip(flat(got), flat(wanted), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_that_passes_have_lowered(name: str) -> None:
    module = sunmao.parse_module(HEAD + PROGRAMS[name])
    lowered = after(module, *LOWERING)
    assert "builtin.alloc_tensor" in lowered.script() or "memory.alloc_storage" in lowered.script()
    check_same(lowered, sunmao.evaluate(module, *ARGS))


def test_relax_build_makes_an_artifact() -> None:
    module = after(sunmao.parse_module(HEAD + CHAIN), *LOWERING)
    program = relax.build(sunmao.ir.IRModule(module), "llvm")
    assert isinstance(program.program, GraphProgram)
    got = relax.VirtualMachine(program, sunmao.runtime.cpu())["main"](*(sunmao.runtime.tensor(a) for a in ARGS))
    for a, b in zip(got, sunmao.evaluate(module, *ARGS), strict=True):
        np.testing.assert_allclose(a.numpy(), np.asarray(b), rtol=1e-5, atol=1e-6)
