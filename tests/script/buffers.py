# What buffers say of themselves, and what scripts ask of them.
@I.ir_module
class Buffers:
    @T.prim_func
    def asked(a: T.handle, b: T.handle):
        s0 = T.int32()
        A = T.match_buffer(a, (16, 16), "float16", strides=(s0, 1), align=128, offset_factor=16, scope="shared")
        B = T.match_buffer(b, (16, 16), "float16", offset_factor=1)
        T.evaluate(A.elem_offset + A.strides[0] + B.elem_offset + B.shape[1] + B.strides[0])
        T.call_extern("void", "copy", A.access_ptr("r"), B.access_ptr("rw", offset=4, extent=8))
        T.evaluate(T.tvm_access_ptr(T.type_annotation("float16"), B.data, B.elem_offset, 256, 1))
        A[0, 0:8] = B.vload([0, 0], "float16x8")
        A.vstore([1, 0], B[2, 0:8])
        A.vstore([1, T.Ramp(0, 1, 4)], T.Broadcast(T.float16(0), 4))

    @T.prim_func
    def declared(A: T.Buffer((4, 8), "float32")):
        flat = T.decl_buffer((32,), "float32", data=A.data)
        padded = T.alloc_buffer((4, 8), "int8", axis_separators=[1])
        p: T.let[T.handle("float32")] = T.address_of(A[0, 4])
        q = T.bind(T.address_of(A[1, 4]), T.handle("float32"))
        view = T.decl_buffer((4,), "float32", data=p)
        other = T.decl_buffer((4,), dtype=A.dtype, data=q)
        memory = T.handle("float32", "global")
        outer = T.decl_buffer((4,), data=memory)
        view[0] = flat[0] + other[1] + outer[2]
        padded[0, 0] = T.int8(1)
        for i, j in T.grid(*A.shape):
            A[i, j] = T.float32(0)
        for ij in T.grid(*A.shape):
            A[ij] = T.float32(1)
        for *i, j in T.grid(2, 2, 8):
            A[i[0], j] = T.float32(2)

    @T.prim_func
    def viewed(A: T.Buffer((16, 64), "int32")):
        with T.sblock("rows"):
            T.reads(A[8:16, 32:64])
            T.writes(A[8:16, 32:64])
            V = T.match_buffer(A[8:16, 32:64])
            W = T.match_buffer(A[8:16, 32:64], (8, 32), "int32", offset_factor=1)
            T.sblock_attr({"memory": [A], "count": 3})
            V[0, 0] = V[1, 1] + W.elem_offset

    @T.prim_func
    def axes(A: T.Buffer((4, 4, 4), "float32")):
        for ijk in T.grid(4, 4, 4):
            with T.sblock("b"):
                v = T.axis.remap("SSS", ijk)
                A[v] = T.float32(0)
        for i, j, k in T.grid(4, 4, 4):
            with T.sblock("c"):
                vi, *vs = T.axis.remap("SSS", [i, j, k])
                A[(vi, *vs)] = T.float32(0)
