"""Programs that say where tensors lie: what depends on the contents of memory is refused, never computed wrongly."""

import numpy as np
import pytest
import sunmao

HEAD = """from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def fill(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.sblock("fill"):
                v = T.axis.spatial(8, i)
                B[v] = A[v] * T.float32(2)

    @T.prim_func(private=True)
    def inc(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.sblock("inc"):
                v = T.axis.spatial(8, i)
                B[v] = B[v] + A[v]

    @T.prim_func(private=True)
    def half(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        for i in range(4):
            with T.sblock("half"):
                v = T.axis.spatial(8, i)
                B[v] = A[v] * T.float32(3)

    @T.prim_func(private=True)
    def never(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        for k in range(0):
            for i in range(8):
                with T.sblock("never"):
                    v = T.axis.spatial(8, i)
                    B[v] = A[v]

    @R.function(pure=False)
    def main(x: R.Tensor((8,), "float32"), c: R.Tensor((), "bool")):
        cls = Module
"""
ALONE = '        a = R.builtin.alloc_tensor(R.shape([8]), "float32", 0)\n'
SHARED = """        s = R.memory.alloc_storage(R.shape([32]), R.prim_value(0), "global", "float32")
        a = R.memory.alloc_tensor(s, R.prim_value(0), R.shape([8]), "float32")
        b = R.memory.alloc_tensor(s, R.prim_value(0), R.shape([8]), "float32")
"""
BRANCH = """        if c:
            _1 = cls.{}(x, a)
            r = x
        else:
            r = x
"""
X = np.arange(1, 9, dtype="float32")


@pytest.mark.parametrize(
    "body",
    [
        ALONE
        + "        _ = cls.fill(x, a)\n"
        + BRANCH.format("inc")
        + "        _2 = cls.inc(x, a)\n        return a\n",
        ALONE
        + "        _ = cls.fill(x, a)\n"
        + BRANCH.format("inc")
        + "        _2 = cls.half(x, a)\n        return a\n",
        SHARED + BRANCH.format("fill") + "        _2 = cls.half(x, b)\n        return b\n",
        SHARED + "        _ = cls.fill(x, a)\n        _1 = cls.inc(x, b)\n        return b\n",
        SHARED.replace("s, R.prim_value(0)", "s, R.prim_value(-32)") + "        _ = cls.fill(x, a)\n        return a\n",
    ],
)
def test_what_other_tensors_left_in_memory_is_not_read(body: str) -> None:
    with pytest.raises(sunmao.Error, match="E1020") as error:
        sunmao.compile(sunmao.parse_module(HEAD + body))
    assert error.value.diagnostics[0]["notes"] == ["in the function `main`"]


def test_a_store_in_a_loop_without_steps_fills_nothing() -> None:
    module = sunmao.parse_module(
        HEAD + ALONE + "        _ = cls.fill(x, a)\n        _1 = cls.never(x, a)\n        return a\n"
    )
    np.testing.assert_array_equal(np.asarray(sunmao.compile(module)(X, np.array(True))), 2 * X)
