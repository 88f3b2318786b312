# Reductions across threads, targets, shuffles and asserts of other kinds.
@T.prim_func
def reductions(A: T.Buffer((32,), "float32"), B: T.Buffer((4,), "float32")):
    T.func_attr({"target": T.target("cuda -arch=sm_80", host="llvm"), "tirx.noalias": True})
    assert A[0] > 0.0, ("ValueError", ["A is not positive"])
    cross = T.alloc_buffer((1,), "float32", scope="local")
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        with T.attr(
            T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))
        ):
            T.tvm_thread_allreduce(T.uint32(1), A[tx], T.bool(True), cross.data, tx, dtype="handle")
        with T.attr(
            T.comm_reducer(
                lambda a, b, c, d: (T.Select(b > d, a, c), T.max(b, d)), [T.int32(-1), T.min_value("float32")]
            ),
            "reduce_scope",
            0,
        ):
            T.evaluate(tx)
    B[0:4] = T.Shuffle([A[0:2], A[2:4]], [3, 2, 1, 0])
    T.ptx_legacy.ldmatrix(False, 4, "b16", A.data, 0, B.data, 0, dtype="float16")
    T.call_extern("int32", "f", T.tvm_struct_get(A.data, 0, 13, "int32"))
