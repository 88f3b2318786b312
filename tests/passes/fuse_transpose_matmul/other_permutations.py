# unchanged
# Other permutations, a left operand and unknown shapes stay.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 3, 4), "float32"), w: R.Tensor((4, 2, 5), "float32"), u: R.Tensor(dtype="float32", ndim=2)):
        with R.dataflow():
            a = R.permute_dims(w, [1, 0, 2])
            b = R.matmul(x, a)
            c = R.permute_dims(x, [0, 2, 1])
            d = R.matmul(c, x)
            e = R.permute_dims(u)
            f = R.matmul(x, e)
            g = (b, d, f)
            R.output(g)
        return g
