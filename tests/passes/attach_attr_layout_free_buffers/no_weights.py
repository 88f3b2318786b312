# unchanged
# Without weights and constants nothing happens.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def add(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32"), c: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("add"):
                vi = T.axis.spatial(4, i)
                c[vi] = a[vi] + b[vi]

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 1})
        cls = Before
        y = R.call_tir(cls.add, (x, x), out_ty=R.Tensor((4,), "float32"))
        return y
