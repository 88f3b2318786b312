# Each branch becomes a function of what it reads; the caller goes on with the result.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def twice(a: T.Buffer((T.int64(4),), "float32"), b: T.Buffer((T.int64(4),), "float32")):
        for i in range(T.int64(4)):
            with T.block("twice"):
                vi = T.axis.spatial(T.int64(4), i)
                b[vi] = a[vi] * T.float32(2)

    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Before
        if c:
            with R.dataflow():
                a = R.call_tir(cls.twice, (w,), out_ty=R.Tensor((4,), "float32"))
                b = R.call_tir(cls.twice, (a,), out_ty=R.Tensor((4,), "float32"))
                R.output(b)
            y = b
        else:
            y = R.call_tir(cls.twice, (x,), out_ty=R.Tensor((4,), "float32"))
        z = R.call_tir(cls.twice, (y,), out_ty=R.Tensor((4,), "float32"))
        return z


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def twice(a: T.Buffer((T.int64(4),), "float32"), b: T.Buffer((T.int64(4),), "float32")):
        # with T.sblock("root"):
        for i in range(T.int64(4)):
            with T.sblock("twice"):
                vi = T.axis.spatial(T.int64(4), i)
                T.reads(a[vi])
                T.writes(b[vi])
                b[vi] = a[vi] * T.float32(2.0)

    @R.function(private=True)
    def main_else(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Expected
        y = R.call_tir(cls.twice, (x,), out_ty=R.Tensor((4,), dtype="float32"))
        return y

    @R.function(private=True)
    def main_then(w: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Expected
        with R.dataflow():
            a = R.call_tir(cls.twice, (w,), out_ty=R.Tensor((4,), dtype="float32"))
            b = R.call_tir(cls.twice, (a,), out_ty=R.Tensor((4,), dtype="float32"))
            R.output(b)
        return b

    @R.function
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32"), w: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Expected
        if c:
            y: R.Tensor((4,), dtype="float32") = cls.main_then(w)
        else:
            y: R.Tensor((4,), dtype="float32") = cls.main_else(x)
        z = R.call_tir(cls.twice, (y,), out_ty=R.Tensor((4,), dtype="float32"))
        return z
