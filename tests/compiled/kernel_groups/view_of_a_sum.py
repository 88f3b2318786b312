from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f(X: T.Buffer((T.int64(4), T.int64(5), T.int64(64), T.int64(16)), "float32"), W: T.Buffer((T.int64(64), T.int64(64)), "float32"), P: T.Buffer((T.int64(4), T.int64(5), T.int64(64)), "float32"), O: T.Buffer((T.int64(4), T.int64(5), T.int64(64)), "float32")):
        t = T.alloc_buffer((T.int64(4), T.int64(5), T.int64(64)))
        for b, s, k, r in T.grid(T.int64(4), T.int64(5), T.int64(64), T.int64(16)):
            with T.block("t"):
                vb, vs, vk, vr = T.axis.remap("SSSR", [b, s, k, r])
                with T.init():
                    t[vb, vs, vk] = T.float32(0.0)
                t[vb, vs, vk] = t[vb, vs, vk] + X[vb, vs, vk, vr]
        for b, s, k in T.grid(T.int64(4), T.int64(5), T.int64(64)):
            with T.block("p"):
                vb, vs, vk = T.axis.remap("SSS", [b, s, k])
                P[vb, vs, vk] = t[vb, vs, vk] * T.float32(2.0)
        for b, s, o, k in T.grid(T.int64(4), T.int64(5), T.int64(64), T.int64(64)):
            with T.block("o"):
                vb, vs, vo, vk = T.axis.remap("SSSR", [b, s, o, k])
                with T.init():
                    O[vb, vs, vo] = T.float32(0.0)
                O[vb, vs, vo] = O[vb, vs, vo] + t[vb, vs, vk] * W[vk, vo]

    @R.function
    def main(x: R.Tensor((4, 5, 64, 16), "float32"), w: R.Tensor((64, 64), "float32")) -> R.Tuple(R.Tensor((4, 5, 64), "float32"), R.Tensor((4, 5, 64), "float32")):
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.f, (x, w), out_sinfo=[R.Tensor((4, 5, 64), "float32"), R.Tensor((4, 5, 64), "float32")])
            R.output(y)
        return y
