# A kernel that reads an index or 0, as sizes say, gets forms of two versions: the first one reads the index.
# pass: add-target-forms(targets=[x86-64-v3])
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def repeat(p_A: T.handle, p_out: T.handle):
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(p_A, (n,))
        out = T.match_buffer(p_out, (m,))
        with T.sblock("root"):
            for i in range(m):
                with T.sblock("out"):
                    v = T.axis.spatial(m, i)
                    out[v] = A[T.Select(n == m, v, T.int64(0))]

    @R.function
    def main(x: R.Tensor(("n",), "float32"), s: R.Shape(["m"])):
        n = T.int64()
        m = T.int64()
        cls = Before
        gv = R.call_tir(cls.repeat, (x,), out_sinfo=R.Tensor((m,), "float32"))
        return gv


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def repeat(p_A: T.handle, p_out: T.handle):
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(p_A, (n,))
        out = T.match_buffer(p_out, (m,))
        with T.sblock("root"):
            for i in range(m):
                with T.sblock("out"):
                    v = T.axis.spatial(m, i)
                    out[v] = A[T.Select(n == m, v, T.int64(0))]

    @T.prim_func(private=True)
    def repeat_x86_64_v3(p_A: T.handle, p_out: T.handle):
        T.func_attr({"form_of": "repeat", "form_target": "x86-64-v3", "has_versions": True})
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(p_A, (n,))
        out = T.match_buffer(p_out, (m,))
        if n == m:
            with T.sblock("root"):
                T.reads()
                T.writes()
                for i in range(m):
                    with T.sblock("out"):
                        v = T.axis.spatial(m, i)
                        out[v] = A[v]
        else:
            with T.sblock("root"):
                T.reads()
                T.writes()
                for i in range(m):
                    with T.sblock("out"):
                        v = T.axis.spatial(m, i)
                        out[v] = A[T.Select(n == m, v, T.int64(0))]

    @R.function
    def main(x: R.Tensor(("n",), "float32"), s: R.Shape(["m"])):
        n = T.int64()
        m = T.int64()
        cls = Expected
        gv = R.call_tir(cls.repeat, (x,), out_sinfo=R.Tensor((m,), "float32"))
        return gv
