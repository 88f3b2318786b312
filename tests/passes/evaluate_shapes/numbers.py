# Sizes that are numbers become constants.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n", 6, 4), "float32")):
        n = T.int64()
        with R.dataflow():
            sizes: R.Tensor((3,), "int64") = R.shape_to_tensor(R.shape([n, 6, 4]))
            last: R.Tensor((), "int64") = R.take(sizes, R.const(-1, "int64"), axis=0)
            narrow: R.Tensor((), "int32") = R.astype(last, "int32")
            lv: R.Tensor((), "bool") = R.less(narrow, R.const(5, "int32"))
            R.output(narrow, lv)
        return (narrow, lv)


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("n", 6, 4), "float32")):
        n = T.int64()
        with R.dataflow():
            sizes: R.Tensor((3,), "int64") = R.shape_to_tensor(R.shape([n, 6, 4]))
        return (R.const(4, "int32"), R.const(True, "bool"))
