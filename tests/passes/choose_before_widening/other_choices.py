# Other ops that choose some elements go before the widening as well.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(i: R.Tensor((2, 64), "int64"), k: R.Tensor((4, 1), "int64"), n: R.Tensor((3,), "int64"), b: R.Tensor((2,), "int64"), t: R.Tensor((64, 64), "int8")):
        R.func_attr({"num_input": 4})
        with R.dataflow():
            d = R.dequantize(t, R.const(0.5, "float32"), R.const(0, "int8"))
            p = R.gather_elements(d, i, axis=0)
            q = R.gather_nd(d, k)
            r = R.index_tensor(d, (n, n))
            s = R.dynamic_strided_slice(d, b, b, b)
            o = (p, q, r, s)
            R.output(o)
        return o


@I.ir_module
class Expected:
    @R.function
    def main(i: R.Tensor((2, 64), dtype="int64"), k: R.Tensor((4, 1), dtype="int64"), n: R.Tensor((3,), dtype="int64"), b: R.Tensor((2,), dtype="int64"), t: R.Tensor((64, 64), dtype="int8")) -> R.Tuple(R.Tensor((2, 64), dtype="float32"), R.Tensor((4, 64), dtype="float32"), R.Tensor((3,), dtype="float32"), R.Tensor(dtype="float32", ndim=2)):
        R.func_attr({"num_input": 4})
        with R.dataflow():
            lv: R.Tensor((2, 64), dtype="int8") = R.gather_elements(t, i)
            p: R.Tensor((2, 64), dtype="float32") = R.dequantize(lv, R.const(0.5, "float32"), R.const(0, "int8"), axis=0)
            lv_1: R.Tensor((4, 64), dtype="int8") = R.gather_nd(t, k)
            q: R.Tensor((4, 64), dtype="float32") = R.dequantize(lv_1, R.const(0.5, "float32"), R.const(0, "int8"), axis=0)
            lv_2: R.Tensor((3,), dtype="int8") = R.index_tensor(t, (n, n))
            r: R.Tensor((3,), dtype="float32") = R.dequantize(lv_2, R.const(0.5, "float32"), R.const(0, "int8"), axis=0)
            lv_3: R.Tensor(dtype="int8", ndim=2) = R.dynamic_strided_slice(t, b, b, b)
            s: R.Tensor(dtype="float32", ndim=2) = R.dequantize(lv_3, R.const(0.5, "float32"), R.const(0, "int8"), axis=0)
            o: R.Tuple(R.Tensor((2, 64), dtype="float32"), R.Tensor((4, 64), dtype="float32"), R.Tensor((3,), dtype="float32"), R.Tensor(dtype="float32", ndim=2)) = (p, q, r, s)
            R.output(o)
        return o
