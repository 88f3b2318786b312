# A parameter that becomes a half is read as one, and in its own type where halves do not do.
# pass: to-mixed-precision(out_dtype=float16, fp16_input_names=[w])
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((3, 3), "float32")):
        with R.dataflow():
            a = R.matmul(x, w)
            b = R.nn.softmax(w)
            gv = R.matmul(a, b)
            R.output(gv)
        return (gv, w)


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((3, 3), "float16")):
        with R.dataflow():
            x16 = R.astype(x, "float16")
            a = R.matmul(x16, w, out_dtype="float16")
            w32 = R.astype(w, "float32")
            b = R.nn.softmax(w32)
            b16 = R.astype(b, "float16")
            product = R.matmul(a, b16, out_dtype="float16")
            gv = R.astype(product, "float32")
            R.output(gv)
        last = R.astype(w, "float32")
        return (gv, last)
