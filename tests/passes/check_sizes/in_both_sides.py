# What one side of a branch has checked is not checked on the other one.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, "d", 6), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((1, "d // 3", 4, 3), "float32"):
        d = T.int64()
        if c:
            y = R.nn.col2im(x, output_size=[4, 3], kernel_size=[3, 1])
        else:
            z = R.negative(x)
            y = R.nn.col2im(z, output_size=[4, 3], kernel_size=[3, 1])
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((1, "d", 6), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((1, "d // 3", 4, 3), "float32"):
        d = T.int64()
        if c:
            sizes: R.Shape([0]) = R.match_cast(R.shape([d % 3]), R.Shape([0]))
            y = R.nn.col2im(x, output_size=[4, 3], kernel_size=[3, 1])
        else:
            z = R.negative(x)
            sizes: R.Shape([0]) = R.match_cast(R.shape([d % 3]), R.Shape([0]))
            y = R.nn.col2im(z, output_size=[4, 3], kernel_size=[3, 1])
        return y
