# unchanged
# A convolution that something else reads, and averages that are taken, keep both ops.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(
        x: R.Tensor((1, 2, 4, 4), "float32"),
        w: R.Tensor((3, 2, 3, 3), "float32"),
        gamma: R.Tensor((3,), "float32"),
        beta: R.Tensor((3,), "float32"),
        mean: R.Tensor((3,), "float32"),
        var: R.Tensor((3,), "float32"),
    ):
        with R.dataflow():
            c = R.nn.conv2d(x, w, padding=1)
            bn = R.nn.batch_norm(c, gamma, beta, mean, var, axis=1)
            y = bn[0]
            z = R.add(y, c)
            c1 = R.nn.conv2d(x, w)
            bn1 = R.nn.batch_norm(c1, gamma, beta, mean, var, axis=1)
            y1 = bn1[0]
            m1 = bn1[1]
            c2 = R.nn.conv2d(x, w)
            R.output(z, y1, m1, c2)
        return (z, y1, m1, c2)
