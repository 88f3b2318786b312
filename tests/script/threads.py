# Threads of a device in all their spellings: each is a loop that threads run.
@I.ir_module
class Threads:
    @T.prim_func
    def launched(A: T.Buffer((64, 32), "float32")):
        bx = T.launch_thread("blockIdx.x", 64)
        tx = T.launch_thread("threadIdx.x", 32)
        A[bx, tx] = A[bx, tx] + 1

    @T.prim_func
    def named(A: T.Buffer((256,), "float32")):
        tx = T.env_thread("threadIdx.x")
        with T.launch_thread(tx, 256):
            A[tx] = A[tx] + 1.0
        with T.launch_thread(tx, 256):
            A[tx] = A[tx] * 2.0

    @T.prim_func
    def scoped(A: T.Buffer((8,), "float32")):
        with T.launch_thread("threadIdx.x", T.int64(8)) as t:
            A[t] = T.float32(0)

    @T.prim_func
    def attributes(A: T.Buffer((16,), "float32")):
        tx = T.int32()
        T.attr(T.iter_var(tx, None, "ThreadIndex", "threadIdx.x"), "thread_extent", 16)
        A[tx] = T.float32(1)

    @T.prim_func
    def loops(A: T.Buffer((8, 8), "float32")):
        for i in T.thread_binding(8, "blockIdx.x"):
            for j in T.thread_binding(0, 8, thread="threadIdx.x", annotations={"unit": 1}):
                A[i, j] = T.float32(0)
