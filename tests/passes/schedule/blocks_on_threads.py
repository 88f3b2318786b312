# Of blocks that no family takes, outer loops run on threads where each iteration has elements of its own: not where
# all write to one temporary, where neighbours share an element, or where one reads what another writes.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func
    def own_rows(x: T.Buffer((64, 2000), "float32"), y: T.Buffer((64, 2000), "float32")):
        for i in range(64):
            with T.sblock("own"):
                vi = T.axis.spatial(64, i)
                for k in range(2000):
                    y[vi, k] = x[vi, k]
                    y[vi, 0] = y[vi, 0] + x[vi, k]

    @T.prim_func
    def one_temporary(x: T.Buffer((64, 2000), "float32"), y: T.Buffer((64, 2000), "float32")):
        with T.sblock("root"):
            last = T.sblock_alloc_buffer((1,), "float32")
            for i in range(64):
                with T.sblock("own"):
                    vi = T.axis.spatial(64, i)
                    for k in range(2000):
                        last[0] = x[vi, k]
                        y[vi, k] = last[0]

    @T.prim_func
    def neighbours(x: T.Buffer((64, 2000), "float32"), y: T.Buffer((65, 2000), "float32")):
        for i in range(64):
            with T.sblock("own"):
                vi = T.axis.spatial(64, i)
                for k in range(2000):
                    y[vi, k] = x[vi, k]
                    y[vi + 1, k] = x[vi, k]

    @T.prim_func
    def next_one(y: T.Buffer((65, 2000), "float32")):
        for i in range(64):
            with T.sblock("own"):
                vi = T.axis.spatial(64, i)
                for k in range(2000):
                    y[vi, k] = y[vi, k] * T.float32(2)
                    y[vi, k] = y[vi, k] + y[vi + 1, k]

    @T.prim_func
    def two_scales(x: T.Buffer((400000,), "float32"), y: T.Buffer((400000,), "float32")):
        for i in range(100000):
            with T.sblock("own"):
                vi = T.axis.spatial(100000, i)
                for k in range(4):
                    y[vi * 4 + k] = x[vi * 4 + k]
                y[vi] = y[vi] + T.float32(1)

    @T.prim_func
    def moved_loop(x: T.Buffer((100000,), "float32"), y: T.Buffer((400000,), "float32")):
        for i in range(100000):
            with T.sblock("own"):
                vi = T.axis.spatial(100000, i)
                for k in T.serial(4 - vi * 4, 8 - vi * 4):
                    y[vi * 4 + k] = x[vi]


@I.ir_module
class Expected:
    @T.prim_func
    def moved_loop(x: T.Buffer((100000,), "float32"), y: T.Buffer((400000,), "float32")):
        # with T.sblock("root"):
        for i in range(100000):
            with T.sblock("own"):
                vi = T.axis.spatial(100000, i)
                T.reads(x[vi])
                T.writes(y[4:8])
                for k in range(4 - vi * 4, 4 - vi * 4 + 4):
                    y[vi * 4 + k] = x[vi]

    @T.prim_func
    def neighbours(x: T.Buffer((64, 2000), "float32"), y: T.Buffer((65, 2000), "float32")):
        # with T.sblock("root"):
        for i in range(64):
            with T.sblock("own"):
                vi = T.axis.spatial(64, i)
                T.reads(x[vi, 0:2000])
                T.writes(y[vi:vi + 2, 0:2000])
                for k in range(2000):
                    y[vi, k] = x[vi, k]
                    y[vi + 1, k] = x[vi, k]

    @T.prim_func
    def next_one(y: T.Buffer((65, 2000), "float32")):
        # with T.sblock("root"):
        for i in range(64):
            with T.sblock("own"):
                vi = T.axis.spatial(64, i)
                T.reads(y[vi:vi + 2, 0:2000])
                T.writes(y[vi, 0:2000])
                for k in range(2000):
                    y[vi, k] = y[vi, k] * T.float32(2.0)
                    y[vi, k] = y[vi, k] + y[vi + 1, k]

    @T.prim_func
    def one_temporary(x: T.Buffer((64, 2000), "float32"), y: T.Buffer((64, 2000), "float32")):
        # with T.sblock("root"):
        last = T.sblock_alloc_buffer((1,))
        for i in range(64):
            with T.sblock("own"):
                vi = T.axis.spatial(64, i)
                T.reads(x[vi, 0:2000], last[0])
                T.writes(last[0], y[vi, 0:2000])
                for k in range(2000):
                    last[0] = x[vi, k]
                    y[vi, k] = last[0]

    @T.prim_func
    def own_rows(x: T.Buffer((64, 2000), "float32"), y: T.Buffer((64, 2000), "float32")):
        # with T.sblock("root"):
        with T.attr(None, "parallel_if", T.bool(True)):
            for chunk in T.parallel(T.int64(16)):
                for i in range(T.min(4, 64 - chunk * 4)):
                    with T.sblock("own"):
                        vi = T.axis.spatial(64, T.Cast("int32", chunk * 4 + i))
                        T.reads(x[vi, 0:2000], y[vi, 0])
                        T.writes(y[vi, 0:2000])
                        for k in range(2000):
                            y[vi, k] = x[vi, k]
                            y[vi, 0] = y[vi, 0] + x[vi, k]

    @T.prim_func
    def two_scales(x: T.Buffer((400000,), "float32"), y: T.Buffer((400000,), "float32")):
        # with T.sblock("root"):
        for i in range(100000):
            with T.sblock("own"):
                vi = T.axis.spatial(100000, i)
                T.reads(x[vi * 4:vi * 4 + 4], y[vi])
                T.writes(y[0:400000])
                for k in range(4):
                    y[vi * 4 + k] = x[vi * 4 + k]
                y[vi] = y[vi] + T.float32(1.0)
