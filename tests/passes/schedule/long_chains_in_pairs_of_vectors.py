# With 16 registers two vectors of an expanded intrinsic are computed together, then one, then the rest.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func
    def main(x: T.Buffer((T.int64(45),), "float32"), y: T.Buffer((T.int64(45),), "float32")):
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v3"})
        with T.sblock("root"):
            for i in range(T.int64(45)):
                with T.sblock("y"):
                    vi = T.axis.spatial(T.int64(45), i)
                    y[vi] = T.tanh(x[vi])


@I.ir_module
class Expected:
    @T.prim_func
    def main(x: T.Buffer((T.int64(45),), "float32"), y: T.Buffer((T.int64(45),), "float32")):
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v3"})
        with T.sblock("root"):
            T.reads()
            T.writes()
            for i in range(T.int64(2)):
                for i_lane in T.vectorized(T.int64(16)):
                    y[i * 16 + i_lane] = T.tanh(x[i * 16 + i_lane])
            for i_lane in T.vectorized(T.int64(8)):
                y[32 + i_lane] = T.tanh(x[32 + i_lane])
            for i_lane in T.vectorized(T.int64(8)):
                if 8 + i_lane < 13:
                    y[32 + (8 + i_lane)] = T.tanh(x[32 + (8 + i_lane)])

