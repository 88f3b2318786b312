# Each way of calling a kernel gets a kernel of its own; the old one goes when nothing calls it.
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
    def main(x: R.Tensor((4,), "float32"), v: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 1})
        cls = Before
        with R.dataflow():
            p = R.call_tir(cls.add, (x, v), out_ty=R.Tensor((4,), "float32"))
            q = R.call_tir(cls.add, (p, w), out_ty=R.Tensor((4,), "float32"))
            r = R.call_tir(cls.add, (v, q), out_ty=R.Tensor((4,), "float32"))
            R.output(r)
        return r


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def add1(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32"), c: T.Buffer((4,), "float32")):
        T.func_attr({"layout_free_buffers": [1]})
        # with T.sblock("root"):
        for i in range(4):
            with T.sblock("add"):
                vi = T.axis.spatial(4, i)
                T.reads(a[vi], b[vi])
                T.writes(c[vi])
                c[vi] = a[vi] + b[vi]

    @T.prim_func(private=True)
    def add2(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32"), c: T.Buffer((4,), "float32")):
        T.func_attr({"layout_free_buffers": [0]})
        # with T.sblock("root"):
        for i in range(4):
            with T.sblock("add"):
                vi = T.axis.spatial(4, i)
                T.reads(a[vi], b[vi])
                T.writes(c[vi])
                c[vi] = a[vi] + b[vi]

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), v: R.Tensor((4,), dtype="float32"), w: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        R.func_attr({"num_input": 1})
        cls = Expected
        with R.dataflow():
            p = R.call_tir(cls.add1, (x, v), out_ty=R.Tensor((4,), dtype="float32"))
            q = R.call_tir(cls.add1, (p, w), out_ty=R.Tensor((4,), dtype="float32"))
            r = R.call_tir(cls.add2, (v, q), out_ty=R.Tensor((4,), dtype="float32"))
            R.output(r)
        return r
