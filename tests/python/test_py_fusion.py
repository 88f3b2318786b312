"""The fusing passes, one after the other, on a program."""

import numpy as np
import pytest
import sunmao
from sunmao.compat.ir import assert_structural_equal
from sunmao.compat.ir.module import IRModule
from sunmao.compat.ir.transform import PassContext, Sequential
from sunmao.compat.relax import transform

PROGRAM = """
from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 8), "float32"), w: R.Tensor((8, 6), "float32"), b: R.Tensor((6,), "float32")):
        with R.dataflow():
            y = R.matmul(x, w)
            z = R.nn.relu(R.add(y, b))
            s = R.nn.softmax(R.multiply(R.concat((z, R.exp(z)), axis=1), R.const(2, "float32")))
            parts = R.split(s, 2, axis=1)
            r = R.add(parts[0], R.permute_dims(R.permute_dims(parts[1])))
            R.output(r, z)
        return (r, z)
"""
VALUES = [np.random.default_rng(0).uniform(-1, 1, shape).astype("float32") for shape in ((3, 8), (8, 6), (6,))]


def legal() -> IRModule:
    passes = [transform.LegalizeOps(), transform.AnnotateTIROpPattern()]
    return Sequential(passes)(IRModule(sunmao.parse_module(PROGRAM)))


def primitive(module: IRModule) -> int:
    return sum("Primitive" in (f.attrs or {}) for f in module.functions.values())


def test_a_program_means_the_same_after_each_pass() -> None:
    before = legal()
    expected = sunmao.evaluate(before.__sunmao_module__(), *VALUES)
    fused = transform.FuseOps()(before)
    joined = transform.FuseTIR()(fused)
    assert primitive(fused) > 1
    assert primitive(joined) == 0
    results = [sunmao.evaluate(module.__sunmao_module__(), *VALUES) for module in (fused, joined)]
    results.append(sunmao.compile(joined.__sunmao_module__())(*VALUES))
    for result in results:
        for got, wanted in zip(result, expected, strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)


def test_inputs_stay_as_they_are() -> None:
    before = legal()
    transform.FuseTIR()(transform.FuseOps()(before))
    assert_structural_equal(before, legal())


def test_the_depth_limits_groups() -> None:
    with PassContext(config={"relax.FuseOps.max_depth": 1}):
        assert primitive(transform.FuseOps()(legal())) == 0
    with PassContext(config={"relax.FuseOps.max_depth": -1}), pytest.raises(sunmao.Error, match="E0514.*0 or more"):
        transform.FuseOps()(legal())


def test_the_level_decides_whether_anything_is_fused() -> None:
    with PassContext(opt_level=0):
        assert primitive(transform.FuseOps()(legal())) == 0
        assert primitive(transform.FuseOps(fuse_opt_level=2)(legal())) > 1


def test_names_of_blocks_are_no_part_of_the_structure() -> None:
    text = """
from tvm.script import tirx as T

@T.prim_func
def f(a: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.sblock("NAME"):
            v = T.axis.spatial(4, i)
            a[v] = T.float32(1)
"""
    one, other = (sunmao.parse_module(text.replace("NAME", name)) for name in ("one", "other"))
    assert sunmao.structural_equal(one, other)
    assert sunmao.structural_hash(one) == sunmao.structural_hash(other)
