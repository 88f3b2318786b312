# Loads and stores under masks, vectors of a scalable length, slices of one element.
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def masked(A: T.Buffer((16,), "float32"), B: T.Buffer((8,), "float32")):
        for i in range(4):
            B.vstore([T.Ramp(0, 2, 4)], A.vload([T.Ramp(i, 1, 4)], predicate=T.Broadcast(T.bool(True), 4)), predicate=T.Broadcast(T.bool(False), 4))

    @T.prim_func(private=True)
    def scalable(A: T.Buffer((200,), "float32"), B: T.Buffer((200,), "float32")):
        A[T.Ramp(11, 2, 4 * T.vscale())] = T.Broadcast(125, 4 * T.vscale())
        B[0:T.vscale() * 4] = A[0:T.vscale() * 4] * 2
        mask: T.let[T.uint1xvscalex4] = T.get_active_lane_mask("uint1xvscalex4", 0, 13)
        A.vstore([T.Ramp(0, 1, T.vscale() * 4)], B.vload([0], "float32xvscalex4", predicate=mask), predicate=mask)

    @T.prim_func(private=True)
    def one_element(A: T.Buffer((8,), "int32")):
        for i in range(7):
            A[i:i + 1:1] = i
