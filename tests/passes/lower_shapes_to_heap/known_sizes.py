# Sizes that are numbers need no heap; weights of known sizes are not checked.
# pass: lower-shapes-to-heap(emit_err_ctx=False)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(pure=False)
    def main(x: R.Tensor((4, 2), "float32"), f: R.Callable([R.Any], R.Any), w: R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 2})
        s = R.shape([4, 2])
        return (x, s)


@I.ir_module
class Expected:
    @R.function(pure=False)
    def main(x: R.Tensor((4, 2), dtype="float32"), f: R.Callable((R.Any,), R.Any, True), w: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor((4, 2), dtype="float32"), R.Shape([4, 2])):
        R.func_attr({"num_input": 2})
        shape_heap: R.Any = R.null_value()
        R.call_packed("vm.builtin.check_tensor_info", x, 2, R.dtype("float32"), R.str(""), ty_args=(R.Tuple,))
        R.call_packed("vm.builtin.check_func_info", f, R.str(""), ty_args=(R.Tuple,))
        R.call_packed("vm.builtin.match_shape", x, shape_heap, 2, 0, 4, 0, 2, R.str(""), ty_args=(R.Tuple,))
        s: R.Shape([4, 2]) = R.shape([4, 2])
        return (x, s)
