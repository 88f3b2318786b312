# Each result is handed over as soon as it is known.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def transform_params(a: R.Tensor((2,), "float32"), b: R.Tensor((2,), "float32")):
        with R.dataflow():
            c = R.add(a, b)
            d = R.multiply(c, b)
            gv = (d, c, b, d)
            R.output(gv)
        return gv


@I.ir_module
class Expected:
    @R.function(pure=False)
    def transform_params(a: R.Tensor((2,), dtype="float32"), b: R.Tensor((2,), dtype="float32"), fset_output: R.Callable((T.int64, R.Any), R.Tuple, False)) -> R.Tuple:
        fset_output(2, b)
        c: R.Tensor((2,), dtype="float32") = R.add(a, b)
        fset_output(1, c)
        d: R.Tensor((2,), dtype="float32") = R.multiply(c, b)
        fset_output(0, d)
        fset_output(3, d)
        return R.tuple()
