# A tuple that loses its fields is not the same as one of what they were.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(p: R.Tuple(R.Tensor((3,), "float32"))):
        with R.dataflow():
            w = p[0]
            v = w
            R.call_pure_packed("vm.builtin.tuple_reset_item", p, T.int32(0), ty_args=(R.Tuple,))
            gv = (v,)
            R.output(gv)
        return gv


@I.ir_module
class Expected:
    @R.function
    def main(p: R.Tuple(R.Tensor((3,), "float32"))):
        with R.dataflow():
            w = p[0]
            R.call_pure_packed("vm.builtin.tuple_reset_item", p, T.int32(0), ty_args=(R.Tuple,))
            gv = (w,)
            R.output(gv)
        return gv
