from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f(X: T.Buffer((T.int64(64),), "float32"), O: T.Buffer((T.int64(64),), "float32")):
        T.func_attr({"tirx.noalias": True})
        c0 = T.alloc_buffer((T.int64(64),))
        c1 = T.alloc_buffer((T.int64(64),))
        c2 = T.alloc_buffer((T.int64(64),))
        c3 = T.alloc_buffer((T.int64(64),))
        c4 = T.alloc_buffer((T.int64(64),))
        c5 = T.alloc_buffer((T.int64(64),))
        c6 = T.alloc_buffer((T.int64(64),))
        for i in range(T.int64(64)):
            with T.block("b0"):
                v = T.axis.spatial(T.int64(64), i)
                c0[v] = X[v] * T.float32(0.1)
        for i in range(T.int64(64)):
            with T.block("b1"):
                v = T.axis.spatial(T.int64(64), i)
                c1[v] = c0[v] * c0[v] - c0[v]
        for i in range(T.int64(64)):
            with T.block("b2"):
                v = T.axis.spatial(T.int64(64), i)
                c2[v] = c1[v] * c1[v] - c1[v]
        for i in range(T.int64(64)):
            with T.block("b3"):
                v = T.axis.spatial(T.int64(64), i)
                c3[v] = c2[v] * c2[v] - c2[v]
        for i in range(T.int64(64)):
            with T.block("b4"):
                v = T.axis.spatial(T.int64(64), i)
                c4[v] = c3[v] * c3[v] - c3[v]
        for i in range(T.int64(64)):
            with T.block("b5"):
                v = T.axis.spatial(T.int64(64), i)
                c5[v] = c4[v] * c4[v] - c4[v]
        for i in range(T.int64(64)):
            with T.block("b6"):
                v = T.axis.spatial(T.int64(64), i)
                c6[v] = c5[v] * c5[v] * c5[v] - c5[v] * c5[v]
        for i in range(T.int64(64)):
            with T.block("b7"):
                v = T.axis.spatial(T.int64(64), i)
                O[v] = c6[v] + c6[T.int64(0)]

    @R.function
    def main(x: R.Tensor((64,), "float32")) -> R.Tensor((64,), "float32"):
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.f, (x,), out_sinfo=R.Tensor((64,), "float32"))
            R.output(y)
        return y
