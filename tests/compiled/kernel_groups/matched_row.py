from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f(X: T.Buffer((T.int64(8), T.int64(16)), "float32"), W: T.Buffer((T.int64(16), T.int64(32)), "float32"), P: T.Buffer((T.int64(8), T.int64(32)), "float32"), O: T.Buffer((T.int64(8),), "float32")):
        t = T.alloc_buffer((T.int64(8), T.int64(32)))
        for i, j, k in T.grid(T.int64(8), T.int64(32), T.int64(16)):
            with T.block("t"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    t[vi, vj] = T.float32(0.0)
                t[vi, vj] = t[vi, vj] + X[vi, vk] * W[vk, vj]
        for i, j in T.grid(T.int64(8), T.int64(32)):
            with T.block("p"):
                vi, vj = T.axis.remap("SS", [i, j])
                P[vi, vj] = t[vi, vj] * T.float32(2.0)
        for i in T.serial(T.int64(8)):
            with T.block("o"):
                vi = T.axis.spatial(T.int64(8), i)
                T.reads(t[vi, T.int64(0):T.int64(32)])
                T.writes(O[vi])
                row = T.match_buffer(t[vi, T.int64(0):T.int64(32)], (T.int64(32),), offset_factor=1)
                O[vi] = row[T.int64(3)]

    @R.function
    def main(x: R.Tensor((8, 16), "float32"), w: R.Tensor((16, 32), "float32")) -> R.Tuple(R.Tensor((8, 32), "float32"), R.Tensor((8,), "float32")):
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.f, (x, w), out_sinfo=[R.Tensor((8, 32), "float32"), R.Tensor((8,), "float32")])
            R.output(y)
        return y
