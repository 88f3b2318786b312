# The weight is laid out in panels of 32 columns, and the product reads it so.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T



@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 40), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            y = R.matmul(x, w)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 40), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            packed = R.layout_transform(w, index_map=lambda k, n: (n // 32, k, n % 32))
            y = R.packed_matmul(x, packed, n=40)
            R.output(y)
        return y
