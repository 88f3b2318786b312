# Where sizes come from, what casts compare and what is computed stands at the begin; each relation and size once.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32"), s: R.Shape(["k"]), y: R.Tensor(("p",), "float32"), w: R.Tensor((4,), "float32")):
        n = T.int64()
        m = T.int64()
        k = T.int64()
        p = T.int64()
        q = T.int64()
        a = R.reshape(x, R.shape([n * m]))
        z = R.match_cast(y, R.Tensor((n * m,), "float32"))
        b = R.concat([R.add(a, z), a])
        d = R.match_cast(b, R.Tensor((q,), "float32"))
        f = R.match_cast(d, R.Tensor((k,), "float32"))
        g = R.match_cast(z, R.Tensor((n * m,), "float32"))
        h = R.match_cast(y, R.Tensor((n * m,), "float32"))
        return (f, g, h, w, s, R.shape([k + 1, q]))


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("n", "m"), dtype="float32"), s: R.Shape(["k"]), y: R.Tensor(("p",), dtype="float32"), w: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor(("k",), dtype="float32"), R.Tensor(("n * m",), dtype="float32"), R.Tensor(("n * m",), dtype="float32"), R.Tensor((4,), dtype="float32"), R.Shape(["k"]), R.Shape(ndim=2)):
        n = T.int64()
        m = T.int64()
        k = T.int64()
        p = T.int64()
        q = T.int64()
        x_1: R.Tensor((n, m), dtype="float32") = R.match_cast(x, R.Tensor((n, m), dtype="float32"))
        s_1: R.Shape([k]) = R.match_cast(s, R.Shape([k]))
        y_1: R.Tensor((p,), dtype="float32") = R.match_cast(y, R.Tensor((p,), dtype="float32"))
        z: R.Shape([n * m]) = R.match_cast(R.shape([p]), R.Shape([n * m]))
        d: R.Shape([q]) = R.match_cast(R.shape([n * m * 2]), R.Shape([q]))
        f: R.Shape([k]) = R.match_cast(R.shape([q]), R.Shape([k]))
        size: T.int64 = n * m
        size_1: T.int64 = n * m * 2
        size_2: T.int64 = k + 1
        a: R.Tensor((n * m,), dtype="float32") = R.reshape(x, R.shape([n * m]))
        z_1: R.Tensor((n * m,), dtype="float32") = R.match_cast(y, R.Tensor((n * m,), dtype="float32"))
        b: R.Tensor((n * m * 2,), dtype="float32") = R.concat((R.add(a, z_1), a))
        d_1: R.Tensor((q,), dtype="float32") = R.match_cast(b, R.Tensor((q,), dtype="float32"))
        f_1: R.Tensor((k,), dtype="float32") = R.match_cast(d_1, R.Tensor((k,), dtype="float32"))
        g: R.Tensor((n * m,), dtype="float32") = R.match_cast(z_1, R.Tensor((n * m,), dtype="float32"))
        h: R.Tensor((n * m,), dtype="float32") = R.match_cast(y, R.Tensor((n * m,), dtype="float32"))
        return (f_1, g, h, w, s, R.shape([k + 1, q]))
