# The root block: left out, written out, absent, and a block without axes under it.
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def plain(A: T.Buffer((), "float32")):
        A[()] = 1.0

    @T.prim_func(private=True)
    def written(A: T.Buffer((4,), "float32")):
        with T.sblock("root"):
            T.reads()
            T.writes(A[0:4])
            T.sblock_attr({"note": 1})
            for i in range(4):
                with T.sblock("b"):
                    vi = T.axis.spatial(4, i)
                    A[vi] = 0.0

    @T.prim_func(private=True, root=False)
    def absent(A: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("b"):
                vi = T.axis.spatial(4, i)
                A[vi] = 0.0

    @T.prim_func(private=True)
    def scalar(A: T.Buffer((), "float32")):
        with T.sblock("root"):
            T.reads()
            T.writes()
            with T.sblock("only"):
                T.reads()
                T.writes(A[()])
                A[()] = 1.0

    @T.prim_func(private=True, s_tir=True)
    def together(A: T.Buffer((4, 8), "float32")):
        for iters in T.grid(4, 8):
            with T.sblock("b"):
                vi, vj = T.axis.remap("SS", iters)
                A[vi, vj] = 0.0
