"""Replacing kernels by others that use different layouts."""

import numpy as np
import pytest
import sunmao.compat as tvm
from sunmao.compat import relax
from sunmao.compat.relax.transform import AlterOpImpl, DeadCodeElimination, OptimizeLayoutTransform
from sunmao.compat.script import ir as I
from sunmao.compat.script import relax as R
from sunmao.compat.script import tirx as T
from sunmao.errors import OpError, PassError


@I.ir_module
class Twice:
    @T.prim_func(private=True)
    def double(A: T.Buffer((T.int64(12),), "float32"), B: T.Buffer((T.int64(12),), "float32")):
        T.func_attr({"operator_name": "my.double"})
        for i in range(T.int64(12)):
            with T.sblock("double"):
                v = T.axis.spatial(T.int64(12), i)
                B[v] = A[v] * T.float32(2)

    @R.function
    def main(x: R.Tensor((12,), "float32")):
        cls = Twice
        with R.dataflow():
            a = R.call_tir(cls.double, (x,), out_ty=R.Tensor((12,), "float32"))
            b = R.call_tir(cls.double, (a,), out_ty=R.Tensor((12,), "float32"))
            R.output(b)
        return b


@T.prim_func(private=True)
def double_blocks(A: T.Buffer((T.int64(3), T.int64(4)), "float32"), B: T.Buffer((T.int64(3), T.int64(4)), "float32")):
    for i, j in T.grid(T.int64(3), T.int64(4)):
        with T.sblock("double"):
            v, w = T.axis.remap("SS", [i, j])
            B[v, w] = A[v, w] + A[v, w]


def blocks(i):
    return (i // 4, i % 4)


def test_what_took_a_place_is_replaced_itself() -> None:
    alter = AlterOpImpl({"my.double": double_blocks}, {"my.double": [blocks, blocks]})
    with pytest.raises(OpError, match="E0203"):  # the map does not fit tensors already in blocks
        alter(alter(Twice))


def test_kernel_in_another_layout() -> None:
    @I.ir_module
    class Expected:
        @T.prim_func(private=True)
        def my_double_replacement(
            A: T.Buffer((T.int64(3), T.int64(4)), "float32"), B: T.Buffer((T.int64(3), T.int64(4)), "float32")
        ):
            T.func_attr({"operator_name": "my.double"})
            for i, j in T.grid(T.int64(3), T.int64(4)):
                with T.sblock("double"):
                    v, w = T.axis.remap("SS", [i, j])
                    B[v, w] = A[v, w] + A[v, w]

        @R.function
        def main(x: R.Tensor((12,), "float32")):
            cls = Expected
            with R.dataflow():
                x1 = R.layout_transform(x, index_map=lambda i: (i // 4, i % 4))
                a1 = R.call_tir(cls.my_double_replacement, (x1,), out_ty=R.Tensor((3, 4), "float32"))
                b1 = R.call_tir(cls.my_double_replacement, (a1,), out_ty=R.Tensor((3, 4), "float32"))
                b = R.layout_transform(b1, index_map=lambda i, j: (i * 4 + j,))
                R.output(b)
            return b

    altered = AlterOpImpl({"my.double": double_blocks}, {"my.double": [blocks, blocks]})(Twice)
    shorter = OptimizeLayoutTransform()(altered)
    tvm.ir.assert_structural_equal(DeadCodeElimination()(shorter), Expected)
    x = np.arange(12, dtype="float32")
    for module in (altered, shorter):
        vm = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())
        np.testing.assert_array_equal(vm["main"](tvm.runtime.tensor(x)).numpy(), 4 * x)


def test_kernel_in_the_same_layout() -> None:
    @T.prim_func(private=True)
    def added(A: T.Buffer((T.int64(12),), "float32"), B: T.Buffer((T.int64(12),), "float32")):
        for i in range(T.int64(12)):
            with T.sblock("double"):
                v = T.axis.spatial(T.int64(12), i)
                B[v] = A[v] + A[v]

    altered = DeadCodeElimination()(AlterOpImpl({"my.double": added}, {"my.double": []})(Twice))
    assert sorted(v.name_hint for v in altered.get_global_vars()) == ["main", "my_double_replacement"]
    assert "layout_transform" not in altered.script()


def test_nothing_to_replace() -> None:
    assert AlterOpImpl({"other": double_blocks}, {"other": [blocks, blocks]})(Twice).same_as(Twice)


@pytest.mark.parametrize(
    ("kernels", "layouts", "words"),
    [
        ({"my.double": double_blocks}, {"my.double": [blocks]}, "1 layouts of `my.double`, which has 2 buffers"),
        ({"my.double": double_blocks}, {"other": [blocks, blocks]}, "the layouts of `other`"),
        ({"my.double": double_blocks}, {"my.double": [blocks, lambda i: (i // 4, i // 4)]}, "cannot be turned round"),
        ({"my.double": 3}, {}, "no loop-level function"),
    ],
)
def test_what_cannot_be(kernels: dict, layouts: dict, words: str) -> None:
    with pytest.raises(PassError, match=words) as caught:
        AlterOpImpl(kernels, layouts)(Twice)
    assert "E0514" in str(caught.value)
