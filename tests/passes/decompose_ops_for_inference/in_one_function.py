# Only the named function changes.
# pass: decompose-ops-for-inference(func_name="other")
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(
        x: R.Tensor((2, 3, 4), "float32"),
        gamma: R.Tensor((3,), "float32"),
        beta: R.Tensor((3,), "float32"),
        mean: R.Tensor((3,), "float32"),
        var: R.Tensor((3,), "float32"),
    ):
        bn = R.nn.batch_norm(x, gamma, beta, mean, var, axis=1)
        return bn

    @R.function
    def other(t: R.Tensor((2,), "int64")):
        s = R.tensor_to_shape(t)
        return s


@I.ir_module
class Expected:
    @R.function
    def main(
        x: R.Tensor((2, 3, 4), "float32"),
        gamma: R.Tensor((3,), "float32"),
        beta: R.Tensor((3,), "float32"),
        mean: R.Tensor((3,), "float32"),
        var: R.Tensor((3,), "float32"),
    ):
        bn = R.nn.batch_norm(x, gamma, beta, mean, var, axis=1)
        return bn

    @R.function
    def other(t: R.Tensor((2,), "int64")):
        n = T.int64()
        m = T.int64()
        p = R.call_pure_packed("vm.builtin.tensor_to_shape", t, ty_args=(R.Shape(ndim=2),))
        q = R.match_cast(p, R.Shape([n, m]))
        s = R.shape([n, m])
        return s
