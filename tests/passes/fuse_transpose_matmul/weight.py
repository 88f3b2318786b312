# A product with a transposed weight reads the weight as it is; another reader keeps the transposition.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n", 8), "float32"), w: R.Tensor((6, 8), "float32")):
        n = T.int64()
        with R.dataflow():
            t = R.permute_dims(w, [1, 0])
            y = R.matmul(x, t)
            z = (y, t)
            R.output(z)
        return z


@I.ir_module
class Expected:
    @T.prim_func(private=True, s_tir=True)
    def NT_matmul(a: T.handle, B: T.Buffer((T.int64(6), T.int64(8)), "float32"), o: T.handle):
        T.func_attr({"tirx.noalias": True})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(8)), "float32")
        out = T.match_buffer(o, (n, T.int64(6)), "float32")
        for i0, i1, r in T.grid(n, T.int64(6), T.int64(8)):
            with T.sblock("NT_matmul"):
                v0, v1, vr = T.axis.remap("SSR", [i0, i1, r])
                T.reads(A[v0, vr], B[v1, vr])
                T.writes(out[v0, v1])
                with T.init():
                    out[v0, v1] = T.float32(0)
                out[v0, v1] = out[v0, v1] + A[v0, vr] * B[v1, vr]

    @R.function
    def main(x: R.Tensor(("n", 8), "float32"), w: R.Tensor((6, 8), "float32")):
        n = T.int64()
        with R.dataflow():
            t = R.permute_dims(w, [1, 0])
            y = R.call_tir(Expected.NT_matmul, (x, w), out_ty=R.Tensor((n, 6), "float32"))
            z = (y, t)
            R.output(z)
        return z
